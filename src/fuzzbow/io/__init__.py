"""Read and write files and tables."""

from typing import Any

# name -> module and object of a format; a new one is registered here and nowhere else
FORMATS: dict[str, Any] = {
    "csv": ("fuzzbow.io.csv", "CSV"),
    "tsv": ("fuzzbow.io.csv", "TSV"),
    "jsonl": ("fuzzbow.io.jsonl", "JSON_LINES"),
    "txt": ("fuzzbow.io.text", "PLAIN_TEXT"),
    "parquet": ("fuzzbow.io.parquet", "PARQUET"),
    "xlsx": ("fuzzbow.io.excel", "EXCEL"),
}

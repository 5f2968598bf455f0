"""What people do with a model: score files of pairs, search, dedupe, explain."""

from fuzzbow.tasks.files import BATCH_ROWS, read_table, table_writer, text_format_of
from fuzzbow.tasks.formats import CSV, JSONL, format_of
from fuzzbow.tasks.scores import ScoreReport, check_columns, collection_of, score_table

__all__ = [
    "BATCH_ROWS",
    "CSV",
    "JSONL",
    "ScoreReport",
    "check_columns",
    "collection_of",
    "format_of",
    "read_table",
    "score_table",
    "table_writer",
    "text_format_of",
]

"""Tasks of a model: score files of pairs, search, dedupe, join, explain, select."""

from fuzzbow.tasks.added_column import RowReport, check_added
from fuzzbow.tasks.encodings import MEMBERSHIPS, encode_table, membership_type
from fuzzbow.tasks.files import BATCH_ROWS, read_table, table_writer
from fuzzbow.tasks.formats import CSV, JSONL, format_of
from fuzzbow.tasks.scores import collection_sides, score_table
from fuzzbow.tasks.text_columns import TextColumns, collection_of

__all__ = [
    "BATCH_ROWS",
    "CSV",
    "JSONL",
    "MEMBERSHIPS",
    "RowReport",
    "TextColumns",
    "check_added",
    "collection_of",
    "collection_sides",
    "encode_table",
    "format_of",
    "membership_type",
    "read_table",
    "score_table",
    "table_writer",
]

"""What people do with a model: score files of pairs, search, dedupe, explain."""

from fuzzbow.tasks.files import BATCH_ROWS, Format, format_of, read_table
from fuzzbow.tasks.scoring import ScoreReport, check_columns, score_table
from fuzzbow.tasks.writing import table_writer, text_writer

__all__ = [
    "BATCH_ROWS",
    "Format",
    "ScoreReport",
    "check_columns",
    "format_of",
    "read_table",
    "score_table",
    "table_writer",
    "text_writer",
]

"""What people do with a model: score files of pairs."""

from fuzzbow.tasks.files import Format, format_of, read_table, table_writer, text_writer
from fuzzbow.tasks.scoring import BATCH_ROWS, ScoreReport, check_columns, score_table

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

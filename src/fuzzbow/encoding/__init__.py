"""From strings to word ids: what every measure works on."""

from fuzzbow.encoding.encoder import Encoder, decoded, distinct_texts
from fuzzbow.encoding.given_texts import (
    check_text,
    check_texts,
    column_names,
    column_of,
    is_frame,
)
from fuzzbow.encoding.texts import Texts, known_rows

__all__ = [
    "Encoder",
    "Texts",
    "check_text",
    "check_texts",
    "column_names",
    "column_of",
    "decoded",
    "distinct_texts",
    "is_frame",
    "known_rows",
]

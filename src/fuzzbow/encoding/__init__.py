"""From strings to word ids: what every measure works on."""

from fuzzbow.encoding.encoder import Encoder, decoded, distinct_texts
from fuzzbow.encoding.given_texts import (
    check_text,
    check_texts,
    column_names,
    column_of,
    is_frame,
    is_missing,
)
from fuzzbow.encoding.language import KnownWords, warn_of_language
from fuzzbow.encoding.texts import Texts, known_rows

__all__ = [
    "Encoder",
    "KnownWords",
    "Texts",
    "check_text",
    "check_texts",
    "column_names",
    "column_of",
    "decoded",
    "distinct_texts",
    "is_frame",
    "is_missing",
    "known_rows",
    "warn_of_language",
]

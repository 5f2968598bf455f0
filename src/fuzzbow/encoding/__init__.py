"""From strings to word ids: what every measure works on."""

from fuzzbow.encoding.arrow_texts import ArrowTexts, TextList, column_texts, texts_where
from fuzzbow.encoding.encoder import Encoder, decoded, distinct_texts
from fuzzbow.encoding.given_texts import (
    blank_texts,
    check_text,
    check_texts,
    column_names,
    column_of,
    comparable_texts,
    is_frame,
    is_missing,
)
from fuzzbow.encoding.language import KnownWords, warn_of_language
from fuzzbow.encoding.texts import Texts, known_rows
from fuzzbow.encoding.token_ids import TokenIds

__all__ = [
    "ArrowTexts",
    "Encoder",
    "KnownWords",
    "TextList",
    "Texts",
    "TokenIds",
    "blank_texts",
    "check_text",
    "check_texts",
    "column_names",
    "column_of",
    "column_texts",
    "comparable_texts",
    "decoded",
    "distinct_texts",
    "is_frame",
    "is_missing",
    "known_rows",
    "texts_where",
    "warn_of_language",
]

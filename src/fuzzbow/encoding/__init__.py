"""Encoding of strings as word ids, the input of every measure."""

from fuzzbow.encoding.arrow_texts import ArrowTexts, TextList, column_texts, texts_where
from fuzzbow.encoding.encoder import Encoder, distinct_texts
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
from fuzzbow.encoding.language import warn_of_language
from fuzzbow.encoding.texts import BatchWords, Texts, TokenIds, decoded
from fuzzbow.encoding.word_cache import (
    DROPPED,
    NEW,
    QueryTrigrams,
    TrigramIds,
    WordCache,
    WordRows,
)

__all__ = [
    "DROPPED",
    "NEW",
    "ArrowTexts",
    "BatchWords",
    "Encoder",
    "QueryTrigrams",
    "TextList",
    "Texts",
    "TokenIds",
    "TrigramIds",
    "WordCache",
    "WordRows",
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
    "texts_where",
    "warn_of_language",
]

"""Tokenizers with character offsets, features of words, and valid text."""

from fuzzbow.text.cleaning import CLEANERS, CLEANING_RULES, JOINER, clean_web, parse_clean
from fuzzbow.text.features import (
    CONTRASTED,
    has_digit,
    has_letter,
    is_contrasted,
    is_number,
    is_punctuation,
    is_symbol,
    trigrams,
    word_traits,
)
from fuzzbow.text.folding import fold
from fuzzbow.text.languages import ENGLISH, LANGUAGES, Language, parse_language
from fuzzbow.text.tokenizer import Span, Tokenizer
from fuzzbow.text.tokenizers import TOKENIZERS, parse_tokenizer
from fuzzbow.text.unicode import (
    ARROW_BLANK_TEXT,
    is_blank,
    visible,
    visible_line,
    whole_text,
    whole_value,
)

__all__ = [
    "ARROW_BLANK_TEXT",
    "CLEANERS",
    "CLEANING_RULES",
    "CONTRASTED",
    "ENGLISH",
    "JOINER",
    "LANGUAGES",
    "TOKENIZERS",
    "Language",
    "Span",
    "Tokenizer",
    "clean_web",
    "fold",
    "has_digit",
    "has_letter",
    "is_blank",
    "is_contrasted",
    "is_number",
    "is_punctuation",
    "is_symbol",
    "parse_clean",
    "parse_language",
    "parse_tokenizer",
    "trigrams",
    "visible",
    "visible_line",
    "whole_text",
    "whole_value",
    "word_traits",
]

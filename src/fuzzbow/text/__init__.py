"""Texts to words: tokenizers with character offsets, features of single words, whole text."""

from fuzzbow.text.features import is_number, trigrams
from fuzzbow.text.tokenizers import Span, Tokenizer, parse_tokenizer
from fuzzbow.text.unicode import visible, visible_line, whole_text, whole_value

__all__ = [
    "Span",
    "Tokenizer",
    "is_number",
    "parse_tokenizer",
    "trigrams",
    "visible",
    "visible_line",
    "whole_text",
    "whole_value",
]

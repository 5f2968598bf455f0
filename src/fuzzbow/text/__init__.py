"""Texts to words: tokenizers with character offsets, and features of single words."""

from fuzzbow.text.features import is_number, trigrams
from fuzzbow.text.tokenizers import Span, Tokenizer, parse_tokenizer

__all__ = ["Span", "Tokenizer", "is_number", "parse_tokenizer", "trigrams"]

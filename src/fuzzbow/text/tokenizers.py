"""Tokenizers: from a text to its words and their character offsets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from fuzzbow.errors import InputError, MissingExtraError

Span = tuple[int, int]


@runtime_checkable
class Tokenizer(Protocol):
    """Splits a text; `spans` are the character offsets of `words`, one for each."""

    @property
    def name(self) -> str: ...

    def words(self, text: str) -> list[str]: ...

    def spans(self, text: str) -> list[Span]: ...


@dataclass(frozen=True)
class WhitespaceTokenizer:
    """For data that is tokenised already: words are what white space separates."""

    name: str = "whitespace"

    def words(self, text: str) -> list[str]:
        """The words of a text."""
        return text.split()

    def spans(self, text: str) -> list[Span]:
        """Where each word begins and ends."""
        return list(align(text, self.words(text)))


# vocabularies know only the plain quotes
PLAIN_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"'})

WORD = re.compile(
    r"""
      (?:[^\W\d_]\.){2,}               # u.s., p.m.
    | \d+(?:[.,]\d+)+                  # 1,650 and 3.5
    | \w+?(?=n't\b)                    # do|n't
    | n't\b
    | '(?:s|m|d|re|ve|ll)\b            # it|'s, they|'re
    | \w+                              # words, numbers, 1990s
    | \.{2,} | -{2,}
    | [^\w\s]                          # other punctuation and symbols, one at a time
    """,
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True)
class WordTokenizer:
    """Unicode words, numbers such as 1,650 and 3.5, and punctuation.

    >>> WordTokenizer().words("Don't pay $1,650.50: it's U.S. money!")
    ['Do', "n't", 'pay', '$', '1,650.50', ':', 'it', "'s", 'U.S.', 'money', '!']
    """

    name: str = "words"

    def words(self, text: str) -> list[str]:
        """The words of a text."""
        return WORD.findall(text.translate(PLAIN_QUOTES))

    def spans(self, text: str) -> list[Span]:
        """Where each word begins and ends; replaced quotes are one character for one."""
        return [match.span() for match in WORD.finditer(text.translate(PLAIN_QUOTES))]


@dataclass(frozen=True)
class MosesTokenizer:
    """The paper's protocol from raw text: Moses tokens, lower-cased."""

    name: str = "moses"
    _moses: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            from sacremoses import MosesTokenizer as Moses
        except ImportError as error:
            raise MissingExtraError("sacremoses", "moses") from error
        object.__setattr__(self, "_moses", Moses(lang="en"))

    def words(self, text: str) -> list[str]:
        """The words of a text."""
        return [word.lower() for word in self._tokens(text)]

    def spans(self, text: str) -> list[Span]:
        """Where each word begins and ends."""
        return list(align(text, self._tokens(text)))

    def _tokens(self, text: str) -> list[str]:
        tokens: list[str] = self._moses.tokenize(text, escape=False)
        return tokens


@dataclass(frozen=True)
class CallableTokenizer:
    """Any function from a text to a list of words."""

    split: Callable[[str], Sequence[str]]

    @property
    def name(self) -> str:
        """The name of the function."""
        return getattr(self.split, "__qualname__", type(self.split).__name__)

    def words(self, text: str) -> list[str]:
        """The words of a text, checked to be strings."""
        words = self.split(text)
        if isinstance(words, str) or not all(isinstance(word, str) for word in words):
            raise InputError(
                f"tokenizer {self.name} must return a list of strings; got {words!r:.80}"
            )
        return list(words)

    def spans(self, text: str) -> list[Span]:
        """Where each word begins and ends."""
        return list(align(text, self.words(text)))


def align(text: str, words: Sequence[str]) -> Iterator[Span]:
    """Spans of words that follow each other in a text; an empty one for a word not in it."""
    position = 0
    for word in words:
        start = text.find(word, position)
        if start < 0:
            yield position, position
        else:
            position = start + len(word)
            yield start, position

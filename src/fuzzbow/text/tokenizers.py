"""Tokenizers: from a text to its words and their character offsets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.text.languages import ENGLISH, Language
from fuzzbow.text.segments import Dictionary, Span

FIRST_RULES = 1  # of every tokenizer, and of indexes that do not say


@runtime_checkable
class Tokenizer(Protocol):
    """Splits a text; `spans` are the character offsets of `words`, one for each."""

    @property
    def name(self) -> str: ...

    def words(self, text: str) -> list[str]: ...

    def spans(self, text: str) -> list[Span]: ...


@runtime_checkable
class AdaptableTokenizer(Tokenizer, Protocol):
    """Tokenizer that depends on the language, or on the vocabulary of the vectors."""

    def adapted(self, language: Language, dictionary: Dictionary) -> Tokenizer: ...


def rules_version(tokenizer: Tokenizer) -> int:
    """The version of its rules, where a tokenizer says one: other words come from other rules."""
    return int(getattr(tokenizer, "rules", FIRST_RULES))


def adapted(tokenizer: Tokenizer, language: Language, dictionary: Dictionary) -> Tokenizer:
    """The tokenizer for a language and a vocabulary, where these make a difference to it."""
    if isinstance(tokenizer, AdaptableTokenizer):
        return tokenizer.adapted(language, dictionary)
    return tokenizer


@runtime_checkable
class SearchTokenizer(Tokenizer, Protocol):
    """Tokenizer with other rules for comparing a query with documents."""

    def for_search(self) -> Tokenizer: ...


def for_search(tokenizer: Tokenizer) -> Tokenizer:
    """Return the tokenizer for measures that compare a query with documents."""
    return tokenizer.for_search() if isinstance(tokenizer, SearchTokenizer) else tokenizer


def name_in(language: Language, name: str) -> str:
    """The name of a tokenizer for a language; English is not named."""
    return name if language is ENGLISH else f"{name} ({language.code})"


@dataclass(frozen=True)
class WhitespaceTokenizer:
    """For data that is tokenised already: words are what white space separates."""

    name: str = "whitespace"

    def kernel_splitting(self, vocabulary: Dictionary) -> str | None:
        """The name by which the kernels split in the same way."""
        return "whitespace"

    def words(self, text: str) -> list[str]:
        """The words of a text."""
        return text.split()

    def spans(self, text: str) -> list[Span]:
        """Return where each word begins and ends."""
        return list(align(text, self.words(text)))


@dataclass(frozen=True)
class MosesTokenizer:
    """The paper's protocol from raw text: Moses tokens, lower-cased."""

    name: str = "moses"
    language: str = ENGLISH.code
    _moses: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            from sacremoses import MosesTokenizer as Moses
        except ImportError as error:
            raise MissingExtraError("sacremoses", "moses") from error
        object.__setattr__(self, "_moses", Moses(lang=self.language))

    def words(self, text: str) -> list[str]:
        """The words of a text."""
        return [word.lower() for word in self._tokens(text)]

    def spans(self, text: str) -> list[Span]:
        """Return where each word begins and ends."""
        return list(align(text, self._tokens(text)))

    def adapted(self, language: Language, dictionary: Dictionary) -> MosesTokenizer:
        """With the abbreviations and apostrophes of the language, where Moses knows them."""
        return replace(self, name=name_in(language, self.name), language=language.code)

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
        """Return where each word begins and ends."""
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

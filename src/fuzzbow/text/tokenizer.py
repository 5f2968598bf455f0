"""Base of tokenizers: from a text to its words and their character offsets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple, Protocol

from numpy import int64
from numpy.typing import NDArray

from fuzzbow.errors import InputError
from fuzzbow.text.languages import ENGLISH, Language

Span = tuple[int, int]


class Dictionary(Protocol):
    """Vocabulary by which text without spaces is segmented, such as `WordVectors`."""

    @property
    def lowercase(self) -> bool:
        """Return whether all words are in lower case."""

    def position(self, word: str) -> int:
        """Return the id of one word as it is written, -1 if it is unknown."""

    def ids(self, words: Sequence[str]) -> NDArray[int64]:
        """Return the id of each word as it is written, -1 where unknown: (n,)."""


class ChunkRules(NamedTuple):
    """Rules by which the kernels split usual chunks; lists of words are in lower case."""

    whole: bool  # every chunk is a word
    changed: frozenset[str] = frozenset()  # words and symbols that have another form
    prefixes: frozenset[str] = frozenset()  # that may be one word with the one after a hyphen
    clitics: frozenset[str] = frozenset()  # endings that are words, such as 's


class Tokenizer(ABC):
    """Base of tokenizers; a subclass defines `name` and `words`, and may override the rest.

    Chunks are parts of a text that are split into words independently, so that each distinct chunk
    is split once. By default every chunk is a word.
    """

    rules: ClassVar[int] = 1  # to be raised with every change of the rules
    whole_chunks: ClassVar[bool] = True  # whether each chunk is a word, and texts are not folded

    @property
    @abstractmethod
    def name(self) -> str:
        """Name that is shown and stored."""

    @abstractmethod
    def words(self, text: str) -> list[str]:
        """Split a text into words."""

    def spans(self, text: str) -> list[Span]:
        """Return the start and end offset of each word."""
        return align(text, self.words(text))

    def chunks(self, text: str) -> list[str]:
        """Split a text into chunks."""
        return checked_words(self.words(text), self.name)

    def chunk_words(self, chunk: str) -> list[str]:
        """Return the words of a chunk."""
        return [chunk]

    def keeps(self, chunk: str, known: bool) -> bool:
        """Return whether a chunk is one word as it is; `known` if it is in the vocabulary."""
        return True

    @property
    def chunk_rules(self) -> ChunkRules | None:
        """Rules of the chunks that the kernels can split; None if they cannot split any."""
        return ChunkRules(whole=True) if self.whole_chunks else None

    def kernel_splitting(self, vocabulary: Dictionary) -> str | None:
        """Return the name by which the kernels find the same chunks; None if they cannot."""
        return None

    def adapted(self, language: Language, dictionary: Dictionary) -> Tokenizer:
        """Return this tokenizer for a language and a vocabulary, if it depends on them."""
        return self

    def for_search(self) -> Tokenizer:
        """Return this tokenizer for measures that compare a query with documents."""
        return self


def checked_words(words: Sequence[str], name: str) -> list[str]:
    """Raise InputError for anything but a list of strings."""
    if isinstance(words, str) or not all(isinstance(word, str) for word in words):
        raise InputError(f"tokenizer {name} must return a list of strings; got {words!r:.80}")
    return list(words)


def name_in(language: Language, name: str) -> str:
    """Return the name of a tokenizer with its language, unless that is English."""
    return name if language is ENGLISH else f"{name} ({language.code})"


def align(text: str, words: Sequence[str]) -> list[Span]:
    """Find words that follow each other in a text; a word not in it has an empty span."""
    spans, position = [], 0
    for word in words:
        start = text.find(word, position)
        end = position if start < 0 else start + len(word)
        spans.append((position if start < 0 else start, end))
        position = end
    return spans

"""The contract of lexicons: words that stay in the engine, for texts one call at a time."""

from __future__ import annotations

from typing import Protocol

from fuzzbow.arrays import Booleans, Floats, Integers
from fuzzbow.engine.protocol import Found, WordTable

Text = str | list[str]  # as it is written, or the words that a tokenizer found in it


class Lexicon(Protocol):
    """Words by how they are written, with their rows in a table of the engine.

    What reads texts gives None where a word was not added yet, or where a text that is no list
    of words cannot be split here; `obstacles` then says which. Threads may share it.
    """

    def add(
        self, words: list[str], places: Integers, table: WordTable, corpus_ids: Integers | None
    ) -> None:
        """Add the rows of a table, then words by their places in it; -1 for one that is left out.

        Queries of a corpus also need `corpus_ids`: which of its words each new row is, or -1.
        """
        ...

    def obstacles(self, texts: list[Text]) -> tuple[list[str], list[int]]:
        """Words of the texts that were not added, each once, and places of texts to be split."""
        ...

    def memory_bytes(self) -> int:
        """Memory that the words take."""
        ...


class PairLexicon(Lexicon, Protocol):
    """One whose texts are compared with each other."""

    def score(self, a: Text, b: Text) -> float | None:
        """Similarity of two texts."""
        ...

    def pairs(self, texts: list[Text], left: Integers, right: Integers) -> Floats | None:
        """Text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        ...


class QueryLexicon(Lexicon, Protocol):
    """One whose texts are queries of a corpus."""

    def search(
        self, texts: list[Text], *, k: int, min_score: float, allowed: Booleans | None
    ) -> Found | None:
        """The k best documents of each query, of those allowed."""
        ...

"""The contract of lexicons: words that stay in the engine, for texts one call at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from fuzzbow.arrays import Booleans, Floats, Integers, Ragged
from fuzzbow.engine.protocol import Found, WordTable

Text = str | list[str]  # as it is written, or the words that a tokenizer found in it


class ReadTexts(Protocol):
    """Texts as rows of a lexicon's table; they can be compared once no word is unmet."""

    def unmet(self) -> list[str]:
        """Words that were not added to the lexicon yet, each once."""
        ...

    def settle(self) -> None:
        """Find those words, which were added meanwhile."""
        ...


class Lexicon(Protocol):
    """Words by how they are written, with their rows in a table of the engine.

    Threads may share it.
    """

    def add(
        self, chunks: list[str], places: Ragged, table: WordTable, corpus_ids: Integers | None
    ) -> None:
        """Add the rows of a table, then chunks by the places of their words in it.

        Queries of a corpus also need `corpus_ids`: which of its words each new row is, or -1.
        """
        ...

    def read(self, texts: Sequence[Text]) -> ReadTexts | None:
        """Texts for the engine; None where it takes `segment_by` to tell their words apart."""
        ...

    def segment_by(self, vocabulary: Any) -> None:
        """The engine's vocabulary by which texts in scripts without spaces are cut."""
        ...

    def memory_bytes(self) -> int:
        """Memory that the words take."""
        ...


class PairLexicon(Lexicon, Protocol):
    """One whose texts are compared with each other."""

    def score(self, a: Text, b: Text) -> float | None:
        """Similarity of two texts; None where words are unmet, or not to be told apart."""
        ...

    def pairs(self, texts: ReadTexts, left: Integers, right: Integers) -> Floats:
        """Text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        ...

    def matrix(self, texts: ReadTexts, rows: Integers, columns: Integers) -> Floats:
        """Every row text with every column text: (n,), (m,) -> (n, m)."""
        ...


class QueryLexicon(Lexicon, Protocol):
    """One whose texts are queries of a corpus."""

    def search(
        self, texts: ReadTexts, *, k: int, min_score: float, allowed: Booleans | None
    ) -> Found:
        """The k best documents of each query, of those allowed."""
        ...

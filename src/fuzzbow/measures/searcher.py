"""Texts in memory, ready for exact search under one measure."""

from __future__ import annotations

from typing import Protocol

from fuzzbow.arrays import Booleans, Integers
from fuzzbow.encoding import TokenIds
from fuzzbow.engine import Found
from fuzzbow.measures.document_frequencies import DocumentFrequencies
from fuzzbow.measures.measure import Measure


class Searcher(Protocol):
    """Documents, numbered in the order of insertion."""

    def append(self, tokens: TokenIds) -> None:
        """Add texts; they get the next numbers."""
        ...

    def delete(self, documents: Integers) -> None:
        """Delete documents."""
        ...

    def search(
        self, texts: list[str], *, k: int, min_score: float, allowed: Booleans | None
    ) -> Found:
        """The k best documents of each query, of those allowed."""
        ...

    def measure(self) -> Measure:
        """The measure as it scores here, with all that it takes from the documents."""
        ...

    def frequencies(self) -> DocumentFrequencies | None:
        """Count the documents with each word; None if the measure does not need it."""
        ...

    def weigh_by(self, collection: DocumentFrequencies) -> None:
        """The documents are a part of a collection, which weighs words until the next call."""
        ...

    def memory_bytes(self) -> int:
        """Memory that the documents take, the table of words aside."""
        ...

"""Measures whose word weights depend on a collection that is not yet known."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, Integers, Ragged
from fuzzbow.encoding import Encoder, TextList, Texts, TokenIds, WordCache
from fuzzbow.engine import Engine, Found, TopK
from fuzzbow.measures.decomposition import Decomposition
from fuzzbow.measures.frequencies import (
    DocumentFrequencies,
    FrequencyCounter,
    frequencies_of,
)
from fuzzbow.measures.measure import Ability, Measure, MeasureFactory, part_of
from fuzzbow.measures.searcher import Searcher
from fuzzbow.measures.space import WordSpace


@dataclass(frozen=True, repr=False)
class CollectionMeasure(Measure):
    """Measure that takes document frequencies from a collection, if there is one.

    Pairs of texts alone are no collection: their words have their own weights.
    """

    factory: MeasureFactory = field(repr=False)
    space: WordSpace = field(repr=False)
    engine: Engine = field(repr=False)

    depends_on_batch = True
    uses_collection = True
    name = part_of("_whole.name")
    symmetric = part_of("_whole.symmetric")
    uses_vectors = part_of("_whole.uses_vectors")

    def __repr__(self) -> str:
        return f"CollectionMeasure(name={self.name!r})"

    @cached_property
    def _whole(self) -> Measure:
        """Measure to use if there is no collection."""
        return self.factory(self.space, self.engine)

    @property
    def abilities(self) -> frozenset[Ability]:  # type: ignore[override]
        """Return the measure's abilities, without rows and with fitting."""
        return self._whole.abilities - {Ability.MEMBERSHIPS} | {Ability.FIT}

    def fit(self, texts: Texts, rows: Integers) -> Measure:
        """Return the measure by the document frequencies of these texts."""
        return self.with_frequencies(frequencies_of(texts, rows, len(self.space.vectors)))

    def with_frequencies(self, frequencies: DocumentFrequencies) -> Measure:
        """Return the measure by the document frequencies of a collection."""
        return self.factory(replace(self.space, collection=frequencies), self.engine)

    def fitted(self, texts: Texts, rows: Integers) -> Measure:
        """Return the measure with the compared texts as the collection."""
        return self.fit(texts, rows)

    def for_columns(self, texts: Texts, columns: Integers) -> Measure:
        """Return the measure with the columns of a matrix as the collection."""
        return self.fit(texts, columns)

    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Compare text left[i] with text right[i], without a collection: (n,), (n,) -> (n,)."""
        return self._whole.pairs(texts, left, right)

    def word_cache(self, encoder: Encoder) -> WordCache | None:
        """Return a cache of words, without a collection."""
        return self._whole.word_cache(encoder)

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Compare every row text with every column text: (n,), (m,) -> (n, m)."""
        return self.for_columns(texts, columns).matrix(texts, rows, columns)

    def decompose(self, texts: Texts, left: int, right: int, *, dimensions: int) -> Decomposition:
        """Split the score of two texts into shares of their words, without a collection."""
        return self._whole.decompose(texts, left, right, dimensions=dimensions)

    def searcher(self, encoder: Encoder) -> CollectionSearcher:
        """Return a searcher whose documents are the collection."""
        self.require(Ability.SEARCH)
        return CollectionSearcher(self, encoder)

    def identity(self) -> dict[str, Any]:
        """Return the measure's identity, without a collection."""
        return self._whole.identity()


class CollectionSearcher(Searcher):
    """Documents and their frequencies, which decide the weights of words.

    A change of the documents changes all weights: the next search prepares all documents.
    """

    def __init__(self, measure: CollectionMeasure, encoder: Encoder) -> None:
        self._measure, self._encoder = measure, encoder
        self._counter = FrequencyCounter(len(encoder.vectors))
        self._unknown: dict[str, int] = {}  # all words outside the vocabulary -> their number
        self._rows: list[Ragged] = []  # as they were added, over those numbers
        self._deleted: list[Integers] = []
        self._lock = Lock()  # searches share the first one's work
        self._made: tuple[Measure, Searcher] | None = None
        self._collection: DocumentFrequencies | None = None  # that they are a part of

    def append(self, tokens: TokenIds) -> None:
        """Add texts."""
        known = len(self._encoder.vectors)
        numbers = [self._unknown.setdefault(word, len(self._unknown)) for word in tokens.unknown]
        lookup = np.concatenate([np.arange(known), known + np.array(numbers, dtype=np.int64)])
        self._rows.append(tokens.rows.map(lookup.astype(np.uint32)))
        self._counter.add(tokens)
        self._made = None

    def delete(self, documents: Integers) -> None:
        """Delete documents, from the counts too."""
        fresh = np.setdiff1d(documents, np.concatenate([[], *self._deleted])).astype(np.int64)
        self._counter.add(self._all_tokens().take(fresh), times=-1)
        self._deleted.append(fresh)
        self._made = None

    def search(self, texts: TextList, options: TopK) -> Found:
        """Find the k best documents of each query."""
        return self._current()[1].search(texts, options)

    def measure(self) -> Measure:
        """Return the measure by the current frequencies of the documents."""
        return self._current()[0]

    def frequencies(self) -> DocumentFrequencies:
        """Count the documents with each word."""
        return self._counter.frequencies()

    def with_frequencies(self, collection: DocumentFrequencies) -> None:
        """Weight words by a collection that includes the documents; the next call replaces it."""
        self._collection, self._made = collection, None

    def memory_bytes(self) -> int:
        """Return the memory of the documents, without the table of words."""
        kept = sum(rows.values.nbytes + rows.offsets.nbytes for rows in self._rows)
        return kept + self._current()[1].memory_bytes()

    def _current(self) -> tuple[Measure, Searcher]:
        """Return the measure by the current frequencies, and its searcher."""
        with self._lock:
            if self._made is None:
                collection = self._collection or self.frequencies()
                measure = self._measure.with_frequencies(collection)
                searcher = measure.searcher(self._encoder)
                searcher.append(self._all_tokens())
                for documents in self._deleted:
                    searcher.delete(documents)
                self._made = measure, searcher
            return self._made

    def _all_tokens(self) -> TokenIds:
        """Return all documents, the deleted ones too."""
        if len(self._rows) != 1:
            values = [np.zeros(0, dtype=np.uint32), *(rows.values for rows in self._rows)]
            lengths = [np.zeros(0, dtype=np.int64), *(rows.lengths for rows in self._rows)]
            self._rows = [Ragged.from_lengths(np.concatenate(values), np.concatenate(lengths))]
        return TokenIds(self._rows[0], list(self._unknown))

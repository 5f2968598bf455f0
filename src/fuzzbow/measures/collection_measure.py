"""Measures whose words weigh by the collection at hand, before and after they are given one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers, Ragged
from fuzzbow.encoding import Encoder, Texts, TokenIds
from fuzzbow.engine import Engine, Found
from fuzzbow.measures.decomposition import Decomposition
from fuzzbow.measures.document_frequencies import (
    DocumentFrequencies,
    FrequencyCounter,
    frequencies_of,
)
from fuzzbow.measures.measure import Ability, Measure, MeasureFactory
from fuzzbow.measures.ready_words import ReadyPairs
from fuzzbow.measures.searcher import Searcher
from fuzzbow.measures.space import WordSpace


@dataclass(frozen=True, repr=False)
class CollectionMeasure(Measure):
    """A measure that takes document frequencies from a collection where there is one.

    Pairs of texts alone are no collection: their words weigh what they weigh by themselves.
    """

    factory: MeasureFactory = field(repr=False)
    space: WordSpace = field(repr=False)
    engine: Engine = field(repr=False)

    depends_on_batch = True
    uses_collection = True

    def __repr__(self) -> str:
        return f"CollectionMeasure(name={self.name!r})"

    @cached_property
    def _whole(self) -> Measure:
        """The measure without a collection."""
        return self.factory(self.space, self.engine)

    @property
    def name(self) -> str:  # type: ignore[override]
        """Return the name of the measure."""
        return self._whole.name

    @property
    def abilities(self) -> frozenset[Ability]:  # type: ignore[override]
        """Return the measure's abilities, without rows and with fitting."""
        return self._whole.abilities - {Ability.MEMBERSHIPS} | {Ability.FIT}

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """Return whether both orders of two texts score the same."""
        return self._whole.symmetric

    @property
    def uses_vectors(self) -> bool:  # type: ignore[override]
        """Return whether words are compared by vectors."""
        return self._whole.uses_vectors

    def fit(self, texts: Texts, rows: Integers) -> Measure:
        """The measure by the document frequencies of these texts."""
        return self.weighed(frequencies_of(texts, rows, len(self.space.vectors)))

    def weighed(self, frequencies: DocumentFrequencies) -> Measure:
        """The measure by the document frequencies of a collection."""
        return self.factory(replace(self.space, collection=frequencies), self.engine)

    def fitted(self, texts: Texts, rows: Integers) -> Measure:
        """The texts that are compared are the collection."""
        return self.fit(texts, rows)

    def for_columns(self, texts: Texts, columns: Integers) -> Measure:
        """The columns of a matrix are the collection."""
        return self.fit(texts, columns)

    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Text left[i] with text right[i], without a collection: (n,), (n,) -> (n,)."""
        return self._whole.pairs(texts, left, right)

    def ready_pairs(self, encoder: Encoder) -> ReadyPairs | None:
        """Pairs of strings without a batch, without a collection."""
        return self._whole.ready_pairs(encoder)

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Every row text with every column text: (n,), (m,) -> (n, m)."""
        return self.for_columns(texts, columns).matrix(texts, rows, columns)

    def decompose(self, texts: Texts, left: int, right: int, *, dimensions: int) -> Decomposition:
        """The score of two texts as shares of their words, without a collection."""
        return self._whole.decompose(texts, left, right, dimensions=dimensions)

    def searcher(self, encoder: Encoder) -> CollectionSearcher:
        """Return a searcher whose documents are the collection."""
        self.require(Ability.SEARCH)
        return CollectionSearcher(self, encoder)

    def identity(self) -> dict[str, Any]:
        """Return the measure's identity; the collection is decided later."""
        return self._whole.identity()


class CollectionSearcher:
    """Documents and their frequencies, which decide how each of them is searched.

    A change of the documents changes all weights: the documents are made ready anew at the
    next search.
    """

    def __init__(self, measure: CollectionMeasure, encoder: Encoder) -> None:
        self._measure, self._encoder = measure, encoder
        self._counter = FrequencyCounter(len(encoder.vectors))
        self._unknown: dict[str, int] = {}  # all words outside the vocabulary -> their number
        self._rows: list[Ragged] = []  # as they were added, over those numbers
        self._deleted: list[Integers] = []
        self._lock = Lock()  # searches share the first one's work
        self._ready: tuple[Measure, Searcher] | None = None
        self._collection: DocumentFrequencies | None = None  # that they are a part of

    def append(self, tokens: TokenIds) -> None:
        """Add texts."""
        known = len(self._encoder.vectors)
        numbers = [self._unknown.setdefault(word, len(self._unknown)) for word in tokens.unknown]
        lookup = np.concatenate([np.arange(known), known + np.array(numbers, dtype=np.int64)])
        self._rows.append(tokens.rows.map(lookup.astype(np.uint32)))
        self._counter.add(tokens)
        self._ready = None

    def delete(self, documents: Integers) -> None:
        """Delete documents, from the counts too."""
        fresh = np.setdiff1d(documents, np.concatenate([[], *self._deleted])).astype(np.int64)
        self._counter.add(self._all_tokens().take(fresh), times=-1)
        self._deleted.append(fresh)
        self._ready = None

    def search(
        self, texts: list[str], *, k: int, min_score: float, allowed: Booleans | None
    ) -> Found:
        """The k best documents of each query, of those allowed."""
        _, searcher = self._current()
        return searcher.search(texts, k=k, min_score=min_score, allowed=allowed)

    def measure(self) -> Measure:
        """By the frequencies of the documents as they are now."""
        return self._current()[0]

    def frequencies(self) -> DocumentFrequencies:
        """Count the documents with each word."""
        return self._counter.frequencies()

    def weigh_by(self, collection: DocumentFrequencies) -> None:
        """The documents are a part of a collection, which weighs words until the next call."""
        self._collection, self._ready = collection, None

    def memory_bytes(self) -> int:
        """Memory that the documents take, the table of words aside."""
        kept = sum(rows.values.nbytes + rows.offsets.nbytes for rows in self._rows)
        return kept + self._current()[1].memory_bytes()

    def _current(self) -> tuple[Measure, Searcher]:
        with self._lock:
            if self._ready is None:
                self._ready = self._made()
            return self._ready

    def _made(self) -> tuple[Measure, Searcher]:
        measure = self._measure.weighed(self._collection or self.frequencies())
        searcher = measure.searcher(self._encoder)
        searcher.append(self._all_tokens())
        for documents in self._deleted:
            searcher.delete(documents)
        return measure, searcher

    def _all_tokens(self) -> TokenIds:
        """All documents, the deleted ones too."""
        if len(self._rows) != 1:
            values = [np.zeros(0, dtype=np.uint32), *(rows.values for rows in self._rows)]
            lengths = [np.zeros(0, dtype=np.int64), *(rows.lengths for rows in self._rows)]
            self._rows = [Ragged.from_lengths(np.concatenate(values), np.concatenate(lengths))]
        return TokenIds(self._rows[0], list(self._unknown))

"""Base of measures over prepared words, whose weights a collection of texts may decide."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzbow.arrays import Integers, Ragged
from fuzzbow.encoding import Encoder, TextList, Texts, TokenIds, TrigramIds
from fuzzbow.engine import Batch, DynamicOptions, Engine, Found, TopK
from fuzzbow.measures.frequencies import (
    Counting,
    DocumentFrequencies,
    count_words,
    document_frequencies,
)
from fuzzbow.measures.measure import Ability, Measure, part_of
from fuzzbow.measures.words import Words

if TYPE_CHECKING:
    from typing_extensions import Self


class Searcher(ABC):
    """Searcher of documents, which are numbered in the order of insertion."""

    def __init__(self, measure: Measure, encoder: Encoder) -> None:
        self._measure, self._encoder = measure, encoder

    @abstractmethod
    def append(self, tokens: TokenIds) -> None:
        """Add texts; they get the next numbers."""

    @abstractmethod
    def delete(self, documents: Integers) -> None:
        """Delete documents."""

    @abstractmethod
    def search(self, texts: TextList, options: TopK) -> Found:
        """Find the k best documents of each query."""

    @abstractmethod
    def memory_bytes(self) -> int:
        """Return the memory of the documents, without the table of words."""

    def measure(self) -> Measure:
        """Return the measure, with the statistics of the documents if it has any."""
        return self._measure

    def frequencies(self) -> DocumentFrequencies | None:
        """Count the documents with each word; None if the measure does not need it."""
        return None

    def with_frequencies(self, collection: DocumentFrequencies) -> None:
        """Weight words by a collection that includes the documents; the next call replaces it."""
        return


class WordsMeasure(Measure):
    """Measure over the words that a maker of words prepares.

    If the model's counts are "collection", the weights of words depend on the frequencies of a
    collection of texts: those of a call, an index or `fit`. Pairs of texts alone are no collection:
    their words have their own weights.
    """

    words: Words
    engine: Engine
    counting: Counting
    all_abilities: frozenset[Ability]  # once the weights of words are known

    uses_collection = part_of("words.uses_collection")
    uses_vectors = part_of("words.uses_vectors")

    @property
    def depends_on_batch(self) -> bool:  # type: ignore[override]
        """Return whether the texts of a call are the collection."""
        return self.words.space.by_collection and self.words.space.collection is None

    @property
    def abilities(self) -> frozenset[Ability]:  # type: ignore[override]
        """Return the abilities of this measure; one without its collection can be fitted."""
        if not self.depends_on_batch:
            return self.all_abilities
        return self.all_abilities - {Ability.MEMBERSHIPS} | {Ability.FIT}

    def fit(self, texts: Texts, rows: Integers) -> Self:
        """Return the measure by the document frequencies of these texts."""
        tokens = texts.tokens().take(rows)
        return self.with_frequencies(document_frequencies(tokens, len(self.words.space.vectors)))

    def with_frequencies(self, frequencies: DocumentFrequencies) -> Self:
        """Return the measure by the document frequencies of a collection."""
        self.require(Ability.FIT)
        space = replace(self.words.space, collection=frequencies)
        return replace(self, words=replace(self.words, space=space))  # type: ignore[type-var]

    def fitted(self, texts: Texts, rows: Integers) -> Self:
        """Return the measure with these texts as the collection, unless it has one."""
        return self.fit(texts, rows) if self.depends_on_batch and len(rows) else self

    for_columns = fitted

    def prepare(self, texts: Texts, trigram_ids: TrigramIds | None = None) -> Batch:
        """Return the words as they are compared, and the texts as bags of them."""
        table, rows = self.words.prepare(texts, self.engine.precision, trigram_ids)
        return Batch(table, count_words(rows, self.counting))


def option_names(options: DynamicOptions, counting: Counting) -> dict[str, Any]:
    """Return options of any universe as data for JSON."""
    return {
        "pooling": options.pooling.value,
        "similarity": options.similarity.name,
        "word_similarity": options.word_similarity.value,
        "counting": counting.value,
    }


class CollectionSearcher(Searcher):
    """Documents whose frequencies decide the weights of words.

    A change of the documents changes all weights: the next search prepares all documents.
    """

    def __init__(self, measure: Measure, encoder: Encoder) -> None:
        super().__init__(measure, encoder)
        self._unknown: dict[str, int] = {}  # all words outside the vocabulary -> their number
        self._rows: list[Ragged] = []  # as they were added, over those numbers
        self._deleted = np.zeros(0, dtype=np.int64)
        self._lock = Lock()  # searches share the first one's work
        self._current: tuple[Measure, Searcher] | None = None
        self._collection: DocumentFrequencies | None = None  # that they are a part of

    def append(self, tokens: TokenIds) -> None:
        """Add texts."""
        known = len(self._encoder.vectors)
        numbers = [self._unknown.setdefault(word, len(self._unknown)) for word in tokens.unknown]
        lookup = np.concatenate([np.arange(known), known + np.array(numbers, dtype=np.int64)])
        self._rows.append(tokens.rows.map(lookup.astype(np.uint32)))
        self._current = None

    def delete(self, documents: Integers) -> None:
        """Delete documents, from the frequencies too."""
        self._deleted = np.union1d(self._deleted, documents).astype(np.int64)
        self._current = None

    def search(self, texts: TextList, options: TopK) -> Found:
        """Find the k best documents of each query."""
        return self._fitted()[1].search(texts, options)

    def measure(self) -> Measure:
        """Return the measure by the current frequencies of the documents."""
        return self._fitted()[0]

    def frequencies(self) -> DocumentFrequencies:
        """Count the documents with each word."""
        tokens = self._tokens()
        kept = np.setdiff1d(np.arange(len(tokens)), self._deleted)
        return document_frequencies(tokens.take(kept), len(self._encoder.vectors))

    def with_frequencies(self, collection: DocumentFrequencies) -> None:
        """Weight words by a collection that includes the documents; the next call replaces it."""
        self._collection, self._current = collection, None

    def memory_bytes(self) -> int:
        """Return the memory of the documents, without the table of words."""
        kept = sum(rows.values.nbytes + rows.offsets.nbytes for rows in self._rows)
        return kept + self._fitted()[1].memory_bytes()

    def _fitted(self) -> tuple[Measure, Searcher]:
        """Return the measure by the current frequencies, and its searcher."""
        with self._lock:
            if self._current is None:
                measure = self._measure.with_frequencies(self._collection or self.frequencies())
                searcher = measure.searcher(self._encoder)
                searcher.append(self._tokens())
                searcher.delete(self._deleted)
                self._current = measure, searcher
            return self._current

    def _tokens(self) -> TokenIds:
        """Return all documents, the deleted ones too."""
        if len(self._rows) != 1:
            values = [np.zeros(0, dtype=np.uint32), *(rows.values for rows in self._rows)]
            lengths = [np.zeros(0, dtype=np.int64), *(rows.lengths for rows in self._rows)]
            self._rows = [Ragged.from_lengths(np.concatenate(values), np.concatenate(lengths))]
        return TokenIds(self._rows[0], list(self._unknown))

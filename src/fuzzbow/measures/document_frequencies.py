"""In how many texts of a collection each word occurs, and what that makes of its weight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.encoding import Texts, TokenIds
from fuzzbow.engine import inverse_frequencies
from fuzzbow.measures.counting import distinct_words


@dataclass(frozen=True)
class DocumentFrequencies:
    """Of the texts of one collection; a text that is in it twice counts twice."""

    documents: int
    known: Integers = field(repr=False)  # (V,) by word of the vocabulary
    unknown: Mapping[str, int] = field(repr=False)
    words: int = 0  # of all texts, repeats too

    def __add__(self, other: DocumentFrequencies) -> DocumentFrequencies:
        """Add the frequencies of two collections that share no text."""
        unknown = dict(self.unknown)
        for word, count in other.unknown.items():
            unknown[word] = unknown.get(word, 0) + count
        return DocumentFrequencies(
            self.documents + other.documents,
            self.known + other.known,
            unknown,
            self.words + other.words,
        )

    def of_words(self, texts: Texts) -> Integers:
        """Of each word of a batch: (m,)."""
        ids = texts.vocabulary_ids
        found = np.where(ids < 0, 0, self.known[ids])
        for word in np.flatnonzero(ids < 0).tolist():
            found[word] = self.unknown.get(texts.words[word], 0)
        return found

    def idf(self, texts: Texts) -> Floats:
        """Weight of each word of a batch by how few texts hold it: (m,)."""
        return inverse_frequencies(self.of_words(texts), self.documents)

    def vocabulary_idf(self) -> Floats:
        """Return the inverse document frequency of each word of the vocabulary: (V,)."""
        return inverse_frequencies(self.known, self.documents)


class FrequencyCounter:
    """Counts texts in and out; ids are those of `Encoder.word_ids`."""

    def __init__(self, vocabulary: int) -> None:
        self._known = np.zeros(vocabulary, dtype=np.int64)
        self._unknown: dict[str, int] = {}
        self._documents = self._words = 0

    def add(self, tokens: TokenIds, *, times: int = 1) -> None:
        """Count texts; -1 times takes them out again."""
        size, rows, unknown = len(self._known), tokens.rows, tokens.unknown
        distinct, _ = distinct_words(rows)
        counts = np.bincount(distinct.values, minlength=size + len(unknown)) * times
        self._known += counts[:size]
        for word in np.flatnonzero(counts[size:]).tolist():
            self._unknown[unknown[word]] = self._unknown.get(unknown[word], 0) + int(
                counts[size + word]
            )
        self._documents += times * len(rows)
        self._words += times * len(rows.values)

    def frequencies(self) -> DocumentFrequencies:
        """Return the frequencies of the current texts."""
        return DocumentFrequencies(
            self._documents, self._known.copy(), dict(self._unknown), self._words
        )


def frequencies_of(texts: Texts, rows: Integers, vocabulary: int) -> DocumentFrequencies:
    """Of some texts of a batch, repeats counted."""
    times = np.bincount(rows, minlength=len(texts.rows))
    distinct, _ = distinct_words(texts.rows)
    each = np.repeat(times, distinct.lengths)
    counts = np.bincount(distinct.values, weights=each, minlength=len(texts.words)).astype(np.int64)
    inside = texts.vocabulary_ids >= 0
    known = np.zeros(vocabulary, dtype=np.int64)
    np.add.at(known, texts.vocabulary_ids[inside], counts[inside])
    outside = np.flatnonzero(~inside).tolist()
    return DocumentFrequencies(
        len(rows),
        known,
        {texts.words[word]: int(counts[word]) for word in outside},
        int(texts.rows.lengths[rows].sum()),
    )

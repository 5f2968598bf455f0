"""Counts of words in texts, and of texts with each word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from fuzzbow.arrays import Floats, Integers, Ragged
from fuzzbow.encoding import Texts, TokenIds
from fuzzbow.engine import Bags, inverse_frequencies


class Counting(str, Enum):
    """Treatment of repeated words: as in the paper, as sets, or as bags."""

    REPEAT = "repeat"
    SET = "set"
    BAG = "bag"


def count_words(texts: Ragged, counting: Counting) -> Bags:
    """Return the texts with repeated words kept, dropped or counted."""
    if counting is Counting.REPEAT:
        return Bags(texts)
    distinct, counts = distinct_words(texts)
    return Bags(distinct, counts if counting is Counting.BAG else None)


def distinct_words(texts: Ragged) -> tuple[Ragged, Floats]:
    """Return each word once in each text, and its count.

    >>> texts, counts = distinct_words(Ragged.from_rows([[3, 1, 3], []]))
    >>> texts[0].tolist(), counts.tolist(), len(texts[1])
    ([1, 3], [1.0, 2.0], 0)
    """
    row_of = np.repeat(np.arange(len(texts)), texts.lengths)
    width = int(texts.values.max(initial=0)) + 1
    keys, counts = np.unique(row_of * width + texts.values, return_counts=True)
    lengths = np.bincount(keys // width, minlength=len(texts))
    return Ragged.from_lengths(keys % width, lengths), counts.astype(np.float64)


@dataclass(frozen=True)
class DocumentFrequencies:
    """Document frequencies of one collection; a text that is in it twice counts twice."""

    documents: int
    known: Integers = field(repr=False)  # (V,) by word of the vocabulary
    unknown: Mapping[str, int] = field(repr=False)
    words: int = 0  # of all texts, repeats too

    def __add__(self, other: DocumentFrequencies) -> DocumentFrequencies:
        """Add the frequencies of two collections that share no text."""
        return DocumentFrequencies(
            self.documents + other.documents,
            self.known + other.known,
            Counter(self.unknown) + Counter(other.unknown),
            self.words + other.words,
        )

    def of_words(self, texts: Texts) -> Integers:
        """Return the frequency of each word of a batch: (m,)."""
        ids = texts.vocabulary_ids
        found = np.where(ids < 0, 0, self.known[ids])
        for word in np.flatnonzero(ids < 0).tolist():
            found[word] = self.unknown.get(texts.words[word], 0)
        return found

    def idf(self, texts: Texts) -> Floats:
        """Return the inverse document frequency of each word of a batch: (m,)."""
        return inverse_frequencies(self.of_words(texts), self.documents)

    def vocabulary_idf(self) -> Floats:
        """Return the inverse document frequency of each word of the vocabulary: (V,)."""
        return inverse_frequencies(self.known, self.documents)


def document_frequencies(tokens: TokenIds, vocabulary: int) -> DocumentFrequencies:
    """Count the texts that contain each word, repeated texts too."""
    distinct, _ = distinct_words(tokens.rows)
    counts = np.bincount(distinct.values, minlength=vocabulary + len(tokens.unknown))
    held = zip(tokens.unknown, counts[vocabulary:].tolist(), strict=True)
    unknown = {word: count for word, count in held if count}
    return DocumentFrequencies(len(tokens), counts[:vocabulary], unknown, len(tokens.rows.values))

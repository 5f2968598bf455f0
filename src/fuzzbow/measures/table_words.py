"""Words in a table that grows: where each of them is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fuzzbow.arrays import Integers, Ragged
from fuzzbow.encoding import Encoder, Texts, decoded
from fuzzbow.engine import Bags, WordTable

NEW, DROPPED = -1, -2  # places of words that the table does not have, and that it will not

# the words of texts as they are compared, their trigrams numbered on, and the texts as bags of them
Prepare = Callable[[Texts, dict[int, int] | None], tuple[WordTable, Bags]]


class TableWords:
    """The place of each word of the vocabulary, and of words outside it that were added."""

    def __init__(self, encoder: Encoder, prepare: Prepare, trigrams: dict[int, int]) -> None:
        self._encoder, self._prepare = encoder, prepare
        self._places = np.full(len(encoder.vectors), NEW, dtype=np.int32)
        self._unknown: dict[str, int] = {}  # words outside the vocabulary -> place
        self.trigrams = trigrams  # by code points
        self.size = 0

    def empty(self) -> WordTable:
        """A table of this kind without words."""
        return self.add(np.zeros(0, dtype=np.int64), [])[0]

    def lookup(self, unknown: Sequence[str]) -> Integers:
        """The place of each word of the vocabulary, then of the unknown words of a batch."""
        if not unknown:
            return self._places
        others = [self._unknown.get(word, NEW) for word in unknown]
        return np.concatenate([self._places, np.array(others, dtype=np.int32)])

    def places(self, ids: Integers, unknown: Sequence[str]) -> Integers:
        """The places of some words, ids of unknown ones behind the vocabulary: (n,) -> (n,)."""
        known = len(self._places)
        places = self._places[np.minimum(ids, known - 1)]
        for word in np.flatnonzero(ids >= known).tolist():
            places[word] = self._unknown.get(unknown[ids[word] - known], NEW)
        return places

    def places_in(self, texts: Texts) -> Integers:
        """The place of each word of a batch, -1 for none."""
        places = self._places[np.maximum(texts.vocabulary_ids, 0)].astype(np.int64)
        for word in np.flatnonzero(texts.vocabulary_ids < 0).tolist():
            places[word] = self._unknown.get(texts.words[word], NEW)
        return np.maximum(places, -1)

    def counts(self, by_place: Integers) -> tuple[Integers, dict[str, int]]:
        """Numbers of places as numbers of words: (V,), and of those outside the vocabulary."""
        there = self._places >= 0
        known = np.zeros(len(self._places), dtype=np.int64)
        known[there] = by_place[self._places[there]]
        unknown = {word: int(by_place[at]) for word, at in self._unknown.items() if at >= 0}
        return known, {word: count for word, count in unknown.items() if count}

    def add(self, fresh: Integers, unknown: Sequence[str]) -> tuple[WordTable, Texts]:
        """The table of new words, distinct ids as above, and those words as a batch.

        They get the next places, or none if the measure drops them.
        """
        known = len(self._places)
        inside = fresh[fresh < known]
        outside = [unknown[word] for word in (fresh[fresh >= known] - known).tolist()]
        words = decoded(self._encoder.vectors, inside) + outside
        ids = np.concatenate([inside, np.full(len(outside), -1)]).astype(np.int64)
        each = Ragged.from_lengths(np.arange(len(words)), np.ones(len(words), dtype=np.int64))
        texts = Texts(words, ids, each)
        table, bags = self._prepare(texts, self.trigrams)
        kept = bags.rows.lengths > 0
        places = np.where(kept, self.size + np.cumsum(kept) - 1, DROPPED)
        self._places[inside] = places[: len(inside)]
        self._unknown.update(zip(outside, places[len(inside) :].tolist(), strict=True))
        self.size += int(kept.sum())
        if kept.all():
            return table, texts
        rest = np.flatnonzero(kept)
        return table.take(rest), texts.take(rest)

"""Reasons of duplicates: the words that matched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers, blocks
from fuzzbow.encoding import Texts
from fuzzbow.measures import Measure
from fuzzbow.measures.word_matches import NO_MATCH, WordMatches
from fuzzbow.text import is_punctuation, whole_text

BLOCK_PAIRS = 20_000  # pairs whose words are compared together
EXACT = "exact duplicate"
NOISE = 0.25  # words with less than this part of the largest weight of a match are noise


@dataclass(frozen=True)
class WordMatch:
    """Word of a text, and the most similar word of the other text, if any."""

    word: str
    match: str | None
    similarity: float
    weight: float = 1.0  # of the word, as the measure has it


@dataclass(frozen=True)
class Reason:
    """Two texts by position, their score, and the best match of each word of either."""

    left: int
    right: int
    score: float
    exact: bool
    left_words: tuple[WordMatch, ...]
    right_words: tuple[WordMatch, ...]

    def __str__(self) -> str:
        if self.exact:
            return EXACT
        return sentence([(m.word, m.match, m.similarity, m.weight) for m in self.left_words])


@dataclass(frozen=True)
class Reasoner:
    """Reasons of pairs of distinct texts, and their scores."""

    texts: Texts
    words: WordMatches

    @classmethod
    def of(cls, measure: Measure, texts: Texts) -> Reasoner:
        """Prepare the words of the texts."""
        return cls(texts, measure.word_matches(texts))

    def scores(self, left: Integers, right: Integers) -> Floats:
        """Score distinct texts as the join does: (n,), (n,) -> (n,)."""
        return self.words.scores(np.minimum(left, right), np.maximum(left, right))

    def sentences(self, left: Integers, right: Integers) -> Iterator[str]:
        """Format the reasons of pairs, one line each: the left words and their matches."""
        for part in blocks(len(left), BLOCK_PAIRS):
            matches = self._matches(left[part], right[part])
            fields = (field.to_numpy(zero_copy_only=False) for field in matches.flatten().flatten())
            rows = list(zip(*(field.tolist() for field in fields), strict=True))
            for start, stop in pairwise(matches.offsets.to_pylist()):
                yield sentence(rows[start:stop])

    def table(
        self,
        positions: tuple[Integers, Integers],
        rows: tuple[Integers, Integers],
        exact: Booleans,
    ) -> Any:
        """Return an Arrow table of pairs with their reasons: positions and distinct texts, (n,).

        Columns: left, right, score, exact, left_words, right_words.
        """
        import pyarrow as pa

        scores = np.ones(len(exact))
        scores[~exact] = self.scores(rows[0][~exact], rows[1][~exact])
        left, right = positions
        columns: dict[str, Any] = {"left": left, "right": right, "score": scores, "exact": exact}
        parts = [slice(0, 0), *blocks(len(exact), BLOCK_PAIRS)]  # an empty one has the type
        for side, (own, other) in (("left", rows), ("right", rows[::-1])):
            found = [self._matches(own[part], other[part]) for part in parts]
            columns[f"{side}_words"] = pa.chunked_array(found)
        return pa.table(columns)

    def _matches(self, left: Integers, right: Integers) -> Any:
        """Return an Arrow column of lists of word, match, similarity and weight: (pairs,)."""
        import pyarrow as pa

        found, weights = self.words.best(left, right), self.words.table.weights
        words = found.words.values
        weight = np.ones(len(words)) if weights is None else weights[words].astype(np.float64)
        used, row = np.unique(np.concatenate([words, found.matches]), return_inverse=True)
        names = (None if n == NO_MATCH else whole_text(self.texts.words[n]) for n in used.tolist())
        strings = pa.array(names, pa.string()).take(pa.array(row))
        columns = [strings[: len(words)], strings[len(words) :], found.similarities, weight]
        fields = ["word", "match", "similarity", "weight"]
        rows = pa.StructArray.from_arrays([pa.array(column) for column in columns], fields)
        return pa.ListArray.from_arrays(pa.array(found.words.offsets, pa.int32()), rows)


def sentence(matches: list[tuple[str, str | None, float, float]]) -> str:
    """Format a reason as one line, from word, match, similarity and weight of each match.

    Punctuation and words of low weight, such as "the", are left out unless nothing else matches.
    """
    found = [item for item in matches if item[1] is not None]
    least = NOISE * max((weight for *_, weight in found), default=0.0)
    telling = [item for item in found if not is_punctuation(item[0]) and item[3] >= least]
    return ", ".join(
        word if word == match else f"{word} ~ {match} {similarity:.2f}"
        for word, match, similarity, _ in telling or found
    )

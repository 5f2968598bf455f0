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
from fuzzbow.measures.word_matches import NO_MATCH, BestMatches, WordMatches
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

    def scores(self, left: Integers, right: Integers) -> Floats:
        """Score distinct texts as the join does: (n,), (n,) -> (n,)."""
        return self.words.scores(np.minimum(left, right), np.maximum(left, right))

    def parts(self, left: Integers, right: Integers) -> Iterator[tuple[BestMatches, BestMatches]]:
        """Yield the best matches of left and of right words, a block of pairs at a time."""
        for part in blocks(len(left), BLOCK_PAIRS):
            a, b = left[part], right[part]
            yield self.words.best(a, b), self.words.best(b, a)

    def sentences(self, left: Integers, right: Integers) -> Iterator[str]:
        """Write the reasons of pairs in a line each: the left words and their matches."""
        for part in blocks(len(left), BLOCK_PAIRS):
            found = self.words.best(left[part], right[part])
            ids = np.unique(np.concatenate([found.words.values, found.matches]))
            known = ids[ids != NO_MATCH].tolist()
            name: dict[int, str | None] = {word: self.texts.words[word] for word in known}
            name[NO_MATCH] = None
            columns = (found.words.values, found.matches, found.similarities)
            weights = self._weights(found.words.values)
            flat = [
                (name[word] or "", name[match], similarity, weight)
                for word, match, similarity, weight in zip(
                    *(column.tolist() for column in (*columns, weights)), strict=True
                )
            ]
            for start, stop in pairwise(found.words.offsets.tolist()):
                yield sentence(flat[start:stop])

    def _weights(self, words: Integers) -> Floats:
        """Return the weights of words, 1 where the measure has none: (n,) -> (n,)."""
        weights = self.words.table.weights
        return np.ones(len(words)) if weights is None else weights[words].astype(np.float64)

    def column(self, found: BestMatches) -> Any:
        """Return an Arrow column of lists of word, match, similarity and weight: (pairs,)."""
        import pyarrow as pa

        ids = np.concatenate([found.words.values, found.matches])
        used, place = np.unique(ids[ids != NO_MATCH], return_inverse=True)
        words = [whole_text(self.texts.words[word]) for word in used.tolist()]
        names = pa.array(words, pa.string())
        chosen = np.full(len(ids), NO_MATCH, dtype=np.int64)
        chosen[ids != NO_MATCH] = place
        strings = names.take(pa.array(chosen, mask=chosen == NO_MATCH))
        size = len(found.matches)
        rows = pa.StructArray.from_arrays(
            [
                strings[:size],
                strings[size:],
                pa.array(found.similarities, pa.float64()),
                pa.array(self._weights(found.words.values), pa.float64()),
            ],
            ["word", "match", "similarity", "weight"],
        )
        return pa.ListArray.from_arrays(pa.array(found.words.offsets, pa.int32()), rows)


def reasoner(measure: Measure, texts: Texts) -> Reasoner:
    """Prepare the words of the texts."""
    return Reasoner(texts, measure.word_matches(texts))


def reason_table(
    reasons: Reasoner,
    positions: tuple[Integers, Integers],
    rows: tuple[Integers, Integers],
    exact: Booleans,
) -> Any:
    """Return an Arrow table of pairs with their reasons: positions and distinct texts, (n,) each.

    Columns: left, right, score, exact, left_words, right_words.
    """
    import pyarrow as pa

    scores = np.ones(len(exact))
    scores[~exact] = reasons.scores(rows[0][~exact], rows[1][~exact])
    matched = [tuple(map(reasons.column, part)) for part in reasons.parts(*rows)]
    empty = reasons.column(reasons.words.best(rows[0][:0], rows[1][:0]))
    return pa.table(
        {
            "left": positions[0],
            "right": positions[1],
            "score": scores,
            "exact": exact,
            "left_words": pa.chunked_array([empty, *(left for left, _ in matched)]),
            "right_words": pa.chunked_array([empty, *(right for _, right in matched)]),
        }
    )


def to_reasons(table: Any) -> Iterator[Reason]:
    """Convert the rows of a table of reasons to objects."""
    for batch in table.to_batches(max_chunksize=BLOCK_PAIRS):
        for row in batch.to_pylist():
            for side in ("left_words", "right_words"):
                row[side] = tuple(WordMatch(**found) for found in row[side])
            yield Reason(**row)


def sentence(matches: list[tuple[str, str | None, float, float]]) -> str:
    """Write a reason of one line from word, match, similarity and weight of each match.

    Punctuation and words of low weight, such as "the", are left out unless nothing else matches.
    """
    found = [item for item in matches if item[1] is not None]
    heaviest = max((weight for *_, weight in found), default=0.0)
    telling = [
        item for item in found if not is_punctuation(item[0]) and item[3] >= NOISE * heaviest
    ]
    return ", ".join(_phrase(*item[:3]) for item in telling or found)


def _phrase(word: str, match: str | None, similarity: float) -> str:
    """Write a word and its match, unless it is in both texts."""
    return word if word == match else f"{word} ~ {match} {similarity:.2f}"

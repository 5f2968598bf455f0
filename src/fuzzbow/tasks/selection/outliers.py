"""Texts that are least like any other text of a collection.

The score of a text is the mean of its n best similarities to other texts. An index of the distinct
strings finds these exactly: a search for n + 1 texts gives the string itself and its n best others,
each of which counts as often as it occurs; and each copy of the string has a similarity of 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fuzzbow.arrays import Floats, Integers, blocks
from fuzzbow.encoding import TextList
from fuzzbow.errors import InputError, check_count
from fuzzbow.measures import Ability, TextMeasure
from fuzzbow.progress import Progress, no_progress
from fuzzbow.tasks.index import build_index
from fuzzbow.tasks.selection.selected import DistinctTexts, Selected

SEARCH_BLOCK = 4096  # texts whose neighbours are searched together


@dataclass(frozen=True)
class Outlier:
    """A text, and the other text that is most similar to it."""

    rank: int  # 1 is the least similar to others
    position: int
    score: float  # mean of its best similarities to other texts
    text: str
    nearest: int | None  # position of the most similar other text, None if there is none
    nearest_text: str | None


@dataclass(frozen=True, repr=False)
class Outliers(Selected[Outlier]):
    """The texts that are least similar to others, equal scores in the order of the texts.

    `scores` are those of all texts, (texts,): the lower, the less similar; NaN for blank ones.
    """

    scores: Floats

    @staticmethod
    def item_type() -> type[Outlier]:
        """The class of the items."""
        return Outlier


def find_outliers(
    model: TextMeasure,
    texts: TextList,
    k: int | None,
    *,
    neighbours: int = 1,
    threshold: float | None = None,
    threads: int | None = None,
    progress: Progress = no_progress,
) -> Outliers:
    """Choose k texts, all if None, with the lowest means of best similarities to others."""
    check_count(neighbours, "neighbours")
    if k is not None:
        check_count(k, "k")
    bound = _check_bound(threshold)
    model.measure.require(Ability.SEARCH)
    distinct = DistinctTexts.of(texts)
    most = min(neighbours, max(int(distinct.copies.sum()) - 1, 0))
    scores, nearest = np.zeros(len(distinct.first)), np.full(len(distinct.first), -1)
    found = _neighbours(model, distinct, most, threads, progress) if most else ()
    for text, others, similar in found:
        scores[text] = similar.sum() / most
        nearest[text] = others
    of_all = np.full(len(texts), np.nan)
    told = distinct.which >= 0
    of_all[told] = scores[distinct.which[told]]
    order = np.argsort(of_all, kind="stable")[: np.count_nonzero(told)]
    chosen = order[of_all[order] < bound][:k].tolist()

    def item(rank: int, place: int) -> Outlier:
        near = _nearest(place, int(distinct.which[place]), distinct, nearest)
        other = None if near is None else texts[near]
        return Outlier(rank, place, float(of_all[place]), texts[place], near, other)

    items = tuple(item(rank, place) for rank, place in enumerate(chosen, 1))
    return Outliers(items, len(texts), np.flatnonzero(~told), of_all)


def _neighbours(
    model: TextMeasure,
    distinct: DistinctTexts,
    k: int,
    threads: int | None,
    progress: Progress,
) -> Iterator[tuple[int, int, Floats]]:
    """Each distinct text with the best other one, -1 if none, and its k best similarities."""
    index = build_index(model, distinct.texts, threads=threads)
    for part in blocks(len(distinct.texts), SEARCH_BLOCK):
        hits = index.search(list(distinct.texts[part]), k + 1, threads=threads)
        for text, found in enumerate(hits, part.start):
            ids = np.array(found.ids, dtype=np.int64)
            other = ids != text
            best = ids[other][:k]
            own = np.ones(min(int(distinct.copies[text]) - 1, k))
            others = np.repeat(found.scores[other][:k], np.minimum(distinct.copies[best], k))
            similar = np.concatenate([own, others])[:k]
            yield text, int(best[0]) if len(best) else -1, similar
        progress(part.stop, len(distinct.texts))


def _nearest(place: int, text: int, distinct: DistinctTexts, nearest: Integers) -> int | None:
    """Position of the most similar other text: the first copy, or the best other string."""
    if distinct.copies[text] > 1:
        copies = np.flatnonzero(distinct.which == text)
        return int(copies[0] if copies[0] != place else copies[1])
    return int(distinct.first[nearest[text]]) if nearest[text] >= 0 else None


def _check_bound(threshold: float | None) -> float:
    """A finite number, or infinity for none."""
    if threshold is None:
        return np.inf
    usable = isinstance(threshold, int | float | np.number) and not isinstance(threshold, bool)
    if not usable or not 0 < threshold <= 1:
        raise InputError(f"threshold must be a number above 0 and at most 1; got {threshold!r}")
    return float(threshold)

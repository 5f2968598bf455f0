"""Texts that are least similar to any other text of a collection.

The score of a text is the mean of its n best similarities to other texts. An index of the distinct
strings finds these exactly: a search for n + 1 texts finds the string and its n best others,
each of which counts as often as it occurs; and each copy of the string has a similarity of 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fuzzbow.arrays import Floats, blocks
from fuzzbow.dedupe.duplicates import check_threshold
from fuzzbow.encoding import TextList
from fuzzbow.errors import check_count
from fuzzbow.index import build_index
from fuzzbow.measures import Ability, TextMeasure
from fuzzbow.progress import Progress, no_progress
from fuzzbow.selection.selected import Selected, filled_texts

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
    """Texts that are least similar to others, equal scores in the order of the texts.

    `scores` are those of all texts, (texts,): the lower, the less similar; NaN for blank ones.
    """

    scores: Floats
    item_type = Outlier


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
    """Find the k texts, all if None, with the lowest mean of best similarities to others."""
    check_count(neighbours, "neighbours")
    if k is not None:
        check_count(k, "k")
    bound = np.inf if threshold is None else check_threshold(threshold)
    model.measure.require(Ability.SEARCH)
    distinct, first, copies, which = filled_texts(texts)
    size = len(first)
    most = min(neighbours, max(int(copies.sum()) - 1, 0))
    scores, nearest = np.zeros(size), np.full(size, -1)
    index = build_index(model, distinct if most else [], threads=threads)
    for part in blocks(size if most else 0, SEARCH_BLOCK):
        hits = index.search(list(distinct[part]), most + 1, threads=threads)
        for text, found in enumerate(hits, part.start):
            ids = np.array(found.ids, dtype=np.int64)
            other = ids != text
            best = ids[other][:most]
            own = np.ones(min(int(copies[text]) - 1, most))
            others = np.repeat(found.scores[other][:most], np.minimum(copies[best], most))
            scores[text] = np.concatenate([own, others])[:most].sum() / most
            nearest[text] = best[0] if len(best) else -1
        progress(part.stop, size)
    of_all = np.full(len(texts), np.nan)
    filled = which >= 0
    of_all[filled] = scores[which[filled]]
    order = np.argsort(of_all, kind="stable")[: np.count_nonzero(filled)]

    def item(rank: int, position: int) -> Outlier:
        """Describe an outlier; its nearest text is the first copy, or the best other string."""
        text, near = int(which[position]), None
        if copies[text] > 1:
            same = np.flatnonzero(which == text)[:2]
            near = int(same[0] if same[0] != position else same[1])
        elif nearest[text] >= 0:
            near = int(first[nearest[text]])
        other = None if near is None else texts[near]
        return Outlier(rank, position, float(of_all[position]), texts[position], near, other)

    chosen = order[of_all[order] < bound][:k].tolist()
    items = tuple(item(rank, position) for rank, position in enumerate(chosen, 1))
    return Outliers(items, len(texts), np.flatnonzero(~filled), of_all)

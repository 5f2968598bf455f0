"""Find the near-duplicates among texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path

import numpy as np

from fuzzbow.arrays import Integers
from fuzzbow.encoding import Encoder, check_texts, warn_of_language
from fuzzbow.engine import WHOLE, Share, limited_threads
from fuzzbow.measures import Ability, Measure
from fuzzbow.progress import Progress, no_progress
from fuzzbow.tasks.dedupe.collection import Collection, HeldCollection, collect
from fuzzbow.tasks.dedupe.details import ALL, DetailRules, Details
from fuzzbow.tasks.dedupe.duplicates import Duplicates, check_threshold
from fuzzbow.tasks.dedupe.pairs import PairArrays, store_pairs


def find_duplicates(
    measure: Measure,
    encoder: Encoder,
    texts: Iterable[str],
    *,
    threshold: float,
    others: Iterable[str] | None = None,
    details: DetailRules = ALL,
    threads: int | None = None,
    progress: Progress | None = None,
    path: str | PathLike[str] | None = None,
    share: Share = WHOLE,
) -> Duplicates:
    """What `Model.duplicates` does; or a `share` of the near pairs that it finds."""
    bound = check_threshold(threshold)
    measure.require(Ability.JOIN)
    given = check_texts(texts, "texts")
    against = None if others is None else check_texts(others, "others")
    with limited_threads(threads):
        collection = collect(encoder, given, against)
        warn_of_language(encoder, collection.batch)
        scored_by = measure.fitted(collection.batch, collection.distinct)
        compared = Details(
            collection.batch,
            lambda: collection.texts_at(collection.first),
            encoder.words,
            details,
        )
        found = _pairs(scored_by, collection, bound, compared, share, progress or no_progress)
        pairs = store_pairs(found, bound, None if path is None else Path(path))
    return Duplicates(bound, pairs, collection, scored_by, compared.apart)


def _pairs(
    measure: Measure,
    collection: HeldCollection,
    threshold: float,
    details: Details,
    share: Share,
    progress: Progress,
) -> Iterator[PairArrays]:
    """Exact pairs first, then those of distinct texts, by position."""
    copies = exact_pairs(collection)
    if len(copies):
        yield copies
    first, strings = collection.first, collection.strings
    telling = ~collection.blank[first]
    for part in measure.join(
        collection.batch,
        threshold=threshold,
        boundary=collection.boundary,
        share=share,
        progress=progress,
    ):
        near = strings[part.left] != strings[part.right]
        near &= telling[part.left] & telling[part.right]
        a, b, scores = part.left[near], part.right[near], part.scores[near]
        agree = details.agree(a, b)
        a, b = a[agree], b[agree]
        yield PairArrays(
            first[a],
            first[b] - collection.shift,
            scores[agree],
            np.zeros(len(a), dtype=np.bool_),
        )


def exact_pairs(collection: Collection) -> PairArrays:
    """Equal strings: each copy and its first, or each text and its equal in `others`."""
    left, right = _equal_places(collection)
    score, exact = np.ones(len(left)), np.ones(len(left), dtype=np.bool_)
    return PairArrays(left, right - collection.shift, score, exact)


def _equal_places(collection: Collection) -> tuple[Integers, Integers]:
    first = collection.first
    if collection.others is None:
        firsts = first[collection.distinct]
        copies = np.flatnonzero(firsts != np.arange(len(firsts)))
        return firsts[copies], copies
    cut = collection.boundary
    _, left, right = np.intersect1d(
        collection.strings[:cut], collection.strings[cut:], return_indices=True
    )
    return first[:cut][left], first[cut:][right]

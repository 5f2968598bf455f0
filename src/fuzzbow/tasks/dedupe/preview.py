"""The pairs nearest to a threshold, by which a person chooses one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzbow.errors import check_count
from fuzzbow.measures.blockwise_join import at_least

if TYPE_CHECKING:
    from fuzzbow.tasks.dedupe.duplicates import Duplicates
    from fuzzbow.tasks.dedupe.groups import Linkage
    from fuzzbow.tasks.dedupe.removal import Keep


def pairs_around(
    found: Duplicates,
    threshold: float | None,
    count: int,
    *,
    keep: str | Keep,
    linkage: str | Linkage = "leader",
) -> Any:
    """What `Duplicates.around` does."""
    import pyarrow as pa

    check_count(count, "count")
    at = found if threshold is None else found.rethreshold(threshold)
    goes = _least_similar(at, count, keep, linkage)
    stays = _just_below(found, at.threshold, count)
    columns = [np.concatenate(pair) for pair in zip(stays, goes, strict=True)]
    position, kept, scores = columns
    texts_at, shift = found.collection.texts_at, found.collection.shift
    return pa.table(
        {
            "position": position,
            "kept": kept,
            "score": scores,
            "goes": np.arange(len(position)) >= len(stays[0]),
            "text": pa.array(texts_at(position), pa.string()),
            "kept_text": pa.array(texts_at(kept + shift), pa.string()),
        }
    )


def _least_similar(
    found: Duplicates, count: int, keep: str | Keep, linkage: str | Linkage
) -> tuple[Any, Any, Any]:
    """Texts that go, the least like what stays for them first, copies aside."""
    removed = found.removed(keep=keep, linkage=linkage)
    near = removed.filter(np.logical_not(removed["exact"].to_numpy())).to_pydict()
    scores = np.array(near["score"], dtype=np.float64)
    order = np.argsort(scores, kind="stable")[:count]
    places = [np.array(near[name], dtype=np.int64)[order] for name in ("position", "kept")]
    return places[0], places[1], scores[order]


def _just_below(found: Duplicates, threshold: float, count: int) -> tuple[Any, Any, Any]:
    """Pairs below the threshold, its nearest last, the second text as the one that might go."""
    best: list[tuple[float, int, int]] = []
    for part in found.pairs.parts():
        below = part.where(~at_least(part.score, threshold))
        order = np.argsort(-below.score, kind="stable")[:count]
        columns = (column[order].tolist() for column in (below.score, below.left, below.right))
        rows = zip(*columns, strict=True)
        best = sorted([*best, *rows], key=lambda row: (-row[0], row[1], row[2]))[:count]
    scores, left, right = (
        np.array([row[place] for row in best[::-1]], dtype=kind)
        for place, kind in enumerate((np.float64, np.int64, np.int64))
    )
    return (right, left, scores) if found.others is None else (left, right, scores)

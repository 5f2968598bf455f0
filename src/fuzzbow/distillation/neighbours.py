"""Near rows of a large matrix, without comparing every row with every other.

Rows are sorted to the nearest of about √n of them; a row is compared with those that went to
the same and to the nearest other pivots. Cost grows with n·√n, and memory with n. A GPU is so fast
at it that up to EXACT_ROWS rows are all compared there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats, Integers, blocks

PROBES = 8  # pivots whose rows are compared
EXACT_ROWS = 2_000_000
ROWS_AT_ONCE = 1024

Top = Callable[[Integers, Integers, int], NDArray[np.int64]]


def near_rows(
    matrix: NDArray[Any], ranks: tuple[int, ...], seed: int, device: str | None = None
) -> NDArray[np.int32]:
    """For each row others at these ranks of its neighbours, by product: (n, d) -> (n, ranks).

    -1 where there are fewer. The rows should have unit length.
    """
    count = len(matrix)
    found = np.full((count, len(ranks)), -1, dtype=np.int32)
    if count < 2:
        return found
    top = _by_torch(matrix, device) if device is not None else _by_numpy(matrix)
    everything = np.arange(count)
    if str(device).startswith("cuda") and count <= EXACT_ROWS:
        for part in blocks(count, ROWS_AT_ONCE):
            _fill(found, everything[part], everything, ranks, top)
        return found
    generator = np.random.default_rng([seed, count])
    pivots = np.sort(generator.choice(count, size=max(1, int(count**0.5)), replace=False))
    nearest = np.concatenate([top(everything[part], pivots, 1)[:, 0] for part in blocks(count)])
    members = _members(nearest, len(pivots))
    probes = top(pivots, pivots, min(PROBES, len(pivots)))
    for pivot, group in enumerate(members):
        others = np.concatenate([members[probe] for probe in probes[pivot]])
        for part in blocks(len(group), ROWS_AT_ONCE):
            _fill(found, group[part], others, ranks, top)
    return found


def _fill(
    found: NDArray[np.int32], rows: Integers, others: Integers, ranks: tuple[int, ...], top: Top
) -> None:
    """Write the chosen neighbours of some rows; a row is not its own."""
    best = others[top(rows, others, min(ranks[-1] + 2, len(others)))]
    itself = best == rows[:, None]
    # the row itself moves to the end, whatever its place, and the others keep their order
    order = np.argsort(itself, axis=1, kind="stable")
    best = np.take_along_axis(best, order, axis=1)
    width = best.shape[1] - itself.sum(axis=1)
    for place, rank in enumerate(ranks):
        if rank < best.shape[1]:
            found[rows, place] = np.where(rank < width, best[:, rank], -1)


def _members(nearest: Integers, count: int) -> list[Integers]:
    """The rows of each pivot."""
    order = np.argsort(nearest, kind="stable")
    return np.split(order, np.searchsorted(nearest[order], np.arange(1, count)))


def _by_numpy(matrix: NDArray[Any]) -> Top:
    def top(rows: Integers, columns: Integers, k: int) -> NDArray[np.int64]:
        across = matrix[columns].astype(np.float32)
        found = np.empty((len(rows), k), dtype=np.int64)
        for part in blocks(len(rows), 4096):
            scores = matrix[rows[part]].astype(np.float32) @ across.T
            found[part] = _best(scores, k)
        return found

    return top


def _best(scores: Floats, k: int) -> NDArray[np.int64]:
    """Columns of the k largest of each row, largest first: (n, m) -> (n, k)."""
    if k == 1:
        return np.asarray(scores.argmax(axis=1))[:, None]
    chosen = np.argpartition(-scores, k - 1, axis=1)[:, :k] if k < scores.shape[1] else None
    if chosen is None:
        return np.argsort(-scores, axis=1, kind="stable")
    order = np.argsort(-np.take_along_axis(scores, chosen, axis=1), axis=1, kind="stable")
    return np.take_along_axis(chosen, order, axis=1)


def _by_torch(matrix: NDArray[Any], device: str | None) -> Top:
    import torch

    kind = torch.float16 if str(device).startswith("cuda") else torch.float32
    held = torch.from_numpy(np.array(matrix)).to(device=device, dtype=kind)

    def top(rows: Integers, columns: Integers, k: int) -> NDArray[np.int64]:
        everything = len(columns) == len(held) and bool((np.diff(columns) == 1).all())
        chosen = torch.from_numpy(np.asarray(columns, dtype=np.int64))
        across = held if everything else held[chosen.to(device)]
        found = np.empty((len(rows), k), dtype=np.int64)
        for part in blocks(len(rows), 16_384):
            down = held[torch.from_numpy(np.asarray(rows[part], dtype=np.int64)).to(device)]
            found[part] = torch.topk(down @ across.T, k, dim=1).indices.cpu().numpy()
        return found

    return top

"""Leaders: texts that stay, each text that goes being a pair with the one it goes for.

In the order of preference, a text leads unless it is a pair with one that leads already. So no
two leaders are a pair, and every other text is a pair with at least one of them; it goes for
the one with which it scores best, the first of equals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from fuzzbow.arrays import Booleans, Integers, Ragged, read_only
from fuzzbow.tasks.dedupe.pairs import HELD_PAIRS, PairArrays
from fuzzbow.tasks.dedupe.removal import NOTHING, best_partners

Parts = Callable[[], Iterator[PairArrays]]  # the pairs, from the start at each call
OPEN, LEADS, GOES = 0, 1, 2


def leaders(ranks: Integers, parts: Parts) -> Integers:
    """The leader of each text, itself if it leads: (n,), pairs -> (n,).

    `ranks`, (n,), are all different; of two texts that of the smaller rank is preferred.
    """
    state = _decide(ranks, parts)
    partner, _ = best_partners(len(ranks), _with_leaders(state, parts))
    return read_only(np.where(partner == NOTHING, np.arange(len(ranks)), partner))


def _with_leaders(state: Integers, parts: Parts) -> Iterator[PairArrays]:
    """The pairs of a text that goes with one that leads, in this order."""
    for part in parts():
        for left, right in ((part.left, part.right), (part.right, part.left)):
            chosen = (state[left] == GOES) & (state[right] == LEADS)
            yield PairArrays(left, right, part.score, part.exact).where(chosen)


def _decide(ranks: Integers, parts: Parts) -> Integers:
    """Which texts lead and which go: (n,)."""
    state = np.full(len(ranks), OPEN, dtype=np.int8)
    while True:
        behind = np.zeros(len(ranks), dtype=np.bool_)
        held = 0
        for first, second in _open_edges(ranks, state, parts):
            behind[second] = True
            held += len(first)
        state[(state == OPEN) & ~behind] = LEADS  # nothing that could lead stands before these
        if not held:
            return state
        for first, second in _edges(ranks, parts):
            state[second[state[first] == LEADS]] = GOES
        if held <= HELD_PAIRS:
            _one_by_one(ranks, state, parts)
            return state


def _one_by_one(ranks: Integers, state: Integers, parts: Parts) -> None:
    """Decide the rest in order; the pairs among it are held in memory."""
    edges = list(_open_edges(ranks, state, parts))
    first = np.concatenate([np.zeros(0, dtype=np.int64), *(edge[0] for edge in edges)])
    second = np.concatenate([np.zeros(0, dtype=np.int64), *(edge[1] for edge in edges)])
    order = np.argsort(ranks[first], kind="stable")
    heads, counts = np.unique(ranks[first], return_counts=True)
    behind = Ragged.from_lengths(second[order], counts)
    text_of = np.empty(len(ranks), dtype=np.int64)
    text_of[ranks] = np.arange(len(ranks))
    for place, text in enumerate(text_of[heads].tolist()):
        if state[text] == OPEN:
            state[behind[place]] = GOES
    state[state == OPEN] = LEADS


def _open_edges(
    ranks: Integers, state: Integers, parts: Parts
) -> Iterator[tuple[Integers, Integers]]:
    """Pairs of which nothing is decided, the preferred text first."""
    for first, second in _edges(ranks, parts):
        both: Booleans = (state[first] == OPEN) & (state[second] == OPEN)
        yield first[both], second[both]


def _edges(ranks: Integers, parts: Parts) -> Iterator[tuple[Integers, Integers]]:
    for part in parts():
        ahead = ranks[part.left] < ranks[part.right]
        yield (
            np.where(ahead, part.left, part.right),
            np.where(ahead, part.right, part.left),
        )

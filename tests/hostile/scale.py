"""How much of a long test to run: a sample, or with FUZZBOW_SLOW=1 all of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import combinations, cycle, product
from operator import getitem
from typing import Any


def steps(sample: int, full: int) -> int:
    """`full` when FUZZBOW_SLOW=1 is set, else `sample`."""
    return full if os.environ.get("FUZZBOW_SLOW") == "1" else sample


def covering(*choices: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Values of each choice, so that every two of them meet; with FUZZBOW_SLOW=1 all ways."""
    places = list(product(*(range(len(values)) for values in choices)))
    if steps(0, 1):
        chosen = places
    else:
        chosen, missing = [], {pair for case in places for pair in _pairs(case)}
        while missing:
            chosen.append(max(places, key=lambda case: len(missing & _pairs(case))))
            missing -= _pairs(chosen[-1])
    return [tuple(map(getitem, choices, case)) for case in sorted(chosen)]


def in_turn(values: Sequence[Any], cases: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Cases with one of the values before each, in turn; with FUZZBOW_SLOW=1 with all of them."""
    if steps(0, 1):
        return [(value, *case) for value, case in product(values, cases)]
    return [(value, *case) for value, case in zip(cycle(values), cases, strict=False)]


def _pairs(case: tuple[int, ...]) -> set[tuple[tuple[int, int], ...]]:
    """Every two of the choices with the places that were chosen in them."""
    return set(combinations(enumerate(case), 2))

"""Equal scores are put in the order of a seeded hash, never in that of a file.

Files often list what is relevant first; a measure that gives every text the same score would
then look perfect. Scores that agree to `DIGITS` decimals are equal: rounding alone makes no order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats, Integers

DIGITS = 10


def tie_keys(ids: Iterable[str], *, seed: int = 0) -> NDArray[np.uint64]:
    """A number for each id, by BLAKE2b under the seed: n ids -> (n,)."""
    key = str(seed).encode("ascii")[: blake2b.MAX_KEY_SIZE]
    digests = (
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest()
        for text in ids
    )
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def occurrences(texts: Iterable[Sequence[str]]) -> list[str]:
    """An id for things that have none: what they hold, and which copy of it this is."""
    seen: dict[tuple[str, ...], int] = {}
    ids = []
    for parts in texts:
        known = tuple(parts)
        seen[known] = seen.get(known, 0) + 1
        ids.append("\x1f".join((*known, str(seen[known]))))
    return ids


def ranked(scores: Floats, ties: NDArray[np.uint64] | Integers) -> Integers:
    """Places from the best score to the worst, equal ones by `ties`: (n,), (n,) -> (n,)."""
    return np.asarray(np.lexsort((ties, -np.round(scores, DIGITS))))


def best_places(scores: Floats, depth: int) -> Integers:
    """The first `depth` of `ranked` where ties are in the order they came: (n,) -> (depth,)."""
    rounded = np.round(scores, DIGITS)
    places = np.arange(len(rounded))
    if depth < len(rounded):
        edge = np.partition(rounded, len(rounded) - depth)[len(rounded) - depth]
        above, equal = np.flatnonzero(rounded > edge), np.flatnonzero(rounded == edge)
        places = np.concatenate([above, equal[: depth - len(above)]])
    return np.asarray(places[np.argsort(-rounded[places], kind="stable")])

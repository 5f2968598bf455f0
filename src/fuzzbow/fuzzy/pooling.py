"""Pooling of the similarities of a text's words to the membership of each universe element."""

from __future__ import annotations

from enum import Enum

import numpy as np

from fuzzbow.arrays import Floats, row_sums


class Pooling(str, Enum):
    """Union of the words of a text; max, with the zero vector, is the fuzzy union."""

    MAX = "max"
    AVG = "avg"
    SUM = "sum"
    MIN = "min"


def pool(similarities: Floats, pooling: Pooling, counts: Floats | None = None) -> Floats:
    """Pool words (rows) for each universe element (column): (n, u), (n,) -> (u,).

    Counts make the set a bag: each row is multiplied by its word's count. A text without words has
    memberships of 0.

    >>> import numpy as np
    >>> pool(np.array([[0.2, -1.0], [0.5, -3.0]]), Pooling.MAX).tolist()
    [0.5, 0.0]
    """
    if len(similarities) == 0:
        return np.zeros(similarities.shape[1])
    rows = similarities if counts is None else similarities * counts[:, None]
    if pooling is Pooling.MAX:
        return np.asarray(rows.max(axis=0, initial=0.0))
    if pooling is Pooling.MIN:
        return np.asarray(rows.min(axis=0))
    total = row_sums(rows.T)
    if pooling is Pooling.SUM:
        return total
    return total / (len(rows) if counts is None else counts.sum())

"""How alike two fuzzy sets are: Jaccard, Otsuka, Dice and cosine of their memberships.

Each of the four is a ratio of the same three numbers, an overlap and two sizes:

* Jaccard, Otsuka, Dice: overlap `Σ w·min(a, b)`, size `Σ w·a` (the cardinality);
  the union needs no sum of its own, since `min(a, b) + max(a, b) = a + b`.
* cosine: overlap `Σ w·a·b`, size `Σ w·a²`.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from fuzzbow.arrays import Floats, row_sums


class SetSimilarity(str, Enum):
    """The ratio that turns two membership vectors into one number."""

    JACCARD = "jaccard"
    OTSUKA = "otsuka"
    DICE = "dice"
    COSINE = "cosine"


def overlaps(a: Floats, b: Floats, similarity: SetSimilarity) -> Floats:
    """What each element adds to the overlap, before weights: (…, u), (…, u) -> (…, u)."""
    return a * b if similarity is SetSimilarity.COSINE else np.minimum(a, b)


def extents(a: Floats, similarity: SetSimilarity) -> Floats:
    """What each element adds to the size of its set, before weights: (…, u) -> (…, u)."""
    return a * a if similarity is SetSimilarity.COSINE else a


def ratio(overlap: Floats, size_a: Floats, size_b: Floats, similarity: SetSimilarity) -> Floats:
    """The similarity from an overlap and two sizes, elementwise; 0 where it is undefined."""
    overlap, size_a, size_b = np.broadcast_arrays(overlap, size_a, size_b)
    if similarity is SetSimilarity.JACCARD:
        numerator, denominator = overlap, size_a + size_b - overlap
    elif similarity is SetSimilarity.DICE:
        numerator, denominator = 2 * overlap, size_a + size_b
    else:
        # average, sum and min pooling allow negative sizes, for which there is no root
        numerator = overlap
        denominator = np.sqrt(np.maximum(size_a, 0) * np.maximum(size_b, 0))
    defined = denominator != 0
    return np.divide(numerator, denominator, out=np.zeros(overlap.shape), where=defined)


def compare(
    a: Floats, b: Floats, similarity: SetSimilarity, weights: Floats | None = None
) -> Floats:
    """Similarity of membership vectors along the last axis: (…, u), (…, u) -> (…).

    >>> import numpy as np
    >>> float(compare(np.array([1.0, 0.5]), np.array([0.5, 0.5]), SetSimilarity.JACCARD))
    0.6666666666666666
    """
    weigh = 1.0 if weights is None else weights
    return ratio(
        row_sums(overlaps(a, b, similarity) * weigh),
        row_sums(extents(a, similarity) * weigh),
        row_sums(extents(b, similarity) * weigh),
        similarity,
    )

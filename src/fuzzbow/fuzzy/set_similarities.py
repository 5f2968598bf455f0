"""Similarities of two fuzzy sets: the overlap of both over a denominator.

All similarities are computed from an overlap N and two sizes A and B:

* the overlap is `Σ w·min(a, b)` and a size `Σ w·a`, the cardinality; the union needs no sum
  of its own, since `min(a, b) + max(a, b) = a + b`;
* for cosine the overlap is `Σ w·a·b` and a size `Σ w·a²`.

A new similarity is a denominator and a line in `SET_SIMILARITIES` here, and the same formula in
`cpp/scores/set_similarity.cpp`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, row_sums
from fuzzbow.errors import InputError, nearest


@dataclass(frozen=True)
class SetSimilarity:
    """Ratio that converts two membership vectors to one number."""

    name: str
    formula: str  # for people
    # divisor of the overlap: of N, A, B and a module with NumPy's functions, elementwise
    denominator: Callable[..., Floats] = field(compare=False, repr=False)
    squares: bool = False  # overlaps are products and sizes squares
    symmetric: bool = True  # both orders of two sets give the same number
    parameters: tuple[float, ...] = ()

    @property
    def family(self) -> str:
        """Name of the formula in the kernels, without parameters."""
        return "tversky" if self.parameters else self.name

    def overlaps(self, a: Floats, b: Floats) -> Floats:
        """Return the overlap by element, before weights: (…, u), (…, u) -> (…, u)."""
        return a * b if self.squares else np.minimum(a, b)

    def extents(self, a: Floats) -> Floats:
        """Return the size of a set by element, before weights: (…, u) -> (…, u)."""
        return a * a if self.squares else a

    def ratio(self, overlap: Floats, size_a: Floats, size_b: Floats) -> Floats:
        """Compute the similarity from an overlap and two sizes; 0 where it is undefined."""
        overlap, size_a, size_b = np.broadcast_arrays(overlap, size_a, size_b)
        below = np.asarray(self.denominator(overlap, size_a, size_b))
        return np.divide(overlap, below, out=np.zeros(overlap.shape), where=below != 0)

    def __str__(self) -> str:
        return self.name


def _union(overlap: Floats, a: Floats, b: Floats, xp: Any = np) -> Floats:
    return a + b - overlap


def _mean(overlap: Floats, a: Floats, b: Floats, xp: Any = np) -> Floats:
    return (a + b) / 2


def _geometric_mean(overlap: Floats, a: Floats, b: Floats, xp: Any = np) -> Any:
    """Return √(A·B); 0 for negative sizes, which average, sum and min allow."""
    return xp.sqrt(xp.maximum(a, 0) * xp.maximum(b, 0))


def _smaller(overlap: Floats, a: Floats, b: Floats, xp: Any = np) -> Any:
    return xp.minimum(a, b)


def _size_of_first(overlap: Floats, a: Floats, b: Floats, xp: Any = np) -> Floats:
    return a


def _contrast(
    alpha: float, beta: float, overlap: Floats, a: Floats, b: Floats, xp: Any = np
) -> Floats:
    return overlap + alpha * (a - overlap) + beta * (b - overlap)


JACCARD = SetSimilarity("jaccard", "intersection / union", _union)
OTSUKA = SetSimilarity("otsuka", "intersection / √(left size · right size)", _geometric_mean)
DICE = SetSimilarity("dice", "intersection / half of (left size + right size)", _mean)
COSINE = SetSimilarity(
    "cosine", "Σ left · right / √(Σ left² · Σ right²)", _geometric_mean, squares=True
)
COVERAGE = SetSimilarity(  # the share of the first set that is in the second
    "coverage",
    "intersection / left size",
    _size_of_first,
    symmetric=False,
    parameters=(1.0, 0.0),
)
OVERLAP = SetSimilarity("overlap", "intersection / smaller of (left size, right size)", _smaller)

SET_SIMILARITIES: dict[str, SetSimilarity] = {
    similarity.name: similarity for similarity in (JACCARD, OTSUKA, DICE, COSINE, COVERAGE, OVERLAP)
}


def tversky(alpha: float, beta: float) -> SetSimilarity:
    """Return N / (N + α(A - N) + β(B - N)), which is coverage for α = 1 and β = 0."""
    both = float(alpha), float(beta)
    if not (all(math.isfinite(x) and x >= 0 for x in both) and any(both)):
        raise InputError(
            f"tversky(α, β) needs two numbers of at least 0, not both 0; got {alpha:g} and {beta:g}"
        )
    if both == COVERAGE.parameters:
        return COVERAGE
    return SetSimilarity(
        f"tversky({alpha:g},{beta:g})",
        f"shared / (shared + {alpha:g} · left only + {beta:g} · right only)",
        partial(_contrast, *both),
        symmetric=alpha == beta,
        parameters=both,
    )


_TVERSKY = re.compile(r"tversky\(\s*([^,()]+?)\s*,\s*([^,()]+?)\s*\)")


def parse_set_similarity(choice: str | SetSimilarity) -> SetSimilarity:
    """Return a similarity by its name, such as `tversky(α, β)`, or the given similarity."""
    if isinstance(choice, SetSimilarity):
        return choice
    if isinstance(choice, str) and choice in SET_SIMILARITIES:
        return SET_SIMILARITIES[choice]
    found = _TVERSKY.fullmatch(choice) if isinstance(choice, str) else None
    if found is not None:
        try:
            alpha, beta = map(float, found.groups())
        except ValueError as error:
            raise InputError(f"similarity tversky(α, β) needs two numbers: {error}") from error
        return tversky(alpha, beta)
    raise InputError(
        f"similarity must be one of {', '.join(SET_SIMILARITIES)} or tversky(α,β);"
        f" got {choice!r}{nearest(str(choice), SET_SIMILARITIES)}"
    )


def compare(
    a: Floats, b: Floats, similarity: SetSimilarity, weights: Floats | None = None
) -> Floats:
    """Compare membership vectors along the last axis: (…, u), (…, u) -> (…).

    >>> import numpy as np
    >>> float(compare(np.array([1.0, 0.5]), np.array([0.5, 0.5]), JACCARD))
    0.6666666666666666
    """
    weigh = 1.0 if weights is None else weights
    return similarity.ratio(
        row_sums(similarity.overlaps(a, b) * weigh),
        row_sums(similarity.extents(a) * weigh),
        row_sums(similarity.extents(b) * weigh),
    )

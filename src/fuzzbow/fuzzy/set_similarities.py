"""Similarities of two fuzzy sets: the overlap of both over a denominator.

All similarities are computed from an overlap N and two sizes A and B:

* the overlap is `Σ w·min(a, b)` and a size `Σ w·a`, the cardinality; the union needs no sum
  of its own, since `min(a, b) + max(a, b) = a + b`;
* for cosine the overlap is `Σ w·a·b` and a size `Σ w·a²`.

A new similarity is a class here, its line in `SET_SIMILARITIES`, and the same formula in
`cpp/scores/set_similarity.cpp`.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fuzzbow.arrays import Floats, row_sums
from fuzzbow.errors import InputError, nearest


class SetSimilarity(ABC):
    """Ratio that converts two membership vectors to one number."""

    family: ClassVar[str]  # what the kernels call the formula
    formula: ClassVar[str]  # for people
    squares: ClassVar[bool] = False  # overlaps are products and sizes squares

    @property
    def name(self) -> str:
        """Return the usual name."""
        return self.family

    @property
    def parameters(self) -> tuple[float, ...]:
        """Parameters of the formula, for the kernels."""
        return ()

    @property
    def symmetric(self) -> bool:
        """Return whether both orders of two sets give the same number."""
        return True

    @abstractmethod
    def denominator(self, overlap: Floats, size_a: Floats, size_b: Floats, xp: Any = np) -> Floats:
        """Return the divisor of the overlap, elementwise; `xp` has the functions of NumPy."""

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


@dataclass(frozen=True)
class Jaccard(SetSimilarity):
    """Overlap over union: N / (A + B - N)."""

    family = "jaccard"
    formula = "intersection / union"

    def denominator(self, overlap: Floats, size_a: Floats, size_b: Floats, xp: Any = np) -> Floats:
        """Return the union."""
        return size_a + size_b - overlap


@dataclass(frozen=True)
class Dice(SetSimilarity):
    """Overlap over mean size: 2N / (A + B)."""

    family = "dice"
    formula = "intersection / half of (left size + right size)"

    def denominator(self, overlap: Floats, size_a: Floats, size_b: Floats, xp: Any = np) -> Floats:
        """Return the mean of both sizes."""
        return (size_a + size_b) / 2


@dataclass(frozen=True)
class Otsuka(SetSimilarity):
    """Overlap over the geometric mean of the sizes: N / √(A·B)."""

    family = "otsuka"
    formula = "intersection / √(left size · right size)"

    def denominator(self, overlap: Floats, size_a: Floats, size_b: Floats, xp: Any = np) -> Floats:
        """Return the geometric mean, 0 for negative sizes, which average, sum and min allow."""
        below: Floats = xp.sqrt(xp.maximum(size_a, 0) * xp.maximum(size_b, 0))
        return below


@dataclass(frozen=True)
class Cosine(Otsuka):
    """Cosine of the angle between both membership vectors."""

    family = "cosine"
    formula = "Σ left · right / √(Σ left² · Σ right²)"
    squares = True


@dataclass(frozen=True)
class Overlap(SetSimilarity):
    """Overlap over the size of the smaller set: N / min(A, B)."""

    family = "overlap"
    formula = "intersection / smaller of (left size, right size)"

    def denominator(self, overlap: Floats, size_a: Floats, size_b: Floats, xp: Any = np) -> Floats:
        """Return the smaller size."""
        smaller: Floats = xp.minimum(size_a, size_b)
        return smaller


@dataclass(frozen=True)
class Tversky(SetSimilarity):
    """Overlap over overlap plus weighted differences: N / (N + α(A - N) + β(B - N))."""

    alpha: float
    beta: float

    family = "tversky"

    def __post_init__(self) -> None:
        usable = all(math.isfinite(x) and x >= 0 for x in self.parameters) and any(self.parameters)
        if not usable:
            raise InputError(
                "tversky(α, β) needs two numbers of at least 0, not both 0;"
                f" got {self.alpha:g} and {self.beta:g}"
            )

    @property
    def name(self) -> str:
        """Name; `coverage` for α = 1, β = 0: the share of the first set that is in the second."""
        if self.parameters == (1.0, 0.0):
            return "coverage"
        return f"tversky({self.alpha:g},{self.beta:g})"

    @property
    def formula(self) -> str:  # type: ignore[override]  # depends on the parameters
        """Formula: the share of the left text, or the general ratio."""
        if self.name == "coverage":
            return "intersection / left size"
        return f"shared / (shared + {self.alpha:g} · left only + {self.beta:g} · right only)"

    @property
    def parameters(self) -> tuple[float, ...]:
        """α and β."""
        return float(self.alpha), float(self.beta)

    @property
    def symmetric(self) -> bool:
        """True if α = β."""
        return self.alpha == self.beta

    def denominator(self, overlap: Floats, size_a: Floats, size_b: Floats, xp: Any = np) -> Floats:
        """Return the overlap plus α and β times the parts that are in one set only."""
        if self.parameters == (1.0, 0.0):
            return size_a
        return overlap + self.alpha * (size_a - overlap) + self.beta * (size_b - overlap)


JACCARD, OTSUKA, DICE, COSINE = Jaccard(), Otsuka(), Dice(), Cosine()
COVERAGE, OVERLAP = Tversky(1.0, 0.0), Overlap()

SET_SIMILARITIES: dict[str, SetSimilarity] = {
    similarity.name: similarity for similarity in (JACCARD, OTSUKA, DICE, COSINE, COVERAGE, OVERLAP)
}

_TVERSKY = re.compile(r"tversky\(\s*([^,()]+?)\s*,\s*([^,()]+?)\s*\)")


def parse_set_similarity(choice: str | SetSimilarity) -> SetSimilarity:
    """Return the similarity of a name, such as `tversky(α, β)`, or the given one itself."""
    if isinstance(choice, SetSimilarity):
        return choice
    if isinstance(choice, str) and choice in SET_SIMILARITIES:
        return SET_SIMILARITIES[choice]
    found = _TVERSKY.fullmatch(choice) if isinstance(choice, str) else None
    if found is not None:
        try:
            return Tversky(float(found[1]), float(found[2]))
        except ValueError as error:
            raise InputError(f"similarity tversky(α, β) needs two numbers: {error}") from error
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

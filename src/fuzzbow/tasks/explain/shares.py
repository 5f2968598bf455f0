"""The score as a sum: what each element adds to intersection, union and score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.fuzzy import SetSimilarity, extents, overlaps

FORMULAS = {
    SetSimilarity.JACCARD: "intersection / union",
    SetSimilarity.OTSUKA: "intersection / √(left size · right size)",
    SetSimilarity.DICE: "intersection / half of (left size + right size)",
    SetSimilarity.COSINE: "Σ left · right / √(Σ left² · Σ right²)",
}


@dataclass(frozen=True)
class Shares:
    """Parts of each element, (u,); the totals are their sums."""

    intersection: Floats
    left_size: Floats
    right_size: Floats
    denominator: float

    @property
    def union(self) -> Floats:
        """max(l, r) = l + r - min(l, r), weighted: (u,)."""
        return self.left_size + self.right_size - self.intersection

    @property
    def score(self) -> Floats:
        """What each element adds to the score: (u,)."""
        return self.of_score(self.intersection)

    def of_score(self, parts: Floats) -> Floats:
        """Parts of the intersection as parts of the score; 0 where that is undefined."""
        return parts / self.denominator if self.denominator else np.zeros_like(parts)


def split_score(
    in_left: Floats, in_right: Floats, weights: Floats, similarity: SetSimilarity
) -> Shares:
    """Shares from memberships and weights: (u,), (u,), (u,) -> shares of u elements."""
    intersection = weights * overlaps(in_left, in_right, similarity)
    left, right = weights * extents(in_left, similarity), weights * extents(in_right, similarity)
    sizes, common = (float(left.sum()), float(right.sum())), float(intersection.sum())
    return Shares(intersection, left, right, _denominator(*sizes, common, similarity))


def _denominator(left: float, right: float, common: float, similarity: SetSimilarity) -> float:
    """What the intersection is divided by."""
    if similarity is SetSimilarity.JACCARD:
        return left + right - common
    if similarity is SetSimilarity.DICE:
        return (left + right) / 2
    return float(np.sqrt(left * right))

"""The paper's formulas over tensors; `fuzzbow.fuzzy` has the same in NumPy, one pair at a time."""

from __future__ import annotations

from collections.abc import Callable

import torch

from fuzzbow.fuzzy import Pooling, SetSimilarity, WordSimilarity
from fuzzbow.torch.measure import Measure
from fuzzbow.torch.sets import Sets

INFINITY = float("inf")


def pool(
    similarities: torch.Tensor, mask: torch.Tensor, counts: torch.Tensor | None, how: Pooling
) -> torch.Tensor:
    """Unite the words on the last axis, padding left out: (…, k), (…, k), (…, k) -> (…).

    Mask and counts may have fewer axes, as long as they broadcast. No words: 0.
    """
    values = similarities if counts is None else similarities * counts
    if how is Pooling.MAX:
        return values.masked_fill(~mask, -INFINITY).amax(-1).clamp(min=0)
    if how is Pooling.MIN:
        lowest = values.masked_fill(~mask, INFINITY).amin(-1)
        return torch.where(mask.any(-1), lowest, 0)
    total = values.masked_fill(~mask, 0).sum(-1)
    if how is Pooling.SUM:
        return total
    present = mask.to(total.dtype) if counts is None else counts
    return divided(total, present.sum(-1).expand_as(total))


def products(left: torch.Tensor, right: torch.Tensor, words: WordSimilarity) -> torch.Tensor:
    """Similarities of words, whose rows have unit length where it is a cosine."""
    found = left @ right.transpose(-1, -2)
    return found.clamp(min=0) if words is WordSimilarity.CLIPPED_COSINE else found


def own_memberships(sets: Sets, measure: Measure) -> torch.Tensor:
    """How much each word belongs to its own set: (n, k, d) -> (n, k)."""
    inner = products(sets.words, sets.words, measure.words)
    counts = None if sets.counts is None else sets.counts[:, None, :]
    return pool(inner, sets.mask[:, None, :], counts, measure.pooling)


def memberships(sets: Sets, universe: torch.Tensor, measure: Measure) -> torch.Tensor:
    """Membership of each element of a fixed universe: (n, k, d), (u, d) -> (n, u)."""
    found = products(universe, sets.words, measure.words)
    counts = None if sets.counts is None else sets.counts[:, None, :]
    return pool(found, sets.mask[:, None, :], counts, measure.pooling)


def totals(
    left: torch.Tensor, right: torch.Tensor, weights: torch.Tensor | None, by: SetSimilarity
) -> torch.Tensor:
    """Overlap and both sizes over the last axis: (…, u), (…, u), (…, u) -> (3, …)."""
    shared = left * right if by.squares else torch.minimum(left, right)
    parts = torch.broadcast_tensors(shared, by.extents(left), by.extents(right))
    return torch.stack([(part if weights is None else part * weights).sum(-1) for part in parts])


def ratio(sums: torch.Tensor, by: SetSimilarity) -> torch.Tensor:
    """The set similarity from overlap and sizes, 0 where it is not defined: (3, …) -> (…)."""
    overlap, left, right = sums.unbind(0)
    return divided(overlap, _DENOMINATORS.get(by.family, by.denominator)(overlap, left, right))


def divided(above: torch.Tensor, below: torch.Tensor) -> torch.Tensor:
    """A quotient that is 0, and has gradient 0, where the divisor is 0."""
    usable = below != 0
    return torch.where(usable, above / torch.where(usable, below, 1), 0)


def _geometric_mean(_: torch.Tensor, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """√(left·right), without the infinite gradient of a root at 0."""
    product = left.clamp(min=0) * right.clamp(min=0)
    usable = product > 0
    return torch.where(usable, torch.where(usable, product, 1).sqrt(), 0)


def _smaller(_: torch.Tensor, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """The smaller size."""
    return torch.minimum(left, right)


Denominator = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]

# Formulas of plain arithmetic are taken from the similarity itself; these have functions of NumPy.
_DENOMINATORS: dict[str, Denominator] = {
    "otsuka": _geometric_mean,
    "cosine": _geometric_mean,
    "overlap": _smaller,
}

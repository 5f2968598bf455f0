"""The paper's formulas as tensor operations, pair by pair and for all pairs in blocks.

`fuzzbow.fuzzy` has them in NumPy, one pair at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace

import torch
from torch.utils.checkpoint import checkpoint

from fuzzbow.fuzzy import Pooling, WordSimilarity
from fuzzbow.torch.measure import Measure, fixed_universe
from fuzzbow.torch.sets import Sets

INFINITY = float("inf")
BLOCK_PRODUCTS = 2**24  # similarities of words that are held at a time
Block = Callable[..., torch.Tensor]  # both sides, each with memberships, weights, the measure


def pool(
    similarities: torch.Tensor, mask: torch.Tensor, counts: torch.Tensor | None, how: Pooling
) -> torch.Tensor:
    """Pool the words on the last axis without padding: (…, k), (…, k), (…, k) -> (…).

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
    """Return similarities of words; for cosines rows have unit length already."""
    found = left @ right.transpose(-1, -2)
    return found.clamp(min=0) if words is WordSimilarity.CLIPPED_COSINE else found


def memberships(sets: Sets, universe: torch.Tensor, measure: Measure) -> torch.Tensor:
    """Return memberships over one universe, or one for each set: (n, k, d), (u, d) -> (n, u)."""
    return pooled(products(universe, sets.words, measure.words), sets, measure)


def own_memberships(sets: Sets, measure: Measure) -> torch.Tensor:
    """Return the membership of each word in its own set: (n, k, d) -> (n, k)."""
    return memberships(sets, sets.words, measure)


def pooled(found: torch.Tensor, sets: Sets, measure: Measure) -> torch.Tensor:
    """Pool the similarities to the words of each set: (…, u, k) -> (…, u)."""
    counts = None if sets.counts is None else sets.counts[..., None, :]
    return pool(found, sets.mask[..., None, :], counts, measure.pooling)


def totals(
    left: torch.Tensor, right: torch.Tensor, weights: torch.Tensor | None, measure: Measure
) -> torch.Tensor:
    """Sum overlap and both sizes over the last axis: (…, u), (…, u), (…, u) -> (3, …)."""
    by = measure.sets
    shared = left * right if by.squares else torch.minimum(left, right)
    parts = torch.broadcast_tensors(shared, by.extents(left), by.extents(right))
    return torch.stack([(part if weights is None else part * weights).sum(-1) for part in parts])


def ratio(sums: torch.Tensor, measure: Measure) -> torch.Tensor:
    """Return the set similarity from overlap and sizes, 0 where it is undefined: (3, …) -> (…)."""
    overlap, left, right = sums.unbind(0)
    return divided(overlap, measure.sets.denominator(overlap, left, right, _DIFFERENTIABLE))


def divided(above: torch.Tensor, below: torch.Tensor) -> torch.Tensor:
    """Divide; where the divisor is 0, the quotient and its gradient are 0."""
    usable = below != 0
    return torch.where(usable, above / torch.where(usable, below, 1), 0)


# NumPy's functions that denominators use, for tensors; gradients stay finite
_DIFFERENTIABLE = SimpleNamespace(
    minimum=torch.minimum,
    maximum=lambda values, floor: values.clamp(min=floor),
    sqrt=lambda values: torch.where(values > 0, torch.where(values > 0, values, 1).sqrt(), 0),
)


def plain_scores(
    left: Sets, right: Sets, elements: torch.Tensor | None, measure: Measure
) -> torch.Tensor:
    """Score all pairs, block by block: (n, m)."""
    if not len(left) or not len(right):
        return left.words.new_zeros((len(left), len(right)))
    if measure.by_pair:
        own_left, own_right = own_memberships(left, measure), own_memberships(right, measure)
        block: Block = _pair_block
        room = left.room * right.room
    else:
        rows = fixed_universe(measure, left.words)
        own_left, own_right = memberships(left, rows, measure), memberships(right, rows, measure)
        block, room = _fixed_block, len(rows)
    across = max(1, min(len(right), BLOCK_PRODUCTS // room))
    down = max(1, BLOCK_PRODUCTS // (room * across))
    if torch.is_grad_enabled():  # intermediate results are computed again for gradients
        block = partial(checkpoint, block, use_reentrant=False)
    found = []
    for i, a in left.split(down):
        row = [
            block(a, own_left[i], b, own_right[j], elements, measure)
            for j, b in right.split(across)
        ]
        found.append(torch.cat(row, dim=1))
    return zero_without_words(torch.cat(found), left.select((slice(None), None)), right)


def _pair_block(
    left: Sets, own_left: torch.Tensor, right: Sets, own_right: torch.Tensor,
    elements: None, measure: Measure,
) -> torch.Tensor:  # fmt: skip
    """Score over the words of both sets, or of the left one: (n, k, d), (m, l, d) -> (n, m)."""
    flat = products(left.words.flatten(0, 1), right.words.flatten(0, 1), measure.words)
    found = flat.view(len(left), left.room, len(right), right.room).transpose(1, 2)
    each = left.select((slice(None), None))  # (n, 1, k)
    return ratio(pair_totals(found, each, own_left[:, None], right, own_right, measure), measure)


def _fixed_block(
    left: Sets, own_left: torch.Tensor, right: Sets, own_right: torch.Tensor,
    elements: torch.Tensor | None, measure: Measure,
) -> torch.Tensor:  # fmt: skip
    """Score over a fixed universe, from memberships: (n, u), (m, u) -> (n, m)."""
    return ratio(totals(own_left[:, None], own_right[None], elements, measure), measure)


def pair_totals(
    found: torch.Tensor, left: Sets, own_left: torch.Tensor, right: Sets,
    own_right: torch.Tensor, measure: Measure,
) -> torch.Tensor:  # fmt: skip
    """Sum over the words of both sets, or of the left one, by similarities: (…, k, l) -> (3, …)."""
    sums = totals(own_left, pooled(found, right, measure), left.weigh, measure)
    if measure.by_query:
        return sums
    back = pooled(found.transpose(-1, -2), left, measure)
    return sums + totals(back, own_right, right.weigh, measure)


def zero_without_words(scores: torch.Tensor, left: Sets, right: Sets) -> torch.Tensor:
    """Return the scores, 0 where a set has no words."""
    return torch.where(left.mask.any(-1) & right.mask.any(-1), scores, 0)

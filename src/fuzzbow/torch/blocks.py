"""Scores of all pairs by plain tensor operations, a block at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch.utils.checkpoint import checkpoint

from fuzzbow.torch.measure import Measure
from fuzzbow.torch.memberships import memberships, own_memberships, pool, products, ratio, totals
from fuzzbow.torch.sets import Sets
from fuzzbow.torch.universes import fixed_universe

AT_ONCE = 2**24  # similarities of words that are held at a time
Block = Callable[..., torch.Tensor]  # both sides, each with memberships, weights, the measure


def plain_scores(
    left: Sets, right: Sets, elements: torch.Tensor | None, measure: Measure
) -> torch.Tensor:
    """Scores of all pairs, block by block: (n, m)."""
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
    across = max(1, min(len(right), AT_ONCE // room))
    down = max(1, AT_ONCE // (room * across))
    made = _made(block)
    return torch.cat(
        [
            torch.cat(
                [
                    made(a, own_left[i], b, own_right[j], elements, measure)
                    for j, b in right.split(across)
                ],
                dim=1,
            )
            for i, a in left.split(down)
        ]
    )


def _made(block: Block) -> Block:
    """The same; with gradients what it needs on the way is not kept but made a second time."""
    return partial(checkpoint, block, use_reentrant=False) if torch.is_grad_enabled() else block


def _pair_block(
    left: Sets, own_left: torch.Tensor, right: Sets, own_right: torch.Tensor,
    elements: None, measure: Measure,
) -> torch.Tensor:  # fmt: skip
    """Scores over the words of both sets, or of the left one: (n, k, d), (m, l, d) -> (n, m)."""
    flat = products(left.words.flatten(0, 1), right.words.flatten(0, 1), measure.words)
    found = flat.view(len(left), left.room, len(right), right.room)
    cross = pool(found, right.mask, right.counts, measure.pooling).transpose(1, 2)
    sums = totals(own_left[:, None], cross, left.weigh[:, None], measure.sets)
    if not measure.by_query:
        counts = None if left.counts is None else left.counts[:, None, None, :]
        back = found.permute(0, 2, 3, 1)
        cross = pool(back, left.mask[:, None, None, :], counts, measure.pooling)
        sums = sums + totals(cross, own_right, right.weigh, measure.sets)
    return _of_words(ratio(sums, measure.sets), left, right)


def _fixed_block(
    left: Sets, own_left: torch.Tensor, right: Sets, own_right: torch.Tensor,
    elements: torch.Tensor | None, measure: Measure,
) -> torch.Tensor:  # fmt: skip
    """Scores over a fixed universe, from memberships: (n, u), (m, u) -> (n, m)."""
    sums = totals(own_left[:, None], own_right[None], elements, measure.sets)
    return _of_words(ratio(sums, measure.sets), left, right)


def _of_words(scores: torch.Tensor, left: Sets, right: Sets) -> torch.Tensor:
    """The scores, 0 where a set has no words: (n, m)."""
    return torch.where(left.mask.any(-1)[:, None] & right.mask.any(-1), scores, 0)

"""Scores of sets by the kernel that computes the measure, or by plain tensor operations."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch.autograd.function import once_differentiable

from fuzzbow.torch.fused import can_fuse, fused_above, fused_matrix
from fuzzbow.torch.maxima import can_fuse_pairs, fused_totals
from fuzzbow.torch.measure import Measure, fixed_universe
from fuzzbow.torch.plain import (
    BLOCK_PRODUCTS,
    memberships,
    own_memberships,
    pair_totals,
    plain_scores,
    products,
    ratio,
    totals,
    zero_without_words,
)
from fuzzbow.torch.sets import Sets

FIRST_COLUMNS = 4096  # right sets whose k-th best score is the floor of the others
FIRST_ROWS = 2**14  # left sets of a block

Hits = tuple[torch.Tensor, torch.Tensor, torch.Tensor]  # rows, columns and scores, (h,) each


@dataclass(frozen=True)
class SetBatch:
    """Two checked batches, weights of a fixed universe's elements, (u,), and their measure."""

    left: Sets
    right: Sets
    elements: torch.Tensor | None
    measure: Measure
    dtype: torch.dtype  # in which kernels multiply words


def pair_scores(batch: SetBatch) -> torch.Tensor:
    """Score pair by pair; a set without words scores 0: (n,)."""
    left, right, measure = batch.left, batch.right, batch.measure
    if not measure.by_pair:
        rows = fixed_universe(measure, left.words)
        a, b = memberships(left, rows, measure), memberships(right, rows, measure)
        sums = totals(a, b, batch.elements, measure)
    elif can_fuse_pairs(left, right, measure):
        sums = fused_totals(left, right, measure)
    else:
        found = products(left.words, right.words, measure.words)
        own_left, own_right = own_memberships(left, measure), own_memberships(right, measure)
        sums = pair_totals(found, left, own_left, right, own_right, measure)
    return zero_without_words(ratio(sums, measure), left, right)


def all_scores(batch: SetBatch) -> torch.Tensor:
    """Score all pairs, by the kernel if it can: (n, m)."""
    left, right, measure = batch.left, batch.right, batch.measure
    if can_fuse(left, right, measure):
        return FusedScores.apply(
            left.words, right.words, left.weights, right.weights, left, right, measure, batch.dtype
        )
    return plain_scores(left, right, batch.elements, measure)


class FusedScores(torch.autograd.Function):  # type: ignore[misc]  # torch is not typed here
    """Autograd function: forwards by the kernel, backwards by plain operations."""

    @staticmethod
    def forward(  # type: ignore[no-untyped-def]
        ctx, x_words, y_words, x_weights, y_weights, left, right, measure, dtype
    ):
        """Score all pairs: (n, m)."""
        ctx.save_for_backward(x_words, y_words, x_weights, y_weights)
        ctx.left, ctx.right, ctx.measure = left.mask, right.mask, measure
        return fused_matrix(left, right, measure, dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):  # type: ignore[no-untyped-def]
        """Compute gradients of words and weights."""
        inputs = [
            None if tensor is None else tensor.detach().requires_grad_(needed)
            for tensor, needed in zip(ctx.saved_tensors, ctx.needs_input_grad[:4], strict=True)
        ]
        left = Sets(inputs[0], ctx.left, inputs[2])
        right = Sets(inputs[1], ctx.right, inputs[3])
        wanted = [tensor for tensor in inputs if tensor is not None and tensor.requires_grad]
        with torch.enable_grad():
            scores = plain_scores(left, right, None, ctx.measure)
        found = iter(torch.autograd.grad(scores, wanted, gradient, allow_unused=True))
        return *(next(found) if need else None for need in ctx.needs_input_grad[:4]), *[None] * 4


def hits_above(batch: SetBatch, floors: torch.Tensor) -> Hits:
    """Find pairs that score at least their left set's floor, (n,), sorted by row and column."""
    left, right = batch.left, batch.right
    # the kernel passes over sets without words, whose score of 0 may be enough
    if can_fuse(left, right, batch.measure) and bool((floors > 0).all()):
        rows, columns, scores = fused_above(left, right, floors, batch.measure, batch.dtype)
        order = (rows * len(right) + columns).argsort()
        return rows[order], columns[order], scores[order]
    found = [
        (rows.start + i, j, scores[i, j])
        for rows, part in left.split(max(1, BLOCK_PRODUCTS // max(1, len(right))))
        for scores in (all_scores(replace(batch, left=part)),)
        for i, j in (torch.nonzero(scores >= floors[rows, None], as_tuple=True),)
    ]
    if not found:
        nothing = torch.zeros(0, dtype=torch.long, device=floors.device)
        return nothing, nothing, floors[:0]
    rows, columns, scores = (torch.cat(parts) for parts in zip(*found, strict=True))
    return rows, columns, scores


def best(batch: SetBatch, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Find the k best right sets of each left one, ties by position: scores, positions, (n, k)."""
    found = [
        _best_of_rows(replace(batch, left=part), k) for _, part in batch.left.split(FIRST_ROWS)
    ]
    if not found:
        nothing = batch.left.words.new_zeros((0, k))
        return nothing, nothing.long()
    scores, positions = (torch.cat(parts) for parts in zip(*found, strict=True))
    return scores, positions


def _best_of_rows(batch: SetBatch, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Find the best of the first columns, then later ones that reach the k-th of these."""
    left, right = batch.left, batch.right
    first = min(len(right), max(k, FIRST_COLUMNS))
    scores = all_scores(replace(batch, right=right.select(slice(0, first))))
    scores, positions = (part[:, :k] for part in scores.sort(dim=1, descending=True, stable=True))
    if first == len(right) or k == 0:
        return scores, positions
    last = scores[:, -1]
    # a later 0 does not come before an earlier one, so that nothing has to be at 0 or less
    floors = torch.where(last == 0, torch.finfo(last.dtype).tiny, last)
    rest = replace(batch, right=right.select(slice(first, None)))
    rows, columns, late = hits_above(rest, floors)
    early = torch.arange(len(left), device=rows.device).repeat_interleave(k)
    rows, columns = torch.cat([early, rows]), torch.cat([positions.flatten(), columns + first])
    values = torch.cat([scores.flatten(), late])
    order = values.argsort(descending=True, stable=True)  # both parts have their columns in order
    order = order[rows[order].argsort(stable=True)]
    starts = torch.searchsorted(rows[order], torch.arange(len(left), device=rows.device))
    chosen = order[starts[:, None] + torch.arange(k, device=rows.device)]
    return values[chosen], columns[chosen]

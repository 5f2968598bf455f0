"""Scores of all pairs, and the best of them, by whichever path computes the measure."""

from __future__ import annotations

import torch
from torch.autograd.function import once_differentiable

from fuzzbow.torch.blocks import AT_ONCE, plain_scores
from fuzzbow.torch.fused import can_fuse, fused_above, fused_matrix
from fuzzbow.torch.measure import Measure
from fuzzbow.torch.sets import Sets

FIRST_COLUMNS = 4096  # right sets whose scores say what a set must reach to be among the best
FIRST_ROWS = 2**14  # left sets whose best are sought at a time

Hits = tuple[torch.Tensor, torch.Tensor, torch.Tensor]  # rows, columns and scores, (h,) each


def all_scores(
    left: Sets, right: Sets, elements: torch.Tensor | None, measure: Measure, dtype: torch.dtype
) -> torch.Tensor:
    """Scores of all pairs, by the kernel where it can: (n, m)."""
    if can_fuse(left, right, measure):
        return FusedScores.apply(
            left.words, right.words, left.weights, right.weights, left, right, measure, dtype
        )
    return plain_scores(left, right, elements, measure)


class FusedScores(torch.autograd.Function):  # type: ignore[misc]  # torch is not typed here
    """Forwards by the kernel; backwards by the plain path, which makes its blocks anew."""

    @staticmethod
    def forward(  # type: ignore[no-untyped-def]
        ctx, x_words, y_words, x_weights, y_weights, left, right, measure, dtype
    ):
        """Scores of all pairs: (n, m)."""
        ctx.save_for_backward(x_words, y_words, x_weights, y_weights)
        ctx.left, ctx.right, ctx.measure = left.mask, right.mask, measure
        return fused_matrix(left, right, measure, dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):  # type: ignore[no-untyped-def]
        """Gradients of words and weights."""
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


def hits_above(
    left: Sets,
    right: Sets,
    elements: torch.Tensor | None,
    floors: torch.Tensor,
    measure: Measure,
    dtype: torch.dtype,
) -> Hits:
    """The pairs that score at least their left set's floor, (n,), by row and column."""
    # the kernel passes over sets without words, whose score of 0 may be enough
    if can_fuse(left, right, measure) and bool((floors > 0).all()):
        rows, columns, scores = fused_above(left, right, floors, measure, dtype)
        order = (rows * len(right) + columns).argsort()
        return rows[order], columns[order], scores[order]
    found = [
        (rows.start + i, j, scores[i, j])
        for rows, part in left.split(max(1, AT_ONCE // max(1, len(right))))
        for scores in (all_scores(part, right, elements, measure, dtype),)
        for i, j in (torch.nonzero(scores >= floors[rows, None], as_tuple=True),)
    ]
    if not found:
        nothing = torch.zeros(0, dtype=torch.long, device=floors.device)
        return nothing, nothing, floors[:0]
    rows, columns, scores = (torch.cat(parts) for parts in zip(*found, strict=True))
    return rows, columns, scores


def best(
    left: Sets,
    right: Sets,
    elements: torch.Tensor | None,
    k: int,
    measure: Measure,
    dtype: torch.dtype,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The k best right sets of each left one, the first of equal ones: scores, places, (n, k)."""
    found = [
        _best_of_rows(part, right, elements, k, measure, dtype)
        for _, part in left.split(FIRST_ROWS)
    ]
    if not found:
        nothing = left.words.new_zeros((0, k))
        return nothing, nothing.long()
    scores, places = (torch.cat(parts) for parts in zip(*found, strict=True))
    return scores, places


def _best_of_rows(
    left: Sets,
    right: Sets,
    elements: torch.Tensor | None,
    k: int,
    measure: Measure,
    dtype: torch.dtype,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The best among the first columns, then whatever later ones reach the last of these."""
    first = min(len(right), max(k, FIRST_COLUMNS))
    scores = all_scores(left, right.select(slice(0, first)), elements, measure, dtype)
    scores, places = (part[:, :k] for part in scores.sort(dim=1, descending=True, stable=True))
    if first == len(right) or k == 0:
        return scores, places
    rest, last = right.select(slice(first, None)), scores[:, -1]
    # a later 0 does not come before an earlier one, so that nothing has to be at 0 or less
    floors = torch.where(last == 0, torch.finfo(last.dtype).tiny, last)
    rows, columns, late = hits_above(left, rest, elements, floors, measure, dtype)
    early = torch.arange(len(left), device=rows.device).repeat_interleave(k)
    rows, columns = torch.cat([early, rows]), torch.cat([places.flatten(), columns + first])
    values = torch.cat([scores.flatten(), late])
    order = values.argsort(descending=True, stable=True)  # both parts have their columns in order
    order = order[rows[order].argsort(stable=True)]
    starts = torch.searchsorted(rows[order], torch.arange(len(left), device=rows.device))
    chosen = order[starts[:, None] + torch.arange(k, device=rows.device)]
    return values[chosen], columns[chosen]

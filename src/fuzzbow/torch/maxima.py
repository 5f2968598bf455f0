"""Cross memberships of pairs by one kernel, forwards and backwards, without storing products."""

from __future__ import annotations

import torch
from torch.autograd.function import once_differentiable

from fuzzbow.torch.fused import fusible, launching_on
from fuzzbow.torch.measure import Measure
from fuzzbow.torch.plain import totals
from fuzzbow.torch.sets import Sets

MOST_WORDS = 128  # of a set, whose products with another one's a program holds
STEP = 32  # dimensions at a time


def can_fuse_pairs(left: Sets, right: Sets, measure: Measure) -> bool:
    """Return whether `pair_maxima` can compute the memberships of these pairs."""
    return (
        not torch.compiler.is_compiling()  # a compiled graph is fused by the compiler
        and fusible(left, right, measure)
        and max(left.room, right.room) <= MOST_WORDS
    )


def fused_totals(left: Sets, right: Sets, measure: Measure) -> torch.Tensor:
    """Sum overlap and both sizes over the words of both sets, or of the left one: (3, n)."""
    crossed, back = pair_maxima(left, right)
    sums = totals(pair_maxima(left, left)[0], crossed, left.weigh, measure)
    if measure.by_query:
        return sums
    return sums + totals(back, pair_maxima(right, right)[0], right.weigh, measure)


def pair_maxima(left: Sets, right: Sets) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the largest products, at least 0, of each word with the other set: (n, k), (n, l)."""
    both: tuple[torch.Tensor, torch.Tensor] = PairMaxima.apply(
        left.words.contiguous(), right.words.contiguous(), left.mask, right.mask
    )
    return both


class PairMaxima(torch.autograd.Function):  # type: ignore[misc]  # torch is not typed here
    """Autograd function of the kernel; equal maxima share a gradient, as in `amax`."""

    @staticmethod
    def forward(ctx, x_words, y_words, x_mask, y_mask):  # type: ignore[no-untyped-def]
        """Compute maxima both ways: (n, k, d), (n, l, d) -> (n, k), (n, l)."""
        from fuzzbow.torch.pair_kernels import maxima

        ctx.save_for_backward(x_words, y_words, x_mask, y_mask)
        found = x_words.new_empty(x_words.shape[:2]), y_words.new_empty(y_words.shape[:2])
        _launch(maxima, (x_words, y_words, x_mask, y_mask), found)
        return found

    @staticmethod
    @once_differentiable
    def backward(ctx, g_cross, g_back):  # type: ignore[no-untyped-def]
        """Compute gradients of the words from products that are computed again."""
        from fuzzbow.torch.pair_kernels import maxima_gradients

        x_words, y_words = ctx.saved_tensors[:2]
        found = torch.empty_like(x_words), torch.empty_like(y_words)
        given = g_cross.contiguous(), g_back.contiguous()
        _launch(maxima_gradients, ctx.saved_tensors, (*given, *found))
        return *found, None, None


def _launch(  # type: ignore[no-untyped-def]
    kernel, sides: tuple[torch.Tensor, ...], others: tuple[torch.Tensor, ...]
) -> None:
    """Run a kernel with a program for each pair."""
    x_words, y_words, x_mask, y_mask = sides
    (n, left, d), right = x_words.shape, y_words.shape[1]
    if not n:
        return
    K, L = (max(16, 1 << (words - 1).bit_length()) for words in (left, right))
    masks = (mask.contiguous().view(torch.uint8) for mask in (x_mask, y_mask))
    with launching_on(x_words):
        kernel[(n,)](
            x_words, y_words, *masks, *others, left, right, d, K=K, L=L, STEP=STEP,
            PRECISION="tf32x3", num_warps=max(1, min(8, K * L // 1024)),
        )  # fmt: skip

"""Maxima of each pair of sets in one pass on a GPU, in Triton, and their gradients.

A program has one pair. It holds all products of its words, and only maxima or gradients are
written; the products of the forward pass are made a second time backwards.
"""

# mypy: ignore-errors
from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def load_words(X, pair, rows, columns, left, d):
    """Load a block of the dimensions of a set's words, 0 out of bounds: (rows, columns)."""
    inside = (rows < left)[:, None] & (columns < d)[None, :]
    return tl.load(
        X + (pair.to(tl.int64) * left + rows[:, None]) * d + columns[None, :],
        mask=inside,
        other=0.0,
    )


@triton.jit
def pair_products(
    X, Y, MASK_X, MASK_Y, pair, rows, columns, left, right, d,
    K: tl.constexpr, L: tl.constexpr, STEP: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Compute products of all words of a pair, -inf in padding: (K, L)."""
    products = tl.zeros((K, L), X.dtype.element_ty)
    for start in tl.range(0, d, STEP):
        steps = start + tl.arange(0, STEP)
        a = load_words(X, pair, rows, steps, left, d)
        b = load_words(Y, pair, columns, steps, right, d)
        products = tl.dot(a, tl.trans(b), products, input_precision=PRECISION)
    in_x = tl.load(MASK_X + pair.to(tl.int64) * left + rows, mask=rows < left, other=0)
    in_y = tl.load(MASK_Y + pair.to(tl.int64) * right + columns, mask=columns < right, other=0)
    return tl.where((in_x > 0)[:, None] & (in_y > 0)[None, :], products, float("-inf"))


@triton.jit
def maxima(
    X, Y, MASK_X, MASK_Y, CROSS, BACK, left, right, d,
    K: tl.constexpr, L: tl.constexpr, STEP: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Compute the largest product, at least 0, of each word with the other set."""
    pair, rows, columns = tl.program_id(0), tl.arange(0, K), tl.arange(0, L)
    products = pair_products(
        X, Y, MASK_X, MASK_Y, pair, rows, columns, left, right, d, K, L, STEP, PRECISION
    )
    cross, back = tl.maximum(tl.max(products, 1), 0.0), tl.maximum(tl.max(products, 0), 0.0)
    tl.store(CROSS + pair.to(tl.int64) * left + rows, cross, mask=rows < left)
    tl.store(BACK + pair.to(tl.int64) * right + columns, back, mask=columns < right)


@triton.jit
def shares(winning, gradient, AXIS: tl.constexpr):
    """Split a maximum's gradient equally among the products that attain it: (K, L)."""
    winners = tl.sum(winning.to(gradient.dtype), AXIS)
    part = gradient / tl.maximum(winners, 1.0)
    return tl.where(winning, tl.expand_dims(part, AXIS), 0.0)


@triton.jit
def maxima_gradients(
    X, Y, MASK_X, MASK_Y, G_CROSS, G_BACK, G_X, G_Y, left, right, d,
    K: tl.constexpr, L: tl.constexpr, STEP: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Compute gradients of the words of both sets from those of `maxima`."""
    pair, rows, columns = tl.program_id(0), tl.arange(0, K), tl.arange(0, L)
    products = pair_products(
        X, Y, MASK_X, MASK_Y, pair, rows, columns, left, right, d, K, L, STEP, PRECISION
    )
    g_cross = tl.load(G_CROSS + pair.to(tl.int64) * left + rows, mask=rows < left, other=0.0)
    g_back = tl.load(G_BACK + pair.to(tl.int64) * right + columns, mask=columns < right, other=0.0)
    high = products > 0.0  # what the 0 of every maximum does not hide
    by_row = shares((products == tl.max(products, 1)[:, None]) & high, g_cross, 1)
    by_column = shares((products == tl.max(products, 0)[None, :]) & high, g_back, 0)
    gradients = by_row + by_column
    for start in tl.range(0, d, STEP):
        steps = start + tl.arange(0, STEP)
        inside = (steps < d)[None, :]
        a = load_words(X, pair, rows, steps, left, d)
        b = load_words(Y, pair, columns, steps, right, d)
        g_x = tl.dot(gradients, b, input_precision=PRECISION)
        g_y = tl.dot(tl.trans(gradients), a, input_precision=PRECISION)
        to_x = (pair.to(tl.int64) * left + rows[:, None]) * d + steps[None, :]
        to_y = (pair.to(tl.int64) * right + columns[:, None]) * d + steps[None, :]
        tl.store(G_X + to_x, g_x, mask=(rows < left)[:, None] & inside)
        tl.store(G_Y + to_y, g_y, mask=(columns < right)[:, None] & inside)

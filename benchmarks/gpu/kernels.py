"""Other ways to write the all-pairs kernel, measured beside the one of `fuzzbow.torch`."""

from __future__ import annotations

import triton
import triton.language as tl

from fuzzbow.torch.kernels import keep, scores


@triton.jit
def described(
    X, X_REST, Y, Y_REST, OWN_X, OWN_Y, SIZE_X, SIZE_Y, TEXTS_X, TEXTS_Y, OUT,
    width, tiles, tiles_each,
    D: tl.constexpr, D_FIRST: tl.constexpr, K: tl.constexpr, L: tl.constexpr,
    WARPS: tl.constexpr, REPEATS: tl.constexpr, GROUPS: tl.constexpr, LANES: tl.constexpr,
    STAGES: tl.constexpr,
):  # fmt: skip
    """As `kept_left`, but words come by tensor descriptors, through the bulk copy engine."""
    ROWS: tl.constexpr = REPEATS * WARPS * 16
    COLUMNS: tl.constexpr = GROUPS * (L // (2 * LANES)) * 8
    LEFT: tl.constexpr = ROWS // K
    RIGHT: tl.constexpr = COLUMNS // L
    tile = tl.program_id(0)
    a = X.load([tile * ROWS, 0])
    if D > D_FIRST:
        a_rest = X_REST.load([tile * ROWS, D_FIRST])
    own_x = tl.load(OWN_X + tile * ROWS + tl.arange(0, ROWS))
    texts_x = tile * LEFT + tl.arange(0, LEFT)
    size_x = tl.load(SIZE_X + texts_x)
    places_x = tl.load(TEXTS_X + texts_x)
    first = tl.program_id(1) * tiles_each
    for at in tl.range(first, tl.minimum(first + tiles_each, tiles), num_stages=STAGES):
        products = tl.dot(a, Y.load([at * COLUMNS, 0]).T)
        if D > D_FIRST:
            products = tl.dot(a_rest, Y_REST.load([at * COLUMNS, D_FIRST]).T, products)
        own_y = tl.load(OWN_Y + at * COLUMNS + tl.arange(0, COLUMNS))
        texts_y = at * RIGHT + tl.arange(0, RIGHT)
        found = scores(
            products, own_x, own_x, size_x, own_y, own_y, tl.load(SIZE_Y + texts_y), 0.0, 0.0,
            K, L, WARPS, REPEATS, GROUPS, LANES, "jaccard", False, False, False,
        )  # fmt: skip
        places_y = tl.load(TEXTS_Y + texts_y)
        keep(found, places_x, size_x, places_y, OUT, width, OUT, OUT, OUT, 0, False)


@triton.jit
def plain_order(
    X, Y, OWN_X, OWN_Y, SIZE_X, SIZE_Y, OUT, width,
    D: tl.constexpr, STEP: tl.constexpr, K: tl.constexpr, L: tl.constexpr,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """Words in the order of texts, as one would write it first: what the order is worth."""
    LEFT: tl.constexpr = ROWS // K
    RIGHT: tl.constexpr = COLUMNS // L
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    steps = tl.arange(0, STEP)
    left = X + rows.to(tl.int64)[:, None] * D + steps[None, :]
    right = Y + columns.to(tl.int64)[None, :] * D + steps[:, None]
    products = tl.zeros((ROWS, COLUMNS), tl.float32)
    for start in tl.range(0, D, STEP, num_stages=STAGES):
        products = tl.dot(tl.load(left + start), tl.load(right + start), products)
    both = tl.reshape(products, (LEFT, K, RIGHT, L))
    cross = tl.maximum(tl.max(both, 3), 0.0)
    back = tl.maximum(tl.max(both, 1), 0.0)
    own_x = tl.reshape(tl.load(OWN_X + rows), (LEFT, K, 1))
    own_y = tl.reshape(tl.load(OWN_Y + columns), (1, RIGHT, L))
    overlap = tl.sum(tl.minimum(cross, own_x), 1) + tl.sum(tl.minimum(back, own_y), 2)
    texts_x = tl.program_id(0) * LEFT + tl.arange(0, LEFT)
    texts_y = tl.program_id(1) * RIGHT + tl.arange(0, RIGHT)
    sizes = tl.sum(cross, 1) + tl.sum(back, 2)
    sizes += tl.load(SIZE_X + texts_x)[:, None] + tl.load(SIZE_Y + texts_y)[None, :]
    tl.store(
        OUT + texts_x.to(tl.int64)[:, None] * width + texts_y[None, :], overlap / (sizes - overlap)
    )

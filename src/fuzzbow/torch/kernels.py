"""All pairs in one pass on a GPU, in Triton: products, maxima both ways, sums, set similarity.

A program keeps a tile of left words and iterates over tiles of right words. Words are in an
order (see `tiles.py`) in which the accumulators that a maximum goes over are mostly in one
thread's registers: the reshapes below then cost nothing, and no accumulator passes through
shared memory. Padding is zero vectors, whose similarities of 0 never exceed the 0 that every
maximum has anyway, and which add nothing to any sum.
"""

# mypy: ignore-errors
from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def left_words(
    X, first, ROWS: tl.constexpr, D: tl.constexpr, AT: tl.constexpr, WIDTH: tl.constexpr
):
    """Load some dimensions of a tile's left words: (ROWS, WIDTH)."""
    rows = first + tl.arange(0, ROWS)
    return tl.load(X + rows.to(tl.int64)[:, None] * D + AT + tl.arange(0, WIDTH)[None, :])


@triton.jit
def right_words(
    Y, first, COLUMNS: tl.constexpr, D: tl.constexpr, AT: tl.constexpr, WIDTH: tl.constexpr
):
    """Load some dimensions of a tile's right words, transposed: (WIDTH, COLUMNS)."""
    columns = first + tl.arange(0, COLUMNS)
    return tl.load(Y + columns.to(tl.int64)[None, :] * D + AT + tl.arange(0, WIDTH)[:, None])


@triton.jit
def row_sums(
    values,
    REPEATS: tl.constexpr,
    WARPS: tl.constexpr,
    TEXTS: tl.constexpr,
    LANES: tl.constexpr,
    RIGHT: tl.constexpr,
):
    """Sum over the words of each left text: (rows, RIGHT) -> (left texts, RIGHT)."""
    parts = tl.reshape(values, (REPEATS, WARPS, 2, TEXTS, LANES, RIGHT))
    return tl.reshape(tl.sum(tl.sum(tl.sum(parts, 0), 1), 2), (WARPS * TEXTS, RIGHT))


@triton.jit
def column_sums(
    values,
    LEFT: tl.constexpr,
    GROUPS: tl.constexpr,
    BLOCKS: tl.constexpr,
    TEXTS: tl.constexpr,
    LANES: tl.constexpr,
):
    """Sum over the words of each right text: (LEFT, columns) -> (LEFT, right texts)."""
    parts = tl.reshape(values, (LEFT, GROUPS, BLOCKS, TEXTS, LANES * 2))
    return tl.reshape(tl.sum(tl.sum(parts, 4), 2), (LEFT, GROUPS * TEXTS))


@triton.jit
def shared(own, cross, SQUARES: tl.constexpr):
    """Return the weighted overlap of one element from its memberships."""
    return own * cross if SQUARES else tl.minimum(own, cross)


@triton.jit
def quotient(overlap, left, right, alpha, beta, FORMULA: tl.constexpr):
    """Return the set similarity, 0 where it is undefined."""
    if FORMULA == "jaccard":
        below = left + right - overlap
    elif FORMULA == "dice":
        below = (left + right) * 0.5
    elif FORMULA == "overlap":
        below = tl.minimum(left, right)
    elif FORMULA == "tversky":
        below = overlap + alpha * (left - overlap) + beta * (right - overlap)
    else:
        below = tl.sqrt(left) * tl.sqrt(right)
    return tl.where(below > 0, overlap / tl.where(below > 0, below, 1.0), 0.0)


@triton.jit
def scores(
    products, own_x, weight_x, size_x, own_y, weight_y, size_y, alpha, beta,
    K: tl.constexpr, L: tl.constexpr, WARPS: tl.constexpr, REPEATS: tl.constexpr,
    GROUPS: tl.constexpr, LANES: tl.constexpr,
    FORMULA: tl.constexpr, SQUARES: tl.constexpr, WEIGHTED: tl.constexpr, QUERY: tl.constexpr,
):  # fmt: skip
    """Compute set similarities of a tile from its products: (rows, columns) -> (left, right)."""
    ROW_LANES: tl.constexpr = K // (2 * REPEATS)
    ROW_TEXTS: tl.constexpr = 8 // ROW_LANES
    BLOCKS: tl.constexpr = L // (2 * LANES)
    TEXTS: tl.constexpr = 4 // LANES
    ROWS: tl.constexpr = REPEATS * WARPS * 16
    COLUMNS: tl.constexpr = GROUPS * BLOCKS * 8
    RIGHT: tl.constexpr = GROUPS * TEXTS
    LEFT: tl.constexpr = WARPS * ROW_TEXTS
    by_column = tl.reshape(products, (ROWS, GROUPS, BLOCKS, TEXTS, LANES * 2))
    cross = tl.maximum(tl.max(tl.max(by_column, 4), 2), 0.0)
    cross = tl.reshape(cross, (ROWS, RIGHT))
    both = shared(own_x[:, None], cross, SQUARES)
    size = cross * cross if SQUARES else cross
    if WEIGHTED:
        both = both * weight_x[:, None]
        size = size * weight_x[:, None]
    overlap = row_sums(both, REPEATS, WARPS, ROW_TEXTS, ROW_LANES, RIGHT)
    right = row_sums(size, REPEATS, WARPS, ROW_TEXTS, ROW_LANES, RIGHT)
    left = tl.zeros_like(right) + size_x[:, None]
    if not QUERY:
        by_row = tl.reshape(products, (REPEATS, WARPS, 2, ROW_TEXTS, ROW_LANES, COLUMNS))
        back = tl.maximum(tl.max(tl.max(tl.max(by_row, 0), 1), 2), 0.0)
        back = tl.reshape(back, (LEFT, COLUMNS))
        both = shared(own_y[None, :], back, SQUARES)
        size = back * back if SQUARES else back
        if WEIGHTED:
            both = both * weight_y[None, :]
            size = size * weight_y[None, :]
        overlap += column_sums(both, LEFT, GROUPS, BLOCKS, TEXTS, LANES)
        left += column_sums(size, LEFT, GROUPS, BLOCKS, TEXTS, LANES)
        right += size_y[None, :]
    return quotient(overlap, left, right, alpha, beta, FORMULA)


@triton.jit
def keep(
    found, rows, floors, columns, OUT, width, HIT_ROWS, HIT_COLUMNS, HITS, room, KEEP: tl.constexpr
):
    """Write a tile's scores into the matrix, or those at or above the floors into a list."""
    real = (rows >= 0)[:, None] & (columns >= 0)[None, :]
    if KEEP:
        hit = real & (found >= floors[:, None])
        slot = tl.atomic_add(HITS + tl.zeros_like(hit.to(tl.int32)), 1, mask=hit, sem="relaxed")
        hit = hit & (slot < room)
        zeros = tl.zeros_like(slot)
        tl.store(OUT + slot, found, mask=hit)
        tl.store(HIT_ROWS + slot, rows[:, None] + zeros, mask=hit)
        tl.store(HIT_COLUMNS + slot, columns[None, :] + zeros, mask=hit)
    else:
        tl.store(OUT + rows.to(tl.int64)[:, None] * width + columns[None, :], found, mask=real)


@triton.jit
def about_left(
    tile, OWN_X, WEIGHT_X, SIZE_X, TEXTS_X, FLOORS,
    ROWS: tl.constexpr, LEFT: tl.constexpr, WEIGHTED: tl.constexpr, KEEP: tl.constexpr,
):  # fmt: skip
    """Load the data of a tile's left words, (ROWS,), and left texts, (LEFT,)."""
    rows = tile * ROWS + tl.arange(0, ROWS)
    texts = tile * LEFT + tl.arange(0, LEFT)
    own = tl.load(OWN_X + rows)
    weight = tl.load(WEIGHT_X + rows) if WEIGHTED else own
    size = tl.load(SIZE_X + texts)
    floors = tl.load(FLOORS + texts) if KEEP else size
    return own, weight, size, tl.load(TEXTS_X + texts), floors


@triton.jit
def finish(
    products, at, own_x, weight_x, size_x, places_x, floors,
    OWN_Y, WEIGHT_Y, SIZE_Y, TEXTS_Y, OUT, HIT_ROWS, HIT_COLUMNS, HITS,
    width, room, alpha, beta,
    K: tl.constexpr, L: tl.constexpr,
    WARPS: tl.constexpr, REPEATS: tl.constexpr, GROUPS: tl.constexpr, LANES: tl.constexpr,
    FORMULA: tl.constexpr, SQUARES: tl.constexpr, WEIGHTED: tl.constexpr, QUERY: tl.constexpr,
    KEEP: tl.constexpr,
):  # fmt: skip
    """Compute the scores of a tile from its products and write them."""
    COLUMNS: tl.constexpr = GROUPS * (L // (2 * LANES)) * 8
    RIGHT: tl.constexpr = COLUMNS // L
    columns = at * COLUMNS + tl.arange(0, COLUMNS)
    own_y = tl.load(OWN_Y + columns)
    weight_y = tl.load(WEIGHT_Y + columns) if WEIGHTED else own_y
    texts_y = at * RIGHT + tl.arange(0, RIGHT)
    found = scores(
        products, own_x, weight_x, size_x, own_y, weight_y, tl.load(SIZE_Y + texts_y),
        alpha, beta, K, L, WARPS, REPEATS, GROUPS, LANES, FORMULA, SQUARES, WEIGHTED, QUERY,
    )  # fmt: skip
    places_y = tl.load(TEXTS_Y + texts_y)
    keep(found, places_x, floors, places_y, OUT, width, HIT_ROWS, HIT_COLUMNS, HITS, room, KEEP)


@triton.jit
def kept_left(
    X, Y, OWN_X, OWN_Y, WEIGHT_X, WEIGHT_Y, SIZE_X, SIZE_Y, TEXTS_X, TEXTS_Y,
    FLOORS, OUT, HIT_ROWS, HIT_COLUMNS, HITS, width, room, tiles, tiles_each, alpha, beta,
    D: tl.constexpr, D_FIRST: tl.constexpr, K: tl.constexpr, L: tl.constexpr,
    WARPS: tl.constexpr, REPEATS: tl.constexpr, GROUPS: tl.constexpr, LANES: tl.constexpr,
    STAGES: tl.constexpr, PRECISION: tl.constexpr,
    FORMULA: tl.constexpr, SQUARES: tl.constexpr, WEIGHTED: tl.constexpr, QUERY: tl.constexpr,
    KEEP: tl.constexpr,
):  # fmt: skip
    """Score one tile of left words, all dimensions kept, against `tiles_each` right tiles.

    D is a power of two, D_FIRST, or the sum of D_FIRST and another one, since the sides of Triton
    tensors are powers of two.
    """
    D_REST: tl.constexpr = D - D_FIRST
    ROWS: tl.constexpr = REPEATS * WARPS * 16
    COLUMNS: tl.constexpr = GROUPS * (L // (2 * LANES)) * 8
    tile = tl.program_id(0)
    a = left_words(X, tile * ROWS, ROWS, D, 0, D_FIRST)
    if D_REST > 0:
        a_rest = left_words(X, tile * ROWS, ROWS, D, D_FIRST, D_REST)
    own_x, weight_x, size_x, places_x, floors = about_left(
        tile, OWN_X, WEIGHT_X, SIZE_X, TEXTS_X, FLOORS, ROWS, ROWS // K, WEIGHTED, KEEP
    )
    first = tl.program_id(1) * tiles_each
    for at in tl.range(first, tl.minimum(first + tiles_each, tiles), num_stages=STAGES):
        b = right_words(Y, at * COLUMNS, COLUMNS, D, 0, D_FIRST)
        products = tl.dot(a, b, input_precision=PRECISION)
        if D_REST > 0:
            b_rest = right_words(Y, at * COLUMNS, COLUMNS, D, D_FIRST, D_REST)
            products = tl.dot(a_rest, b_rest, products, input_precision=PRECISION)
        finish(
            products, at, own_x, weight_x, size_x, places_x, floors,
            OWN_Y, WEIGHT_Y, SIZE_Y, TEXTS_Y, OUT, HIT_ROWS, HIT_COLUMNS, HITS,
            width, room, alpha, beta, K, L, WARPS, REPEATS, GROUPS, LANES,
            FORMULA, SQUARES, WEIGHTED, QUERY, KEEP,
        )  # fmt: skip


@triton.jit
def in_steps(
    X, Y, OWN_X, OWN_Y, WEIGHT_X, WEIGHT_Y, SIZE_X, SIZE_Y, TEXTS_X, TEXTS_Y,
    FLOORS, OUT, HIT_ROWS, HIT_COLUMNS, HITS, width, room, tiles, tiles_down, alpha, beta,
    D: tl.constexpr, STEP: tl.constexpr, BAND: tl.constexpr, K: tl.constexpr, L: tl.constexpr,
    WARPS: tl.constexpr, REPEATS: tl.constexpr, GROUPS: tl.constexpr, LANES: tl.constexpr,
    STAGES: tl.constexpr, PRECISION: tl.constexpr,
    FORMULA: tl.constexpr, SQUARES: tl.constexpr, WEIGHTED: tl.constexpr, QUERY: tl.constexpr,
    KEEP: tl.constexpr,
):  # fmt: skip
    """Score one tile per program, STEP dimensions at a time: for words too long to be kept.

    Concurrent programs work on bands of BAND tiles, whose words remain in the cache.
    """
    ROWS: tl.constexpr = REPEATS * WARPS * 16
    COLUMNS: tl.constexpr = GROUPS * (L // (2 * LANES)) * 8
    band = tl.program_id(0) // (BAND * tiles)
    inside = tl.program_id(0) % (BAND * tiles)
    high = tl.minimum(tiles_down - band * BAND, BAND)
    tile = band * BAND + inside % high
    at = inside // high
    products = tl.zeros((ROWS, COLUMNS), tl.float32)
    for start in tl.range(0, D, STEP, num_stages=STAGES):
        a = left_words(X + start, tile * ROWS, ROWS, D, 0, STEP)
        b = right_words(Y + start, at * COLUMNS, COLUMNS, D, 0, STEP)
        products = tl.dot(a, b, products, input_precision=PRECISION)
    own_x, weight_x, size_x, places_x, floors = about_left(
        tile, OWN_X, WEIGHT_X, SIZE_X, TEXTS_X, FLOORS, ROWS, ROWS // K, WEIGHTED, KEEP
    )
    finish(
        products, at, own_x, weight_x, size_x, places_x, floors,
        OWN_Y, WEIGHT_Y, SIZE_Y, TEXTS_Y, OUT, HIT_ROWS, HIT_COLUMNS, HITS,
        width, room, alpha, beta, K, L, WARPS, REPEATS, GROUPS, LANES,
        FORMULA, SQUARES, WEIGHTED, QUERY, KEEP,
    )  # fmt: skip

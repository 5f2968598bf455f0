"""The all-pairs kernel in Gluon: each tile's maxima are taken while the next is multiplied.

The order of words is that of `fuzzbow.torch.tiles`; left words stay in shared memory, right
ones come by the bulk copy engine, `STAGES` tiles ahead.
"""

from __future__ import annotations

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_wait,
)


@gluon.jit
def jaccard(
    products, OWN_X, OWN_Y, SIZE_X, SIZE_Y, TEXTS_X, TEXTS_Y, OUT, width, tile, at,
    K: gl.constexpr, L: gl.constexpr, WARPS: gl.constexpr, REPEATS: gl.constexpr,
    GROUPS: gl.constexpr, LANES: gl.constexpr,
):  # fmt: skip
    """Write the scores of a tile from its products."""
    ROW_LANES: gl.constexpr = K // (2 * REPEATS)
    ROW_TEXTS: gl.constexpr = 8 // ROW_LANES
    BLOCKS: gl.constexpr = L // (2 * LANES)
    TEXTS: gl.constexpr = 4 // LANES
    ROWS: gl.constexpr = REPEATS * WARPS * 16
    COLUMNS: gl.constexpr = GROUPS * BLOCKS * 8
    RIGHT: gl.constexpr = GROUPS * TEXTS
    LEFT: gl.constexpr = WARPS * ROW_TEXTS
    by_column = gl.reshape(products, (ROWS, GROUPS, BLOCKS, TEXTS, LANES * 2))
    cross = gl.reshape(gl.max(gl.max(by_column, 4), 2), (ROWS, RIGHT))
    cross = gl.maximum(cross, 0.0)
    rows = gl.arange(0, ROWS, layout=gl.SliceLayout(1, cross.type.layout))
    own_x = gl.load(OWN_X + tile * ROWS + rows)
    both = gl.minimum(cross, gl.expand_dims(own_x, 1))
    both = gl.reshape(both, (REPEATS, WARPS, 2, ROW_TEXTS, ROW_LANES, RIGHT))
    size = gl.reshape(cross, (REPEATS, WARPS, 2, ROW_TEXTS, ROW_LANES, RIGHT))
    overlap = gl.reshape(gl.sum(gl.sum(gl.sum(both, 0), 1), 2), (LEFT, RIGHT))
    sizes = gl.reshape(gl.sum(gl.sum(gl.sum(size, 0), 1), 2), (LEFT, RIGHT))
    by_row = gl.reshape(products, (REPEATS, WARPS, 2, ROW_TEXTS, ROW_LANES, COLUMNS))
    back = gl.reshape(gl.max(gl.max(gl.max(by_row, 0), 1), 2), (LEFT, COLUMNS))
    back = gl.maximum(back, 0.0)
    columns = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, back.type.layout))
    own_y = gl.load(OWN_Y + at * COLUMNS + columns)
    both = gl.minimum(back, gl.expand_dims(own_y, 0))
    both = gl.reshape(both, (LEFT, GROUPS, BLOCKS, TEXTS, LANES * 2))
    size = gl.reshape(back, (LEFT, GROUPS, BLOCKS, TEXTS, LANES * 2))
    layout: gl.constexpr = overlap.type.layout
    more = gl.reshape(gl.sum(gl.sum(both, 4), 2), (LEFT, RIGHT))
    overlap += gl.convert_layout(more, layout)
    more = gl.reshape(gl.sum(gl.sum(size, 4), 2), (LEFT, RIGHT))
    sizes += gl.convert_layout(more, layout)
    texts_x = tile * LEFT + gl.arange(0, LEFT, layout=gl.SliceLayout(1, layout))
    texts_y = at * RIGHT + gl.arange(0, RIGHT, layout=gl.SliceLayout(0, layout))
    sizes += gl.expand_dims(gl.load(SIZE_X + texts_x), 1)
    sizes += gl.expand_dims(gl.load(SIZE_Y + texts_y), 0)
    below = sizes - overlap
    found = gl.where(below > 0, overlap / gl.where(below > 0, below, 1.0), 0.0)
    places_x = gl.expand_dims(gl.load(TEXTS_X + texts_x), 1)
    places_y = gl.expand_dims(gl.load(TEXTS_Y + texts_y), 0)
    real = (places_x >= 0) & (places_y >= 0)
    gl.store(OUT + places_x.to(gl.int64) * width + places_y, found, mask=real)


@gluon.jit
def overlapped(
    X, X_REST, Y, Y_REST, OWN_X, OWN_Y, SIZE_X, SIZE_Y, TEXTS_X, TEXTS_Y, OUT,
    width, tiles, tiles_each,
    D: gl.constexpr, D_FIRST: gl.constexpr, K: gl.constexpr, L: gl.constexpr,
    WARPS: gl.constexpr, REPEATS: gl.constexpr, GROUPS: gl.constexpr, LANES: gl.constexpr,
    STAGES: gl.constexpr, N_MMA: gl.constexpr,
):  # fmt: skip
    """One tile of left words against `tiles_each` tiles of right words."""
    ROWS: gl.constexpr = REPEATS * WARPS * 16
    COLUMNS: gl.constexpr = GROUPS * (L // (2 * LANES)) * 8
    REST: gl.constexpr = D > D_FIRST
    sums: gl.constexpr = gl.NVMMADistributedLayout(
        version=[3, 0], warps_per_cta=[WARPS, 1], instr_shape=[16, N_MMA, 16]
    )
    tile = gl.program_id(0)
    first = gl.program_id(1) * tiles_each
    last = gl.minimum(first + tiles_each, tiles)
    a = gl.allocate_shared_memory(X.dtype, X.block_type.shape, X.layout)
    b = gl.allocate_shared_memory(Y.dtype, [STAGES, COLUMNS, D_FIRST], Y.layout)
    a_rest = a
    b_rest = b
    if REST:
        a_rest = gl.allocate_shared_memory(X.dtype, X_REST.block_type.shape, X.layout)
        b_rest = gl.allocate_shared_memory(Y.dtype, [STAGES, COLUMNS, D - D_FIRST], Y.layout)
    ready = gl.allocate_shared_memory(gl.int64, [STAGES + 1, 1], mbarrier.MBarrierLayout())
    for number in gl.static_range(STAGES + 1):
        mbarrier.init(ready.index(number), count=1)
    fence_async_shared()
    bring(X, X_REST, a, a_rest, ready.index(STAGES), tile * ROWS, True, D_FIRST, REST)
    for number in gl.static_range(STAGES):
        bring(
            Y, Y_REST, b.index(number), b_rest.index(number), ready.index(number),
            (first + number) * COLUMNS, first + number < last, D_FIRST, REST,
        )  # fmt: skip
    mbarrier.wait(ready.index(STAGES), 0)
    mbarrier.wait(ready.index(0), 0)
    zeros = gl.zeros([ROWS, COLUMNS], gl.float32, sums)
    now = multiplied(a, b.index(0), a_rest, b_rest.index(0), zeros, REST)
    now = warpgroup_mma_wait(0, deps=[now])
    for at in range(first + 1, last):
        step = at - first
        # all warps have multiplied the tile before: its place is free
        free = (step - 1) % STAGES
        bring(
            Y, Y_REST, b.index(free), b_rest.index(free), ready.index(free),
            (at + STAGES - 1) * COLUMNS, at + STAGES - 1 < last, D_FIRST, REST,
        )  # fmt: skip
        stage = step % STAGES
        mbarrier.wait(ready.index(stage), (step // STAGES) & 1)
        new = multiplied(a, b.index(stage), a_rest, b_rest.index(stage), zeros, REST)
        jaccard(
            now, OWN_X, OWN_Y, SIZE_X, SIZE_Y, TEXTS_X, TEXTS_Y, OUT, width, tile, at - 1,
            K, L, WARPS, REPEATS, GROUPS, LANES,
        )  # fmt: skip
        now = warpgroup_mma_wait(0, deps=[new])
    jaccard(
        now, OWN_X, OWN_Y, SIZE_X, SIZE_Y, TEXTS_X, TEXTS_Y, OUT, width, tile, last - 1,
        K, L, WARPS, REPEATS, GROUPS, LANES,
    )  # fmt: skip


@gluon.jit
def multiplied(a, b, a_rest, b_rest, zeros, REST: gl.constexpr):
    """The products of a tile, on their way."""
    found = warpgroup_mma(a, b.permute((1, 0)), zeros, use_acc=False, is_async=True)
    if REST:
        found = warpgroup_mma(a_rest, b_rest.permute((1, 0)), found, is_async=True)
    return found


@gluon.jit
def bring(
    SOURCE, SOURCE_REST, place, place_rest, ready, row, wanted,
    D_FIRST: gl.constexpr, REST: gl.constexpr,
):  # fmt: skip
    """Have rows brought to shared memory, if there are more."""
    size: gl.constexpr = SOURCE.block_type.nbytes + (SOURCE_REST.block_type.nbytes if REST else 0)
    mbarrier.expect(ready, size, pred=wanted)
    tma.async_copy_global_to_shared(SOURCE, [row, 0], ready, place, pred=wanted)
    if REST:
        tma.async_copy_global_to_shared(SOURCE_REST, [row, D_FIRST], ready, place_rest, pred=wanted)

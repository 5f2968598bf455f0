"""The all-pairs kernel on batches of any lengths: buckets of texts, launched pair by pair."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product

import torch

from fuzzbow.fuzzy import Pooling, WordSimilarity
from fuzzbow.torch.measure import Measure
from fuzzbow.torch.plain import own_memberships
from fuzzbow.torch.sets import Sets
from fuzzbow.torch.tiles import Tile, padded_dimension, tile_for

BUCKETS = (8, 16, 32, 64)  # words of a text, padded
FORMULAS = ("jaccard", "dice", "otsuka", "cosine", "overlap", "tversky")  # that the kernel has
OWN_PRODUCTS = 2**24  # products of words of the same text
LEAST_ROOM, ROOM_EACH = 1024, 16  # hits that are expected, at all and of each left set
BAND = 8  # tiles of left words that programs side by side share
PROGRAMS = 132 * 16  # enough that the last of them do not leave a GPU half idle


def can_fuse(left: Sets, right: Sets, measure: Measure) -> bool:
    """Return whether the kernel can compute this measure of these batches."""
    return (
        fusible(left, right, measure)
        and measure.sets.family in FORMULAS
        and max(room(left), room(right)) <= BUCKETS[-1]
    )


def fusible(left: Sets, right: Sets, measure: Measure) -> bool:
    """Return whether memberships are maxima of float32 products on a device with Triton."""
    return (
        on_a_device(left.words)
        and measure.by_pair
        and measure.pooling is Pooling.MAX
        and measure.words is not WordSimilarity.CLIPPED_COSINE
        and left.counts is None
        and right.counts is None
        and left.words.dtype == torch.float32
    )


def on_a_device(words: torch.Tensor) -> bool:
    """Return whether Triton can compute on the device of these words."""
    return bool(words.is_cuda) and find_spec("triton") is not None


def room(sets: Sets) -> int:
    """Return the largest number of words of a set, padding before its last word included."""
    return int(_lengths(sets).max()) if len(sets) else 0


def fused_matrix(left: Sets, right: Sets, measure: Measure, dtype: torch.dtype) -> torch.Tensor:
    """Score all pairs; words are multiplied as `dtype`: (n, m)."""
    out = left.words.new_zeros((len(left), len(right)))
    results = Results(out, out, out, out, out, room=0, keep=False)
    for launch in _launches(left, right, measure, dtype):
        launch.run(results)
    return out


def fused_above(
    left: Sets, right: Sets, floors: torch.Tensor, measure: Measure, dtype: torch.dtype
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Find pairs that reach their left set's floor, (n,): rows, columns, scores, in no order."""
    launches = list(_launches(left, right, measure, dtype))
    size = LEAST_ROOM + ROOM_EACH * len(left)
    while True:
        results = Results.of_room(size, floors)
        for launch in launches:
            launch.run(results)
        count = int(results.hits)
        if count <= size:
            parts = results.hit_rows, results.hit_columns, results.out
            rows, columns, scores = (part[:count] for part in parts)
            return rows.long(), columns.long(), scores
        size = count


@dataclass(frozen=True)
class Results:
    """Output of the kernel: a matrix, or a list of hits with the floors of the left sets."""

    out: torch.Tensor  # (n, m), or the scores of hits
    floors: torch.Tensor
    hit_rows: torch.Tensor
    hit_columns: torch.Tensor
    hits: torch.Tensor  # their number
    room: int
    keep: bool = True

    @classmethod
    def of_room(cls, size: int, floors: torch.Tensor) -> Results:
        """Make an empty list with room for `size` hits."""
        rows, columns = torch.empty((2, size), dtype=torch.int32, device=floors.device)
        hits = torch.zeros(1, dtype=torch.int32, device=floors.device)
        return cls(floors.new_empty(size), floors, rows, columns, hits, size)


@dataclass(frozen=True)
class Side:
    """Texts of one bucket in a tile's order, padded to whole tiles."""

    words: torch.Tensor  # (texts·k, d)
    own: torch.Tensor  # (texts·k,)
    weights: torch.Tensor  # (texts·k,)
    sizes: torch.Tensor  # (texts,)
    positions: torch.Tensor  # (texts,), -1 for padding

    @classmethod
    def of(
        cls, sets: Sets, positions: torch.Tensor, measure: Measure, tile: Tile, dtype: torch.dtype,
        *, left: bool,
    ) -> Side:  # fmt: skip
        """Order the sets at `positions` as the left or the right side of a tile."""
        length, texts, order = (
            (tile.left_words, tile.left_texts, tile.order_left)
            if left
            else (tile.right_words, tile.right_texts, tile.order_right)
        )
        chosen = _pad_sets(sets.select(positions), length, -len(positions) % texts)
        block = max(1, OWN_PRODUCTS // length**2)
        own = torch.cat([own_memberships(part, measure) for _, part in chosen.split(block)])
        sizes = (measure.sets.extents(own) * chosen.weigh).sum(-1)
        size = sets.words.shape[-1]
        words = torch.nn.functional.pad(chosen.words, (0, padded_dimension(size)[0] - size))
        padded = torch.nn.functional.pad(
            positions.int(), (0, len(chosen) - len(positions)), value=-1
        )
        return cls(order(words.to(dtype)), order(own), order(chosen.weigh), sizes, padded)


@dataclass(frozen=True)
class Launch:
    """Launch of the kernel for a bucket of left texts and one of right texts."""

    left: Side
    right: Side
    tile: Tile
    measure: Measure
    weighted: bool

    def run(self, results: Results) -> None:
        """Add this launch's scores to the results."""
        from fuzzbow.torch.kernels import in_steps, kept_left

        tile, sets, size = self.tile, self.measure.sets, int(self.left.words.shape[1])
        down = len(self.left.positions) // tile.left_texts
        tiles = len(self.right.positions) // tile.right_texts
        floors = results.floors
        if results.keep:
            floors = floors[self.left.positions.clamp(min=0).long()].contiguous()
        if tile.step:
            kernel, share, grid = in_steps, down, [down * tiles]
            own = {"STEP": tile.step, "BAND": BAND}
        else:
            share = -(-tiles // max(1, min(tiles // 8, -(-PROGRAMS // down))))
            kernel, grid = kept_left, [down, -(-tiles // share)]
            own = {"D_FIRST": padded_dimension(size)[1]}
        alpha, beta = sets.parameters or (0.0, 0.0)
        with launching_on(self.left.words):
            kernel[tuple(grid)](
                self.left.words, self.right.words, self.left.own, self.right.own,
                self.left.weights, self.right.weights, self.left.sizes, self.right.sizes,
                self.left.positions, self.right.positions, floors, results.out,
                results.hit_rows, results.hit_columns, results.hits,
                results.out.shape[-1], results.room, tiles, share, alpha, beta,
                D=size, K=tile.left_words, L=tile.right_words, WARPS=tile.warps,
                REPEATS=tile.repeats, GROUPS=tile.groups, LANES=tile.lanes, STAGES=tile.stages,
                PRECISION="tf32x3" if self.left.words.dtype == torch.float32 else "tf32",
                FORMULA=sets.family, SQUARES=sets.squares, WEIGHTED=self.weighted,
                QUERY=self.measure.by_query, KEEP=results.keep, num_warps=tile.warps, **own,
            )  # fmt: skip


def launching_on(tensor: torch.Tensor) -> AbstractContextManager[None]:
    """Return a context that launches on the tensor's GPU, if it is on one."""
    return torch.cuda.device(tensor.device) if tensor.is_cuda else nullcontext()


def _launches(left: Sets, right: Sets, measure: Measure, dtype: torch.dtype) -> Iterator[Launch]:
    """Yield the launches that cover all pairs of both batches."""
    size, item = left.words.shape[-1], torch.empty(0, dtype=dtype).element_size()
    weighted = left.weights is not None or right.weights is not None
    for (most, rows), (other, columns) in product(_buckets(left), list(_buckets(right))):
        chosen = tile_for(most, other, size, item)
        yield Launch(
            Side.of(left, rows, measure, chosen, dtype, left=True),
            Side.of(right, columns, measure, chosen, dtype, left=False),
            chosen,
            measure,
            weighted,
        )


def _buckets(sets: Sets) -> Iterator[tuple[int, torch.Tensor]]:
    """Yield each bucket and the positions of its sets; sets without words are in none."""
    lengths = _lengths(sets)
    for least, most in zip((0, *BUCKETS), BUCKETS, strict=False):
        positions = ((lengths > least) & (lengths <= most)).nonzero()[:, 0]
        if len(positions):
            yield most, positions


def _lengths(sets: Sets) -> torch.Tensor:
    """Return the position after each set's last word: (n,)."""
    numbers = torch.arange(1, sets.room + 1, device=sets.mask.device)
    return (sets.mask * numbers).amax(-1)


def _pad_sets(sets: Sets, length: int, more: int) -> Sets:
    """Pad sets to `length` words each and append `more` empty sets."""
    pad, change = torch.nn.functional.pad, length - sets.room
    weights = None if sets.weights is None else pad(sets.weights, (0, change, 0, more))
    words = pad(sets.words, (0, 0, 0, change, 0, more))
    return Sets(words, pad(sets.mask, (0, change, 0, more)), weights)

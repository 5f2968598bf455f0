"""What the GPU benchmark computes: texts of one length against as many, and who computes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import product

import torch

from fuzzbow.torch.fused import Launch, Results, Side
from fuzzbow.torch.measure import parse_measure
from fuzzbow.torch.plain import plain_scores
from fuzzbow.torch.sets import Sets
from fuzzbow.torch.tiles import SHARED_MEMORY, Tile, padded_dimension, tile_for

WORDS = 2**17  # on each side: 8.8 TFLOP at 256 dimensions
MEASURE = parse_measure("dynamic", "max", "jaccard", "dot", 0)
Run = Callable[[], None]


@dataclass(frozen=True)
class Config:
    """A way to compute: which kernel, in which tiles."""

    variant: str
    tile: Tile

    def described(self) -> dict[str, object]:
        """For the results."""
        return {"variant": self.variant, **asdict(self.tile)}


@dataclass(frozen=True)
class Problem:
    """`words` / k texts of k words in d dimensions on both sides."""

    k: int
    d: int
    device: str = "cuda"
    words: int = WORDS
    dtype: torch.dtype = torch.bfloat16

    @property
    def texts(self) -> int:
        """Texts on each side."""
        return self.words // self.k

    @property
    def operations(self) -> float:
        """Floating point operations of the products."""
        return 2.0 * self.words**2 * self.d

    @cached_property
    def sides(self) -> tuple[Sets, Sets]:
        """Both batches: random directions around some centres, so that scores differ."""
        random = torch.Generator(self.device).manual_seed(self.k * 1000 + self.d)
        made = []
        for _ in range(2):
            shape = (self.texts, self.k, self.d)
            vectors = torch.randn(shape, generator=random, device=self.device)
            vectors += torch.randn((self.texts, 1, self.d), generator=random, device=self.device)
            rows = (vectors / self.d**0.5).to(self.dtype).float()
            made.append(Sets(rows, torch.ones(shape[:2], dtype=torch.bool, device=self.device)))
        return made[0], made[1]

    @cached_property
    def out(self) -> torch.Tensor:
        """Where scores go."""
        return torch.empty((self.texts, self.texts), device=self.device)

    def side(self, tile: Tile, *, left: bool) -> Side:
        """A batch in a tile's order."""
        sets = self.sides[0 if left else 1]
        places = torch.arange(len(sets), device=self.device)
        return Side.of(sets, places, MEASURE, tile, self.dtype, left=left)

    def error(self) -> float:
        """The largest difference of a sample of `out` from the plain path."""
        random = torch.Generator(self.device).manual_seed(1)
        i, j = (
            torch.randperm(self.texts, generator=random, device=self.device)[:96] for _ in range(2)
        )
        left, right = self.sides
        wanted = plain_scores(left.select(i), right.select(j), None, MEASURE)
        difference = (self.out[i][:, j] - wanted).abs()
        return float(difference.max()) if bool(torch.isfinite(difference).all()) else float("inf")


def run_of(problem: Problem, config: Config) -> Run:
    """A function that fills the problem's `out`."""
    return RUNS[config.variant](problem, config)


def _library(problem: Problem, config: Config) -> Run:
    """The kernel of `fuzzbow.torch`."""
    left, right = (problem.side(config.tile, left=side) for side in (True, False))
    launch = Launch(left, right, config.tile, MEASURE, weighted=False)
    out = problem.out
    results = Results(out, out, out, out, out, room=0, keep=False)
    return lambda: launch.run(results)


def _common(problem: Problem, config: Config) -> tuple[Side, Side, list[object], dict[str, int]]:
    """Arguments that all kernels with ordered words have, and their constants."""
    tile = config.tile
    left, right = (problem.side(tile, left=side) for side in (True, False))
    tensors = [left.own, right.own, left.sizes, right.sizes, left.positions, right.positions]
    constants = {
        "D": problem.d, "K": tile.left_words, "L": tile.right_words, "WARPS": tile.warps,
        "REPEATS": tile.repeats, "GROUPS": tile.groups, "LANES": tile.lanes,
        "STAGES": tile.stages,
    }  # fmt: skip
    return left, right, [*tensors, problem.out, problem.texts], constants


def _grid(problem: Problem, tile: Tile) -> tuple[int, int, int]:
    """Tiles of left words, tiles of right words, and how many of these a program has."""
    across, tiles = problem.words // tile.rows, problem.words // tile.columns
    splits = max(1, min(tiles // 8, -(-132 * 16 // across)))
    return across, tiles, -(-tiles // splits)


def _described(problem: Problem, config: Config) -> Run:
    """Tensor descriptors in Triton."""
    from triton.tools.tensor_descriptor import TensorDescriptor

    from benchmarks.gpu.kernels import described

    tile, first = config.tile, padded_dimension(problem.d)[1]
    left, right, common, constants = _common(problem, config)
    descriptors = [
        TensorDescriptor.from_tensor(words, [count, width])
        for words, count in ((left.words, tile.rows), (right.words, tile.columns))
        for width in (first, problem.d - first or first)
    ]
    across, tiles, each = _grid(problem, tile)
    return lambda: described[(across, -(-tiles // each))](
        *descriptors, *common, tiles, each, D_FIRST=first, **constants, num_warps=tile.warps
    )


def _plain_order(problem: Problem, config: Config) -> Run:
    """Words in the order of texts, tiles of 128 by 128."""
    from benchmarks.gpu.kernels import plain_order

    tile = config.tile
    # a tile of one text leaves the order of words as it is
    sides = [sets.words.to(problem.dtype).flatten(0, 1).contiguous() for sets in problem.sides]
    flat = [_own_and_sizes(sets) for sets in problem.sides]
    grid = (problem.words // tile.rows, problem.words // tile.columns)
    return lambda: plain_order[grid](
        *sides, flat[0][0], flat[1][0], flat[0][1], flat[1][1], problem.out, problem.texts,
        D=problem.d, STEP=64, K=problem.k, L=problem.k, ROWS=tile.rows,
        COLUMNS=tile.columns, STAGES=tile.stages, num_warps=tile.warps,
    )  # fmt: skip


def _own_and_sizes(sets: Sets) -> tuple[torch.Tensor, torch.Tensor]:
    """Memberships of words in their own text, in order, and the sizes of texts."""
    from fuzzbow.torch.plain import own_memberships

    own = torch.cat([own_memberships(part, MEASURE) for _, part in sets.split(4096)])
    return own.flatten().contiguous(), own.sum(-1)


RUNS: dict[str, Callable[[Problem, Config], Run]] = {
    "library": _library,
    "kept_left": _library,
    "in_steps": _library,
    "described": _described,
    "plain_order": _plain_order,
}


def configs(k: int, d: int, most: int | None = None) -> list[Config]:
    """The configurations that are worth a try, at most so many of each kernel; the best first."""
    kept = [tile for tile in _tiles(k, (64, 128)) if tile.held(d, 2) <= SHARED_MEMORY]
    steps = [tile for tile in _tiles(k, (128, 64)) if tile.stages == 3 and tile.sums >= 64]
    found = {
        "library": [tile_for(k, k, d, 2)],
        "kept_left": kept,
        "described": kept,
        "in_steps": [replace(tile, step=64) for tile in steps],
        "plain_order": [Tile(k, k, warps=8, repeats=1, groups=32 // k, stages=3)]
        if k <= 32
        else [],
    }
    return [Config(name, tile) for name, tiles in found.items() for tile in tiles[:most]]


def _tiles(k: int, widths: tuple[int, ...]) -> Iterator[Tile]:
    """Tiles for texts of k words that fit into registers, in as few lanes as can be."""
    for stages, columns in product((3, 2), widths):
        for warps, repeats in ((4, 4), (8, 2), (4, 2), (8, 1), (4, 1)):
            tile = Tile.of_width(k, k, warps, repeats, columns, stages)
            if tile.usable and tile.sums >= 32:
                yield tile

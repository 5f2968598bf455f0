"""Order of words such that a maximum over a text is mostly a maximum within one thread.

A warp of a matrix product holds 16 rows. Of each 8 columns, the thread in row lane g (0 to 7)
and column lane q (0 to 3) has rows g and g + 8 and columns 2q and 2q + 1; a tile repeats this
over its warps, over `repeats` blocks of rows and over the blocks of columns. So the words of a
right text go to the same column lane of many blocks, and those of a left text to all repeats,
to both halves of 16 rows and only then to several row lanes, which need a shuffle.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Tile:
    """Shape of one step of a program: left texts of k words by right texts of l words."""

    left_words: int  # k and l, powers of two from 8 on
    right_words: int
    warps: int = 4
    repeats: int = 2  # blocks of 16·warps rows
    groups: int = 1  # of the texts that share their blocks of columns
    lanes: int = 1  # column lanes (of 4) that a right text has
    stages: int = 2  # tiles of right words, or steps, on their way
    step: int = 0  # dimensions at a time; 0 keeps all dimensions of the left words

    @classmethod
    def of_width(
        cls, left_words: int, right_words: int, warps: int, repeats: int, columns: int,
        stages: int, step: int = 0,
    ) -> Tile:  # fmt: skip
        """Make a tile of at least this many columns, with few lanes for each right text."""
        groups, lanes = max(1, columns // (4 * right_words)), max(1, 4 * right_words // columns)
        return cls(left_words, right_words, warps, repeats, groups, lanes, stages, step)

    @property
    def rows(self) -> int:
        """Number of left words of a tile."""
        return 16 * self.warps * self.repeats

    @property
    def columns(self) -> int:
        """Number of right words of a tile."""
        return 4 * self.groups * self.right_words // self.lanes

    @property
    def left_texts(self) -> int:
        """Number of left texts of a tile."""
        return self.rows // self.left_words

    @property
    def right_texts(self) -> int:
        """Number of right texts of a tile."""
        return self.columns // self.right_words

    @property
    def sums(self) -> int:
        """Number of products that a thread adds up."""
        return self.rows * self.columns // (32 * self.warps)

    @property
    def usable(self) -> bool:
        """True if each text fits into the lanes of one warp, and the sums into registers."""
        row_lanes = self.left_words / (2 * self.repeats)
        fits = row_lanes in (1, 2, 4, 8) and self.right_words >= 2 * self.lanes
        return fits and self.sums <= 128

    def held(self, dimension: int, item: int) -> int:
        """Return the bytes of shared memory for a tile's words, of `item` bytes a number."""
        return (self.rows + self.stages * self.columns) * dimension * item

    def order_left(self, values: torch.Tensor) -> torch.Tensor:
        """Arrange left texts in the order of rows: (texts, k, …) -> (texts·k, …)."""
        row_lanes = self.left_words // (2 * self.repeats)
        parts = (-1, self.warps, 8 // row_lanes, self.repeats, 2, row_lanes)
        return _reorder(values, parts, (0, 3, 1, 4, 2, 5))

    def order_right(self, values: torch.Tensor) -> torch.Tensor:
        """Arrange right texts in the order of columns: (texts, l, …) -> (texts·l, …)."""
        blocks = self.right_words // (2 * self.lanes)
        parts = (-1, self.groups, 4 // self.lanes, blocks, self.lanes, 2)
        return _reorder(values, parts, (0, 1, 3, 2, 4, 5))


def _reorder(values: torch.Tensor, parts: tuple[int, ...], order: tuple[int, ...]) -> torch.Tensor:
    """Split the first two axes into `parts`, permute them and flatten to one axis."""
    rest = tuple(values.shape[2:])
    axes = (*order, *range(len(parts), len(parts) + len(rest)))
    return values.reshape(*parts, *rest).permute(axes).reshape(-1, *rest).contiguous()


SHARED_MEMORY = 224 * 1024  # bytes of a Hopper multiprocessor that words may take, of 227


def padded_dimension(size: int) -> tuple[int, int]:
    """Return the least sum of one or two powers of two (≥ 16) that is ≥ size, and the larger one.

    >>> padded_dimension(300), padded_dimension(256)
    ((320, 256), (256, 256))
    """
    first = 16
    while first * 2 <= size:
        first *= 2
    if first >= size:
        return first, first
    rest = 16
    while first + rest < size:
        rest *= 2
    return (first + rest, first) if rest < first else (2 * first, 2 * first)


HALF = 2  # bytes of a number in half precision

# What measured best comes first: warps and repeats. Tiles that keep their left words did best
# with 64 columns and three stages; where these do not fit, going in steps beats smaller ones.
KEPT = ((4, 4), (8, 2), (4, 2))
STEPPED = ((8, 2), (4, 4))


def tile_for(left_words: int, right_words: int, dimension: int, item: int) -> Tile:
    """Return the first preferred tile that fits into a multiprocessor."""
    size = padded_dimension(dimension)[0]
    for warps, repeats in KEPT if item == HALF else ():
        tile = Tile.of_width(left_words, right_words, warps, repeats, 64, 3)
        if tile.usable and tile.held(size, item) <= SHARED_MEMORY:
            return tile
    # a number of 32 bits is multiplied in three parts, which need three times the room
    widest, stages, largest = (128, 3, 64) if item == HALF else (64, 2, 32)
    step = next(step for step in (64, 32, 16) if step <= largest and size % step == 0)
    stepped = (
        Tile.of_width(left_words, right_words, *choice, columns, stages, step)
        for columns in (widest, 64)
        for choice in STEPPED
    )
    return next(tile for tile in stepped if tile.usable)

"""Rows of floats as small whole numbers times a scale."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats

Quantised = tuple[NDArray[np.int8], NDArray[np.float32]]

INT8_LARGEST, INT4_LARGEST = 127, 7
ZERO = 8  # what a half byte holds for 0
# Of the largest value of a row, what the largest int4 stands for: cutting off a few values leaves
# finer steps for all others.
INT4_REACHES = tuple(0.45 + 0.05 * step for step in range(12))


def quantise(rows: Floats) -> Quantised:
    """int8 rows and their scales, largest absolute value = 127: (n, d) -> (n, d), (n,)."""
    scales = (_largest(rows) / INT8_LARGEST).astype(np.float32)
    return _steps(rows, scales.astype(np.float64), INT8_LARGEST), scales


def quantise_int4(rows: Floats) -> Quantised:
    """Rows of -7 to 7 and scales: (n, d) -> (n, d), (n,). Each row keeps its length.

    Of several scales that with the least squared error.
    """
    largest, wide = _largest(rows), rows.astype(np.float64)
    best = np.zeros(rows.shape, dtype=np.int8)
    least = np.full(len(rows), np.inf)
    for reach in INT4_REACHES:
        scales = largest * (reach / INT4_LARGEST)
        steps = _steps(wide, scales, INT4_LARGEST)
        errors = ((steps * scales[:, None] - wide) ** 2).sum(axis=1)
        better = errors < least
        best[better], least[better] = steps[better], errors[better]
    lengths = np.linalg.norm(best.astype(np.float64), axis=1)
    kept = np.linalg.norm(wide, axis=1) / np.where(lengths > 0, lengths, 1.0)
    return best, kept.astype(np.float32)


def packed(steps: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Two numbers of -7 to 7 in a byte, the first in its low half: (n, d) -> (n, (d + 1) / 2)."""
    halves = (steps + ZERO).astype(np.uint8)
    if halves.shape[1] % 2:
        halves = np.pad(halves, ((0, 0), (0, 1)), constant_values=ZERO)
    return np.asarray(halves[:, 0::2] | (halves[:, 1::2] << 4))


def unpacked(array: NDArray[np.uint8], dimension: int) -> NDArray[np.float32]:
    """The numbers of each row again: (n, (d + 1) / 2) -> (n, d) float32."""
    pairs = np.stack([array & 15, array >> 4], axis=2).reshape(len(array), 2 * array.shape[1])
    return pairs[:, :dimension].astype(np.float32) - np.float32(ZERO)


def _largest(rows: Floats) -> Floats:
    return np.asarray(np.abs(rows.astype(np.float64)).max(axis=1, initial=0.0))


def _steps(rows: Floats, scales: Floats, largest: int) -> NDArray[np.int8]:
    divisor = np.where(scales > 0, scales, 1.0)
    return np.clip(np.rint(rows / divisor[:, None]), -largest, largest).astype(np.int8)

"""Tables and texts in the kernels' types and layout."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow import _kernel
from fuzzbow.arrays import Floats, Integers, Ragged
from fuzzbow.engine.protocol import Bags, WordTable
from fuzzbow.fuzzy import WordSimilarity, unit_rows

UNKNOWN = 2  # the bit for an unknown word in its kind; the bit for a number is 1


def float32(array: Floats) -> NDArray[np.float32]:
    """The kernels' type and layout."""
    return np.ascontiguousarray(array, dtype=np.float32)


def optional32(array: Floats | None) -> NDArray[np.float32] | None:
    """Convert an array to float32; None stays None."""
    return None if array is None else float32(array)


def int64(array: Integers) -> NDArray[np.int64]:
    """Ids and indices in the kernels' type and layout."""
    return np.ascontiguousarray(array, dtype=np.int64)


def kernel_arrays(
    table: WordTable, similarity: WordSimilarity = WordSimilarity.DOT
) -> tuple[Any, ...]:
    """Vectors, weights, kinds, then offsets and values of trigrams and of letters."""
    vectors = table.vectors
    if similarity is not WordSimilarity.DOT:
        vectors = unit_rows(vectors)  # under max with zero, a clipped cosine is a cosine
    weights = optional32(table.weights)
    if table.rules is None:
        return float32(vectors), weights, *[None] * 5
    rules = table.rules
    kinds = rules.numbers.astype(np.uint8) + UNKNOWN * rules.unknown.astype(np.uint8)
    return float32(vectors), weights, kinds, *_rows(rules.trigrams), *_rows(rules.letters)


def _rows(rows: Ragged) -> tuple[Integers, NDArray[np.uint32]]:
    return rows.offsets, np.ascontiguousarray(rows.values, dtype=np.uint32)


def kernel_table(
    table: WordTable, similarity: WordSimilarity = WordSimilarity.DOT, *, unit: bool | None = None
) -> _kernel.Table:
    """A copy of the words in the kernels' own layout; with rules, vectors have unit length."""
    unit = table.rules is not None if unit is None else unit
    return _kernel.Table(*kernel_arrays(table, similarity), unit=unit)


def kernel_texts(texts: Bags) -> Any:
    """Ids, offsets and counts, as the kernels take them."""
    ids = texts.rows.values
    if ids.dtype == np.int32:  # the same bits, and no copy of a whole corpus
        ids = ids.view(np.uint32)
    ids = np.ascontiguousarray(ids, dtype=np.uint32)
    return ids, np.ascontiguousarray(texts.rows.offsets), optional32(texts.counts)


@lru_cache(maxsize=64)
def least32(score: float) -> float:
    """The least single-precision number that is not below a score; scores are from 0 to 1.

    >>> least32(0.5), least32(0.7) >= 0.7
    (0.5, True)
    """
    rounded = np.float32(min(max(score, -1.0), 2.0))
    return float(np.nextafter(rounded, np.float32(3.0)) if float(rounded) < score else rounded)

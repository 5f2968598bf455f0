"""Counting of repeated words."""

from __future__ import annotations

from enum import Enum

import numpy as np

from fuzzbow.arrays import Floats, Ragged
from fuzzbow.engine import Bags


class Counting(str, Enum):
    """The paper's experiments repeat the row; its formulas make sets or bags."""

    REPEAT = "repeat"
    SET = "set"
    BAG = "bag"


def count_words(texts: Ragged, counting: Counting) -> Bags:
    """The texts as they are to be pooled."""
    if counting is Counting.REPEAT:
        return Bags(texts)
    distinct, counts = distinct_words(texts)
    return Bags(distinct, counts if counting is Counting.BAG else None)


def distinct_words(texts: Ragged) -> tuple[Ragged, Floats]:
    """Each word once in each text, and how often it stood there.

    >>> texts, counts = distinct_words(Ragged.from_rows([[3, 1, 3], []]))
    >>> texts[0].tolist(), counts.tolist(), len(texts[1])
    ([1, 3], [1.0, 2.0], 0)
    """
    row_of = np.repeat(np.arange(len(texts)), texts.lengths)
    width = int(texts.values.max(initial=0)) + 1
    keys, counts = np.unique(row_of * width + texts.values, return_counts=True)
    lengths = np.bincount(keys // width, minlength=len(texts))
    return Ragged.from_lengths(keys % width, lengths), counts.astype(np.float64)

"""Vectors of words outside the vocabulary, made from parts of the word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers
from fuzzbow.vectors.subwords.ngrams import bucket_ids
from fuzzbow.vectors.tables import Table

MOST_PARTS = 128  # words of more parts are summed one word at a time
MOST_ROWS = 16384  # gathered at once


class Inference(Protocol):
    """Makes vectors of words from their parts."""

    def infer(self, words: Sequence[str]) -> tuple[Floats, Booleans]:
        """Vectors, and which could be made: (n, d) float32, (n,)."""


def sum_of_rows(table: Table, ids: Integers, lengths: Integers) -> Floats:
    """Sum of each run of rows, runs one after the other: (total,), (n,) -> (n, d) float32."""
    sums = np.zeros((len(lengths), table.shape[1]), dtype=np.float32)
    starts = np.cumsum(lengths) - lengths
    order = np.argsort(-lengths, kind="stable")
    long = int(np.searchsorted(-lengths[order], -MOST_PARTS, side="left"))
    for run in order[:long].tolist():  # a word of a million letters has millions of parts
        for first in range(0, int(lengths[run]), MOST_ROWS):
            last = min(first + MOST_ROWS, int(lengths[run]))
            sums[run] += table.rows(ids[starts[run] + first : starts[run] + last]).sum(axis=0)
    order = order[long:]
    for part in range(int(lengths[order].max(initial=0))):
        order = order[lengths[order] > part]
        for first in range(0, len(order), MOST_ROWS):
            runs = order[first : first + MOST_ROWS]
            sums[runs] += table.rows(ids[starts[runs] + part])
    return sums


def divided(sums: Floats, counts: Integers) -> Floats:
    """Each row divided by its count: (n, d), (n,) -> (n, d) float32."""
    return np.asarray(sums / counts[:, None], dtype=np.float32)


@dataclass(frozen=True, eq=False)
class NgramInference:
    """fastText's way: the mean of the hashed character n-grams of `<word>`."""

    buckets: Table  # (B, d)
    shortest: int
    longest: int

    def infer(self, words: Sequence[str]) -> tuple[Floats, Booleans]:
        """Mean of the n-grams' rows, and which words have any: (n, d), (n,)."""
        ids, lengths = bucket_ids(
            words, shortest=self.shortest, longest=self.longest, buckets=self.buckets.shape[0]
        )
        sums = sum_of_rows(self.buckets, ids, lengths)
        return divided(sums, np.maximum(lengths, 1)), lengths > 0

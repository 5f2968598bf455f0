"""The kernels called with lists of word ids."""

from __future__ import annotations

import functools
from contextlib import contextmanager

import numpy as np
import pytest

from fuzzbow import _kernel
from tests.hostile.scale import covering, in_turn
from tests.kernel import oracle

AVAILABLE = _kernel.info()["available"]


def every_two(**choices):
    """Run every two of instruction set and the other choices; all with all if FUZZBOW_SLOW=1."""
    cases = covering(AVAILABLE, *choices.values())
    return pytest.mark.parametrize(("simd", *choices), cases, indirect=["simd"], ids=str)


def every_case(names, *cases):
    """Run every case on one instruction set, each on the next; on all of them if FUZZBOW_SLOW=1."""
    cases = in_turn(AVAILABLE, cases)
    return pytest.mark.parametrize(("simd", *names), cases, indirect=["simd"], ids=str)


@functools.lru_cache(maxsize=64)
def compiled(similarity: oracle.Similarity) -> _kernel.SetSimilarity:
    """The kernels' set similarity."""
    return _kernel.SetSimilarity(
        similarity.name, similarity.parameters, universe=similarity.universe
    )


@contextmanager
def instruction_set(name: str):
    """Use an instruction set meanwhile."""
    before = _kernel.info()["simd"]
    _kernel.set_simd(name)
    try:
        yield name
    finally:
        _kernel.set_simd(before)


def batch(left, right, left_counts=None, right_counts=None):
    """Both lists as one batch, and the numbers of each one's texts."""
    counts = None if left_counts is None else [*left_counts, *right_counts]
    numbers = np.arange(len(left) + len(right))
    return oracle.ragged([*left, *right], counts), numbers[: len(left)], numbers[len(left) :]


def pairs(table, left, right, similarity, counts=(None, None), **options):
    """Text i of one list with text i of the other: (n,)"""
    texts, a, b = batch(left, right, *counts)
    return _kernel.pairs(table, texts, a, b, compiled(similarity), **options)


def matrix(table, rows, columns, similarity, counts=(None, None), **options):
    """Every text of one list with every text of the other: (n, m)"""
    texts, a, b = batch(rows, columns, *counts)
    return _kernel.matrix(table, texts, a, b, compiled(similarity), **options)


def corpus(table, documents, similarity, counts=None, **options):
    """Documents ready for search."""
    return _kernel.Corpus(table, oracle.ragged(documents, counts), compiled(similarity), **options)


def joined(table, texts, similarity, threshold, counts=None, boundary=None, **options):
    """All pairs at or above the threshold: left, right, scores."""
    join = _kernel.Join(
        table,
        oracle.ragged(texts, counts),
        compiled(similarity),
        threshold,
        boundary=boundary,
        **options,
    )
    return join.rows(0, len(join), **options)

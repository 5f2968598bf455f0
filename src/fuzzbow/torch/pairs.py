"""Similarity of sets, pair by pair."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import torch

from fuzzbow.errors import InputError
from fuzzbow.fuzzy import Pooling, SetSimilarity, WordSimilarity
from fuzzbow.torch.maxima import Part, can_fuse_pairs, fused_parts
from fuzzbow.torch.measure import Choice, Measure, parse_measure
from fuzzbow.torch.memberships import memberships, own_memberships, pool, products, ratio, totals
from fuzzbow.torch.sets import Sets, check_alike, check_finite, read_sets
from fuzzbow.torch.universes import fixed_universe

Weights: TypeAlias = "torch.Tensor | tuple[torch.Tensor, torch.Tensor] | None"


def similarity(
    X: torch.Tensor,
    Y: torch.Tensor,
    *,
    x_mask: torch.Tensor | None = None,
    y_mask: torch.Tensor | None = None,
    weights: Weights = None,
    universe: Choice = "dynamic",
    pooling: str | Pooling = "max",
    set_similarity: str | SetSimilarity = "jaccard",
    word_similarity: str | WordSimilarity = "dot",
    counts_x: torch.Tensor | None = None,
    counts_y: torch.Tensor | None = None,
    seed: int = 0,
) -> torch.Tensor:
    """Similarity of each left set with its right one: (n, k, d), (n, l, d) -> (n,).

    Masks, (n, k) and (n, l), are True for words; nested tensors need none. `universe` is
    "dynamic", "query", "identity", "random" or the universe itself, (u, d). `weights` are
    those of its elements: for the dynamic one a pair of tensors, (n, k) and (n, l), for the
    query's (n, k), else (u,). `counts_x`, (n, k), and `counts_y`, (n, l), make bags of sets.
    Everything is differentiable; half precision is computed, and answered, in float32.

    >>> X, Y = torch.tensor([[[1.0, 0], [0, 1]]]), torch.tensor([[[0.0, 1]]])
    >>> similarity(X, Y, universe="identity")
    tensor([0.5000])
    """
    measure = parse_measure(universe, pooling, set_similarity, word_similarity, seed)
    with full_precision(X):
        left, right, elements = read_sides(
            X, Y, x_mask, y_mask, weights, counts_x, counts_y, measure
        )
        if len(left) != len(right):
            raise InputError(
                f"X and Y must have as many sets as each other; got {len(left)} and {len(right)}"
            )
        scores = _scores(left, right, elements, measure)
        return torch.where(left.mask.any(-1) & right.mask.any(-1), scores, 0)


def full_precision(X: object) -> torch.autocast:
    """Where autocast lowers no precision: on the device of X, if that is a tensor at all."""
    return torch.autocast(X.device.type if isinstance(X, torch.Tensor) else "cpu", enabled=False)


def read_sides(
    X: torch.Tensor,
    Y: torch.Tensor,
    x_mask: torch.Tensor | None,
    y_mask: torch.Tensor | None,
    weights: Weights,
    counts_x: torch.Tensor | None,
    counts_y: torch.Tensor | None,
    measure: Measure,
) -> tuple[Sets, Sets, torch.Tensor | None]:
    """Both batches, checked, and the weights of a fixed universe's elements, (u,)."""
    check_alike(X, Y)
    of_x, of_y, elements = _weights_by_side(weights, measure)
    left = read_sets(X, x_mask, of_x, counts_x, "X", words=measure.words)
    right = read_sets(Y, y_mask, of_y, counts_y, "Y", words=measure.words)
    if isinstance(measure.universe, torch.Tensor):
        if measure.universe.dim() != 2:
            raise InputError(
                "universe must have shape (elements, dimension);"
                f" got {tuple(measure.universe.shape)}"
            )
        check_alike(X, measure.universe, ("X", "universe"))
        check_finite(measure.universe, "universe", "rows")
    if elements is not None:
        elements = _element_weights(elements, measure, left)
    return left, right, elements


def _weights_by_side(
    weights: Weights, measure: Measure
) -> tuple[torch.Tensor | None, torch.Tensor | None, torch.Tensor | None]:
    """The weights of X's words, of Y's words and of a fixed universe's elements."""
    if weights is None:
        return None, None, None
    pair = isinstance(weights, tuple | list)
    if measure.by_pair and not measure.by_query:
        if not pair or len(weights) != 2:
            raise InputError(
                "weights of the dynamic universe must be a pair of tensors, of X's words and of"
                f" Y's; got {type(weights).__name__}"
            )
        return weights[0], weights[1], None
    if pair:
        raise InputError("weights of this universe must be one tensor; got a pair")
    return (weights, None, None) if measure.by_query else (None, None, weights)


def _element_weights(weights: torch.Tensor, measure: Measure, left: Sets) -> torch.Tensor:
    """Weights of a fixed universe's elements, checked: (u,)."""
    fixed = measure.universe
    size = fixed.shape[0] if isinstance(fixed, torch.Tensor) else left.words.shape[-1]
    elements = weights[None, :, None] if weights.dim() == 1 else weights
    if elements.shape != (1, size, 1):
        raise InputError(f"weights must have shape ({size},); got {tuple(weights.shape)}")
    checked = read_sets(elements, None, None, None, "weights").words[0, :, 0]
    if not torch.compiler.is_compiling() and not bool((checked >= 0).all()):
        raise InputError("weights must be finite and not negative")
    return checked.to(left.words)


def _scores(
    left: Sets, right: Sets, elements: torch.Tensor | None, measure: Measure
) -> torch.Tensor:
    """Scores of pairs, whatever empty sets give: (n,)."""
    if not measure.by_pair:
        rows = fixed_universe(measure, left.words)
        a, b = memberships(left, rows, measure), memberships(right, rows, measure)
        return ratio(totals(a, b, elements, measure.sets), measure.sets)
    parts = fused_parts if can_fuse_pairs(left, right, measure) else _plain_parts
    sums = [totals(*part, measure.sets) for part in parts(left, right, measure)]
    return ratio(sums[0] if measure.by_query else sums[0] + sums[1], measure.sets)


def _plain_parts(left: Sets, right: Sets, measure: Measure) -> Iterator[Part]:
    """Memberships of the left words in both sets, then of the right ones unless unasked for."""
    found = products(left.words, right.words, measure.words)
    crossed = pool(found, right.mask[:, None, :], _row(right.counts), measure.pooling)
    yield own_memberships(left, measure), crossed, left.weigh
    if not measure.by_query:
        back = found.transpose(-1, -2)
        crossed = pool(back, left.mask[:, None, :], _row(left.counts), measure.pooling)
        yield crossed, own_memberships(right, measure), right.weigh


def _row(counts: torch.Tensor | None) -> torch.Tensor | None:
    """Counts beside a matrix of similarities: (n, k) -> (n, 1, k)."""
    return None if counts is None else counts[:, None, :]

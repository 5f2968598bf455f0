"""Similarity of all sets with all others, in bounded memory: everything, or only the best."""

from __future__ import annotations

import torch

from fuzzbow.errors import InputError, check_count
from fuzzbow.fuzzy import Pooling, SetSimilarity, WordSimilarity
from fuzzbow.torch.measure import Choice, parse_measure
from fuzzbow.torch.pairs import Weights, full_precision, read_sides
from fuzzbow.torch.scores import all_scores, best, hits_above


def matrix(
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
    """Similarity of every left set with every right one: (n, k, d), (m, l, d) -> (n, m).

    The options are those of `similarity`. What is between words and scores is made a block at
    a time, forwards and backwards; on a GPU with Triton one kernel makes the scores directly.
    """
    measure = parse_measure(universe, pooling, set_similarity, word_similarity, seed)
    with full_precision(X):
        sides = read_sides(X, Y, x_mask, y_mask, weights, counts_x, counts_y, measure)
        return all_scores(*sides, measure, X.dtype)


def above(
    X: torch.Tensor,
    Y: torch.Tensor,
    threshold: float,
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
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The pairs that score at least `threshold`: rows, columns and scores, (h,) each, by row.

    Only they are kept, without gradient; the options are those of `similarity`.
    """
    measure = parse_measure(universe, pooling, set_similarity, word_similarity, seed)
    if not isinstance(threshold, int | float) or threshold != threshold:
        raise InputError(f"threshold must be a number; got {threshold!r}")
    with torch.no_grad(), full_precision(X):
        sides = read_sides(X, Y, x_mask, y_mask, weights, counts_x, counts_y, measure)
        floors = sides[0].words.new_full((len(sides[0]),), threshold)
        return hits_above(*sides, floors, measure, X.dtype)


def top_k(
    X: torch.Tensor,
    Y: torch.Tensor,
    k: int,
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
) -> tuple[torch.Tensor, torch.Tensor]:
    """The k best right sets of each left one: scores and their places, (n, min(k, m)) each.

    The first of equal scores wins. No gradient; the options are those of `similarity`.
    """
    measure = parse_measure(universe, pooling, set_similarity, word_similarity, seed)
    wanted = check_count(k, "k")
    with torch.no_grad(), full_precision(X):
        left, right, elements = read_sides(
            X, Y, x_mask, y_mask, weights, counts_x, counts_y, measure
        )
        return best(left, right, elements, min(wanted, len(right)), measure, X.dtype)

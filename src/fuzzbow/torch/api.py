"""Public functions on batches of sets: pair by pair, all with all, and only the best pairs."""

from __future__ import annotations

from typing import Any, TypeAlias

import torch
from typing_extensions import TypedDict, Unpack

from fuzzbow.errors import InputError, check_count
from fuzzbow.fuzzy import Pooling, SetSimilarity, Universe, WordSimilarity
from fuzzbow.torch.measure import Choice, Measure, parse_measure
from fuzzbow.torch.scores import SetBatch, all_scores, best, hits_above, pair_scores
from fuzzbow.torch.sets import Sets, check_alike, check_finite, check_positive, read_sets

Weights: TypeAlias = "torch.Tensor | tuple[torch.Tensor, torch.Tensor] | None"


class BatchOptions(TypedDict, total=False):
    """Masks, weights and counts of two batches of sets."""

    x_mask: torch.Tensor | None
    y_mask: torch.Tensor | None
    weights: Weights
    counts_x: torch.Tensor | None
    counts_y: torch.Tensor | None


class MeasureOptions(TypedDict, total=False):
    """Choices of the grammar, as in `fuzzbow.load`."""

    universe: Choice
    pooling: str | Pooling
    set_similarity: str | SetSimilarity
    word_similarity: str | WordSimilarity
    seed: int


class Options(BatchOptions, MeasureOptions, total=False):
    """Options of `similarity`, `matrix`, `above` and `top_k`."""


def similarity(X: torch.Tensor, Y: torch.Tensor, **options: Unpack[Options]) -> torch.Tensor:
    """Compute the similarity of each left set with its right one: (n, k, d), (n, l, d) -> (n,).

    Everything is differentiable. Half precision is computed and returned in float32.

    Parameters
    ----------
    X, Y : torch.Tensor
        Padded batches of sets of word vectors, or nested tensors.
    x_mask, y_mask : torch.Tensor, optional
        True for words, False for padding, (n, k) and (n, l). Nested tensors need none.
    weights : torch.Tensor or pair of tensors, optional
        Weights of the elements of the universe: for "dynamic" a pair, (n, k) and (n, l), for
        "query" (n, k), otherwise (u,).
    counts_x, counts_y : torch.Tensor, optional
        Number of occurrences of each word, (n, k) and (n, l), which makes bags of the sets.
    universe : str or torch.Tensor
        "dynamic" (the default), "query", "identity", "random", or the rows of a universe, (u, d).
    pooling : str
        "max" (the default), "min", "sum" or "avg".
    set_similarity : str
        "jaccard" (the default), "dice", "otsuka", "cosine", "overlap", "coverage" or
        "tversky(α,β)".
    word_similarity : str
        "dot" (the default), "cosine" or "clipped-cosine".
    seed : int
        Seed of the random universe.

    Raises
    ------
    InputError
        If shapes, types or values do not fit together.

    Examples
    --------
    >>> X, Y = torch.tensor([[[1.0, 0], [0, 1]]]), torch.tensor([[[0.0, 1]]])
    >>> similarity(X, Y, universe="identity")
    tensor([0.5000])
    """
    with full_precision(X):
        batch = _read(X, Y, **options)
        if len(batch.left) != len(batch.right):
            raise InputError(
                "X and Y must have as many sets as each other;"
                f" got {len(batch.left)} and {len(batch.right)}"
            )
        return pair_scores(batch)


def matrix(X: torch.Tensor, Y: torch.Tensor, **options: Unpack[Options]) -> torch.Tensor:
    """Compute the similarity of all left sets with all right ones: (n, k, d), (m, l, d) -> (n, m).

    The options are those of `similarity`. Intermediate results are made a block at a time,
    forwards and backwards; on a GPU with Triton one kernel computes the scores directly.
    """
    with full_precision(X):
        return all_scores(_read(X, Y, **options))


def above(
    X: torch.Tensor, Y: torch.Tensor, threshold: float, **options: Unpack[Options]
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Find the pairs that score at least `threshold`: rows, columns and scores, (h,) each, by row.

    There is no gradient. The options are those of `similarity`.
    """
    if not isinstance(threshold, int | float) or threshold != threshold:
        raise InputError(f"threshold must be a number; got {threshold!r}")
    with torch.no_grad(), full_precision(X):
        batch = _read(X, Y, **options)
        floors = batch.left.words.new_full((len(batch.left),), threshold)
        return hits_above(batch, floors)


def top_k(
    X: torch.Tensor, Y: torch.Tensor, k: int, **options: Unpack[Options]
) -> tuple[torch.Tensor, torch.Tensor]:
    """Find the k best right sets of each left one: scores and positions, (n, min(k, m)) each.

    Ties go to the first position. There is no gradient. The options are those of `similarity`.
    """
    wanted = check_count(k, "k")
    with torch.no_grad(), full_precision(X):
        batch = _read(X, Y, **options)
        return best(batch, min(wanted, len(batch.right)))


class FuzzySimilarity(torch.nn.Module):  # type: ignore[misc]  # torch is not typed here
    """Layer that computes `similarity`; a universe given as a tensor is a buffer.

    Its parameters are the choices of a measure that `similarity` takes.

    >>> layer = FuzzySimilarity(universe="identity", set_similarity="dice")
    >>> layer(torch.eye(2)[None], torch.eye(2)[None, :1])
    tensor([0.6667])
    """

    def __init__(self, **choices: Unpack[MeasureOptions]) -> None:
        super().__init__()
        self.measure = parse_measure(**choices)
        self.choices = choices
        given = self.measure.universe  # a buffer moves with the module
        self.register_buffer("universe_rows", given if isinstance(given, torch.Tensor) else None)

    def forward(
        self, X: torch.Tensor, Y: torch.Tensor, **batch: Unpack[BatchOptions]
    ) -> torch.Tensor:
        """Compute similarities pair by pair: (n, k, d), (n, l, d) -> (n,)."""
        return similarity(X, Y, **batch, **self._choices())

    def matrix(
        self, X: torch.Tensor, Y: torch.Tensor, **batch: Unpack[BatchOptions]
    ) -> torch.Tensor:
        """Compute similarities of all with all: (n, k, d), (m, l, d) -> (n, m)."""
        return matrix(X, Y, **batch, **self._choices())

    def extra_repr(self) -> str:
        """Describe the choices for `repr`."""
        universe = self.measure.universe
        named = universe.value if isinstance(universe, Universe) else "given"
        return f"{named}, {self.measure.pooling.value}, {self.measure.sets.name}"

    def _choices(self) -> MeasureOptions:
        rows = self.universe_rows
        return self.choices if rows is None else {**self.choices, "universe": rows}


def full_precision(X: object) -> torch.autocast:
    """Return a context that disables autocast on the device of X."""
    return torch.autocast(X.device.type if isinstance(X, torch.Tensor) else "cpu", enabled=False)


def _read(
    X: torch.Tensor,
    Y: torch.Tensor,
    *,
    x_mask: torch.Tensor | None = None,
    y_mask: torch.Tensor | None = None,
    weights: Weights = None,
    counts_x: torch.Tensor | None = None,
    counts_y: torch.Tensor | None = None,
    **choices: Any,
) -> SetBatch:
    """Check two batches and their options."""
    measure = parse_measure(**choices)
    check_alike(X, Y)
    of_x: Weights = None
    of_y: Weights = None
    pair = isinstance(weights, tuple | list)
    if weights is not None and measure.by_pair and not measure.by_query:
        if not pair or len(weights) != 2:
            raise InputError(
                "weights of the dynamic universe must be a pair of tensors, of X's words and of"
                f" Y's; got {type(weights).__name__}"
            )
        of_x, of_y = weights
    elif pair:
        raise InputError("weights of this universe must be one tensor; got a pair")
    elif measure.by_query:
        of_x = weights
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
    elements = None if measure.by_pair else weights
    if elements is not None:
        elements = _element_weights(elements, measure, left)
    return SetBatch(left, right, elements, measure, X.dtype)


def _element_weights(weights: torch.Tensor, measure: Measure, left: Sets) -> torch.Tensor:
    """Check the weights of a fixed universe's elements: (u,)."""
    fixed = measure.universe
    size = fixed.shape[0] if isinstance(fixed, torch.Tensor) else left.words.shape[-1]
    elements = weights[None, :, None] if weights.dim() == 1 else weights
    if elements.shape != (1, size, 1):
        raise InputError(f"weights must have shape ({size},); got {tuple(weights.shape)}")
    checked = read_sets(elements, None, None, None, "weights").words[0, :, 0]
    check_positive(checked, "weights")
    return checked.to(left.words)

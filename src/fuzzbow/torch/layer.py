"""The fuzzy similarity of two batches as a layer of a network."""

from __future__ import annotations

import torch

from fuzzbow.fuzzy import Pooling, SetSimilarity, Universe, WordSimilarity
from fuzzbow.torch.matrices import matrix
from fuzzbow.torch.measure import Choice, parse_measure
from fuzzbow.torch.pairs import Weights, similarity


class FuzzySimilarity(torch.nn.Module):  # type: ignore[misc]  # torch is not typed here
    """`similarity` with its choices made; a universe given as a tensor is a buffer.

    >>> layer = FuzzySimilarity(universe="identity", set_similarity="dice")
    >>> layer(torch.eye(2)[None], torch.eye(2)[None, :1])
    tensor([0.6667])
    """

    def __init__(
        self,
        *,
        universe: Choice = "dynamic",
        pooling: str | Pooling = "max",
        set_similarity: str | SetSimilarity = "jaccard",
        word_similarity: str | WordSimilarity = "dot",
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.measure = parse_measure(universe, pooling, set_similarity, word_similarity, seed)
        given = universe if isinstance(universe, torch.Tensor) else None
        self.register_buffer("universe_rows", given)

    def forward(
        self,
        X: torch.Tensor,
        Y: torch.Tensor,
        *,
        x_mask: torch.Tensor | None = None,
        y_mask: torch.Tensor | None = None,
        weights: Weights = None,
        counts_x: torch.Tensor | None = None,
        counts_y: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Pair by pair: (n, k, d), (n, l, d) -> (n,)."""
        return similarity(
            X, Y, x_mask=x_mask, y_mask=y_mask, weights=weights, counts_x=counts_x,
            counts_y=counts_y, universe=self._universe(), pooling=self.measure.pooling,
            set_similarity=self.measure.sets, word_similarity=self.measure.words,
            seed=self.measure.seed,
        )  # fmt: skip

    def matrix(
        self,
        X: torch.Tensor,
        Y: torch.Tensor,
        *,
        x_mask: torch.Tensor | None = None,
        y_mask: torch.Tensor | None = None,
        weights: Weights = None,
        counts_x: torch.Tensor | None = None,
        counts_y: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """All with all: (n, k, d), (m, l, d) -> (n, m)."""
        return matrix(
            X, Y, x_mask=x_mask, y_mask=y_mask, weights=weights, counts_x=counts_x,
            counts_y=counts_y, universe=self._universe(), pooling=self.measure.pooling,
            set_similarity=self.measure.sets, word_similarity=self.measure.words,
            seed=self.measure.seed,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """The choices, for people."""
        universe = self.measure.universe
        named = universe.value if isinstance(universe, Universe) else "given"
        return f"{named}, {self.measure.pooling.value}, {self.measure.sets.name}"

    def _universe(self) -> Choice:
        """The universe, from the buffer if it was given: that may have moved since."""
        return self.measure.universe if self.universe_rows is None else self.universe_rows

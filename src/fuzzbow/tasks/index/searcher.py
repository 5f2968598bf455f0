"""Texts in memory, ready for exact search under one measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from fuzzbow.arrays import Booleans, Integers, Ragged
from fuzzbow.engine import Found
from fuzzbow.errors import InputError
from fuzzbow.measures import WeightedJaccard
from fuzzbow.measures.dynamic import DynamicMeasure
from fuzzbow.measures.fixed import FixedMeasure
from fuzzbow.model import Model
from fuzzbow.model.encoding import Encoder
from fuzzbow.tasks.index.dynamic import DynamicSearcher
from fuzzbow.tasks.index.fixed import FixedSearcher


class Searcher(Protocol):
    """Documents numbered in the order of insertion; texts come as `Encoder.word_ids` gives them."""

    def append(self, rows: Ragged, unknown: Sequence[str]) -> None:
        """Add texts; they get the next numbers."""
        ...

    def delete(self, documents: Integers) -> None:
        """These documents never appear again."""
        ...

    def search(
        self,
        rows: Ragged,
        unknown: Sequence[str],
        *,
        k: int,
        min_score: float,
        allowed: Booleans | None,
    ) -> Found:
        """The k best documents of each query, of those allowed."""
        ...

    def memory_bytes(self) -> int:
        """Memory that the documents take, the table of words aside."""
        ...


def make_searcher(model: Model, encoder: Encoder) -> Searcher:
    """An empty searcher for the model's measure, if it can be searched."""
    measure = model.measure
    if isinstance(measure, WeightedJaccard | DynamicMeasure):
        return DynamicSearcher(measure, encoder)
    if isinstance(measure, FixedMeasure):
        return FixedSearcher(measure, encoder)
    raise InputError(
        f"the measure {measure.name} cannot be indexed; weighted-jaccard, dynamax-… and all"
        " measures over a fixed universe (max-…, avg-…, pcamax-…) can"
    )

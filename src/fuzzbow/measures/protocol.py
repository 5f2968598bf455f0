"""What a measure is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from fuzzbow.arrays import Floats, Integers
from fuzzbow.engine import Engine
from fuzzbow.measures.space import Texts, WordSpace


@runtime_checkable
class Measure(Protocol):
    """Scores texts of a batch; the arrays are indices into `texts.rows`."""

    @property
    def name(self) -> str: ...

    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        ...

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Every row text with every column text: (n,), (m,) -> (n, m)."""
        ...


MeasureFactory = Callable[[WordSpace, Engine], Measure]

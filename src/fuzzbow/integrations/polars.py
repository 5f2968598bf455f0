"""Polars: `pl.col("a").fuzzbow.similarity("b")`, and methods of eager and lazy frames.

Importing this module registers the namespaces.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fuzzbow.errors import MissingExtraError
from fuzzbow.integrations.common import FrameVerbs, column_similarity, given_model

try:
    import polars as pl
except ImportError as error:
    raise MissingExtraError("polars", "polars") from error

__all__ = ["ExpressionNamespace", "FrameNamespace", "LazyFrameNamespace", "SeriesNamespace"]


@pl.api.register_expr_namespace("fuzzbow")
class ExpressionNamespace:
    """Namespace of an expression of texts."""

    def __init__(self, expression: Any) -> None:
        self._expression = expression

    def similarity(self, other: Any, *, model: Any = None, threads: int | None = None) -> Any:
        """Score row by row, null where a text is null: an expression of Float64.

        `other` is an expression or the name of a column; `pl.lit("a text")` is one text for all.
        """
        chosen = given_model(model)

        def scored(both: Any) -> Any:
            left, right = both.struct.unnest()
            scores, missing = column_similarity(chosen, left, right, threads=threads)
            values = pl.Series(left.name, scores, dtype=pl.Float64)
            return values.set(pl.Series(missing), None)

        right = pl.col(other) if isinstance(other, str) else other
        both = pl.struct(left=self._expression, right=right)
        # if a score depends on other rows, Polars must pass all of them at once
        return both.map_batches(
            scored, return_dtype=pl.Float64, is_elementwise=not chosen.measure.depends_on_batch
        ).alias("similarity")


@pl.api.register_series_namespace("fuzzbow")
class SeriesNamespace:
    """Namespace of a column of texts."""

    def __init__(self, series: Any) -> None:
        self._series = series

    def similarity(self, other: Any, *, model: Any = None, threads: int | None = None) -> Any:
        """Score row by row, null where a text is null; `other` is a series, a list or one text."""
        chosen = given_model(model)
        scores, missing = column_similarity(chosen, self._series, other, threads=threads)
        return pl.Series("similarity", scores, dtype=pl.Float64).set(pl.Series(missing), None)


@pl.api.register_dataframe_namespace("fuzzbow")
class FrameNamespace(FrameVerbs):
    """Namespace of a frame with a column of texts."""


@pl.api.register_lazyframe_namespace("fuzzbow")
class LazyFrameNamespace(FrameNamespace):
    """Namespace of a lazy frame; methods run on collection, with a schema known in advance."""

    def _apply(self, verb: Callable[..., Any], *others: Any) -> Any:
        def collected(frame: Any) -> Any:
            eager = (o.collect() if isinstance(o, pl.LazyFrame) else o for o in others)
            return verb(frame, *eager)

        schema = verb(_empty(self._frame), *map(_empty, others)).schema
        return self._frame.map_batches(collected, schema=schema)


def _empty(frame: Any) -> Any:
    """Return a frame of the same schema without rows, and anything else unchanged."""
    if isinstance(frame, pl.LazyFrame):
        return frame.collect_schema().to_frame()
    return frame.clear() if isinstance(frame, pl.DataFrame) else frame

"""pandas: `series.fuzzbow.similarity(…)`, `frame.fuzzbow.join(…)`, `frame.fuzzbow.dedupe(…)`.

Importing this module registers the accessors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzzbow.arrays import Integers
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.integrations.common import FrameVerbs, column_similarity, given_model

try:
    import pandas as pd
except ImportError as error:
    raise MissingExtraError("pandas", "pandas") from error

__all__ = ["FrameAccessor", "SeriesAccessor"]


@pd.api.extensions.register_series_accessor("fuzzbow")
class SeriesAccessor:
    """Accessor of a column of texts."""

    def __init__(self, series: Any) -> None:
        self._series = series

    def similarity(self, other: Any, *, model: Any = None, threads: int | None = None) -> Any:
        """Score row by row, NaN where a text is missing: a series of float64.

        `other` is one text for all rows, a list as long as the series, or a series with the same
        labels.
        """
        series = self._series
        if isinstance(other, pd.Series) and not other.index.equals(series.index):
            raise InputError(
                "other must have the labels of the series, in their order; reindex it, or give"
                " other.to_list() to go by position"
            )
        scores, missing = column_similarity(given_model(model), series, other, threads=threads)
        return pd.Series(np.where(missing, np.nan, scores), index=series.index, name="similarity")


@pd.api.extensions.register_dataframe_accessor("fuzzbow")
class FrameAccessor(FrameVerbs):
    """Accessor of a frame with a column of texts; rows keep their labels."""

    @staticmethod
    def _rows(frame: Any, positions: Integers) -> Any:
        return frame.iloc[positions]

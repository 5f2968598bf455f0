"""Arrow tables as data frames."""

from __future__ import annotations

from typing import Any

from fuzzbow.errors import MissingExtraError


def to_pandas(table: Any) -> Any:
    """A pandas data frame of an Arrow table."""
    try:
        import pandas  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("pandas", "pandas") from error
    return table.to_pandas()

"""Conversion of pandas, Polars and Arrow frames to Arrow tables and back."""

from __future__ import annotations

from typing import Any

from fuzzbow.errors import InputError, MissingExtraError


def to_pandas(table: Any) -> Any:
    """Convert an Arrow table to a pandas data frame."""
    try:
        import pandas  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("pandas", "pandas") from error
    return table.to_pandas()


def to_arrow(frame: Any) -> Any:
    """Convert any frame to an Arrow table."""
    import pyarrow as pa

    if isinstance(frame, pa.Table):
        return frame
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    if hasattr(frame, "iloc"):
        return pa.Table.from_pandas(frame, preserve_index=False)
    if hasattr(frame, "to_arrow"):
        return frame.to_arrow()
    raise InputError(
        f"a frame must be one of pandas, Polars or Arrow; got {type(frame).__name__}"
        " (collect a lazy one first)"
    )


def like_frame(table: Any, frame: Any) -> Any:
    """Convert an Arrow table to the type of another frame, Arrow or Polars."""
    import pyarrow as pa

    if isinstance(frame, pa.Table):
        return table
    if isinstance(frame, pa.RecordBatch):
        return (
            table.combine_chunks().to_batches()[0]
            if len(table)
            else pa.RecordBatch.from_pylist([], schema=table.schema)
        )
    import polars

    return polars.from_arrow(table)


def with_column(frame: Any, name: str, values: Any) -> Any:
    """Append a column to a frame; rows keep their labels: frame, (n,)."""
    if hasattr(frame, "iloc"):
        return frame.assign(**{name: values})
    import pyarrow as pa

    return like_frame(to_arrow(frame).append_column(name, pa.array(values)), frame)

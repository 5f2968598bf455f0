"""Frames of pandas, Polars and Arrow: as Arrow tables, and back as what they were."""

from __future__ import annotations

from typing import Any

from fuzzbow.errors import InputError, MissingExtraError


def to_pandas(table: Any) -> Any:
    """A pandas data frame of an Arrow table."""
    try:
        import pandas  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("pandas", "pandas") from error
    return table.to_pandas()


def to_arrow(frame: Any) -> Any:
    """Any frame as an Arrow table."""
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
    """An Arrow table as a frame of the kind that another is, of Arrow or Polars."""
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
    """A frame with one more column behind its own; rows keep their labels: frame, (n,)."""
    if hasattr(frame, "iloc"):
        return frame.assign(**{name: values})
    import pyarrow as pa

    return like_frame(to_arrow(frame).append_column(name, pa.array(values)), frame)

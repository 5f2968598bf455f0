"""Texts of a data set in shards, encoded: a row of memberships for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Any

from fuzzbow.arrays import Floats
from fuzzbow.cluster.added_column import ColumnFiles, ColumnJob, ColumnTask, add_column, write_shard
from fuzzbow.cluster.data import Files
from fuzzbow.cluster.executors import THIS_PROCESS, Executor
from fuzzbow.cluster.parts import Counted
from fuzzbow.model import Model
from fuzzbow.progress import ProgressOption
from fuzzbow.tasks.encodings import MEMBERSHIPS, membership_type, rows_at_once
from fuzzbow.tasks.formats import AS_IT_IS, Reading


def encode_shard(task: ColumnTask) -> Counted:
    """Write the rows of a shard with the memberships of their texts."""
    import pyarrow as pa

    model = task.model.load()
    kind = membership_type(model)

    def values(texts: list[str]) -> Any:
        numbers = pa.array(model.encode(texts).reshape(-1))
        return pa.FixedSizeListArray.from_arrays(numbers, type=kind)

    return write_shard(task, values, rows_at_once(model))


ENCODE = ColumnJob("encode", "encoding", "encoded", encode_shard)


@dataclass(frozen=True)
class EncodedFiles(ColumnFiles):
    """The Parquet files of a run, in the order of the rows; a row without a text has zeros."""

    def memberships(self) -> Iterator[Floats]:
        """Those of all rows, a shard at a time: (rows of the shard, u) float32."""
        for values in self.values():
            yield values.flatten().to_numpy().reshape(-1, values.type.list_size)


def encode(
    files: Files,
    folder: str | PathLike[str],
    *,
    model: Model,
    text: str | list[str] | None = None,
    column: str = MEMBERSHIPS,
    shards: int | None = None,
    executor: Executor = THIS_PROCESS,
    reading: Reading = AS_IT_IS,
    overwrite: bool = False,
    progress: ProgressOption = None,
) -> EncodedFiles:
    """Add the memberships of their texts, as `Model.encode` computes them, to the rows of tables.

    `files` are tables or a folder of such, with their texts in the column `text`. A
    Parquet file for each shard, with all columns and the memberships as a `column` of equally
    long lists of float32, goes to `folder`/encoded; an interrupted run resumes.
    `executor` is `ThisProcess` or `RayExecutor`.
    `overwrite` removes another run from `folder`, which is refused otherwise.
    """
    done = add_column(
        ENCODE,
        files,
        folder,
        texts=[text],
        column=column,
        model=model,
        shards=shards,
        executor=executor,
        reading=reading,
        overwrite=overwrite,
        progress=progress,
    )
    return EncodedFiles(**vars(done))

"""Pairs of a data set in shards, scored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.cluster.added_column import ColumnFiles, ColumnJob, ColumnTask, add_column, write_shard
from fuzzbow.cluster.data import Files
from fuzzbow.cluster.executors import THIS_PROCESS, Executor
from fuzzbow.cluster.parts import Counted
from fuzzbow.model import Model, default_model
from fuzzbow.progress import ProgressOption
from fuzzbow.tasks.formats import AS_IT_IS, Reading


def score_shard(task: ColumnTask) -> Counted:
    """Write the rows of a shard with their scores."""
    import pyarrow as pa

    model = task.model.load()
    return write_shard(task, lambda lefts, rights: pa.array(model.pairs(lefts, rights)))


SCORE = ColumnJob("score", "scoring", "scored", score_shard)


@dataclass(frozen=True)
class ScoredFiles(ColumnFiles):
    """The Parquet files of a run, in the order of the rows; a row without a text scores 0."""

    def scores(self) -> Iterator[Floats]:
        """The scores of all rows, a shard at a time."""
        return (values.to_numpy() for values in self.values())

    def in_order(self) -> StoredScores:
        """The same for whoever asks for the scores of some rows at a time, as of a model."""
        return StoredScores(self)


class StoredScores:
    """Gives the scores of rows in order, as a model would that is asked for them in order."""

    def __init__(self, scored: ScoredFiles) -> None:
        self._unread, self._waiting = scored.scores(), np.zeros(0)

    def pairs(self, lefts: list[str], rights: list[str], *, threads: int | None = None) -> Floats:
        """The scores of the next rows, whose texts these are: (n,)."""
        while len(self._waiting) < len(lefts):
            self._waiting = np.concatenate([self._waiting, next(self._unread)])
        found, self._waiting = np.split(self._waiting, [len(lefts)])
        return found


def score(
    files: Files,
    folder: str | PathLike[str],
    *,
    left: str | list[str],
    right: str | list[str],
    score: str = "score",
    model: Model | None = None,
    shards: int | None = None,
    executor: Executor = THIS_PROCESS,
    reading: Reading = AS_IT_IS,
    overwrite: bool = False,
    progress: ProgressOption = None,
) -> ScoredFiles:
    """Add the similarity of their columns `left` and `right` to the rows of tables.

    `files` are tables or a folder of such. A Parquet file for each shard, with all columns and
    the `score`, goes to `folder`/scored; an interrupted run resumes.
    `executor` is `ThisProcess` or `RayExecutor`.
    `overwrite` removes another run from `folder`, which is refused otherwise.
    """
    done = add_column(
        SCORE,
        files,
        folder,
        texts=[left, right],
        column=score,
        model=default_model() if model is None else model,
        shards=shards,
        executor=executor,
        reading=reading,
        overwrite=overwrite,
        progress=progress,
    )
    return ScoredFiles(**vars(done))

"""A fuzzy join of data sets in shards: each left shard searched for in each right one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from os import PathLike
from pathlib import Path

import numpy as np

from fuzzbow.atomic import replacing
from fuzzbow.cluster.data import Files, ShardTexts, find_files
from fuzzbow.cluster.executors import THIS_PROCESS, Executor
from fuzzbow.cluster.run import Counts
from fuzzbow.cluster.setting import open_setting
from fuzzbow.cluster.statistics import FittedModel, fit_to_shards
from fuzzbow.errors import check_count
from fuzzbow.file_digest import DigestedFile
from fuzzbow.model import Model, load
from fuzzbow.progress import ProgressOption, open_progress
from fuzzbow.tasks import BATCH_ROWS
from fuzzbow.tasks.formats import AS_IT_IS, Reading
from fuzzbow.tasks.index import Index
from fuzzbow.tasks.join import Matches, index_to_match, match_batches
from fuzzbow.tasks.join.frames import check_reach
from fuzzbow.tasks.join.matches import NOTHING


@dataclass(frozen=True)
class MatchTask:
    """The texts of a left shard, to be looked for in a right one."""

    model: FittedModel
    left: ShardTexts
    right: ShardTexts
    k: int
    threshold: float
    out: str


def match_shards(task: MatchTask) -> None:
    """Write the k best matches of each text, by rows of both data sets."""
    index = _index(task.model, task.right)
    texts = task.left.read()
    batches = (texts[start : start + BATCH_ROWS] for start in range(0, len(texts), BATCH_ROWS))
    parts = list(match_batches(index, batches, k=task.k, threshold=task.threshold))
    found = _joined(parts)
    chosen = found.right != NOTHING
    start = task.left.shard.start
    right = found.right[chosen] + task.right.shard.start
    _write(task.out, Matches(found.left[chosen] + start, right, found.score[chosen]))


@lru_cache(maxsize=1)  # tasks of one right shard follow each other; files count by content
def _index(model: FittedModel, texts: ShardTexts) -> Index:
    return index_to_match(model.load(), texts.read())


@dataclass(frozen=True)
class MergeTask:
    """The matches of a left shard in all right ones, of which the best are wanted."""

    parts: tuple[DigestedFile, ...]
    start: int
    rows: int
    k: int
    out: str


def merge_matches(task: MergeTask) -> None:
    """Write the k best matches of each row, equal scores by the right row; -1 where none is."""
    found = _joined([_read(part) for part in task.parts])
    alone = np.setdiff1d(np.arange(task.start, task.start + task.rows), found.left)
    nothing = Matches(alone, np.full(len(alone), NOTHING), np.full(len(alone), np.nan))
    order = np.lexsort((found.right, -found.score, found.left))
    left = found.left[order]
    rank = np.arange(len(left)) - np.searchsorted(left, left)
    best = order[rank < task.k]
    kept = _joined([Matches(found.left[best], found.right[best], found.score[best]), nothing])
    order = np.argsort(kept.left, kind="stable")
    _write(task.out, Matches(kept.left[order], kept.right[order], kept.score[order]))


@dataclass(frozen=True)
class MatchedFiles:
    """The matches of a run: a Parquet file for each left shard, in the order of its rows.

    Columns: left and right, rows from 0 on, and score; right is -1 where a row has no match.
    """

    files: list[DigestedFile]
    counts: Counts

    @property
    def paths(self) -> list[Path]:
        """The paths of the files."""
        return [Path(file.path) for file in self.files]

    def matches(self) -> Iterator[Matches]:
        """Those of all rows, a left shard at a time."""
        return (_read(file) for file in self.files)


class StoredMatches:
    """Gives the matches of rows in order, as a search would for their texts."""

    def __init__(self, matched: MatchedFiles) -> None:
        self._unread, self._waiting, self._done = matched.matches(), _joined([]), 0

    def __call__(self, texts: list[str]) -> Matches:
        """Those of the next rows, whose texts these are, numbered from the first of them on."""
        stop = self._done + len(texts)
        while texts and not (len(self._waiting) and self._waiting.left[-1] >= stop - 1):
            self._waiting = _joined([self._waiting, next(self._unread)])
        left, right, score = vars(self._waiting).values()
        cut = np.searchsorted(left, stop)
        found = Matches(left[:cut] - self._done, right[:cut], score[:cut])
        self._waiting, self._done = Matches(left[cut:], right[cut:], score[cut:]), stop
        return found


def join(
    left: Files,
    right: Files,
    folder: str | PathLike[str],
    *,
    left_on: str | list[str] | None = None,
    right_on: str | list[str] | None = None,
    model: Model | None = None,
    k: int = 1,
    threshold: float | None = None,
    shards: int | None = None,
    executor: Executor = THIS_PROCESS,
    reading: Reading = AS_IT_IS,
    overwrite: bool = False,
    progress: ProgressOption = None,
) -> MatchedFiles:
    """Find the rows of `right` that are most similar to each of `left`, as `Model.join` does.

    Both are tables or folders of such, with their texts in the columns `left_on` and `right_on`.
    A Parquet file of row numbers and scores for each shard of the left side goes to
    `folder`/matches; an interrupted run resumes. `shards` is the number of shards of each side.
    `executor` is `ThisProcess` or `RayExecutor`.
    `overwrite` removes another run from `folder`, which is refused otherwise.
    """
    chosen = load(purpose="records") if model is None else model
    least = chosen.join_threshold if threshold is None else threshold
    bound, most = check_reach(chosen.measure, least), check_count(k, "k")
    given = [(find_files(left, "left"), left_on), (find_files(right, "right"), right_on)]
    facts = {"k": most, "threshold": bound}
    with open_setting(
        "join", Path(folder), chosen, executor, given, facts, shards, reading, overwrite=overwrite
    ) as setting:
        run, (lefts, rights) = setting.run, (side.parts for side in setting.sides)
        setting.model.measure.searcher(setting.model.encoder)  # refuses a measure before any work
        fitted = fit_to_shards(run, setting.executor, setting.model, [(part,) for part in rights])
        tasks = {
            (a.shard.number, b.shard.number): MatchTask(
                fitted,
                a,
                b,
                most,
                bound,
                run.path("tiles", f"{a.shard.name}-{b.shard.name}.parquet"),
            )
            for b in rights
            for a in lefts
        }
        try:
            with open_progress(progress, "joining") as on_progress:
                parts = run.do(setting.executor, match_shards, list(tasks.values()), on_progress)
        finally:
            _index.cache_clear()  # an index that this process may have built takes memory
        tiles = dict(zip(tasks, (part.file for part in parts), strict=True))
        merges = []
        for a in lefts:
            shard = a.shard
            found = tuple(tiles[shard.number, b.shard.number] for b in rights)
            out = run.path("matches", f"{shard.name}.parquet")
            merges.append(MergeTask(found, shard.start, len(shard), most, out))
        parts = run.do(setting.executor, merge_matches, merges)
        return MatchedFiles([part.file for part in parts], run.counts)


def _joined(parts: list[Matches]) -> Matches:
    nothing = np.zeros(0, dtype=np.int64)
    every = [Matches(nothing, nothing, np.zeros(0)), *parts]
    columns = ((part.left, part.right, part.score) for part in every)
    return Matches(*map(np.concatenate, zip(*columns, strict=True)))


def _write(out: str, found: Matches) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with replacing(Path(out)) as beside:
        pq.write_table(pa.table(vars(found)), beside)


def _read(file: DigestedFile) -> Matches:
    import pyarrow.parquet as pq

    with file.reading() as path:
        table = pq.read_table(path)
    return Matches(*(table[name].to_numpy() for name in ("left", "right", "score")))

"""Pairs of a data set in shards, scored: Parquet in, Parquet out, a shard a task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.atomic import replacing
from fuzzbow.cluster.data import (
    Files,
    RowTexts,
    ShardTexts,
    find_files,
    make_shards,
    parquet_files,
)
from fuzzbow.cluster.run import Counts, Run, file_facts, noted, write_note
from fuzzbow.cluster.setting import planned, text_specs, using, warn_of_sample
from fuzzbow.cluster.statistics import FittedModel, fit_to_shards
from fuzzbow.cluster.workers import Workers
from fuzzbow.model import Model, default_model
from fuzzbow.progress import Watching, watched
from fuzzbow.tasks import BATCH_ROWS, TextColumns, check_added, collection_sides, read_table
from fuzzbow.tasks.formats import AS_IT_IS, Reading

MANY_SHARDS = 16  # of a data set that is scored, unless given: no shard needs another one


@dataclass(frozen=True)
class ScoreTask:
    """A shard whose rows are to be scored."""

    model: FittedModel
    left: ShardTexts
    right: ShardTexts
    score: str
    out: str


def score_shard(task: ScoreTask) -> None:
    """Write the rows of a shard with their scores."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    model = task.model.load()
    lefts, rights = task.left.read(), task.right.read()
    scores = np.zeros(len(lefts))
    for start in range(0, len(lefts), BATCH_ROWS):
        some = slice(start, start + BATCH_ROWS)
        scores[some] = model.pairs(lefts[some], rights[some])
    blank = sum(not (a.strip() and b.strip()) for a, b in zip(lefts, rights, strict=True))
    table = task.left.shard.table().append_column(task.score, pa.array(scores))
    write_note(task.out, {"without_text": blank})
    with replacing(Path(task.out)) as beside:
        pq.write_table(table, beside)


@dataclass(frozen=True)
class ScoredFiles:
    """The Parquet files of a run, in the order of the rows."""

    paths: list[Path]
    column: str
    rows: int
    without_text: int  # rows with no text on one side, which score 0
    counts: Counts

    def scores(self) -> Iterator[Floats]:
        """The scores of all rows, a shard at a time."""
        import pyarrow.parquet as pq

        for path in self.paths:
            yield pq.read_table(path, columns=[self.column])[self.column].to_numpy()


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
    workers: Workers | int | None = None,
    reading: Reading = AS_IT_IS,
    progress: Watching = None,
) -> ScoredFiles:
    """The rows of tables with the similarity of their columns `left` and `right`.

    `files` are tables or a folder of such. A Parquet file for each shard, with all columns and
    the `score`, goes to `folder`/scored; a run that was stopped goes on where it was. `workers`
    are processes of this machine, so many, or `RayWorkers`.
    """
    paths, chosen = find_files(files, "files"), default_model() if model is None else model
    columns = read_table(paths[0], batch_rows=1, reading=reading).columns
    sides = [TextColumns(named, columns, str(paths[0])) for named in (left, right)]
    check_added(columns, score, str(paths[0]))
    specs = [text_specs(side.weights.items()) for side in sides]
    place = Path(folder)
    with using(workers) as ready:
        plan = planned(place, ready, shards)
        facts = {
            "job": "score",
            "files": file_facts(paths),
            "columns": [*specs, score],
            "reading": vars(reading),
            "model": [chosen.spec.to_dict(), chosen.identity()],
            "plan": plan,
        }
        run = Run(place, facts)
        found = make_shards(
            parquet_files(run, ready, paths, None, reading), plan["shards"] or MANY_SHARDS
        )
        warn_of_sample(chosen, RowTexts(found, specs[0]))
        texts = [tuple(ShardTexts(shard, spec) for spec in specs) for shard in found]
        collection = [tuple(collection_sides(chosen.measure, *pair)) for pair in texts]
        fitted = fit_to_shards(run, ready, chosen, collection)
        tasks = [
            ScoreTask(fitted, a, b, score, run.path("scored", f"{a.shard.name}.parquet"))
            for a, b in texts
        ]
        with watched(progress, "scoring") as heard:
            run.do(ready, score_shard, tasks, heard)
    rows = sum(map(len, found))
    blank = noted(tasks, "without_text")
    return ScoredFiles([Path(task.out) for task in tasks], score, rows, blank, run.counts)

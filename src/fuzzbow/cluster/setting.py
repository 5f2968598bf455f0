"""The context of a run: its folder, executor, model, and data sets in shards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzzbow.cluster.data import RowTexts, make_shards, parquet_files
from fuzzbow.cluster.executors import Executor
from fuzzbow.cluster.run import Run, locked_run, stored_facts
from fuzzbow.encoding import warn_of_language
from fuzzbow.file_digest import DigestedFile
from fuzzbow.model import Model, default_model
from fuzzbow.tasks.dedupe.file_rows import find_column
from fuzzbow.tasks.formats import AS_IT_IS, Reading

LANGUAGE_SAMPLE = 1000  # texts by which a foreign language is noticed
Given = Sequence[tuple[list[Path], str | list[str] | None]]  # data sets: files, and their column


@dataclass(frozen=True)
class RunContext:
    """A run that is ready for its tasks."""

    run: Run
    executor: Executor
    model: Model
    sides: list[RowTexts]  # the texts of each data set
    plan: dict[str, int]

    def shares(self, tiles: int) -> int:
        """Number of shares of each tile that keep the executor busy."""
        return max(-(-self.plan["parallel"] // max(tiles, 1)), 1)


@contextmanager
def open_setting(
    job: str,
    folder: Path,
    model: Model | None,
    executor: Executor,
    given: Given,
    facts: dict[str, Any],
    shards: int | None = None,
    reading: Reading = AS_IT_IS,
    *,
    overwrite: bool = False,
) -> Iterator[RunContext]:
    """Open the run in its folder, and plan its shards."""
    chosen = default_model() if model is None else model
    with locked_run(folder):
        columns = [_columns(files[0], column, reading) for files, column in given]
        plan = planned(folder, executor, shards)
        digested = [[DigestedFile.of(path) for path in files] for files, _ in given]
        run = Run(
            folder,
            {
                "job": job,
                "files": [[file.digest for file in files] for files in digested],
                "columns": columns,
                "reading": vars(reading),
                "model": [chosen.spec.to_dict(), chosen.identity()],
                "options": facts,
                "plan": plan,
            },
            overwrite=overwrite,
        )
        sides = []
        for number, files in enumerate(digested):
            names = [name for name, _ in columns[number]]
            found = parquet_files(run, executor, files, names, reading, kind=f"rows-{number}")
            shards_of = make_shards(found, plan["shards"] or None)
            sides.append(RowTexts(shards_of, text_specs(columns[number])))
        warn_of_sample(chosen, sides[0])
        yield RunContext(run, executor, chosen, sides, plan)


def planned(folder: Path, executor: Executor, shards: int | None) -> dict[str, int]:
    """Return the division of the work: that of the run in the folder, or a new one.

    It stays when another executor resumes the run.
    """
    stored: dict[str, int] = (stored_facts(folder) or {}).get("plan", {})
    plan = {"shards": shards or 0, "parallel": executor.count} | stored
    return plan if shards is None else plan | {"shards": shards}


def warn_of_sample(model: Model, texts: RowTexts) -> None:
    """Warn once for all tasks of texts that may be of another language."""
    first = texts[: min(LANGUAGE_SAMPLE, len(texts))]
    warn_of_language(model.encoder, model.encoder.encode(first)[0])


def text_specs(weights: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """Columns with their weights, as users name them."""
    return tuple(name if weight == 1 else f"{name}={weight}" for name, weight in weights)


def _columns(path: Path, named: str | list[str] | None, reading: Reading) -> list[tuple[str, int]]:
    """The columns of texts and their weights."""
    return list(find_column(path, named, reading=reading).given.weights.items())

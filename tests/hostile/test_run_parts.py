"""Damaged parts of a run are made again, replaced files are read again: results never change."""

from __future__ import annotations

import random
import shutil
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fuzzbow
from fuzzbow import pipeline
from fuzzbow.errors import FuzzbowWarning, InputError, LockedError
from fuzzbow.io.outputs import lock_file
from fuzzbow.pipeline import RunOptions
from tests.hostile.scale import steps
from tests.pipeline import tasks

RUNS = steps(8, 255)  # of each job
WORDS = ["cat", "dog", "house", "river", "plane", "tree", "road", "city", "song", "book"]


@pytest.fixture(scope="module")
def model() -> fuzzbow.Model:
    """Words weigh by the collection, which is then a part of each run, too."""
    return fuzzbow.load(limit=3000, counts="collection")


def table(path: Path, seed: int) -> Path:
    chooser = random.Random(seed)
    texts = [" ".join(chooser.choices(WORDS, k=4)) for _ in range(30)]
    columns = {"text": texts + texts[:3], "other": texts[3:] + texts[:6]}
    pq.write_table(pa.table(columns), path)
    return path


def csv(path: Path, seed: int) -> Path:
    rows = pq.read_table(table(path.with_suffix(".parquet"), seed)).to_pylist()
    path.write_text("text,other\n" + "".join(f"{row['text']},{row['other']}\n" for row in rows))
    return path


Job = Callable[[Path, Path, fuzzbow.Model], Any]


def dedupe(data: Path, folder: Path, model: fuzzbow.Model) -> Any:
    found = tasks.dedupe(data, folder, text="text", model=model, threshold=0.6, shards=3)
    pairs = found.pairs.to_arrow()
    reasons = found.reasons(pairs["left"].to_numpy()[:5], pairs["right"].to_numpy()[:5])
    return found.apart, pairs.to_pylist(), reasons.to_pylist(), found.removed().to_pylist()


def join(data: Path, folder: Path, model: fuzzbow.Model) -> Any:
    on = {"left_on": "text", "right_on": "other", "threshold": 0.5, "k": 2}
    found = tasks.join(data, data, folder, **on, model=model, shards=2)
    return [(*part.left, *part.right, *part.score.astype(str)) for part in found]


def score(data: Path, folder: Path, model: fuzzbow.Model) -> Any:
    run = RunOptions(shards=3, folder=folder)
    found = pipeline.score_file(data, left="text", right="other", model=model, run=run)
    return found.without_text, [values.tolist() for values in found.arrays()]


JOBS: dict[str, Job] = {"dedupe": dedupe, "join": join, "score": score}


def edit(change: Callable[[bytes, random.Random], bytes]) -> Callable[..., object]:
    """Make a damage of a change of content."""
    return lambda path, chooser, other: path.write_bytes(change(path.read_bytes(), chooser))


def flip(content: bytes, chooser: random.Random) -> bytes:
    damaged = bytearray(content or b"\0")
    damaged[chooser.randrange(len(damaged))] ^= 1 << chooser.randrange(8)
    return bytes(damaged)


def make_folder(path: Path, chooser: random.Random, other: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_text("something")


def swap(path: Path, chooser: random.Random, other: Path) -> None:
    """With another part, and in half of the cases the records of both, too."""
    second = chooser.choice([near for near in path.parent.iterdir() if near.is_file()])
    records = [part.with_name(f".{part.stem}.json") for part in (path, second)]
    couples = [(path, second)]
    if chooser.random() < 0.5 and all(record.is_file() for record in records):
        couples.append((records[0], records[1]))
    for left, right in couples:
        content = left.read_bytes()
        left.write_bytes(right.read_bytes())
        right.write_bytes(content)


def take_from_another_run(path: Path, chooser: random.Random, other: Path) -> None:
    """The part of the run in `other`, and in half of the cases its record."""
    names = [path.name, f".{path.stem}.json"]
    for name in names[: chooser.choice([1, 2])]:
        if (other / path.parent.name / name).is_file():
            shutil.copy(other / path.parent.name / name, path.with_name(name))


def make_file_of_folder(path: Path, chooser: random.Random, other: Path) -> None:
    if (path.parent / "run.json").exists():
        path.write_bytes(b"")
    else:
        shutil.rmtree(path.parent)
        path.parent.write_text("no folder")


DAMAGES: dict[str, Callable[..., object]] = {
    "flipped": edit(flip),
    "cut": edit(lambda content, chooser: content[: chooser.randrange(len(content) or 1)]),
    "longer": edit(lambda content, chooser: content + chooser.randbytes(5)),
    "empty": edit(lambda content, chooser: b""),
    "deleted": lambda path, chooser, other: path.unlink(),
    "folder": make_folder,
    "swapped": swap,
    "of another run": take_from_another_run,
    "file for folder": make_file_of_folder,
}


@pytest.mark.parametrize("kind", [table, csv])
@pytest.mark.parametrize("name", JOBS)
def test_a_damaged_run_gives_the_result_of_an_undamaged_one(
    name: str, kind: Any, model: fuzzbow.Model, tmp_path: Path
):
    job, data = JOBS[name], kind(tmp_path / f"in{'.csv' if kind is csv else '.parquet'}", 1)
    wanted = job(data, tmp_path / "whole", model)
    other_data = kind(tmp_path / f"other{data.suffix}", 2)
    job(other_data, tmp_path / "other", model)
    for seed in range(RUNS):
        chooser = random.Random(f"{name} {seed}")
        folder = tmp_path / "damaged"
        shutil.copytree(tmp_path / "whole", folder)
        done = []
        for _ in range(chooser.choice([1, 1, 2, 4])):
            files = sorted(path for path in folder.rglob("*") if path.is_file())
            path, damage = chooser.choice(files), chooser.choice(list(DAMAGES))
            if path.name == "run.json" and damage == "deleted":
                continue  # then it is no run any more
            DAMAGES[damage](path, chooser, tmp_path / "other")
            done.append((damage, str(path.relative_to(folder))))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FuzzbowWarning)
            assert job(data, folder, model) == wanted, (seed, done)
        shutil.rmtree(folder)


def test_a_damaged_part_is_told(model: fuzzbow.Model, tmp_path: Path):
    data = table(tmp_path / "in.parquet", 1)
    score(data, tmp_path / "run", model)
    (tmp_path / "run" / "scored" / "00001.parquet").write_bytes(b"PAR1")
    with pytest.warns(FuzzbowWarning, match=r"00001\.parquet' is damaged or of another run"):
        score(data, tmp_path / "run", model)


@pytest.mark.parametrize("name", JOBS)
def test_a_process_that_runs_again_reads_a_replaced_file(
    name: str, model: fuzzbow.Model, tmp_path: Path
):
    data, job = tmp_path / "in.parquet", JOBS[name]
    wanted = {seed: job(table(tmp_path / f"{seed}.parquet", seed), tmp_path / f"{seed}", model)
              for seed in (1, 2, 3)}  # fmt: skip
    for seed in wanted:
        table(data, seed)
        shutil.rmtree(tmp_path / "run", ignore_errors=True)
        assert job(data, tmp_path / "run", model) == wanted[seed]


def test_reasons_of_a_replaced_file_are_refused(model: fuzzbow.Model, tmp_path: Path):
    data = table(tmp_path / "in.parquet", 1)
    found = tasks.dedupe(data, tmp_path / "run", text="text", model=model)
    found.reasons([0], [30])
    table(data, 2)
    with pytest.raises(InputError, match=r"in\.parquet' was changed while it was in use"):
        found.reasons([0], [30])


def test_pairs_of_a_replaced_run_are_refused(model: fuzzbow.Model, tmp_path: Path):
    for seed in (1, 2):
        data = table(tmp_path / f"{seed}.parquet", seed)
        options = {"text": "text", "model": model, "overwrite": True}
        found = tasks.dedupe(data, tmp_path / "run", **options)
        if seed == 1:
            first = found
    assert len(found.pairs) >= 3
    with pytest.raises(InputError, match=r"was changed|was removed"):
        first.pairs.to_arrow()


def test_another_run_in_the_folder_is_replaced_if_told(model: fuzzbow.Model, tmp_path: Path):
    data = [table(tmp_path / f"{seed}.parquet", seed) for seed in (1, 2)]
    options: Any = {"left": "text", "right": "other", "model": model}
    run = RunOptions(shards=5, folder=tmp_path / "run")
    pipeline.score_file(data[0], run=run, **options)
    with pytest.raises(InputError, match="differs in files"):
        pipeline.score_file(data[1], run=replace(run, shards=None), **options)
    pipeline.score_file(data[1], run=replace(run, shards=2, overwrite=True), **options)
    assert len(list((tmp_path / "run" / "scored").glob("*.parquet"))) == 2


def test_two_runs_in_one_folder_at_a_time_are_refused(model: fuzzbow.Model, tmp_path: Path):
    data = table(tmp_path / "in.parquet", 1)
    (tmp_path / "run").mkdir()
    with (
        lock_file(tmp_path / "run" / ".lock", tmp_path / "run"),
        pytest.raises(LockedError, match="is being written by another process"),
    ):
        score(data, tmp_path / "run", model)
    score(data, tmp_path / "run", model)

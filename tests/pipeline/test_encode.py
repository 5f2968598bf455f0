"""Texts encoded in shards: the rows of one call, to the bit."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fuzzbow
from fuzzbow import pipeline
from fuzzbow.errors import InputError
from fuzzbow.pipeline import Executor, shards
from tests.pipeline.conftest import SHARDS
from tests.pipeline.test_results import DEGENERATE, parquet


@pytest.fixture(scope="module")
def rows() -> fuzzbow.Model:
    """A model that gives a text a row of its own."""
    return fuzzbow.load(measure="max-jaccard")


def expected(model: fuzzbow.Model, texts: list[Any]) -> Any:
    """What one process gives, as float32."""
    return model.encode([text or "" for text in texts]).astype(np.float32)


def assert_encoded(found: pipeline.FileWithColumn, wanted: Any) -> None:
    assert np.array_equal(np.concatenate(list(found.arrays())), wanted)
    assert found.rows == len(wanted)


def test_memberships_are_those_of_one_process(
    rows: fuzzbow.Model, texts: list[str | None], executor: Executor, tmp_path: Path
):
    file = parquet(tmp_path / "in.parquet", text=texts)
    found = pipeline.encode_file(
        file, folder=tmp_path / "run", model=rows, shards=SHARDS, executor=executor
    )
    assert_encoded(found, expected(rows, texts))
    assert found.without_text == sum(not (text or "").strip() for text in texts) > 0


@pytest.mark.parametrize("measure", ["avg-cosine", "avg-jaccard", "randommax-dice"])
def test_other_rows_are_those_of_one_process(measure: str, texts: list[str | None], tmp_path: Path):
    chosen = fuzzbow.load(measure=measure, limit=2000)
    file = parquet(tmp_path / "in.parquet", text=texts[:100])
    found = pipeline.encode_file(file, folder=tmp_path / "run", model=chosen, shards=3)
    assert_encoded(found, expected(chosen, texts[:100]))


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_texts_have_the_rows_of_one_process(
    name: str, rows: fuzzbow.Model, tmp_path: Path
):
    file = parquet(tmp_path / "in.parquet", text=DEGENERATE[name])
    found = pipeline.encode_file(file, folder=tmp_path / "run", model=rows, shards=SHARDS)
    assert_encoded(found, expected(rows, DEGENERATE[name]))


def test_the_folder_of_a_run_is_a_data_set_of_all_columns(
    rows: fuzzbow.Model, texts: list[str | None], tmp_path: Path
):
    file = parquet(tmp_path / "in.parquet", id=map(str, range(60)), text=texts[:60])
    pipeline.encode_file(
        file, folder=tmp_path / "run", text="text", model=rows, column="row", shards=3
    )
    whole = pq.read_table(tmp_path / "run" / "encoded")
    assert whole.schema.field("row").type == pa.list_(pa.float32(), rows.vectors.dimension)
    assert whole.drop_columns("row").equals(pq.read_table(file))


def test_a_driver_that_was_killed_goes_on_where_it_was(
    rows: fuzzbow.Model, texts: list[str | None], tmp_path: Path
):
    file, folder = parquet(tmp_path / "in.parquet", text=texts[:70]), tmp_path / "run"
    code = (
        "import fuzzbow; from fuzzbow import pipeline\n"
        "from tests.pipeline.tasks import MortalExecutor\n"
        f"pipeline.encode_file({str(file)!r}, folder={str(folder)!r}, shards=7,"
        " executor=MortalExecutor(2), model=fuzzbow.load(measure='max-jaccard'))"
    )
    killed = subprocess.run([sys.executable, "-c", code], check=False)
    assert killed.returncode == -signal.SIGKILL
    finished = len(list((folder / "encoded").glob("*.parquet")))
    assert 3 <= finished < 7
    found = pipeline.encode_file(file, folder=folder, model=rows)
    assert (found.counts.found, found.counts.done) == (finished, 7 - finished)
    assert_encoded(found, expected(rows, texts[:70]))


def test_a_column_that_is_there_is_refused(rows: fuzzbow.Model, tmp_path: Path):
    file = parquet(tmp_path / "in.parquet", text=["a cat"], memberships=["x"])
    with pytest.raises(InputError, match="has a column 'memberships' already"):
        pipeline.encode_file(file, folder=tmp_path / "run", model=rows)


def test_a_large_data_set_has_shards_that_fit(
    rows: fuzzbow.Model, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr(shards, "SHARD_ROWS", 5)
    file = parquet(tmp_path / "in.parquet", text=["a cat"] * 100)
    found = pipeline.encode_file(file, folder=tmp_path / "run", model=rows)
    assert len(found.paths) == 20

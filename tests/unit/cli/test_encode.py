"""`fuzzbow encode`: rows of numbers beside the texts of a file."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fuzzbow
from tests.command import invoked as run

ROWS = 'id,text\n1,a cat sat\n2,\n3,"the dog, asleep"\n4,zzqx\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(ROWS)
    return tmp_path


def encoded(path, column="memberships"):
    return np.array(pq.read_table(path)[column].to_pylist(), dtype=np.float32)


def expected(measure="weighted-jaccard"):
    texts = ["a cat sat", "", "the dog, asleep", "zzqx"]
    return fuzzbow.load(measure=measure).encode(texts).astype(np.float32)


def test_rows_have_all_columns_and_the_memberships_of_their_texts(folder):
    done = run("encode", "t.csv", "-o", "out.parquet")
    assert done.stderr == "4 rows encoded with avg-cosine; 1 had an empty text\n"
    table = pq.read_table("out.parquet")
    assert table["id"].to_pylist() == ["1", "2", "3", "4"]
    assert table.schema.field("memberships").type == pa.list_(pa.float32(), expected().shape[1])
    assert np.array_equal(encoded("out.parquet"), expected())


def test_shards_give_the_same_table_and_count_bad_rows(folder):
    (folder / "t.csv").write_text(ROWS + "too,many,fields\n")
    arguments = ["encode", "t.csv", "-m", "avg-cosine", "--skip-bad", "--json"]
    whole = run(*arguments, "-o", "1.parquet")
    sharded = run(*arguments, "-o", "2.parquet", "--shards", "3")
    for number, done in enumerate((whole, sharded), start=1):
        report = {"rows": 4, "without_text": 1, "output": f"{number}.parquet"}
        assert json.loads(done.stdout) == report
        assert "t.csv: 1 malformed row passed over" in done.stderr
    assert "4 tasks: 0 finished before, 4 done now" in sharded.stderr  # a conversion, and shards
    one, two = pq.read_table("1.parquet"), pq.read_table("2.parquet")
    assert two.schema.equals(one.schema)
    assert two.equals(one)
    assert sorted(path.name for path in folder.iterdir()) == ["1.parquet", "2.parquet", "t.csv"]


def test_a_table_without_rows_has_the_column(folder):
    (folder / "t.csv").write_text("id,text\n")
    run("encode", "t.csv", "-o", "out.parquet")
    assert pq.read_table("out.parquet").column_names == ["id", "text", "memberships"]


def test_texts_come_from_stdin_and_several_columns(folder):
    table = "a,b\ncat,sat\n"
    arguments = ["--format", "csv", "--text", "a", "--text", "b", "--column", "row"]
    run("encode", "-", *arguments, "-o", "out.parquet", input=table)
    wanted = fuzzbow.load().encode(["cat\nsat"])
    assert np.array_equal(encoded("out.parquet", "row"), wanted)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "out.csv"], "--output must be a .parquet file"),
        (["-o", "-"], "must end in one of"),
        (["-o", "out.parquet", "--column", "id"], "has a column 'id' already"),
        (["-o", "out.parquet", "--text", "x"], "column 'x' is not there"),
        (["-o", "out.parquet", "-m", "wmx"], "measure must be one of"),
    ],
)
def test_what_cannot_be_done_is_refused(folder, arguments, message):
    assert message in run("encode", "t.csv", *arguments, check=2).stderr
    assert sorted(path.name for path in folder.iterdir()) == ["t.csv"]


def test_memberships_of_few_texts_at_a_time_are_the_same(folder, monkeypatch):
    monkeypatch.setattr(fuzzbow.tasks.encodings, "AT_ONCE", 1)
    run("encode", "t.csv", "-o", "out.parquet")
    assert np.array_equal(encoded("out.parquet"), expected())

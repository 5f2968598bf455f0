"""`fuzzbow join` through its command, on real files."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from fuzzbow.cli.main import app
from fuzzbow.tasks import read_table

LEFT = "id,name\n1,a plane landed\n2,He has a cat\n3,zzz\n"
RIGHT = (
    '{"id": 10, "title": "a cat he has"}\n{"id": 20, "title": "an airplane landed"}\n'
    '{"id": 30, "title": "a plane landed"}\n'
)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "left.csv").write_text(LEFT)
    (tmp_path / "right.jsonl").write_text(RIGHT)
    return ["left.csv", "right.jsonl", "--left-on", "name", "--right-on", "title"]


def join(*arguments, code: int = 0, **options):
    done = CliRunner().invoke(app, ["join", *map(str, arguments)], **options)
    assert done.exit_code == code, done.stderr
    return done


def rows_of(path):
    return [row for batch in read_table(path, batch_rows=100).batches for row in batch]


def test_rows_of_both_files_with_the_score(files, tmp_path):
    done = join(*files, "-o", "out.csv")
    assert "3 rows, 3 to look in: 2 match, 2 rows written" in done.stderr
    assert rows_of(tmp_path / "out.csv") == [
        dict(zip(("id", "name", "id_right", "title", "score"), row, strict=True))
        for row in (
            ("1", "a plane landed", "30", "a plane landed", "1.0"),
            ("2", "He has a cat", "10", "a cat he has", "1.0"),
        )
    ]


def test_types_of_the_right_side_are_kept(files, tmp_path):
    join(*files, "-o", "out.parquet", "--how", "left", "--explain", "-k", "2")
    table = pq.read_table(tmp_path / "out.parquet")
    assert table["id_right"].to_pylist() == [30, 20, 10, None]
    assert table["reason"].to_pylist() == [
        "plane, landed", "plane ~ airplane 0.83, landed", "he, cat", None,
    ]  # fmt: skip


def test_rows_without_a_match(files):
    assert join(*files, "--how", "anti").stdout == "id,name\n3,zzz\n"


def test_one_to_one(files, tmp_path):
    (tmp_path / "left.csv").write_text("name\na plane landed\nthe plane landed\na plane landed\n")
    arguments = ("--one-to-one", "--threshold", "0.5", "-o", "out.jsonl", "--json")
    done = join(*files, *arguments)
    assert json.loads(done.stdout) == {
        "left": 3, "right": 3, "matched": 2, "rows": 2, "without_text": 0, "output": "out.jsonl",
    }  # fmt: skip
    assert [row["id"] for row in rows_of(tmp_path / "out.jsonl")] == [30, 20]
    assert "is there already; --overwrite" in join(*files, *arguments, code=2).stderr


def test_the_left_side_may_come_from_stdin(files):
    done = join("-", *files[1:], "--format", "csv", input=LEFT)
    assert done.stdout.splitlines()[0] == "id,name,id_right,title,score"
    assert len(done.stdout.splitlines()) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["left.csv", "right.jsonl"], "--on or --left-on must name the column"),
        (["left.csv", "right.jsonl", "--on", "name"], "right.jsonl: column 'name' is not there"),
        (["-", "-", "--on", "a", "--format", "csv"], "only one of the two files can be stdin"),
        (["left.csv", "right.jsonl", "--on", "id", "-o", "left.csv"], "--output and LEFT must be"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(files, arguments, message):
    done = join(*arguments, code=2)
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1

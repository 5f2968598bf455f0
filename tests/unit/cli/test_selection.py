"""`fuzzbow outliers` and `fuzzbow representatives`."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.command import invoked as run

ROWS = "id,text\nx,a cat sat\ny,a kitten sat\nz,\nv,stocks fell\nw,a cat sat\n"
COMMANDS = ["outliers", "representatives"]


@pytest.fixture(autouse=True)
def table(folder):
    (folder / "t.csv").write_text(ROWS)


def test_outliers_are_shown_by_their_ids():
    done = run("outliers", "t.csv", "--text", "text", "--id", "id", "-k", "1")
    header, row = done.stdout.splitlines()
    assert header.split() == ["rank", "id", "score", "text", "nearest", "nearest", "text"]
    assert row.split()[:2] == ["1", "v"]
    assert done.stderr == "5 rows: 1 outlier; 1 had an empty text\n"


def test_rows_without_ids_are_numbered_from_one():
    found = json.loads(run("outliers", "t.csv", "--text", "text", "--json").stdout)
    assert (found["texts"], found["without_text"]) == (5, 1)
    assert [item["id"] for item in found["outliers"]] == [4, 2, 1, 5]
    assert found["outliers"][2]["nearest"] == 5
    assert run("outliers", "t.csv", "--text", "text", "-s", "0.5").stdout.count("\n") == 2


def test_representatives_are_written_with_what_they_represent():
    run("representatives", "t.csv", "--text", "text", "-k", "2", "-o", "out.parquet")
    rows = pq.read_table("out.parquet").to_pylist()
    assert [(row["id"], row["represents"]) for row in rows] == [("x", 3), ("v", 1)]
    done = run("representatives", "t.csv", "--text", "text", "-k", "2", "-o", "-")
    assert done.stdout == "id,text,represents\nx,a cat sat,3\nv,stocks fell,1\n"


def test_outliers_are_written_with_the_nearest_row(folder):
    (folder / "t.csv").write_text(ROWS.replace("a kitten sat", '"a kitten\nsat"'))
    run("outliers", "t.csv", "--text", "text", "--id", "id", "-k", "3", "-o", "out.jsonl")
    rows = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == ["v", "y", "x"]
    assert rows[1] | {"outlier_score": 0} == {
        "id": "y",
        "text": "a kitten\nsat",
        "outlier_score": 0,
        "nearest": "x",
        "nearest_text": "a cat sat",
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_stdin_is_read(command):
    done = run(command, "-", "--format", "csv", "--text", "text", input=ROWS)
    assert done.stdout.startswith("rank")
    done = run(command, "-", "--text", "text", "-o", "out.csv", input="id,text\n1,\n")
    assert done.stderr == f"1 row: 0 {command}; 1 had an empty text\n"
    assert Path("out.csv").read_text().startswith("id,text,")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--text text -o t.csv", "must be different files"),
        ("--text text -o out.xyz", "must end in one of"),
        ("--text body", "no column 'body'"),
        ("--text text --id key", "no column 'key'"),
        ("--text text -o out.csv", "has columns {column} already"),
    ],
)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_cannot_be_done_is_refused(command, arguments, message, folder):
    added = "nearest" if command == "outliers" else "represents"
    column = added if "already" in message else "other"
    (folder / "t.csv").write_text(f"text,id,{column}\na cat,1,1\n")
    message = message.format(column=column)
    assert message in run(command, "t.csv", *arguments.split(), check=2).stderr
    assert sorted(path.name for path in folder.iterdir()) == ["t.csv"]

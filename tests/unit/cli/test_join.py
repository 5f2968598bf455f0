"""`fuzzbow join` through its command, on real files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import fuzzbow
from fuzzbow.io.tables import read_table
from tests.command import invoked

LEFT = "id,name\n1,a plane landed\n2,He has a cat\n3,zzz\n"
RIGHT = (
    '{"id": 10, "title": "a cat he has"}\n{"id": 20, "title": "an airplane landed"}\n'
    '{"id": 30, "title": "a plane landed"}\n'
)


@pytest.fixture
def files(folder):
    (folder / "left.csv").write_text(LEFT)
    (folder / "right.jsonl").write_text(RIGHT)
    return ["left.csv", "right.jsonl", "--left-on", "name", "--right-on", "title"]


def join(*arguments, **options):
    return invoked("join", *arguments, **options)


def rows_of(path):
    return read_table(path).read_all().to_pylist()


def test_rows_of_both_files_with_the_score(files):
    done = join(*files, "-o", "out.csv")
    assert "3 rows and 3 rows: 2 matched at ≥ 0.55, 2 rows written" in done.stderr
    lines = [
        "id,name,id_right,title,score",
        "1,a plane landed,30,a plane landed,1.0",
        "2,He has a cat,10,a cat he has,1.0",
    ]
    assert Path("out.csv").read_text().splitlines() == lines
    done = join("-", *files[1:], "--format", "csv", input=LEFT)
    assert done.stdout.splitlines() == lines
    assert join(*files, "--how", "anti").stdout == "id,name\n3,zzz\n"


def test_types_of_the_right_side_are_kept(files, tmp_path):
    join(*files, "-o", "out.parquet", "--how", "left", "--explain", "-k", "2")
    table = pq.read_table(tmp_path / "out.parquet")
    assert table["id_right"].to_pylist() == [30, 20, 10, None]
    assert table["reason"].to_pylist() == [
        "plane, landed", "plane ~ airplane 0.83, landed", "he, cat", None,
    ]  # fmt: skip


def test_one_to_one(files, tmp_path):
    (tmp_path / "left.csv").write_text("name\na plane landed\nthe plane landed\na plane landed\n")
    arguments = ("--one-to-one", "--threshold", "0.5", "-o", "out.jsonl", "--json")
    done = join(*files, *arguments)
    found = json.loads(done.stdout)
    assert {"threshold": 0.5, "matched": 2} in found.pop("thresholds")
    assert found == {
        "threshold": 0.5, "left": 3, "right": 3, "matched": 2, "rows": 2, "without_text": 0,
        "output": "out.jsonl",
    }  # fmt: skip
    assert [row["id"] for row in rows_of(tmp_path / "out.jsonl")] == [30, 20]
    assert "already exists; --overwrite" in join(*files, *arguments, check=2).stderr


def test_the_only_column_or_text_is_joined_unless_another_is_named(folder):
    (folder / "lines.txt").write_text("a small cat\nthe red house\n")
    (folder / "rows.csv").write_text("id,text\nx,the red house\ny,a jet\n")
    (row,) = csv.DictReader(join("lines.txt", "rows.csv").stdout.splitlines())
    assert (row["text"], row["id"], row["text_right"]) == ("the red house", "x", "the red house")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("left.csv right.jsonl", "name the column of texts by --on or --left-on"),
        ("left.csv right.jsonl --on name", "right.jsonl: no column 'name'"),
        ("left.csv right.jsonl --left-on name=0 --right-on title", "must be a whole number"),
        ("- - --on a --format csv", "only one of the two files can be stdin"),
        ("left.csv right.jsonl --on id -o left.csv", "--output and LEFT must be"),
        ("{files} -m set-jaccard -o out.csv", "set-jaccard cannot be searched"),
        ("{files} --preview -o out.csv", "--preview writes nothing; give it without --output"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(files, folder, arguments, message):
    done = join(*arguments.format(files=" ".join(files)).split(), check=2)
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert sorted(path.name for path in folder.iterdir()) == ["left.csv", "right.jsonl"]


def test_the_summary_says_what_other_thresholds_would_match(files):
    (line,) = [line for line in join(*files, "-s", 0.95, "-o", "out.csv").stderr.splitlines()
               if "other thresholds" in line]  # fmt: skip
    assert line == "rows that match at other thresholds: 2 at ≥ 0.65, 2 at ≥ 0.75, 2 at ≥ 0.85"
    done = join(*files, "-s", 1, "-k", 3, "--how", "left", "--json", "-o", "out.csv", "--overwrite")
    steps = json.loads(done.stdout)["thresholds"]
    assert [step["threshold"] for step in steps] == [0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1]
    assert [step["matched"] for step in steps] == [2] * 7


@pytest.mark.parametrize("one_to_one", [(), ("--one-to-one",)])
def test_looking_below_the_threshold_changes_no_match(files, tmp_path, one_to_one):
    words = ["plane", "landed", "cat", "he", "dog", "sat", "noon"]
    texts = [" ".join(words[n % 5 : n % 5 + 2 + n % 3]) for n in range(30)]
    (tmp_path / "left.csv").write_text("name\n" + "\n".join(texts) + "\n")
    join(*files, "-s", 0.7, "-o", "out.jsonl", *one_to_one)
    model = fuzzbow.load(purpose="records")
    rights = ["a cat he has", "an airplane landed", "a plane landed"]
    expected = model.join(texts, rights, threshold=0.7, one_to_one=bool(one_to_one))
    found = [(row["name"], row["title"], row["score"]) for row in rows_of(tmp_path / "out.jsonl")]
    assert found == [(row["left_text"], row["right_text"], row["score"]) for row in expected]


def test_a_preview_shows_matches_on_both_sides_and_writes_nothing(files, folder):
    (folder / "left.csv").write_text("name\na plane landed\nthe red plane\nzzz\n\n")
    done = join(*files, "--preview", "-s", 0.9)
    assert "1.0000  row 1 matches row 3" in done.stdout
    assert "row 2 does not match row 3" in done.stdout
    assert "at 0.9: 1 row would match" in done.stdout
    found = json.loads(join(*files, "--preview", "-s", 0.9, "--json").stdout)
    assert [row["matches"] for row in found["nearest"]] == [False, True]
    assert (found["matched"], found["rows"]) == (1, 1)
    assert sorted(path.name for path in folder.iterdir()) == ["left.csv", "right.jsonl"]


def test_the_threshold_is_that_of_the_purpose_if_its_measure_reaches_it(files):
    for purpose in ("sentences", "records"):
        threshold = fuzzbow.load(purpose=purpose).join_threshold
        assert f"matched at ≥ {threshold:g}," in join(*files, "--for", purpose).stderr
    done = join(*files, "--for", "passages", check=2)
    assert "the scores of fuzzy-bm25 hardly reach the threshold 0.8" in done.stderr
    assert "--for records" in done.stderr
    assert "matched at ≥ 0.3," in join(*files, "--for", "passages", "-s", 0.3).stderr

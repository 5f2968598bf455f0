"""Weighted columns and rows without text mean the same to every command that takes a table."""

from __future__ import annotations

import csv
import json

import pytest

import fuzzbow
from tests.command import invoked as run

ROWS = [
    ("red shoe", "for a long walk", "red boot"),
    ("blue jet", "lands at noon", "a plane"),
    ("red shoes", "with a very different story behind it", "shoe"),
    ("", "", "nothing"),
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with (tmp_path / "t.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("title", "body", "other"), *ROWS])
    return tmp_path


def joined(title: str, body: str) -> str:
    return "\n".join(filter(None, [title, body, title]))


def test_score_weighs_columns():
    done = run("score", "t.csv", "-l", "title=2", "-l", "body", "-r", "other", "--json")
    scores = [json.loads(line)["score"] for line in done.stdout.splitlines()]
    model = fuzzbow.load()
    texts = [joined(title, body) for title, body, _ in ROWS]
    assert scores == model.pairs(texts, [other for *_, other in ROWS]).tolist()
    assert scores != model.pairs([row[0] for row in ROWS], [row[2] for row in ROWS]).tolist()


def test_score_takes_its_collection_from_weighted_columns():
    arguments = ["score", "t.csv", "-l", "title=2", "-l", "body", "-r", "other", "--json"]
    done = run(*arguments, "--for", "passages")
    scores = [json.loads(line)["score"] for line in done.stdout.splitlines()]
    texts, others = [joined(*row[:2]) for row in ROWS], [row[2] for row in ROWS]
    model = fuzzbow.load(purpose="passages").fit(others)
    assert scores == model.pairs(texts, others).tolist()


def test_dedupe_weighs_columns():
    options = ["--threshold", "0.8", "--json"]
    apart = json.loads(run("dedupe", "t.csv", "--text", "title", "--text", "body", *options).stdout)
    weighted = ["--text", "title=6", "--text", "body"]
    together = json.loads(run("dedupe", "t.csv", *weighted, *options).stdout)
    assert (apart["removed"], together["removed"]) == (0, 1)


def test_the_removed_row_shows_the_text_with_its_repeats_behind():
    run("dedupe", "t.csv", "--text", "title=6", "--text", "body", "-s", "0.8", "-o", "kept.csv")
    with open("kept.removed.csv", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["duplicate_text"].startswith("red shoe\nfor a long walk\nred shoe\nred shoe")


def test_join_weighs_columns():
    done = run("join", "t.csv", "t.csv", "--on", "title=2", "--on", "body", "-k", 3, "-s", "0.3",
               "--for", "sentences")  # fmt: skip
    rows = list(csv.DictReader(done.stdout.splitlines()))
    found = {(row["title"], row["title_right"]): float(row["score"]) for row in rows}
    model = fuzzbow.load()
    expected = model.similarity(joined(*ROWS[0][:2]), joined(*ROWS[2][:2]))
    assert found["red shoe", "red shoes"] == pytest.approx(expected, abs=1e-6)


def test_join_names_different_columns_on_each_side():
    run("join", "t.csv", "t.csv", "--left-on", "title", "--left-on", "body", "--right-on", "other")
    done = run("join", "t.csv", "t.csv", "--left-on", "title=0", "--right-on", "other", check=2)
    assert "the weight of a column must be a whole number" in done.stderr


def test_an_index_holds_weighted_columns_and_adds_them():
    columns = ["--text", "title=2", "--text", "body"]
    run("index", "t.csv", "-o", "index", *columns)
    index = fuzzbow.open_index("index")
    assert index.get(0)["text"] == joined(*ROWS[0][:2])
    assert list(index.get(0)["metadata"]) == ["other"]
    run("index", "add", "index", "t.csv", *columns)
    assert fuzzbow.open_index("index").get(4)["text"] == joined(*ROWS[0][:2])


MISSING = "; 1 had an empty text"


def test_score_and_join_count_rows_without_text():
    assert run("score", "t.csv", "-l", "title", "-r", "other").stderr.endswith(f"{MISSING}\n")
    done = run("join", "t.csv", "t.csv", "--left-on", "other", "--right-on", "title")
    assert done.stderr.splitlines()[0].endswith(MISSING)
    done = run("join", "t.csv", "t.csv", "--on", "title", "-o", "out.csv", "--json")
    assert json.loads(done.stdout)["without_text"] == 2  # one on each side


def test_a_join_of_one_to_one_counts_rows_without_text_once():
    options = ["--on", "title", "--one-to-one", "--explain", "-o", "out.csv", "--json"]
    assert json.loads(run("join", "t.csv", "t.csv", *options).stdout)["without_text"] == 2


def test_an_index_counts_texts_that_are_empty():
    done = run("index", "t.csv", "-o", "index", "--text", "title", "--json")
    assert done.stderr.endswith(f"4 texts indexed in index{MISSING}\n")
    assert json.loads(done.stdout)["without_text"] == 1
    done = run("index", "add", "index", "t.csv", "--text", "title", "--json")
    assert done.stderr.endswith(f"index has 8{MISSING}\n")
    assert json.loads(done.stdout)["without_text"] == 1


def test_an_index_of_full_texts_says_nothing_of_empty_ones():
    assert "empty" not in run("index", "t.csv", "-o", "index", "--text", "other").stderr


@pytest.mark.parametrize(
    "command",
    [
        ["score", "t.csv", "-l", "title=x", "-r", "other"],
        ["dedupe", "t.csv", "--text", "title=x"],
        ["join", "t.csv", "t.csv", "--on", "title=x"],
        ["index", "t.csv", "-o", "index", "--text", "title=x"],
    ],
)
def test_every_command_refuses_what_is_no_weight(command):
    assert (
        "a whole number from 1 to 20, as in title=2; got 'title=x'" in run(*command, check=2).stderr
    )

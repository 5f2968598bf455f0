"""Columns of texts, rows without text, and delimiters, equal in every command with a table."""

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
def table(folder):
    with (folder / "t.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("title", "body", "other"), *ROWS])


def joined(title: str, body: str) -> str:
    return "\n".join(filter(None, [title, body, title]))


@pytest.mark.parametrize("purpose", ["sentences", "passages"])
def test_score_weighs_columns_also_those_of_its_collection(purpose):
    arguments = ["score", "t.csv", "-l", "title=2", "-l", "body", "-r", "other", "--json"]
    done = run(*arguments, "--for", purpose)
    scores = [json.loads(line)["score"] for line in done.stdout.splitlines()]
    texts, others = [joined(*row[:2]) for row in ROWS], [row[2] for row in ROWS]
    model = fuzzbow.load(purpose=purpose)
    model = model.fit(others) if purpose == "passages" else model
    assert scores == model.pairs(texts, others).tolist()
    assert scores != model.pairs([row[0] for row in ROWS], others).tolist()


def test_dedupe_weighs_columns_and_shows_the_repeats_last():
    options = ["--threshold", "0.8", "--json", "-o", "kept.csv", "--overwrite"]
    removed = [
        json.loads(run("dedupe", "t.csv", "--text", title, "--text", "body", *options).stdout)
        for title in ("title", "title=6")
    ]
    assert [found["removed"] for found in removed] == [0, 1]
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


def test_an_index_holds_weighted_columns_and_adds_them():
    columns = ["--text", "title=2", "--text", "body"]
    run("index", "t.csv", "-o", "index", *columns)
    index = fuzzbow.open_index("index")
    assert index.get(0)["text"] == joined(*ROWS[0][:2])
    assert list(index.get(0)["metadata"]) == ["other"]
    run("index", "add", "index", "t.csv", *columns)
    assert fuzzbow.open_index("index").get(4)["text"] == joined(*ROWS[0][:2])


MISSING = "; 1 had an empty text"


@pytest.mark.parametrize("more", [[], ["--one-to-one", "--explain"]])
def test_rows_without_text_are_counted(more):
    assert run("score", "t.csv", "-l", "title", "-r", "other").stderr.endswith(f"{MISSING}\n")
    done = run("join", "t.csv", "t.csv", "--left-on", "other", "--right-on", "title", *more)
    assert done.stderr.splitlines()[0].endswith(MISSING)
    done = run("join", "t.csv", "t.csv", "--on", "title", *more, "-o", "out.csv", "--json")
    assert json.loads(done.stdout)["without_text"] == 2  # one on each side


def test_an_index_counts_texts_that_are_empty():
    done = run("index", "t.csv", "-o", "index", "--text", "title", "--json")
    assert done.stderr.endswith(f"4 texts indexed in index{MISSING}\n")
    assert json.loads(done.stdout)["without_text"] == 1
    done = run("index", "add", "index", "t.csv", "--text", "title", "--json")
    assert done.stderr.endswith(f"index has 8{MISSING}\n")
    assert json.loads(done.stdout)["without_text"] == 1
    assert "empty" not in run("index", "t.csv", "-o", "full", "--text", "other").stderr


@pytest.mark.parametrize(
    "command",
    [
        "score t.csv -l title=x -r other",
        "dedupe t.csv --text title=x",
        "join t.csv t.csv --on title=x",
        "index t.csv -o index --text title=x",
    ],
)
def test_every_command_refuses_what_is_no_weight(command):
    message = "a whole number from 1 to 20, as in title=2; got 'title=x'"
    assert message in run(*command.split(), check=2).stderr


DELIMITED = [("id", "text", "other"), ("1", "a cat, asleep", "a dog"), ("2", "stocks fell", "rain")]
COMMANDS = {
    "score": "score {file} -l text -r other",
    "dedupe": "dedupe {file} --text text",
    "join": "join {file} right.csv --on text",
    "outliers": "outliers {file} --text text",
    "representatives": "representatives {file} --text text",
}


@pytest.fixture
def delimited(folder):
    for name, delimiter in {"t.csv": ";", "right.csv": "|"}.items():
        (folder / name).write_text("".join(delimiter.join(row) + "\n" for row in DELIMITED))
    return folder


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("stdin", [False, True], ids=["file", "stdin"])
def test_output_has_the_delimiter_of_the_input(delimited, command, stdin):
    words = command.format(file="-" if stdin else "t.csv").split()
    content = (delimited / "t.csv").read_text() if stdin else None
    printed = run(*words, "-o", "-", input=content).stdout
    run(*words, "-o", "out.csv", input=content)
    assert (delimited / "out.csv").read_text() == printed
    assert printed.startswith("id;text;other")
    assert ";a cat, asleep;" in printed


@pytest.mark.parametrize("delimiter", [":", "\t"])
def test_a_delimiter_that_is_given_is_that_of_the_output(delimited, delimiter):
    (delimited / "t.csv").write_text("".join(delimiter.join(row) + "\n" for row in DELIMITED))
    done = run("dedupe", "t.csv", "--text", "text", "--delimiter", delimiter, "-o", "-")
    assert done.stdout == (delimited / "t.csv").read_text()


@pytest.mark.parametrize(("name", "first"), [("o.tsv", "id\ttext"), ("o.jsonl", '{"id": "1"')])
def test_the_name_of_the_output_decides_its_format(delimited, name, first):
    run("dedupe", "t.csv", "--text", "text", "-o", name)
    assert (delimited / name).read_text().startswith(first)


def test_csv_from_another_format_has_commas(delimited):
    (delimited / "t.tsv").write_text("".join("\t".join(row) + "\n" for row in DELIMITED))
    run("dedupe", "t.tsv", "--text", "text", "-o", "out.csv")
    assert (delimited / "out.csv").read_text().startswith("id,text,other\n")

"""The command line through its real entry point, in a process of its own."""

from __future__ import annotations

import csv
import json
import os
import subprocess

import numpy as np
import pytest

import fuzzbow
from fuzzbow.io.tables import read_table
from tests.command import COMMAND, fuzzbow_command, interrupted_command
from tests.command import invoked as run


@pytest.fixture
def pairs_csv(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text('id,left,right\n1,"He has a cat","She had one dog"\n2,a plane,\n')
    return path


def test_similarity_prints_one_number_in_any_form():
    arguments = ("similarity", "a cat", "a dog")
    expected = fuzzbow.similarity("a cat", "a dog")
    assert fuzzbow_command(*arguments).stdout == f"{expected:.4f}\n"
    data = json.loads(run(*arguments, "--json").stdout)
    facts = {"similarity": expected, "measure": "weighted-jaccard", "vectors": "default"}
    assert data == {"a": "a cat", "b": "a dog", "coverage": 1.0} | facts
    options = ("-m", "dynamax-otsuka", "-w", "sif", "-t", "whitespace", "--normalise")
    model = fuzzbow.load(
        measure="dynamax-otsuka", weights="sif", tokenizer="whitespace", normalise=True
    )
    assert run(*arguments, *options).stdout == f"{model.similarity('a cat', 'a dog'):.4f}\n"


def test_similarity_explained_shows_each_word_and_the_score(tmp_path):
    texts = ("He has a <b>cat", "She had one dog")
    explanation = fuzzbow.load().explain(*texts)
    printed = run("similarity", *texts, "--explain").stdout
    assert printed.startswith(f"{explanation.score:.4f}  weighted-jaccard")
    assert all(f"{word.share:.4f}" in printed for word in explanation.left.words)
    data = json.loads(run("similarity", *texts, "-m", "max-dice", "--explain", "--json").stdout)
    expected = fuzzbow.load(measure="max-dice").explain(*texts).to_dict()
    assert data["explanation"] == expected
    assert data["similarity"] == pytest.approx(expected["score"], abs=1e-6)
    page = tmp_path / "why.html"
    done = run("similarity", *texts, "--html", page)
    assert done.stdout == f"{fuzzbow.similarity(*texts):.4f}\n"
    assert page.read_text("utf-8").startswith("<!doctype html>")
    assert "1 explanation written to" in done.stderr


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("avg-cosine", "avg-cosine cannot be explained"),
        ("dynmax-dice", "did you mean 'dynamax-dice'"),
    ],
)
def test_similarity_refuses_what_it_cannot_do(measure, message):
    done = run("similarity", "a", "b", "-m", measure, "--explain", check=2)
    assert message in done.stderr
    assert done.stdout == ""


def test_texts_that_a_terminal_cannot_show_are_explained():
    for text, encoding in [("a café", "ascii"), (b"a \xff cat", "utf-8")]:
        command = [COMMAND, "similarity", text, "a bar", "--explain"]
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        done = subprocess.run(command, capture_output=True, timeout=120, env=environment)
        assert done.returncode == 0, done.stderr
        assert encoding == "utf-8" or b"caf?" in done.stdout


def test_demo_compares_sentences():
    assert "He has a cat" in run("demo").stdout
    rows = json.loads(run("demo", "--json").stdout)
    assert rows[0]["set-jaccard"] == 0.0 < rows[0]["weighted-jaccard"]


SCORE = ("-l", "left", "-r", "right")


def test_score_writes_the_rows_with_a_score(pairs_csv, tmp_path):
    out = tmp_path / "out.csv"
    done = run("score", pairs_csv, *SCORE, "-o", out)
    expected = fuzzbow.similarity("He has a cat", "She had one dog")
    rows = list(csv.DictReader(out.open()))
    assert [(row["id"], float(row["score"])) for row in rows] == [("1", expected), ("2", 0.0)]
    assert done.stderr == "2 rows scored with weighted-jaccard; 1 had an empty text\n"
    printed = run("score", pairs_csv, *SCORE)
    assert (printed.stdout, printed.stderr) == (out.read_text(), done.stderr)
    lines = run("score", pairs_csv, *SCORE, "--json").stdout.splitlines()
    assert json.loads(lines[1]) == {"id": "2", "left": "a plane", "right": "", "score": 0.0}
    done = run("score", pairs_csv, *SCORE, "--column", "alike", "-j", 1)
    assert done.stdout == printed.stdout.replace("score", "alike")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-l", "lft", "-r", "right"), "did you mean 'left'"),
        (("-l", "left", "-r", "nothing"), "the columns are id, left, right"),
        ((*SCORE, "--column", "id"), "already has a column 'id'"),
        ((*SCORE, "-o", "out.txt"), "must end in one of"),
        ((*SCORE, "--vectors", "no-such-file.vec"), "no-such-file.vec"),
    ],
)
def test_score_refuses_bad_input(pairs_csv, arguments, message):
    assert message in run("score", pairs_csv, *arguments, check=2).stderr


def test_score_of_a_broken_file_keeps_the_output_that_was_there(tmp_path):
    path, out = tmp_path / "pairs.csv", tmp_path / "out.csv"
    path.write_text("a,b\n" + "x,y\n" * 20_000 + "broken\n")
    out.write_text("precious")
    words = ("-l", "a", "-r", "b", "-o", out, "--overwrite")
    done = run("score", path, *words, check=1)
    assert "line 20002: must have 2 fields; got 1 (16384 rows before it are in" in done.stderr
    assert out.read_text() == "precious"
    assert len((tmp_path / "partial-out.csv").read_text().splitlines()) == 16_385


def test_numbers_in_a_text_column_are_refused(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"a": "x", "b": "y"}\n{"a": 5, "b": "y"}\n')
    done = run("score", path, "-l", "a", "-r", "b", check=2)
    assert "column 'a' must hold text; row 2 has int: 5" in done.stderr


def test_ctrl_c_leaves_no_half_file(tmp_path):
    path, out = tmp_path / "pairs.csv", tmp_path / "out.csv"
    words = np.random.default_rng(0).integers(0, 10**6, size=(1_500_000, 2))
    path.write_text("a,b\n" + "".join(f"cat {x},dog {y}\n" for x, y in words.tolist()))
    said = interrupted_command(
        "score", path, "-l", "a", "-r", "b", "-o", out,
        begun=lambda: list(tmp_path.glob(".out.csv.*.partial")),
    )  # fmt: skip
    assert "interrupted" in said
    assert [item.name for item in tmp_path.iterdir()] == ["pairs.csv"]


def test_vectors_are_listed_described_and_converted(tmp_path):
    assert "default" in run("vectors", "list").stdout
    assert json.loads(run("vectors", "list", "--json").stdout)[0]["name"] == "default"
    path, out = tmp_path / "small.txt", tmp_path / "small.safetensors"
    path.write_text("the 1 0\ncat 0 1\ndog 0.5 1\nbroken 1\nthe 1 1\n")
    facts = json.loads(run("vectors", "info", path, "--skip-bad", "--json").stdout)
    assert (facts["words"], facts["dimension"], facts["duplicates"]) == (3, 2, 1)
    assert "dimension" in run("vectors", "info", path, "--skip-bad").stdout
    done = run("vectors", "convert", path, out, "--skip-bad")
    assert "3 words, 2 dimensions; 1 repeated, 1 skipped" in done.stderr
    scores = [
        fuzzbow.load(str(source), measure="dynamax-jaccard", skip_bad=True).similarity("cat", "dog")
        for source in (path, out)
    ]
    assert scores[0] == scores[1] > 0


def test_skipped_lines_of_vectors_are_counted(tmp_path):
    path = tmp_path / "small.txt"
    path.write_text("the 1 0\nbroken 1\nthe 1 1\n")
    done = run("similarity", "the", "the", "--vectors", path, "-m", "max-jaccard", "--skip-bad")
    assert "1 repeated word (the first counts), 1 malformed line skipped" in done.stderr
    assert done.stdout == "1.0000\n"


def test_text_that_stdout_cannot_hold_is_an_error_in_csv_and_none_in_json(tmp_path):
    (tmp_path / "pairs.jsonl").write_text('{"a": "caf\\u00e9", "b": "bar \\ud800"}\n')
    (tmp_path / "pairs.csv").write_text("a,b\ncaf\u00e9,bar\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    plain, refused = (
        fuzzbow_command("score", path, "-l", "a", "-r", "b", env=environment, check=code)
        for path, code in ((tmp_path / "pairs.jsonl", 0), (tmp_path / "pairs.csv", 1))
    )
    assert json.loads(plain.stdout)["b"] == "bar \ufffd"
    assert "ascii cannot hold" in refused.stderr
    assert "PYTHONIOENCODING" in refused.stderr


@pytest.mark.parametrize("name", ["o.csv", "o.tsv", "o.jsonl", "o.parquet"])
def test_half_a_character_is_scored_and_written(tmp_path, name):
    path, out = tmp_path / "pairs.jsonl", tmp_path / name
    path.write_text('{"a": "a \\ud800 cat", "b": "a cat"}\n')
    run("score", path, "-l", "a", "-r", "b", "-o", out)
    (row,) = read_table(out).read_all().to_pylist()
    assert row["a"] == "a \ufffd cat"
    assert float(row["score"]) == fuzzbow.load().pairs(["a \ud800 cat"], ["a cat"])[0]

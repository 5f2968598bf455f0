"""The command line through its real entry point, in a process of its own."""

from __future__ import annotations

import csv
import json
import os
import subprocess

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fuzzbow
from fuzzbow.tasks import read_table
from tests.command import COMMAND, fuzzbow_command, interrupted_command


@pytest.fixture
def pairs_csv(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text('id,left,right\n1,"He has a cat","She had one dog"\n2,a plane,\n')
    return path


def test_similarity_prints_one_number():
    printed = fuzzbow_command("similarity", "He has a cat", "She had one dog").stdout
    expected = fuzzbow.similarity("He has a cat", "She had one dog")
    assert printed == f"{expected:.4f}\n"


def test_similarity_as_json():
    data = json.loads(fuzzbow_command("similarity", "a cat", "a dog", "--json").stdout)
    assert data["similarity"] == fuzzbow.similarity("a cat", "a dog")
    assert (data["measure"], data["vectors"], data["coverage"]) == (
        "weighted-jaccard", "default", 1.0,
    )  # fmt: skip


def test_similarity_with_options():
    arguments = ("-m", "dynamax-otsuka", "-w", "sif", "-t", "whitespace", "--normalise")
    printed = fuzzbow_command("similarity", "a cat", "a dog", *arguments).stdout
    model = fuzzbow.load(
        measure="dynamax-otsuka", weights="sif", tokenizer="whitespace", normalise=True
    )
    assert float(printed) == pytest.approx(model.similarity("a cat", "a dog"), abs=5e-5)


def test_similarity_explained_shows_each_word_and_the_score():
    printed = fuzzbow_command("similarity", "He has a cat", "She had one dog", "--explain").stdout
    explanation = fuzzbow.load().explain("He has a cat", "She had one dog")
    assert printed.startswith(f"{explanation.score:.4f}  weighted-jaccard")
    assert all(f"{word.share:.4f}" in printed for word in explanation.left.words)


def test_similarity_explained_as_json():
    arguments = ("similarity", "a cat", "a dog", "-m", "max-dice", "--explain", "--json")
    data = json.loads(fuzzbow_command(*arguments).stdout)
    expected = fuzzbow.load(measure="max-dice").explain("a cat", "a dog").to_dict()
    assert data["explanation"] == expected
    assert data["similarity"] == pytest.approx(expected["score"], abs=1e-6)


def test_similarity_explained_as_a_page(tmp_path):
    page = tmp_path / "why.html"
    done = fuzzbow_command("similarity", "a <b>cat", "a dog", "--html", page)
    assert float(done.stdout) == pytest.approx(fuzzbow.similarity("a <b>cat", "a dog"), abs=5e-5)
    assert page.read_text("utf-8").startswith("<!doctype html>")
    assert "1 explanation written to" in done.stderr


def test_an_explanation_of_another_measure_is_refused():
    done = fuzzbow_command("similarity", "a", "b", "-m", "avg-cosine", "--explain", check=2)
    assert "avg-cosine cannot be explained" in done.stderr
    assert done.stdout == ""


def test_an_explanation_is_printed_where_letters_are_ascii_only():
    command = [COMMAND, "similarity", "a café", "a bar", "--explain"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    assert "caf?" in done.stdout
    assert "#" in done.stdout


def test_bytes_that_are_no_text_are_explained():
    command = [str(COMMAND).encode(), b"similarity", b"a \xff cat", b"a cat", b"--explain"]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    for more in ([], [b"--json"]):
        done = subprocess.run([*command, *more], capture_output=True, timeout=120, env=environment)
        assert done.returncode == 0, done.stderr


def test_demo_compares_sentences():
    printed = fuzzbow_command("demo").stdout
    assert "He has a cat" in printed
    assert "weighted" in printed


def test_demo_as_json():
    rows = json.loads(fuzzbow_command("demo", "--json").stdout)
    assert rows[0]["set-jaccard"] == 0.0 < rows[0]["weighted-jaccard"]


def test_version():
    assert fuzzbow_command("--version").stdout == f"fuzzbow {fuzzbow.__version__}\n"


def test_wrong_usage_exits_with_2():
    assert "Missing argument" in fuzzbow_command("similarity", "one", check=2).stderr


def test_an_unknown_measure_exits_with_1_and_suggests():
    done = fuzzbow_command("similarity", "a", "b", "-m", "dynmax-jaccard", check=2)
    assert "did you mean 'dynamax-jaccard'" in done.stderr
    assert done.stdout == ""


def test_score_writes_the_rows_with_a_score(pairs_csv, tmp_path):
    out = tmp_path / "out.csv"
    done = fuzzbow_command("score", pairs_csv, "-l", "left", "-r", "right", "-o", out)
    rows = list(csv.DictReader(out.open()))
    assert [row["id"] for row in rows] == ["1", "2"]
    expected = fuzzbow.similarity("He has a cat", "She had one dog")
    assert [float(row["score"]) for row in rows] == [expected, 0.0]
    assert "2 rows scored" in done.stderr
    assert "1 had an empty text" in done.stderr


def test_score_to_stdout_keeps_messages_on_stderr(pairs_csv):
    done = fuzzbow_command("score", pairs_csv, "-l", "left", "-r", "right")
    assert done.stdout.splitlines()[0] == "id,left,right,score"
    assert len(done.stdout.splitlines()) == 3


def test_score_to_stdout_as_json_lines(pairs_csv):
    done = fuzzbow_command("score", pairs_csv, "-l", "left", "-r", "right", "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert rows[1] == {"id": "2", "left": "a plane", "right": "", "score": 0.0}


def test_score_reads_and_writes_parquet(tmp_path):
    path, out = tmp_path / "pairs.parquet", tmp_path / "out.parquet"
    pq.write_table(pa.table({"n": [1, 2], "a": ["a cat", None], "b": ["a dog", "x"]}), path)
    summary = json.loads(
        fuzzbow_command("score", path, "-l", "a", "-r", "b", "-o", out, "--json").stdout
    )
    assert summary == {"rows": 2, "without_text": 1, "output": str(out)}
    assert pq.read_table(out).column("score").to_pylist() == [
        fuzzbow.similarity("a cat", "a dog"), 0.0,
    ]  # fmt: skip


def test_score_with_one_thread_gives_the_same(pairs_csv):
    arguments = ("score", pairs_csv, "-l", "left", "-r", "right")
    assert fuzzbow_command(*arguments, "-j", 1).stdout == fuzzbow_command(*arguments).stdout


def test_score_names_its_column_as_asked(pairs_csv):
    done = fuzzbow_command("score", pairs_csv, "-l", "left", "-r", "right", "--column", "alike")
    assert done.stdout.splitlines()[0].endswith(",alike")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-l", "lft", "-r", "right"), "did you mean 'left'"),
        (("-l", "left", "-r", "nothing"), "there are id, left, right"),
        (("-l", "left", "-r", "right", "--column", "id"), "has a column 'id' already"),
        (("-l", "left", "-r", "right", "-o", "out.txt"), "must end in one of"),
        (("-l", "left", "-r", "right", "--vectors", "no-such-file.vec"), "no-such-file.vec"),
    ],
)
def test_score_refuses_bad_input(pairs_csv, arguments, message):
    assert message in fuzzbow_command("score", pairs_csv, *arguments, check=2).stderr


def test_score_of_a_broken_file_keeps_the_output_that_was_there(tmp_path):
    path, out = tmp_path / "pairs.csv", tmp_path / "out.csv"
    path.write_text("a,b\n" + "x,y\n" * 20_000 + "broken\n")
    out.write_text("precious")
    words = ("-l", "a", "-r", "b", "-o", out, "--overwrite")
    done = fuzzbow_command("score", path, *words, check=1)
    assert "line 20002: must have 2 fields; got 1 (16384 rows before it are in" in done.stderr
    assert out.read_text() == "precious"
    assert len((tmp_path / "partial-out.csv").read_text().splitlines()) == 16_385


def test_numbers_in_a_text_column_are_refused(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"a": "x", "b": "y"}\n{"a": 5, "b": "y"}\n')
    done = fuzzbow_command("score", path, "-l", "a", "-r", "b", check=2)
    assert "column 'a' must hold text; row 2 has int: 5" in done.stderr


def test_ctrl_c_leaves_no_half_file(tmp_path):
    path, out = tmp_path / "pairs.csv", tmp_path / "out.csv"
    words = np.random.default_rng(0).integers(0, 10**6, size=(400_000, 2))
    path.write_text("a,b\n" + "".join(f"cat {x},dog {y}\n" for x, y in words.tolist()))
    said = interrupted_command(
        "score", path, "-l", "a", "-r", "b", "-o", out,
        begun=lambda: list(tmp_path.glob(".out.csv.*.partial")),
    )  # fmt: skip
    assert "interrupted" in said
    assert [item.name for item in tmp_path.iterdir()] == ["pairs.csv"]


def test_a_reader_that_goes_away_is_no_traceback(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("a,b\n" + "cat,dog\n" * 100_000)
    command = f"{COMMAND} score {path} -l a -r b | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
    assert done.stdout == "a,b,score\n"
    assert "Traceback" not in done.stderr


def test_vectors_list_names_the_default():
    assert "default" in fuzzbow_command("vectors", "list").stdout
    names = [row["name"] for row in json.loads(fuzzbow_command("vectors", "list", "--json").stdout)]
    assert names[0] == "default"


def test_vectors_info_says_what_a_file_holds(tmp_path):
    path = tmp_path / "small.txt"
    path.write_text("the 1 0\ncat 0 1\nthe 1 1\n")
    facts = json.loads(fuzzbow_command("vectors", "info", path, "--json").stdout)
    assert (facts["words"], facts["dimension"], facts["duplicates"]) == (2, 2, 1)
    assert "dimension" in fuzzbow_command("vectors", "info", path).stdout


def test_vectors_convert_writes_a_file_that_gives_the_same_scores(tmp_path):
    path, out = tmp_path / "small.txt", tmp_path / "small.safetensors"
    path.write_text("the 1 0\ncat 0 1\ndog 0.5 1\nbroken 1\n")
    done = fuzzbow_command("vectors", "convert", path, out, "--skip-bad")
    assert "3 words, 2 dimensions; 0 repeated, 1 skipped" in done.stderr
    scores = [
        fuzzbow.load(str(source), measure="dynamax-jaccard", skip_bad=True).similarity("cat", "dog")
        for source in (path, out)
    ]
    assert scores[0] == scores[1] > 0


def test_vectors_convert_names_the_bad_line(tmp_path):
    path = tmp_path / "small.txt"
    path.write_text("the 1 0\nbroken 1\n")
    done = fuzzbow_command("vectors", "convert", path, tmp_path / "x.safetensors", check=1)
    assert "line 2" in done.stderr
    assert [item.name for item in tmp_path.iterdir()] == ["small.txt"]


def test_skipped_lines_are_told(tmp_path):
    path = tmp_path / "small.txt"
    path.write_text("the 1 0\nbroken 1\nthe 1 1\n")
    arguments = ("--vectors", path, "-m", "max-jaccard", "--skip-bad")
    done = fuzzbow_command("similarity", "the", "the", *arguments)
    assert "1 repeated word (the first counts), 1 malformed line skipped" in done.stderr
    assert done.stdout == "1.0000\n"


def test_text_that_stdout_cannot_hold_is_an_error_in_csv_and_none_in_json(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"a": "caf\\u00e9", "b": "bar \\ud800"}\n')
    arguments = ("score", path, "-l", "a", "-r", "b")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = fuzzbow_command(*arguments, env=environment)
    assert json.loads(done.stdout)["b"] == "bar \ud800"
    path.rename(tmp_path / "pairs.csv")
    (tmp_path / "pairs.csv").write_text("a,b\ncaf\u00e9,bar\n", encoding="utf-8")
    arguments = ("score", tmp_path / "pairs.csv", "-l", "a", "-r", "b")
    done = fuzzbow_command(*arguments, env=environment, check=1)
    assert "ascii cannot hold" in done.stderr
    assert "PYTHONIOENCODING" in done.stderr


@pytest.mark.parametrize(
    ("name", "written"),
    [("o.csv", "\ufffd"), ("o.tsv", "\ufffd"), ("o.jsonl", "\ud800"), ("o.parquet", "\ufffd")],
)
def test_half_a_character_is_scored_and_written(tmp_path, name, written):
    path, out = tmp_path / "pairs.jsonl", tmp_path / name
    path.write_text('{"a": "a \\ud800 cat", "b": "a cat"}\n')
    fuzzbow_command("score", path, "-l", "a", "-r", "b", "-o", out)
    row = next(read_table(out, batch_rows=1).batches)[0]
    assert row["a"] == f"a {written} cat"
    assert float(row["score"]) == fuzzbow.load().pairs(["a \ud800 cat"], ["a cat"])[0]

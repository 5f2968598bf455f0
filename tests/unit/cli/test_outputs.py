"""Outputs of commands: never over an input or each other, and with nothing a terminal obeys."""

from __future__ import annotations

import json
import os
import random
import resource
import stat
import threading

import pytest

import fuzzbow
from fuzzbow.errors import InputError
from fuzzbow.vectors import convert
from tests.command import fuzzbow_command
from tests.command import invoked as run

ESCAPES = "\x1b[31m \x07 \x9b31m \x7f \u202e \u2066"
SHOWN = r"\x1b[31m \x07 \x9b31m \x7f \u202e \u2066"


def contents(folder):
    """Every file below a folder, with its bytes."""
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def data(tmp_path):
    """A folder with a table, vectors, counts and an index."""
    (tmp_path / "data.csv").write_text("text,other\na cat,a dog\na plane,a plane\n")
    (tmp_path / "partial-out.csv").write_text("text,other\na cat,a dog\n")
    (tmp_path / "out.removed.csv").write_text("text\na cat\n")
    (tmp_path / "v.vec").write_text("a 1 0\ncat 0 1\n")
    (tmp_path / "counts.txt").write_text("a 5\ncat 1\n")
    os.link(tmp_path / "data.csv", tmp_path / "hard.html")
    (tmp_path / "link.html").symlink_to("data.csv")
    run("index", tmp_path / "data.csv", "-o", tmp_path / "index")
    return tmp_path


SCORE = "score data.csv -l text -r other"
CLASHES = {  # command -> the two names of one file
    "dedupe data.csv --text text --html data.csv": "--html and FILE",
    "dedupe data.csv --text text --html link.html": "--html and FILE",
    "dedupe data.csv --text text --html hard.html": "--html and FILE",
    "dedupe data.csv --text text -o data.csv": "--output and FILE",
    "dedupe data.csv --text text -o x.csv --html x.csv": "--output and --html",
    "dedupe data.csv --text text -o x.csv --html x.removed.csv": "the removed rows of --output and",
    "dedupe data.csv --text text --pairs p.parquet --html p.parquet": "--pairs and --html",
    "dedupe out.removed.csv --text text -o out.csv": "the removed rows of --output and FILE",
    "dedupe out.removed.csv --against data.csv -o data.csv": "--output and --against",
    "dedupe data.csv --against out.removed.csv -o out.csv": "the removed rows of --output and",
    "dedupe data.csv --text text --vectors v.vec --html v.vec": "--html and --vectors",
    "dedupe data.csv --text text --counts counts.txt --html counts.txt": "--html and --counts",
    f"{SCORE} -o data.csv": "--output and FILE",
    "score partial-out.csv -l text -r other -o out.csv": "the rows that --output keeps of a",
    "similarity a b --vectors v.vec --html v.vec": "--html and --vectors",
    "similarity a b --counts counts.txt --html counts.txt": "--html and --counts",
    "search index cat --html index/index.json": "--html must not be inside the index",
    "search index cat --html index/new.html": "--html must not be inside the index",
    "vectors convert v.vec v.vec": "TARGET and SOURCE must be different files",
}


@pytest.mark.parametrize(("command", "message"), CLASHES.items())
def test_files_of_a_command_must_differ(data, monkeypatch, command, message):
    monkeypatch.chdir(data)
    before = contents(data)
    done = run(*command.split(), check=2)
    assert f"error: {message}" in done.stderr
    assert done.stdout == ""
    assert contents(data) == before


def test_vectors_are_never_converted_onto_themselves(tmp_path):
    path = tmp_path / "v.safetensors"
    convert({"a": [1.0, 0.0], "cat": [0.0, 1.0]}, path)
    before = path.read_bytes()
    with pytest.raises(InputError, match="the target and the source must be different files"):
        convert(path, path)
    assert path.read_bytes() == before


def test_a_report_is_never_written_over_its_inputs(tmp_path):
    (tmp_path / "report.md").write_text("a 1\n")
    (tmp_path / "t.csv").write_text("left,right,score\na,b,1\nb,a,2\n")
    done = run(
        "sts", "reproduce", "-d", tmp_path / "t.csv", "-o", tmp_path,
        "--counts", tmp_path / "report.md", check=2,
    )  # fmt: skip
    assert "--out (report.md) and --counts must be different files" in done.stderr
    assert (tmp_path / "report.md").read_text() == "a 1\n"


@pytest.mark.parametrize(
    "command", ["sts reproduce -d t.csv -o link", "index t.csv -o link --no-metadata"]
)
def test_a_folder_that_is_a_link_to_nothing_is_refused(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("text,left,right,score\na,a,b,1\nb,b,a,2\n")
    (tmp_path / "link").symlink_to("nowhere")
    assert "link" in run(*command.split(), check=2).stderr
    assert (tmp_path / "link").is_symlink()


def test_a_page_goes_through_a_pipe(tmp_path):
    path, got = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: got.append(path.read_text()), daemon=True)
    reader.start()
    run("similarity", "a cat", "a dog", "--html", path)
    reader.join(timeout=60)
    assert got[0].startswith("<!doctype html>")
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_scored_rows_keep_the_mode_of_the_file_before(data, monkeypatch):
    monkeypatch.chdir(data)
    (data / "x.csv").write_text("")
    (data / "x.csv").chmod(0o600)
    run(*SCORE.split(), "-o", "x.csv", "--overwrite")
    assert stat.S_IMODE((data / "x.csv").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("command", "out"),
    [
        ("score big.csv -l text -r other -o out.csv", "out.csv"),
        ("score big.csv -l text -r other -o out.parquet", "out.parquet"),
        ("score big.csv -l text -r other -o out.jsonl.gz", "out.jsonl.gz"),
        ("dedupe big.csv --text text -s 0.2 --any-details --pairs out.parquet", "out.parquet"),
        ("similarity cat dog --html out.html", "out.html"),
        ("vectors convert default out.safetensors --limit 2000", "out.safetensors"),
    ],
)
def test_a_full_disk_leaves_what_was_there(tmp_path, command, out):
    noise = random.Random(3)
    rows = (f"a cat {noise.random()},a dog {noise.random()}\n" for _ in range(2000))
    (tmp_path / "big.csv").write_text("text,other\n" + "".join(rows))
    (tmp_path / out).write_text("before")

    def cap():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    words = [*command.split(), "--overwrite"]
    done = fuzzbow_command(*words, check=1, cwd=tmp_path, preexec_fn=cap)
    assert "too large" in done.stderr
    assert (tmp_path / out).read_text() == "before"
    assert sorted(os.listdir(tmp_path)) == sorted(["big.csv", out])


def unsafe(text: str) -> list[str]:
    """What a terminal would obey, of a text that should hold none."""
    return [letter for letter in text if letter != "\n" and fuzzbow.text.visible(letter) != letter]


@pytest.fixture
def hostile(tmp_path):
    """A table whose texts and ids hold what a terminal obeys, and an index of it."""
    path = tmp_path / "t.jsonl"
    rows = [
        {"id": f"{n}{ESCAPES}\nfake", "text": f"a cat {ESCAPES} sat {n // 2}"} for n in range(4)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run("index", path, "-o", tmp_path / "index", "--id", "id:string")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (["search", "index", f"a cat {ESCAPES}", "--explain"], SHOWN),
        (["search", "index", "-"], f"# cat {SHOWN}"),
        (["dedupe", "t.jsonl", "--text", "text", "--explain"], r"a cat \x1b[31m"),
        (["similarity", f"a cat {ESCAPES}", f"a dog {ESCAPES}", "--explain"], SHOWN),
        (["vectors", "info", "v.vec"], r"\x1b[31mred \u202eback"),
        (["index", "info", "odd"], f"year{SHOWN} int64"),
    ],
)
def test_commands_show_escapes_escaped(hostile, monkeypatch, command, shown):
    monkeypatch.chdir(hostile)
    (hostile / "v.vec").write_text("\x1b[31mred 1 0\n\u202eback 0 1\n")
    (hostile / "odd.jsonl").write_text(json.dumps({"text": "a cat", f"year{ESCAPES}": 1}) + "\n")
    run("index", "odd.jsonl", "-o", "odd")
    done = run(*command, input=f"cat {ESCAPES}\n")
    assert unsafe(done.stdout) == []
    assert shown in done.stdout
    assert all(SHOWN in line for line in done.stdout.splitlines() if "fake" in line)


def test_errors_show_escapes_escaped(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"{ESCAPES},text\na,b\n")
    for command in (
        ["score", path, "-l", "nothing", "-r", "text"],
        ["dedupe", path, "--text", "no"],
    ):
        done = run(*command, check=2)
        assert unsafe(done.stderr) == []
        assert SHOWN in done.stderr


def test_json_escapes_what_a_terminal_obeys_and_says_the_same(hostile):
    query = f"a cat {ESCAPES}"
    done = run("search", hostile / "index", query, "--json")
    assert unsafe(done.stdout) == []
    found = json.loads(done.stdout)
    assert found["query"] == query
    assert found["hits"][0]["id"][1:] == f"{ESCAPES}\nfake"


def test_files_hold_escapes_as_they_are_and_words_between_colons_are_no_pictures(hostile):
    table, out = hostile / "t.jsonl", hostile / "out.jsonl"
    table.write_text(table.read_text() + '{"id": "x", "text": ":cat: one"}\n' * 2)
    assert ":cat: one" in run("dedupe", table, "--text", "text").stdout
    run("dedupe", table, "--text", "text", "-o", out)
    assert json.loads(out.read_text().splitlines()[0])["text"] == f"a cat {ESCAPES} sat 0"

"""What people expect of any command: help, versions, silence, overwriting, tables of any kind."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

import fuzzbow
from fuzzbow import InputError
from fuzzbow.cli.main import COMMANDS, load_command
from fuzzbow.research.sts.results import run_table
from tests.command import invoked as run


@pytest.fixture(autouse=True)
def table(folder):
    (folder / "t.csv").write_text("text,other,year\na cat,a dog,2019\na jet,a jet,2021\n")


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        ("", "[OPTIONS] COMMAND [ARGS]..."),
        ("dedupe", "dedupe [OPTIONS] FILE"),
        ("index delete", "delete [OPTIONS] FOLDER IDS..."),
        ("eval", "eval [OPTIONS] SET..."),
        ("sts run", "run [OPTIONS]"),
    ],
)
def test_help_is_plain(command, usage):
    shown = run(*command.split(), "--help", env={"COLUMNS": "160"}).stdout
    assert "<bool>" not in shown
    assert usage in shown.splitlines()[1]
    assert "list[" not in shown.split("Options")[1]
    assert ("--install-completion" in shown) == (command == "")


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_the_version(option):
    assert run(option).stdout == f"fuzzbow {fuzzbow.__version__}\n"


def test_quiet_leaves_results_and_errors(folder):
    command = ["score", "t.csv", "-l", "text", "-r", "other"]
    assert "2 rows scored" in run(*command).stderr
    for quiet in (run("-q", *command), run(*command, "-q")):
        assert quiet.stderr == ""
        assert len(quiet.stdout.splitlines()) == 3
    assert "2 rows scored" in run(*command).stderr
    assert "error: t.csv: no column 'x'" in run("-q", *command[:-1], "x", check=2).stderr


OVERWRITES = [
    ("score t.csv -l text -r other -o out.csv", "out.csv"),
    ("encode t.csv -o out.parquet", "out.parquet"),
    ("dedupe t.csv --text text -o out.csv", "out.csv"),
    ("dedupe t.csv --text text --pairs out.parquet", "out.parquet"),
    ("join t.csv t.csv --on text -o out.csv", "out.csv"),
    ("similarity cat dog --html out.html", "out.html"),
    ("vectors convert default out.safetensors --limit 100", "out.safetensors"),
]


@pytest.mark.parametrize(("command", "out"), OVERWRITES)
def test_an_output_is_replaced_only_when_told(folder, command, out):
    (folder / out).write_text("before")
    done = run(*command.split(), check=2)
    assert f"'{out}' already exists; --overwrite replaces it" in done.stderr
    assert (folder / out).read_text() == "before"
    run(*command.split(), "--overwrite")
    assert (folder / out).read_bytes() != b"before"


def test_encodings_and_malformed_rows_are_options(folder):
    (folder / "latin.csv").write_bytes("text;other\nZoë;Zoë\nbad\n".encode("latin-1"))
    command = ["score", "latin.csv", "-l", "text", "-r", "other"]
    assert "line 2: must be UTF-8" in run(*command, check=1).stderr
    done = run(*command, "--encoding", "latin-1", "--skip-bad")
    assert done.stdout == "text;other;score\nZoë;Zoë;1.0\n"
    assert "latin.csv: 1 malformed row skipped; the first: latin.csv, line 3" in done.stderr


def test_an_index_is_replaced_only_when_told_and_by_a_whole_one(folder):
    command = ["index", "t.csv", "-o", "index", "--no-metadata"]
    run(*command)
    (folder / "t.csv").write_text("text\nonly one\n")
    assert "already exists; --overwrite replaces it" in run(*command, check=2).stderr
    (folder / "t.csv").write_text('text\n"never closed\n')
    run(*command, "--overwrite", check=1)
    assert len(fuzzbow.open_index("index")) == 2
    (folder / "t.csv").write_text("text\nonly one\n")
    run(*command, "--overwrite")
    assert len(fuzzbow.open_index("index")) == 1
    assert sorted(path.name for path in folder.iterdir()) == ["index", "t.csv"]
    (folder / "mine").mkdir()
    (folder / "mine" / "mine.txt").write_text("x")
    done = run("index", "t.csv", "-o", "mine", "--overwrite", check=2)
    assert "an index needs a new folder" in done.stderr
    assert (folder / "mine" / "mine.txt").exists()


def test_an_index_from_stdin():
    run("index", "-", "--format", "jsonl", "-o", "index", input='{"text": "a cat"}\n')
    run("index", "add", "index", "-", "--format", "jsonl", input='{"text": "a dog"}\n')
    assert len(fuzzbow.open_index("index")) == 2
    done = run("search", "index", "a cat", "--verbose")
    assert re.search(r"^searching: 1, [\d,]+/s; \d+\.\d\d s$", done.stderr, re.MULTILINE)


def test_a_command_that_is_none_is_wrong_usage():
    done = run("index", "list", check=2)
    assert "neither a file nor one of" in done.stderr
    assert "--output" not in done.stderr.split("Error")[0]


def test_a_text_in_another_language_is_told_once(folder):
    done = run("similarity", "Żółta łódka płynie", "Białe żagle świecą")
    assert done.stderr.count("of the words have a vector") == 1
    assert "warning" not in run("similarity", "a cat", "a dog").stderr


@pytest.mark.parametrize("measure", [lambda a, b: 1.0, lambda a: 1.0, lambda: None])
def test_a_function_is_no_measure(measure):
    with pytest.raises(InputError, match="A formula of your own is an object with name, pairs"):
        fuzzbow.load(measure=measure)


class _Task:
    name, complete, pearson = "STS12", True, {"mean": 70.0}


class _Found:
    vectors, notes = "a-very-long-name-of-vectors-840B-300d", ()
    tasks = {"STS12": _Task, "STS13": _Task}  # noqa: RUF012

    class system:  # noqa: N801 - stands for an object
        name = "dynamax-jaccard+usif+norm"


def test_names_in_a_table_are_never_cut():
    console = Console(file=io.StringIO(), width=60)
    console.print(run_table([_Found]))
    shown = console.file.getvalue()
    assert "…" not in shown
    cells = [line.split("│")[1:3] for line in shown.splitlines() if line.startswith("│")]
    joined = ["".join(part.strip() for part in column) for column in zip(*cells, strict=True)]
    assert joined == [_Found.vectors, _Found.system.name]


def test_stdin_is_called_stdin(folder):
    command = ["score", "-", "--format", "csv", "-l", "a", "-r", "b"]
    assert "error: stdin, line 3: must have" in run(*command, check=1, input="a,b\n1,2\n3\n").stderr
    done = run(*command, "--skip-bad", "-o", "-", input="a,b\ncat,cat\n3\n")
    assert "stdin: 1 malformed row skipped; the first: stdin, line 3" in done.stderr
    assert done.stdout == "a,b,score\ncat,cat,1.0\n"


SCORE = ["score", "t.csv", "-l", "text", "-r", "other"]


@pytest.mark.parametrize("command", [["-v", *SCORE], [*SCORE, "--verbose"]])
def test_verbose_says_what_is_used_and_how_long_it_takes(command):
    done = run(*command)
    model = fuzzbow.load()
    assert f"vectors default: {len(model.vectors):,} words of dimension" in done.stderr
    assert "measure weighted-jaccard, tokenizer words; loaded in" in done.stderr
    used = fuzzbow.engine.engine_info()
    assert f"engine {used['engine']}, instruction set {used['simd']}, " in done.stderr
    assert re.search(r"^scoring: 2, [\d,]+/s; \d+\.\d\d s$", done.stderr, re.MULTILINE)
    quiet = run(*SCORE)
    assert (quiet.stdout, quiet.stderr) == (done.stdout, "2 rows scored with weighted-jaccard\n")
    wrong = run("-q", *SCORE, "-v", check=2).stderr
    assert "--quiet and --verbose exclude each other" in wrong


def test_verbose_shows_where_an_error_comes_from(folder):
    (folder / "t.csv").write_bytes(b"text,other\n\xff,b\n")
    shown = run("-v", *SCORE, check=1).stderr
    assert "Traceback (most recent call last)" in shown
    assert "UnicodeDecodeError" in shown  # the cause
    assert shown.splitlines()[-1].startswith("error: t.csv, line 2")
    assert "Traceback" not in run(*SCORE, check=1).stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_no_option_but_verbose_is_called_v(name):
    command = load_command(name)
    for below in getattr(command, "commands", {name: command}).values():
        for option in below.params:
            assert "-v" not in option.opts or "--verbose" in option.opts, option.opts


def test_a_missing_extra_is_named_as_it_is_installed_before_a_release_too():
    message = str(fuzzbow.errors.MissingExtraError("lance", "index"))
    assert 'pip install "fuzzbow[index]"' in message
    assert 'in a clone of the project pip install ".[index]"' in message

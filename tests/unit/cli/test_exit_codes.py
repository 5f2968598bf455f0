"""Exit codes, 2 for wrong usage and 1 for failures, and a quiet end in a pipe."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.command import COMMAND, invoked

WRONG_USAGE = [
    "no-such-command",
    "score",
    "score t.csv --no-such-option",
    "score t.csv -l text -r nothing",
    "score none.csv -l text -r other",
    "score t.csv -l text -r other --measure nothing",
    "score t.csv -l text -r other --threads 0",
    "score t.csv -l text -r other --threads x",
    "score t.csv -l text -r other --for nothing",
    "score t.csv -l text -r other --counts none.txt",
    "score t.csv -l text -r other --vectors none.vec",
    "score t.csv -l text -r other --encoding nothing",
    "score t.csv -l text -r other --delimiter ,,",
    "score t.csv -l text -r other --format nothing",
    "score t.csv -l text -r other -o out.doc",
    "score t.csv -l text -r other -o t.csv",
    "encode t.csv --text nothing -o out.parquet",
    "dedupe none.csv --text text",
    "dedupe t.csv --text nothing",
    "dedupe t.csv --text text --threshold 2",
    "dedupe t.csv --text text --shards 2",
    "join t.csv t.csv --on text --shards 2",
    "score t.csv -l text -r other --shards 2",
    "join t.csv none.csv --on text",
    "join t.csv t.csv --on nothing",
    "join t.csv t.csv --on text --threshold 0",
    "index t.csv",
    "index t.csv -o new --text nothing",
    "index none.csv -o new",
    "index info none",
    "search none query",
    "similarity a",
    "similarity a b --measure nothing",
    "similarity a b --language nothing",
    "similarity a b --quiet --verbose",
    "vectors convert none.vec out.safetensors",
    "vectors convert default out.nothing",
    "serve --index none",
    "serve --index none --ray local",
    "serve --port 99999999",
    "serve --allow-origin nothing",
]
FAILURES = [
    "score bad.csv -l text -r other",
    "score bad.jsonl -l text -r other",
    "dedupe bad.parquet --text text",
    "index bad.csv -o new",
    "eval bad-set",
    "similarity a b --vectors bad.safetensors",
]


def run(folder, monkeypatch, command: str, code: int):
    monkeypatch.chdir(folder)
    (folder / "t.csv").write_text("text,other\na cat,a dog\n")
    for name, content in {
        "bad.csv": "text,other\na cat\n",
        "bad.jsonl": '{"text": ',
        "bad.parquet": "PAR1",
        "bad.safetensors": "x",
    }.items():
        (folder / name).write_text(content)
    (folder / "bad-set").mkdir()
    for name, content in {"corpus": "d", "queries": "q"}.items():
        (folder / "bad-set" / f"{name}.jsonl").write_text(f'{{"_id": "{content}", "text": "a"}}\n')
    (folder / "bad-set/qrels.tsv").write_text("q\tx\t1\n")
    return invoked(*command.split(), check=code)


@pytest.mark.parametrize("command", WRONG_USAGE)
def test_wrong_usage_ends_with_2(tmp_path, monkeypatch, command):
    done = run(tmp_path, monkeypatch, command, 2)
    assert done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", FAILURES)
def test_data_that_cannot_be_read_ends_with_1(tmp_path, monkeypatch, command):
    done = run(tmp_path, monkeypatch, command, 1)
    assert done.stderr.startswith("error: ")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
@pytest.mark.parametrize(
    "command", ["score t.csv -l text -r other", "--help", "similarity a b --json"]
)
def test_a_reader_that_has_gone_is_no_error(tmp_path, command):
    (tmp_path / "t.csv").write_text("text,other\n" + "a cat,a dog\n" * 100_000)
    script = f'"{COMMAND}" --quiet {command} | true'.replace("--quiet --help", "--help")
    script = f"exec 2>messages; {script}"
    subprocess.run(["sh", "-c", script], cwd=tmp_path, check=True, timeout=120)
    assert (tmp_path / "messages").read_text() == ""

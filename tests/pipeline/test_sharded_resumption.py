"""A build of shards that was stopped goes on with what it had finished."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

import fuzzbow
from fuzzbow.errors import InputError
from fuzzbow.index.new_folder import new_folder
from fuzzbow.pipeline import indexing
from fuzzbow.pipeline.indexing import build_sharded_index
from tests.command import fuzzbow_command

TEXTS = [f"{word} {n}" for n, word in enumerate(["cat", "dog", "plane", "house", "river"] * 2)]

# the command `fuzzbow`, in a process that is killed when it is about to make its third shard
KILLED = """
import os, signal, sys
from fuzzbow.cli.main import app
from fuzzbow.pipeline import indexing

build = indexing.build_shard

def dying(task):
    if task[0] == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return build(task)

indexing.build_shard = dying
sys.argv = ["fuzzbow", *sys.argv[1:]]
app()
"""


@pytest.fixture(scope="module")
def model():
    """Few words, for speed."""
    return fuzzbow.load(limit=2000)


def test_a_killed_command_goes_on_with_the_shards_that_it_had_finished(tmp_path):
    table, out = tmp_path / "rows.csv", tmp_path / "many"
    table.write_text("text\n" + "".join(f"{text}\n" for text in TEXTS))
    command = ["index", str(table), "-o", str(out), "--shards", "5"]
    killed = subprocess.run([sys.executable, "-c", KILLED, *command], timeout=120)
    assert killed.returncode == -signal.SIGKILL
    begun = tmp_path / ".many.begun"
    before = {path.name: path.stat().st_mtime_ns for path in begun.glob("shard-*")}
    assert len(before) == 2
    assert not out.exists()
    done = fuzzbow_command(*command)
    assert "10 texts indexed in 5 shards" in done.stderr
    assert "5 shards: 2 finished before, 3 built now" in done.stderr
    after = {path.name: path.stat().st_mtime_ns for path in out.glob("shard-*")}
    assert len(after) == 5
    assert after.items() >= before.items()
    assert not begun.exists()
    with fuzzbow.open_index(out) as index:
        wanted = index.model.index(TEXTS).search("a cat").to_dicts()
        assert index.search("a cat").to_dicts() == wanted


def interrupt(monkeypatch, number, error):
    """Let a build be stopped when it comes to the shard of a number."""
    build = indexing.build_shard

    def stopped(task):
        if task[0] == number:
            raise error
        return build(task)

    monkeypatch.setattr(indexing, "build_shard", stopped)


def count_made(monkeypatch):
    """The numbers of the shards whose texts are indexed from now on."""
    made, write = [], indexing.write_batches
    monkeypatch.setattr(
        indexing,
        "write_batches",
        lambda *arguments, path: made.append(int(path.name[6:11])) or write(*arguments, path=path),
    )
    return made


@pytest.fixture
def begun(model, tmp_path, monkeypatch):
    """The folder of a build that was interrupted after three shards of five."""
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        interrupt(patch, 3, KeyboardInterrupt())
        build_sharded_index(model, TEXTS, path=tmp_path / "s", shards=5)
    return tmp_path / "s"


def test_the_same_texts_are_not_indexed_again(model, begun, monkeypatch):
    made = count_made(monkeypatch)
    build_sharded_index(model, TEXTS, path=begun, shards=5)
    assert made == [3, 4]


def test_shards_of_another_model_are_made_anew(begun, monkeypatch):
    made = count_made(monkeypatch)
    other = fuzzbow.load(limit=2000, measure="dynamax-jaccard")
    build_sharded_index(other, TEXTS, path=begun, shards=5)
    assert made == [0, 1, 2, 3, 4]


def test_a_shard_of_other_texts_is_made_anew_and_the_old_one_removed(model, begun, monkeypatch):
    made = count_made(monkeypatch)
    build_sharded_index(model, [*TEXTS[:2], "other", *TEXTS[3:]], path=begun, shards=5)
    assert {1, 3, 4} <= set(made)  # one before it may be staged with bytes of the next
    assert len(list(begun.glob("shard-*"))) == 5
    with fuzzbow.open_index(begun, model) as index:
        assert index.search("other", 1)[0].text == "other"


def test_an_error_leaves_nothing(model, tmp_path, monkeypatch):
    interrupt(monkeypatch, 3, OSError("no space left"))
    with pytest.raises(OSError, match="no space"):
        build_sharded_index(model, TEXTS, path=tmp_path / "s", shards=5)
    assert list(tmp_path.iterdir()) == []


def test_two_builds_of_one_folder_at_a_time_are_refused(model, tmp_path):
    path = tmp_path / "s"
    with (
        new_folder(path, path),
        pytest.raises(InputError, match="is being built by another process"),
    ):
        build_sharded_index(model, TEXTS, path=path, shards=5)

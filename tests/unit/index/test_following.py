"""Readers that follow other writers, forked processes, and the lock of a writer."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from textwrap import dedent

import pytest

import fuzzbow
from fuzzbow.errors import InputError, LockedError
from fuzzbow.index import writer_patience
from fuzzbow.index.lock import try_lock, writer_lock


@pytest.fixture
def folder(tmp_path):
    texts = [f"a cat number {n}" for n in range(20)]
    years = {"year": list(range(2000, 2020))}
    fuzzbow.load("default").index(texts, metadata=years, path=tmp_path / "index").delete([0])
    return tmp_path / "index"


def elsewhere(folder, change=lambda index: None) -> None:
    """Change the index by another object, as another process does, and remove older versions."""
    index = fuzzbow.open_index(folder)
    index.add(["one more"])  # in a file of its own, so that compacting merges two
    change(index)
    index.compact(keep_versions=1)


@pytest.mark.parametrize("read_only", [True, False])
def test_every_question_is_answered_after_a_compaction_elsewhere(folder, read_only):
    questions = {
        "hits": lambda index: index.search("a cat number 7", k=3).to_dicts(),
        "where": lambda index: index.search("a cat", k=99, where="year > 2010").to_dicts(),
        "ids": lambda index: index.ids,
        "row": lambda index: index.get(3),
        "many": lambda index: [hits.to_dicts() for hits in index.search(["a", "cat 9"], k=2)],
        "versions": lambda index: index.versions(),
        "save": lambda index: fuzzbow.open_index(index.save(f"{folder}-{os.urandom(4).hex()}")).ids,
    }
    readers = {name: fuzzbow.open_index(folder, read_only=read_only) for name in questions}
    elsewhere(folder, lambda index: index.upsert(["a cat number seven"], [7]))
    fresh = fuzzbow.open_index(folder)
    for name, ask in questions.items():
        assert ask(readers[name]) == ask(fresh), name


def test_hits_that_were_not_looked_at_follow_as_a_whole(folder):
    hits = fuzzbow.open_index(folder).search("a cat number 7", k=3)
    elsewhere(folder, lambda index: index.delete([7]))
    assert hits.to_dicts() == fuzzbow.open_index(folder).search("a cat number 7", k=3).to_dicts()
    assert hits.ids == [hit.id for hit in hits]
    assert hits.scores.tolist() == [hit.score for hit in hits]


def test_hits_that_were_looked_at_stay_what_they_were(folder):
    index = fuzzbow.open_index(folder)
    same, other = index.search("a cat number 7", k=1), index.search("a cat number 8", k=1)
    assert (same.ids, other.ids) == ([7], [8])
    elsewhere(folder, lambda index: index.delete([8]))
    assert same[0].text == "a cat number 7"
    with pytest.raises(InputError, match="search again"):
        _ = other[0]


def test_a_version_that_was_asked_for_is_never_replaced_by_another(folder):
    old = fuzzbow.open_index(folder, version=1)
    elsewhere(folder)
    with pytest.raises(InputError, match="no version 1"):
        _ = old.search("a cat", k=1)[0]


FORK = dedent("""
import multiprocessing, os, sys, warnings
warnings.simplefilter("ignore")
import fuzzbow
model = fuzzbow.load("default")
memory = model.index(["a cat", "a dog"])
index = fuzzbow.open_index(sys.argv[1])
hits = index.search("a cat number 7", k=1)

def refused(work):
    try:
        work()
    except fuzzbow.InputError as error:
        return "spawn" in str(error) and "fuzzbow.open_index(path)" in str(error)

def child(queue):
    work = [
        lambda: hits[0],
        lambda: index.search("a cat"),
        lambda: len(index),
        lambda: index.ids,
        lambda: index.get(1),
        lambda: index.add(["x"]),
        lambda: index.delete([1]),
        lambda: index.restore(1),
        lambda: index.save(sys.argv[1] + "-copy"),
        index.compact,
        index.versions,
        index.info,
        lambda: fuzzbow.open_index(sys.argv[1]),
        lambda: model.index(["a"], path=sys.argv[1] + "-new"),
        lambda: memory.search("a cat", where="id = 1"),
    ]
    queue.put([refused(call) for call in work])

context = multiprocessing.get_context("fork")
queue = context.SimpleQueue()
process = context.Process(target=child, args=(queue,))
process.start()
process.join(60)
alive = process.is_alive()
process.kill()
assert not alive and process.exitcode == 0, process.exitcode
answers = queue.get()
assert answers == [True] * 15, answers
assert len(index) == 19 and hits[0].id == 7
""")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_is_refused_an_index_on_disk(folder):
    done = subprocess.run(
        [sys.executable, "-c", FORK, folder], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


HOLD = """
import sys, time
from pathlib import Path
from fuzzbow.index.lock import writer_lock
with writer_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the lock."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_killed_process_holds_no_lock(holder, tmp_path):
    assert try_lock(tmp_path / "lock") is None
    holder.kill()
    holder.wait()
    with writer_lock(tmp_path / "lock"):
        assert try_lock(tmp_path / "lock") is None
    lock = try_lock(tmp_path / "lock")
    assert lock is not None
    lock.release()


def test_a_writer_waits_while_its_patience_lasts_or_until_the_other_ends(holder, tmp_path):
    asked = []

    def lasts():
        asked.append(time.monotonic())
        return len(asked) < 4

    with (
        pytest.raises(LockedError, match="another process"),
        writer_patience(lasts),
        writer_lock(tmp_path / "lock"),
    ):
        pass
    assert len(asked) == 4
    threading.Timer(0.2, holder.kill).start()
    with writer_lock(tmp_path / "lock"):
        pass


def test_a_folder_that_is_gone_is_not_made_again(tmp_path):
    with pytest.raises(FileNotFoundError), writer_lock(tmp_path / "gone" / "lock"):
        pass
    assert not (tmp_path / "gone").exists()

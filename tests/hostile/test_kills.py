"""Processes that are killed at any moment lose nothing that they said was done.

A child does one change after the other, and writes what it is about to do and what it has done.
After its end the index must be as the last of these lines say: a change that was told is there,
one that was only begun is there or not, and nothing else.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

import fuzzbow
from tests.hostile.scale import steps

SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]
WORDS = ["cat", "dog", "plane", "flew", "has", "zyx"]

# a child may be started where Ctrl-C is ignored, as by nohup
BEGIN = """
import json, random, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import fuzzbow
"""
API = BEGIN + dedent("""
folder, seed = sys.argv[1], int(sys.argv[2])
random.seed(seed)
model = fuzzbow.load("default", measure="dynamax-jaccard")
index = fuzzbow.open_index(folder, model)
def tell(*facts):
    print(json.dumps(facts), flush=True)
tell("ready")
words = ["cat", "dog", "plane", "flew", "has", "zyx"]
while True:
    ids = index.ids
    kind = random.choice(["add", "add", "delete", "compact", "restore", "save"])
    if kind == "add":
        new = list(range(index._store.next_id, index._store.next_id + random.choice([1, 3, 200])))
        tell("begin", ids + new)
        index.add((f"{random.choice(words)} {n}" for n in new))
    elif kind == "delete" and len(ids) > 20:
        gone = set(random.sample(ids, 5))
        tell("begin", [n for n in ids if n not in gone])
        index.delete(sorted(gone))
    elif kind == "compact":
        tell("begin", ids)
        index.compact(keep_versions=random.choice([None, 1, 3]))
    elif kind == "restore":
        version = random.choice(index.versions()).number
        tell("begin", fuzzbow.open_index(folder, model, version=version).ids)
        index.restore(version)
    elif kind == "save":
        tell("begin", ids)
        index.save(f"{folder}-copy-{seed}-{random.random()}")
    else:
        continue
    tell("done", index.ids)
""")


@contextmanager
def running(command: list[object]):
    """A process that has ended when this has."""
    process = subprocess.Popen(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,  # so that reading its first line takes nothing of the next
        env={**os.environ, "PYTHONFAULTHANDLER": ""},
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def partial_names(folder: Path) -> list[str]:
    """Files and folders that somebody began and did not end, in an index and beside it."""
    found = [*folder.rglob(".*.partial"), *folder.parent.glob(f".{folder.name}.*.partial")]
    return [str(path) for path in found]


def stray_files(folder: Path) -> set[str]:
    """Data that no version refers to, though a writer has been there since."""
    from fuzzbow.index.versions import files_of, open_version, versions_at

    versions = [open_version(folder, version) for version in versions_at(folder)]
    used = {name for dataset in versions for name in files_of(dataset)}
    found = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    kinds = (".lance", ".manifest", ".arrow", ".bin")
    return {name for name in found if name.endswith(kinds) and name not in used}


@pytest.fixture(scope="module")
def model():
    return fuzzbow.load("default", measure="dynamax-jaccard")


def test_kills_of_the_library_lose_nothing(model, tmp_path, record_property):
    folder = tmp_path / "index"
    model.index([f"{WORDS[n % 6]} number {n}" for n in range(60)], path=folder)
    random = np.random.default_rng(4)
    kills, told = steps(5, 600), 0
    state = list(range(60))
    for number in range(kills):
        with running([sys.executable, "-c", API, folder, number]) as process:
            assert process.stdout.readline() == b'["ready"]\n', process.stderr.read()
            time.sleep(float(random.uniform(0, 0.5)))
            how = SIGNALS[number % 3]
            process.send_signal(how)
            shown, errors = (part.decode() for part in process.communicate(timeout=60))
        assert process.returncode in (-how, 130) or "KeyboardInterrupt" in errors, errors
        possible = [state]
        for line in shown.splitlines():
            try:
                word, ids = json.loads(line)
            except ValueError:  # cut off, and so never told
                break
            possible = [possible[-1], ids] if word == "begin" else [ids]
            told += word == "done"
        index = fuzzbow.open_index(folder, model)
        assert index.ids in possible, (number, how)
        assert sorted(index.search("a cat", k=10_000).ids) == sorted(index.ids)
        for copy in tmp_path.glob("index-copy-*"):  # those that are there are whole
            assert fuzzbow.open_index(copy, model).ids
            for path in sorted(copy.rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
            copy.rmdir()
        added = index.add(["still writable"])
        assert partial_names(folder) == []
        assert stray_files(folder) == set()
        state = index.ids
        assert state[-1:] == added
        if len(state) > 2_000:
            index.delete(state[1_000:])
            state = index.ids
    record_property("kills", kills)
    print(f"\n{kills} kills of the library, {told} changes told")


def rows(count: int) -> str:
    return "text,n\n" + "".join(f"{WORDS[n % 6]} {WORDS[n % 5]} {n},{n}\n" for n in range(count))


COMMANDS = {
    "index": ["index", "big.csv", "-o", "new"],
    "add": ["index", "add", "index", "big.csv"],
    "delete": ["index", "delete", "index", "0", "1"],
    "compact": ["index", "compact", "index", "--keep-versions", "1"],
    "dedupe": ["dedupe", "small.csv", "--threshold", "0.9", "-o", "out.csv"],
    "score": ["score", "small.csv", "--left", "text", "--right", "text", "-o", "out.csv"],
}


def test_kills_of_commands_leave_all_or_nothing(model, tmp_path, monkeypatch, record_property):
    monkeypatch.chdir(tmp_path)
    big, small = steps(20_000, 40_000), 3_000
    Path("big.csv").write_text(rows(big))
    Path("small.csv").write_text(rows(small))
    random = np.random.default_rng(5)
    kills, interrupted = steps(6, 252), 0
    state = list(range(50))
    model.index([f"cat {n}" for n in state], metadata={"n": state}, path="index")
    child = BEGIN + "from fuzzbow.cli.main import run; print(flush=True); run()"
    for number in range(kills):
        name = list(COMMANDS)[number % len(COMMANDS)]
        how = SIGNALS[number // len(COMMANDS) % 3]
        Path("out.csv").write_text("what was there\n")
        with running([sys.executable, "-c", child, *COMMANDS[name]]) as process:
            process.stdout.readline()
            time.sleep(float(random.uniform(0, steps(8, 16) / 10)))
            process.send_signal(how)
            errors = process.communicate(timeout=120)[1].decode()
        told = "interrupted; nothing was" in errors
        index = fuzzbow.open_index("index", model)
        grown = len(index) - len(state)
        assert not (told and grown), errors
        if name == "add":
            assert index.ids[: len(state)] == state
            assert grown in (0, big), (number, how, errors)
            assert grown or not ("index was changed" in errors or "added" in errors), errors
        else:
            possible = (state, state[2:]) if name == "delete" else (state,)
            assert index.ids in possible, (number, how, errors)
        if name == "index":
            made = Path("new").exists()
            assert not (told and made), errors
            assert not made or len(fuzzbow.open_index("new")) == big
            assert made or not ("is complete" in errors or "indexed" in errors), errors
        found = Path("out.csv").read_text()
        assert found == "what was there\n" or (name in ("dedupe", "score") and not told)
        assert found.count("\n") == 1 or found.count("\n") > 2
        interrupted += told
        state = _cleaned(model, index, name)
    record_property("kills", kills)
    print(f"\n{kills} kills of commands, {interrupted} said that nothing was changed")
    assert stray_files(Path("index").resolve()) == set()


def _cleaned(model, index: fuzzbow.Index, name: str) -> list[int]:
    """The next writer removes what was left; the ids that there are then."""
    import shutil

    if name == "index":
        shutil.rmtree("new", ignore_errors=True)
        model.index(["a"], path="new")
        assert partial_names(Path("new").resolve()) == []
        shutil.rmtree("new")
    index.add(["still writable"])
    assert partial_names(Path("index").resolve()) == []
    assert stray_files(Path("index").resolve()) == set()
    if len(index) > 1_000:
        index.delete(index.ids[50:])
    if len(index) < 20:
        index.add([f"dog {n}" for n in range(50)])
    index.compact(keep_versions=3)
    return list(index.ids)

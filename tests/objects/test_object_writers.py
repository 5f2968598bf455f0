"""Writers of one index in an object store: in turn, dead, slow, or overtaken."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from contextlib import suppress

import pytest

import fuzzbow
from fuzzbow.errors import InputError, LockedError
from fuzzbow.tasks.index import lock, object_lock, writer_patience
from fuzzbow.tasks.index.integrity import files, manifest, manifests
from fuzzbow.tasks.index.object_lock import FREE, ObjectLockAttempts, held_by
from fuzzbow.tasks.index.store import LanceRows
from tests.command import child
from tests.hostile.scale import steps
from tests.objects.conftest import TEXTS, found


@pytest.fixture
def quick(monkeypatch):
    """Locks that are taken for dead soon."""
    monkeypatch.setattr(object_lock, "RENEWED_SECONDS", 0.1)
    monkeypatch.setattr(object_lock, "DEAD_SECONDS", 0.6)


def test_writers_at_once_take_turns(index, reopen):
    others, errors = [reopen() for _ in range(3)], []

    def write(n: int, mine) -> None:
        try:
            mine.add([f"cat {n}"])
            mine.add([f"dog {n}"])
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=item) for item in enumerate(others)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    opened = reopen()
    assert opened.ids == list(range(12))
    texts = sorted(opened.get(number)["text"] for number in range(6, 12))
    assert texts == [f"{animal} {n}" for animal in ("cat", "dog") for n in range(3)]


def test_a_writer_gives_up_in_the_end(index, monkeypatch):
    monkeypatch.setattr(lock, "LOCK_SECONDS", 0.1)
    with lock.writer_lock(index.path / "lock"), pytest.raises(LockedError, match="another process"):
        index.add(["later"])
    assert index.add(["now"]) == [6]


def test_a_lock_that_is_held_is_not_taken_for_dead(index, quick):
    asked = []

    def lasts() -> bool:
        asked.append(1)
        return len(asked) < 6  # longer than a dead one is watched

    with (
        lock.writer_lock(index.path / "lock"),
        pytest.raises(LockedError),
        writer_patience(lasts),
    ):
        index.add(["later"])


HOLD = """
import sys, time
from fuzzbow.tasks.index import place_of
from fuzzbow.tasks.index.lock import writer_lock
with writer_lock(place_of(sys.argv[1]) / "lock"):
    print("held", flush=True)
    time.sleep(600)
"""


def test_the_lock_of_a_killed_writer_is_taken_over(index, address, environment, quick):
    with child([sys.executable, "-c", HOLD, address], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == "held\n"
        assert ObjectLockAttempts(index.path / "lock")() is None
        process.kill()
        process.wait()
    assert index.add(["a dog"]) == [6]


def test_a_lock_that_was_left_long_ago_is_not_watched(index, monkeypatch):
    (index.path / "lock").write_bytes(held_by("somebody", 3))
    monkeypatch.setattr(object_lock, "LONG_SECONDS", -1e9)
    got = ObjectLockAttempts(index.path / "lock")()
    assert got is not None
    got.release()
    assert (index.path / "lock").read_bytes() == FREE


def test_whoever_lost_the_lock_does_not_release_that_of_another(index, quick):
    path = index.path / "lock"
    mine = ObjectLockAttempts(path)()
    path.write_bytes(held_by("another", 0))
    mine._thread.join(10)
    assert mine.lost
    mine.release()
    assert path.read_bytes() == held_by("another", 0)


CHANGES = {
    "add": lambda index: index.add(["a slow cat"]),
    "delete": lambda index: index.delete([1]),
    "compact": lambda index: index.compact(),
    "restore": lambda index: index.restore(1),
}


@pytest.mark.parametrize(
    ("moment", "change"),
    [
        ("before its commit", "add"),
        ("before its commit", "compact"),
        ("after its commit", "delete"),
        ("after its commit", "restore"),
    ],
)
def test_a_slow_writer_that_lost_its_lock_changes_nothing(
    index, reopen, monkeypatch, change, moment
):
    """Another one writes in the midst of its change, as if the lock had been taken over."""
    index.add(["a dog ran"])
    index.delete([0])
    slow, went = reopen(), []

    def overtake() -> None:
        if not went:
            went.append(1)
            monkeypatch.setattr(LanceRows, "writing", lambda rows: threading.Lock())
            went.append(reopen().add(["a new plane"]))

    settled = LanceRows._settled

    def late(rows, next_id):
        if moment == "after its commit":
            overtake()
        return settled(rows, next_id)

    monkeypatch.setattr(LanceRows, "_settled", late)
    tidy = type(slow._rows._seals).tidy

    def early(seals, dataset, next_id):
        tidied = tidy(seals, dataset, next_id)
        if moment == "before its commit":
            overtake()
        return tidied

    monkeypatch.setattr(type(slow._rows._seals), "tidy", early)
    with pytest.raises(LockedError, match="another process"):
        CHANGES[change](slow)
    monkeypatch.undo()
    assert went[1] == [7]
    assert reopen().ids == [1, 2, 3, 4, 5, 6, 7]
    assert slow.add(["and again"]) == [8]
    opened = reopen()
    assert opened.ids == slow.ids == [1, 2, 3, 4, 5, 6, 7, 8]
    assert found(opened) == found(slow)
    listed = {name for name in files(opened.path) if not name.startswith("rows.lance/_v")}
    assert listed <= {*opened._rows._seals._digests}


def die(*arguments, **more) -> None:
    raise KeyboardInterrupt


def test_what_a_writer_left_that_died_before_its_list_is_not_there(index, reopen, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("fuzzbow.tasks.index.object_seals.ObjectChecksums.finish", die)
        with pytest.raises(KeyboardInterrupt):
            index.add(["never seen"])
    assert max(manifests(index.path)) == 2
    assert reopen().ids == list(range(6))
    assert [item.number for item in reopen().versions()] == [1]
    with pytest.raises(InputError, match="has no version 2"):
        reopen(version=2)
    opened = reopen()
    assert opened.add(["a dog"]) == [6]
    assert opened.ids == reopen().ids == index.ids == list(range(7))
    assert not (index.path / manifest(2)).exists()
    assert [item.texts for item in reopen().versions()] == [6, 6, 7]
    with pytest.raises(InputError, match="has no version 2"):
        reopen(version=2)
    opened.compact(keep_versions=1)
    assert [item.texts for item in reopen().versions()] == [7]


def test_files_of_a_writer_that_died_are_removed_by_the_next(index, reopen):
    stray = index.path / "rows.lance" / "data" / "0000never-committed.lance"
    stray.write_bytes(b"rows")
    assert found(reopen()) == found(index)
    index.add(["a dog"])
    assert not stray.exists()
    assert [item.texts for item in reopen().versions()] == [6, 6, 7]


def test_a_builder_that_died_is_no_hindrance(model, address, options, reopen, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("fuzzbow.tasks.index.folder.write_sealed", die)
        patch.setattr("fuzzbow.tasks.index.new_folder.remove_tree", lambda place: None)
        with pytest.raises(KeyboardInterrupt):
            model.index(["other", "texts"], path=address, storage_options=options)
    with pytest.raises(InputError, match=r"no index\.json"):
        reopen()
    made = model.index(TEXTS, path=address, storage_options=options)
    assert found(made) == found(reopen()) == found(model.index(TEXTS))
    assert [item.texts for item in made.versions()] == [6]


def test_a_build_that_fails_leaves_nothing(model, address, options, index):
    def texts():
        yield from ["a cat"] * 20_000
        yield 5

    with pytest.raises(InputError, match="item 3616 is int"):
        model.index(texts(), path=f"{address}-2", storage_options=options)
    assert list(index.path.parent.glob("*")) == [index.path]


def test_a_name_that_is_taken_is_never_written_to(index, model, address, options, reopen):
    before = index.path.parent.objects()
    for taken in (address, address.rpartition("/")[0]):
        with pytest.raises(InputError, match="is there already"):
            model.index(["x"], path=taken, storage_options=options)
    assert index.path.parent.objects() == before


def test_of_two_builders_one_wins(model, address, options, reopen, monkeypatch):
    """Even where both believe that they are alone."""
    write = fuzzbow.tasks.index.folder.write_fragments
    monkeypatch.setattr("fuzzbow.tasks.index.new_folder.writer_lock", lambda path: threading.Lock())
    went = []

    def overtaken(*arguments, **options_of):
        written = write(*arguments, **options_of)
        if not went:
            went.append(1)
            model.index(TEXTS, path=address, storage_options=options)
        return written

    monkeypatch.setattr("fuzzbow.tasks.index.folder.write_fragments", overtaken)
    with pytest.raises(LockedError, match="another process"):
        model.index(["slow"], path=address, storage_options=options)
    assert found(reopen()) == found(model.index(TEXTS))


def test_a_version_that_was_given_up_is_no_ground_for_the_next(index, reopen, monkeypatch):
    """A writer dies before its list, and the next one after it gave that version up."""
    with monkeypatch.context() as patch:
        patch.setattr("fuzzbow.tasks.index.object_seals.ObjectChecksums.finish", die)
        with pytest.raises(KeyboardInterrupt):
            index.add(["never seen"])
    with monkeypatch.context() as patch:
        patch.setattr("lance.LanceDataset.commit", die)
        with pytest.raises(KeyboardInterrupt):
            reopen().add(["neither"])
    assert (index.path / "checks" / "2.json").exists()
    opened = reopen()
    assert opened.add(["a dog"]) == [6]
    assert opened.get(6)["text"] == "a dog"
    assert opened.ids == reopen().ids == list(range(7))


def test_compacting_leaves_nothing_to_tidy(index, reopen):
    index.add(["a dog"])
    index.delete([0])
    index.compact()
    before = reopen().versions()
    index.add(["a cat"])
    assert len(reopen().versions()) == len(before) + 1


@pytest.mark.skipif(not steps(0, 1), reason="takes a minute; FUZZBOW_SLOW=1")
def test_without_any_lock_nothing_is_lost_that_was_acknowledged(index, reopen, monkeypatch):
    monkeypatch.setattr(LanceRows, "writing", lambda rows: threading.Lock())
    rows, chooser = dict(enumerate(TEXTS)), random.Random(5)

    def write(name: str) -> None:
        mine, own = reopen(), []
        for n in range(12):
            with suppress(InputError, OSError):  # overtaken: nothing was changed
                if own and chooser.random() < 0.3:
                    mine.delete([own[-1]])
                    del rows[own.pop()]
                else:
                    (given,) = mine.add([f"{name} {n}"])
                    assert given not in rows
                    rows[given] = f"{name} {n}"
                    own.append(given)

    threads = [threading.Thread(target=write, args=[name]) for name in ("cat", "dog", "plane")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    opened = reopen()
    assert {number: opened.get(number)["text"] for number in opened.ids} == rows
    assert len(rows) > len(TEXTS)

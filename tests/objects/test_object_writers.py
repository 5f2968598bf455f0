"""Writers of one index in an object store: the slower one fails, and nothing is lost."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

import fuzzbow
from fuzzbow.errors import InputError, LockedError
from fuzzbow.index import lance_store
from fuzzbow.index.lance_store import LanceStore
from fuzzbow.index.versions import manifest, versions_at
from tests.hostile.scale import steps
from tests.objects.conftest import TEXTS, found

CHANGES = {
    "add": lambda index: index.add(["a slow cat"]),
    "upsert": lambda index: index.upsert(["a slow cat"], ids=[6]),
    "delete": lambda index: index.delete([6]),  # all rows of a file
    "compact": lambda index: index.compact(),
    "restore": lambda index: index.restore(1),
}


@pytest.mark.parametrize("moment", ["before", "between"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_slow_writer_that_was_overtaken_changes_nothing(
    index, reopen, monkeypatch, change, moment
):
    """Another one writes before the first commit of its change, or between the first and second."""
    index.add(["a dog ran"])
    index.delete([0])
    slow, added = reopen(), []

    def overtake() -> None:
        if not added:
            added.append(None)
            added[:] = reopen().add(["a new plane"])

    if moment == "before":
        caught_up = LanceStore.catch_up

        def late(rows):
            moved = caught_up(rows)
            overtake()
            return moved

        monkeypatch.setattr(LanceStore, "catch_up", late)
    else:
        from lance import LanceOperation

        merge = LanceOperation.Merge

        def late_merge(*arguments):
            overtake()
            return merge(*arguments)

        monkeypatch.setattr(LanceOperation, "Merge", late_merge)
    with pytest.raises(LockedError, match="another process"):
        CHANGES[change](slow)
    monkeypatch.undo()
    assert added == [7]
    assert reopen().ids == [1, 2, 3, 4, 5, 6, 7]
    assert slow.add(["and again"]) == [8]
    opened = reopen()
    assert opened.ids == slow.ids == [1, 2, 3, 4, 5, 6, 7, 8]
    assert found(opened) == found(slow)


class KilledError(BaseException):
    """In place of a kill."""


@pytest.mark.parametrize("change", ["add", "delete", "compact", "restore"])
def test_what_a_writer_left_that_died_in_a_change_is_not_there(index, reopen, monkeypatch, change):
    index.add(["a dog ran"])
    versions = index.versions()

    def dies(*arguments):
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr("lance.LanceOperation.Merge", dies)
        with pytest.raises(KilledError):
            CHANGES[change](reopen())
    prepared = versions_at(index.path)[-1]
    assert (prepared > versions[-1].number) == (change != "add")
    assert reopen().ids == list(range(7))
    assert reopen().versions() == versions
    with pytest.raises(InputError, match="has no version"):
        reopen(version=versions[-1].number + 1)
    opened = reopen()
    assert opened.add(["a cat"]) == [7]
    assert opened.ids == reopen().ids == list(range(8))
    assert prepared == versions[-1].number or not (index.path / manifest(prepared)).exists()
    opened.compact(keep_versions=1)
    assert [item.texts for item in reopen().versions()] == [8]
    assert len(versions_at(index.path)) == 1


def test_a_builder_that_died_is_no_hindrance(model, address, options, reopen, monkeypatch):
    def dies(*arguments):
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr("fuzzbow.index.folder.apply", dies)
        with pytest.raises(KilledError):
            model.index(["other", "texts"], path=address, storage_options=options)
    with pytest.raises(InputError, match=r"no rows\.lance|there is none"):
        reopen()
    made = model.index(TEXTS, path=address, storage_options=options)
    assert found(made) == found(reopen()) == found(model.index(TEXTS))
    assert [item.texts for item in made.versions()] == [6]


def test_a_build_that_fails_leaves_nothing(model, address, options, index):
    def texts():
        yield from ["a cat"] * 140_000
        yield 5

    with pytest.raises(InputError, match="is int"):
        model.index(texts(), path=f"{address}-2", storage_options=options)
    assert list(index.path.parent.glob("*")) == [index.path]


def test_a_name_that_is_taken_is_never_written_to(index, model, address, options, reopen):
    before = index.path.parent.objects()
    for taken in (address, address.rpartition("/")[0]):
        with pytest.raises(InputError, match="already exists"):
            model.index(["x"], path=taken, storage_options=options)
    assert index.path.parent.objects() == before


def test_of_two_builders_one_wins(model, address, options, reopen, monkeypatch):
    write, went = fuzzbow.index.folder.write_fragments, []

    def overtaken(*arguments, **options_of):
        written = write(*arguments, **options_of)
        if not went:
            went.append(1)
            model.index(TEXTS, path=address, storage_options=options)
        return written

    monkeypatch.setattr("fuzzbow.index.folder.write_fragments", overtaken)
    with pytest.raises(LockedError, match="another process"):
        model.index(["slow"], path=address, storage_options=options)
    assert found(reopen()) == found(model.index(TEXTS))
    assert reopen().add(["next"]) == [6]
    assert found(reopen()) == found(model.index([*TEXTS, "next"]))


def test_a_version_in_place_of_a_removed_one_is_taken_back(index, reopen, monkeypatch):
    """Lance believes that nothing came in between, and its number is free again."""
    slow = reopen()
    commit = lance_store.apply

    def late(folder, operation, before):
        monkeypatch.setattr(lance_store, "apply", commit)
        other = reopen()
        other.add(["a plane"])
        other.add(["a dog"])
        for version in (2, 3):
            path = folder / manifest(version)
            content = path.read_bytes()
            path.unlink()
            hidden.append((path, content))
        done = commit(folder, operation, before)
        hidden[1][0].write(hidden[1][1])
        return done

    hidden = []
    monkeypatch.setattr(lance_store, "apply", late)
    with pytest.raises(LockedError, match="another process"):
        slow.add(["a slow cat"])
    assert reopen().ids == list(range(8))
    assert slow.add(["again"]) == [8]
    assert [item.texts for item in reopen().versions()] == [6, 8, 9]


def test_writers_at_once_lose_nothing_that_was_acknowledged(index, reopen):
    rows, chooser = dict(enumerate(TEXTS)), random.Random(5)

    def write(name: str) -> None:
        mine, own = reopen(), []
        for n in range(steps(4, 12)):
            with suppress(LockedError):  # overtaken: nothing was changed
                if own and chooser.random() < 0.3:
                    mine.delete([own[-1]])
                    del rows[own.pop()]
                else:
                    (given,) = mine.add([f"{name} {n}"])
                    assert given not in rows
                    rows[given] = f"{name} {n}"
                    own.append(given)

    with ThreadPoolExecutor() as pool:
        list(pool.map(write, ("cat", "dog", "plane")))
    opened = reopen()
    assert {number: opened.get(number)["text"] for number in opened.ids} == rows
    assert len(rows) > len(TEXTS)

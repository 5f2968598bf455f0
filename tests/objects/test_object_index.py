"""An index in an object store: what a local one finds, and all or nothing of each change."""

from __future__ import annotations

import pickle

import pytest

import fuzzbow
from fuzzbow.errors import InputError
from tests.objects.conftest import METADATA, TEXTS, found
from tests.unit.index.brute import assert_two_writers_agree


def test_it_finds_what_a_local_index_finds(index, reopen, model):
    one = model.index(TEXTS, metadata=METADATA)
    for opened in (index, reopen()):
        assert found(opened) == found(one)
        for where in ("year > 2019", "year IS NULL", "year > 2050"):
            assert found(opened, where=where) == found(one, where=where)
        assert opened.ids == one.ids
        assert opened.get(2) == one.get(2)


def test_it_may_be_empty(model, address, environment):
    index = model.index([], path=address)  # the environment leads there
    assert found(fuzzbow.open_index(address, model)) == found(model.index([]))
    assert index.add(["a cat"]) == [0]
    assert found(fuzzbow.open_index(address, model)) == found(model.index(["a cat"]))


def test_changes_are_those_of_a_local_index(index, reopen, model, address):
    one = model.index(TEXTS, metadata=METADATA)
    for changed in (index, one):
        assert changed.add(["a dog ran", "he had a plane"]) == [6, 7]
        assert changed.delete([0, 6]) == 2
    assert found(index) == found(reopen()) == found(one)
    assert [item.texts for item in index.versions()] == [6, 8, 6]
    index.compact()
    assert found(index) == found(reopen()) == found(one)
    index.restore(2)
    assert index.ids == reopen().ids == list(range(8))
    assert reopen(version=1).ids == list(range(6))
    index.compact(keep_versions=1)
    assert index.ids == reopen().ids == list(range(8))
    assert [item.texts for item in index.versions()] == [8]
    facts = reopen().info()
    assert facts["path"] == str(index.path) == address
    assert facts["disk_bytes"] > 1000
    assert facts["versions"] == 1


def test_old_files_go_when_old_versions_do_and_some_may_stay(index, reopen):
    for number in range(3):
        index.add([f"dog {number}"])
    index.compact(keep_versions=2)
    index.add(["a cat"])
    assert [item.texts for item in reopen().versions()] == [9, 9, 10]
    for item in index.versions():
        assert len(reopen(version=item.number)) == item.texts
    before = index.info()["disk_bytes"]
    index.compact(keep_versions=1)
    assert [item.texts for item in reopen().versions()] == [10]
    assert len(list((index.path / "rows.lance" / "data").glob("*"))) == 1
    assert index.info()["disk_bytes"] < before


def test_two_writers_see_what_the_other_wrote(index, reopen):
    assert_two_writers_agree(reopen)


def test_a_reader_follows_when_its_version_is_removed(index, reopen):
    reader = reopen(read_only=True)
    index.add(["a dog"])
    index.compact(keep_versions=1)
    assert reader.search("a dog", k=1)[0].text == "a dog"
    with pytest.raises(InputError, match="read-only"):
        reader.add(["x"])


def test_a_copy_made_by_other_tools_works(index, model, tmp_path):
    index.add(["a dog"])
    for name in index.path.objects():
        target = tmp_path / "copy" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((index.path / name).read_bytes())
    copy = fuzzbow.open_index(tmp_path / "copy", model)
    assert found(copy) == found(index)
    assert copy.add(["x"]) == [7]
    for path in (tmp_path / "copy").rglob("*"):
        if path.is_file():
            key = path.relative_to(tmp_path / "copy").as_posix()
            (index.path.parent / "back" / key).write(path.read_bytes())
    again = fuzzbow.open_index(copy.save(index.path.parent / "saved"), model)
    assert found(again) == found(copy)
    back = fuzzbow.open_index(index.path.parent / "back", model)
    assert found(back) == found(copy)
    assert back.add(["y"]) == [8]


def test_a_pickled_index_is_opened_again(index, pets):
    model = fuzzbow.load(measure="dynamax-jaccard", limit=2000)
    place = index.path.parent / "named"
    made = model.index(TEXTS, path=place)
    assert found(pickle.loads(pickle.dumps(made))) == found(made)  # noqa: S301


def test_secrets_are_nowhere_to_be_seen(index, options):
    assert "a-secret" not in repr(index) + repr(index.path) + str(index.info())
    for name in index.path.objects():
        assert b"a-secret" not in (index.path / name).read_bytes()
        assert b"a-key" not in (index.path / name).read_bytes()

"""Texts that replace others by their ids, and an index as a mapping of ids to rows."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fuzzbow
from fuzzbow.index import lance_store as store
from fuzzbow.index import memory_store as rows_module

TEXTS = ["a cat sat", "a dog ran", "a plane flew", "stocks fell", "rain again"]
COLUMNS = {"id": list("abcde"), "text": TEXTS, "year": [1, 2, 3, 4, 5], "lang": ["en"] * 5}
MODEL = fuzzbow.load()


@pytest.fixture(params=["memory", "disk"])
def index(request, tmp_path):
    path = tmp_path / "index" if request.param == "disk" else None
    return MODEL.index(TEXTS, list("abcde"), {"year": [1, 2, 3, 4, 5]}, path=path)


def contents(index):
    return {name: index[name] for name in index}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_frame_keeps_its_other_columns(frame):
    found = MODEL.index(frame(COLUMNS), "id", column="text")
    assert found.metadata == {"year": "int64", "lang": found.metadata["lang"]}
    assert found["c"] == {
        "id": "c",
        "text": "a plane flew",
        "metadata": {"year": 3, "lang": "en"},
    }
    assert found.add(frame(COLUMNS | {"id": list("fghij")}), "id", column="text") == list("fghij")


def test_given_metadata_replace_those_of_the_frame():
    frame = pd.DataFrame(COLUMNS)
    assert MODEL.index(frame, metadata={}, column="text").metadata == {}
    assert MODEL.index(frame, metadata={"n": range(5)}, column="text").metadata == {"n": "int64"}


def test_a_column_of_ids_must_be_named():
    with pytest.raises(fuzzbow.InputError, match='give ids="id"'):
        MODEL.index(pd.DataFrame(COLUMNS), column="text")
    with pytest.raises(fuzzbow.InputError, match="texts have no column 'name'"):
        MODEL.index(pd.DataFrame(COLUMNS), "name", column="text")


def test_rows_are_found_by_their_id(index):
    assert index["b"] == {"id": "b", "text": "a dog ran", "metadata": {"year": 2}}
    assert list(index) == list("abcde")
    assert "a" in index
    assert not any(name in index for name in ["z", 3, None, 1.5, ["a"]])
    with pytest.raises(KeyError) as error:
        index["z"]
    assert str(error.value) == "ids must be in the index; 1 are not: 'z'"


def test_known_ids_are_replaced_and_others_added(index):
    assert index.upsert(["a kitten", "a bus"], ["b", "x"], {"year": [7, 8]}) == 1
    assert list(index) == ["a", "c", "d", "e", "b", "x"]
    assert index["b"] == {"id": "b", "text": "a kitten", "metadata": {"year": 7}}
    assert index.search("a kitten", k=1)[0].id == "b"
    assert index.search("a dog ran", k=1, where="id = 'b'")[0].text == "a kitten"
    if index.path:
        assert len(index.versions()) == 2
        assert contents(fuzzbow.open_index(index.path)) == contents(index)
        index.restore(1)
        assert list(index) == list("abcde")


def test_all_texts_may_be_replaced(index):
    assert index.upsert(TEXTS[::-1], list("abcde")) == 5
    assert [index[name]["text"] for name in "abcde"] == TEXTS[::-1]
    assert index.upsert([], []) == 0
    assert len(index) == 5


def test_what_cannot_be_replaced_stays(index):
    before = contents(index)
    for texts, ids, metadata in [
        (["x", "y"], ["a", "a"], None),
        (["x"], [3], None),
        (["x"], ["a"], {"colour": ["red"]}),
        (["x"], None, None),
        ([3], ["a"], None),
    ]:
        with pytest.raises(fuzzbow.InputError):
            index.upsert(texts, ids, metadata)
    assert contents(index) == before
    assert index.search("a dog ran", k=1)[0].id == "b"


def test_a_failure_in_the_change_leaves_what_was_there(index, monkeypatch):
    before = contents(index)
    with monkeypatch.context() as patch:
        patch.setattr(store.LanceStore, "_commit", fail)
        patch.setattr(rows_module.MemoryStore, "_set", fail)
        with pytest.raises(RuntimeError):
            index.upsert(["x"], ["a"])
    assert contents(index) == before
    assert index.search("a cat sat", k=1)[0].id == "a"
    assert index.upsert(["a cat slept"], ["a"]) == 1


def fail(*arguments, **options):
    raise RuntimeError("no")


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.dictionaries(st.integers(0, 6), st.sampled_from(TEXTS), min_size=1, max_size=4),
        max_size=6,
    )
)
def test_an_index_is_a_mapping_after_any_upserts(changes):
    wanted, index = {}, MODEL.index([])
    for change in changes:
        known = change.keys() & wanted.keys()
        assert index.upsert(list(change.values()), list(change)) == len(known)
        wanted = {name: text for name, text in wanted.items() if name not in change} | change
        assert {name: index[name]["text"] for name in index} == wanted
        assert list(index) == list(wanted)
        built = MODEL.index(list(wanted.values()), list(wanted))
        assert index.search("a cat ran").to_dicts() == built.search("a cat ran").to_dicts()

"""The range of ids: what can be added can be found, deleted and counted on from."""

from __future__ import annotations

import pytest

import fuzzbow
from fuzzbow.errors import InputError, UnknownIdError
from fuzzbow.tasks.index import encoded, ids
from fuzzbow.tasks.index.ids import LARGEST_ID


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), 10**18, -(10**18), 2**63, 2**70])
def test_an_id_outside_the_range_is_refused(index, value):
    with pytest.raises(InputError, match="ids must be"):
        index.add(["x"], ids=[value])
    assert len(index) == 6


@pytest.mark.parametrize("value", [LARGEST_ID, -LARGEST_ID, -1])
def test_an_id_at_the_end_of_the_range_can_be_deleted_and_counted_on_from(index, value):
    index.add(["a dog ran"], ids=[value])
    assert index.get(value)["text"] == "a dog ran"
    assert value in index.search("a dog ran", k=9, where=f"id = {value}").ids
    assert index.add(["a", "b"]) == [max(6, value + 1), max(7, value + 2)]
    assert index.delete([max(6, value + 1), value]) == 2
    assert value not in index.ids


@pytest.mark.parametrize("value", [-(2**63), 2**63 - 1])
def test_deleting_what_no_index_has_is_an_input_error(index, value):
    with pytest.raises(UnknownIdError, match="ids must be in the index"):
        index.delete([value])


def test_an_older_index_with_larger_ids_works_and_gets_rid_of_them(model, tmp_path, monkeypatch):
    large = [2**63 - 1, -(2**63), 10**18, 7]
    with monkeypatch.context() as patch:
        patch.setattr(ids, "LARGEST_ID", 2**63)
        patch.setattr(
            encoded, "first_free_id", lambda given: max(given.to_pylist(), default=-1) + 1
        )
        model.index(["a cat", "a dog", "a plane", "zyx"], ids=large, path=tmp_path / "index")
    index = fuzzbow.open_index(tmp_path / "index", model)
    assert sorted(index.search("a cat", k=9).ids) == sorted(large)
    assert index.add(["next"]) == [10**18 + 1]
    assert index.delete(large[:2]) == 2
    again = fuzzbow.open_index(tmp_path / "index", model)
    assert again.ids == [10**18, 7, 10**18 + 1]
    assert again.delete([10**18, 10**18 + 1]) == 2
    assert again.add(["next"]) == [10**18 + 2]


@pytest.mark.parametrize("text", ["x", "1_0", "１", "+1", " 1", "1.0", "", "9" * 20, str(2**63)])
def test_what_is_typed_must_be_a_number(model, text):
    with pytest.raises(InputError, match="whole numbers"):
        model.index(["a"]).parse_ids([text])

"""An index of shards finds what one index finds, whatever happened to both."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fuzzbow
from fuzzbow.cluster.search import ShardedIndex, build_sharded_index, open_sharded_index
from fuzzbow.cluster.search.card import read_shards
from fuzzbow.cluster.search.hosts import LocalHosts
from fuzzbow.errors import InputError, KnownIdError, UnknownIdError
from fuzzbow.tasks.index import open_folder
from fuzzbow.tasks.index.documents import NewDocuments
from fuzzbow.tasks.index.joined_parts import JoinedParts
from fuzzbow.tasks.index.part import open_part

WORDS = [
    "a",
    "he",
    "has",
    "cat",
    "dog",
    "plane",
    "flew",
    "cats",
    "dgo",
    "12",
    "13",
    "zyx",
    "é",
    ",",
]
QUERIES = ["a cat flew", "kat dgo", "", "14 zyx é", "qqqq", "cat cat , plane"]
MEASURES = {
    "weighted-jaccard": {},
    "fuzzy-bm25": {},
    "dynamax-jaccard": {"counts": None},
    "records-otsuka": {"counts": "collection", "tokenizer": "records"},
    "max-jaccard": {},
}
TEXTS = ["he has a cat", "she had a dog", "a plane flew", "zyx", "", "he has a cat"]
YEARS = [2019, 2020, 2021, None, 2023, 2024]


@pytest.fixture(scope="module")
def vectors() -> fuzzbow.WordVectors:
    """Vectors of some of the words."""
    words = [*WORDS[:8], *WORDS[9:11], *(f"w{n}" for n in range(10))]
    table = np.random.default_rng(3).standard_normal((20, 4))
    return fuzzbow.WordVectors.from_words(words, table)


def assert_same(one, many) -> None:
    """Equal hits to the last bit, for several limits, and equal rows."""
    assert many.ids == one.ids
    assert len(many) == len(one)
    for k, min_score, where in ((3, 0.0, None), (1000, 0.0, None), (5, 0.2, "year < 3")):
        wanted, found = (index.search(QUERIES, k, min_score, where) for index in (one, many))
        for left, right in zip(wanted, found, strict=True):
            assert right.scores.tolist() == left.scores.tolist()
            assert right.to_dicts() == left.to_dicts()


texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), max_size=7)
steps = st.lists(
    st.tuples(st.sampled_from(["add", "add", "delete", "compact", "reopen"]), texts), max_size=4
)


@pytest.mark.parametrize("measure", MEASURES)
@given(
    first=texts,
    plan=steps,
    shards=st.integers(1, 4),
    size=st.integers(1, 9),
    together=st.booleans(),
)
@settings(max_examples=6, deadline=None)
def test_changes_in_any_order(vectors, measure, first, plan, shards, size, together):
    model = fuzzbow.load(vectors, measure=measure, **MEASURES[measure])
    folder = Path(tempfile.mkdtemp())
    many = None
    try:
        one = model.index(first, metadata=_years(first))
        build_sharded_index(
            model, first, metadata=_years(first), path=folder / "s", shards=shards, shard_texts=size
        )
        many = open_hosts(folder / "s", model, together=together)
        for name, some in plan:
            if name == "add":
                assert many.add(some, metadata=_years(some)) == one.add(some, metadata=_years(some))
            elif name == "delete":
                gone = list(one.ids)[:: 1 + len(some)]
                assert many.delete(gone) == one.delete(gone)
            elif name == "compact":
                many.compact(keep_versions=1)
            else:
                many.close()
                many = open_hosts(folder / "s", model, together=together)
        assert_same(one, many)
    finally:
        if many is not None:
            many.close()
        shutil.rmtree(folder)


def open_hosts(folder, model, *, together):
    """Open shards on one host, or on one for each; all in this process."""
    kind = LocalHosts(folder, model)
    kind.together = together
    return ShardedIndex(folder, model, kind)


def _years(texts):
    return {"year": np.arange(len(texts)) % 5}


@pytest.fixture
def small(vectors, tmp_path):
    """Six texts in three shards, under a measure that the collection decides."""
    model = fuzzbow.load(vectors, measure="fuzzy-bm25")
    build_sharded_index(
        model, TEXTS, metadata={"year": YEARS}, path=tmp_path / "s", shards=3, shard_texts=4
    )
    return open_sharded_index(tmp_path / "s", model)


def test_equal_scores_are_in_the_order_of_insertion(vectors, tmp_path):
    model = fuzzbow.load(vectors, measure="dynamax-jaccard")
    names = ["z", "b", "y", "a", "x"]
    build_sharded_index(model, ["a cat"] * 5, ids=names, path=tmp_path / "s", shards=3)
    assert open_sharded_index(tmp_path / "s", model).search("a cat", k=4).ids == names[:4]


@pytest.mark.parametrize("given_texts", [[], ["a cat"]])
def test_fewer_texts_than_shards(vectors, tmp_path, given_texts):
    model = fuzzbow.load(vectors, measure="fuzzy-bm25")
    build_sharded_index(
        model, given_texts, metadata=_years(given_texts), path=tmp_path / "s", shards=4
    )
    assert_same(
        model.index(given_texts, metadata=_years(given_texts)),
        open_sharded_index(tmp_path / "s", model),
    )


def test_a_shard_is_an_index_of_its_own(small):
    shard = small.path / read_shards(small.path).shards[1].name
    assert open_folder(shard, small.model).ids == [2, 3]


def test_a_known_id_is_refused_and_nothing_added(small):
    with pytest.raises(KnownIdError, match="the index has 1 already"):
        small.add(["new", "newer"], ids=[77, 1])
    assert small.ids == [0, 1, 2, 3, 4, 5]


def test_an_unknown_id_is_refused_and_nothing_deleted(small):
    with pytest.raises(UnknownIdError, match="1 are not: 99"):
        small.delete([0, 5, 99])
    assert small.ids == [0, 1, 2, 3, 4, 5]


def test_a_row_is_found_by_its_id(small):
    assert small.get(2) == {"id": 2, "text": "a plane flew", "metadata": {"year": 2021}}


def test_explanations_weigh_words_by_all_shards(small):
    whole = small.model.index(TEXTS)
    hit = small.search("a cat")[0]
    explained = small.fitted_model().explain("a cat", hit.text)
    assert explained.score == whole.fitted_model().explain("a cat", hit.text).score


def test_texts_that_are_added_fill_the_last_shard_and_then_new_ones(small):
    small.add(["one", "two"])
    assert [shard.texts for shard in read_shards(small.path).shards] == [2, 2, 4]
    small.add(["a"] * 9)
    assert [shard.texts for shard in read_shards(small.path).shards] == [2, 2, 4, 4, 4, 1]


def test_what_a_writer_left_that_died_before_the_card_is_taken_back(small):
    card = (small.path / "shards.json").read_bytes()
    small.delete([0, 5])
    (small.path / "shards.json").write_bytes(card)
    again = open_sharded_index(small.path, small.model)
    assert again.ids == [0, 1, 2, 3, 4, 5]
    again.delete([0])
    assert open_sharded_index(small.path, small.model).ids == [1, 2, 3, 4, 5]


def test_a_new_shard_without_a_card_is_removed_by_the_next_writer(small):
    card = (small.path / "shards.json").read_bytes()
    small.add(["a"] * 9)
    (small.path / "shards.json").write_bytes(card)
    again = open_sharded_index(small.path, small.model)
    again.delete([0])
    assert len(list(small.path.glob("shard-*"))) == 3


def test_a_deletion_from_several_shards_opens_none_of_them_again(small, monkeypatch):
    def refused(*arguments):
        raise AssertionError("opened again")

    assert small.search("a cat", 1).ids == [0]
    monkeypatch.setattr("fuzzbow.cluster.search.shard_host.open_part", refused)
    monkeypatch.setattr("fuzzbow.cluster.search.shard_host.JoinedParts", refused)
    small.delete([0, 2, 5])
    assert sorted(small.search("a cat").ids) == [1, 3, 4]


def test_texts_added_to_a_part_before_the_last_make_the_joined_parts_stale(small):
    folders = {shard.name: small.path / shard.name for shard in read_shards(small.path).shards}
    parts = {n: open_part(path, small.model, 1) for n, path in folders.items()}
    joined = JoinedParts(small.model, parts)
    new = [NewDocuments(["a cat"], None, None)]
    joined.add([*parts][-1], new)
    assert not joined.stale
    joined.add(next(iter(parts)), new)
    assert joined.stale
    again = JoinedParts(small.model, joined.parts).find(["a cat"], 3, 0.0, None)
    assert list(zip(again.parts.tolist(), again.places.tolist(), strict=True))[:2] == [
        (0, 2),
        (2, 2),
    ]


def test_a_reader_goes_on_with_the_newest_when_its_versions_are_removed(small):
    reader = open_sharded_index(small.path, small.model, read_only=True)
    small.delete([0, 3])
    small.compact(keep_versions=1)
    assert (
        reader.search("a cat", where="year > 0").ids == small.search("a cat", where="year > 0").ids
    )
    assert reader.ids == [1, 2, 4, 5]


def test_hits_are_read_as_they_were_found(small):
    hits = small.search("plane")
    small.delete([2])
    assert hits[0].text == "a plane flew"


def test_a_reader_refuses_changes(small):
    reader = open_sharded_index(small.path, small.model, read_only=True)
    with pytest.raises(InputError, match="read-only"):
        reader.add(["more"])


def test_a_missing_shard_is_named(small):
    name = read_shards(small.path).shards[1].name
    shutil.rmtree(small.path / name)
    with pytest.raises(InputError, match=name):
        open_sharded_index(small.path, small.model)


def test_another_model_is_refused(small, vectors):
    with pytest.raises(InputError, match="other measure"):
        open_sharded_index(small.path, fuzzbow.load(vectors, measure="dynamax-jaccard"))


def test_ray_needs_a_model_with_a_name(small):
    with pytest.raises(InputError, match="has no name"):
        open_sharded_index(small.path, small.model, ray="local")


def test_replicas_need_ray(small):
    with pytest.raises(InputError, match="replicas must be 1 without Ray; got 2"):
        open_sharded_index(small.path, small.model, replicas=2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_is_refused_and_does_not_end_the_hosts(small):
    pid = os.fork()
    if pid == 0:
        refused = 0
        for call in (lambda: small.search("a cat"), lambda: small.delete(0)):
            try:
                call()
            except InputError as error:
                refused += "spawn" in str(error)
        small.close()
        os._exit(refused)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 2
    assert small.search("he has a cat", k=1).ids == [0]


def test_shards_clean_texts_as_their_model_does(tmp_path: Path):
    model = fuzzbow.load(clean="web")
    texts = [f"<p>{text}</p>" for text in TEXTS]
    folder = tmp_path / "shards"
    build_sharded_index(model, texts, path=folder, shard_texts=2)
    with open_sharded_index(folder) as index:
        assert index.model.spec.clean == "web"
        assert index.search("a **plane** flew", k=1)[0].text == texts[2]
    with pytest.raises(InputError, match="other cleaning"):
        open_sharded_index(folder, fuzzbow.load(model.vectors))

"""An index of shards finds what one index finds, whatever happened to both."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fuzzbow
from fuzzbow.errors import InputError, KnownIdError, UnknownIdError
from fuzzbow.index import placement
from fuzzbow.index.placement import ThisProcess
from fuzzbow.index.sharded_store import read_manifest
from fuzzbow.pipeline.indexing import build_sharded_index

WORDS = ["a", "he", "has", "cat", "dog", "plane", "flew", "cats", "dgo", "12", "13", "zyx", "é"]
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
def vectors():
    """Vectors of some of the words."""
    words = [*WORDS[:8], *WORDS[9:11], *(f"w{n}" for n in range(10))]
    table = np.random.default_rng(3).standard_normal((20, 4))
    return fuzzbow.WordVectors.from_words(words, table)


@pytest.fixture(scope="module")
def named(vectors, tmp_path_factory):
    """A file of these vectors, by whose name actors load them."""
    path = tmp_path_factory.mktemp("vectors") / "small.txt"
    lines = zip(vectors.words, vectors.matrix.tolist(), strict=True)
    path.write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in lines))
    return str(path)


def assert_same(one, many):
    """Equal hits to the last bit, for several limits, and equal rows."""
    assert many.ids == one.ids
    assert len(many) == len(one)
    for k, min_score, where in ((3, 0.0, None), (1000, 0.0, None), (5, 0.2, "year < 3")):
        wanted, found = (index.search(QUERIES, k, min_score, where) for index in (one, many))
        for left, right in zip(wanted, found, strict=True):
            assert right.scores.tolist() == left.scores.tolist()
            assert right.to_dicts() == left.to_dicts()


class DirectActors:
    """A Ray cluster whose actors are objects of this process."""

    def __init__(self, address):
        self.ray = self
        names = ("RayActorError", "NodeDiedError", "ObjectLostError")
        self.exceptions = SimpleNamespace(**dict.fromkeys(names, LostError))

    def remote(self, kind):
        made = lambda *arguments: DirectActor(kind(*arguments))  # noqa: E731
        return SimpleNamespace(options=lambda **options: SimpleNamespace(remote=made))

    def put(self, value):
        return value

    def result(self, call):
        return call()

    def kill(self, actor):
        pass

    def close(self):
        pass


class LostError(Exception):
    """The error of Ray for an actor that died too often."""


class DirectActor:
    """An actor whose methods are called when their result is requested."""

    def __init__(self, actor):
        self._actor = actor

    def __getattr__(self, method):
        call = getattr(self._actor, method)
        return SimpleNamespace(remote=lambda *arguments: lambda: call(*arguments))


@pytest.fixture(scope="module", autouse=True)
def direct_actors():
    """Let `ray="direct"` open shards in actors of this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(placement, "RayCluster", DirectActors)
        patch.setattr(placement, "fetch", lambda reference: reference)
        yield


texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), max_size=7)
actions = ["add", "add", "upsert", "delete", "compact", "reopen"]
steps = st.lists(st.tuples(st.sampled_from(actions), texts), max_size=4)


@pytest.mark.parametrize("measure", MEASURES)
@given(
    first=texts,
    plan=steps,
    shards=st.integers(1, 4),
    size=st.integers(1, 9),
    ray=st.sampled_from([None, "direct"]),
)
@settings(max_examples=8, deadline=None)
def test_changes_in_any_order(named, measure, first, plan, shards, size, ray):
    model = fuzzbow.load(named, measure=measure, **MEASURES[measure])
    folder = Path(tempfile.mkdtemp())
    try:
        one = model.index(first, metadata=_years(first))
        build_sharded_index(
            model, first, metadata=_years(first), path=folder / "s", shards=shards, shard_texts=size
        )
        many = fuzzbow.open_index(folder / "s", model, ray=ray)
        for name, some in plan:
            if name == "add":
                assert many.add(some, metadata=_years(some)) == one.add(some, metadata=_years(some))
            elif name == "upsert":
                ids = list(dict.fromkeys([*list(one.ids)[::2], *range(50, 57)]))[: len(some)]
                given = some[: len(ids)], ids, _years(some[: len(ids)])
                assert many.upsert(*given) == one.upsert(*given)
            elif name == "delete":
                gone = list(one.ids)[:: 1 + len(some)]
                assert many.delete(gone) == one.delete(gone)
            elif name == "compact":
                many.compact(keep_versions=1)
            else:
                many = fuzzbow.open_index(folder / "s", model, ray=ray)
        assert_same(one, many)
    finally:
        shutil.rmtree(folder)


def _years(texts):
    return {"year": np.arange(len(texts)) % 5}


@pytest.fixture
def small(vectors, tmp_path):
    """Six texts in three shards, under a measure that the collection decides."""
    model = fuzzbow.load(vectors, measure="fuzzy-bm25")
    build_sharded_index(
        model, TEXTS, metadata={"year": YEARS}, path=tmp_path / "s", shards=3, shard_texts=4
    )
    return fuzzbow.open_index(tmp_path / "s", model)


@pytest.mark.parametrize("given_texts", [[], ["a cat"]])
def test_fewer_texts_than_shards(vectors, tmp_path, given_texts):
    model, more = fuzzbow.load(vectors, measure="fuzzy-bm25"), {"metadata": _years(given_texts)}
    build_sharded_index(model, given_texts, **more, path=tmp_path / "s", shards=4)
    assert_same(model.index(given_texts, **more), fuzzbow.open_index(tmp_path / "s", model))


def test_rows_shards_and_explanations_are_those_of_one_index(small):
    assert small.get(2) == {"id": 2, "text": "a plane flew", "metadata": {"year": 2021}}
    shard = small.path / read_manifest(small.path).shards[1].name
    assert fuzzbow.open_index(shard, small.model).ids == [2, 3]
    one, hits = small.model.index(TEXTS), small.search("plane")
    scores = [index.fitted_model().explain("plane", hits[0].text).score for index in (small, one)]
    assert scores[0] == scores[1]
    small.delete([2])
    assert hits[0].text == "a plane flew"


def test_changes_that_are_refused_change_nothing(small, vectors):
    reader = fuzzbow.open_index(small.path, small.model, read_only=True)
    other = fuzzbow.load(vectors, measure="dynamax-jaccard")
    for error, message, call in (
        (KnownIdError, "1", lambda: small.add(["new", "newer"], ids=[77, 1])),
        (UnknownIdError, "99", lambda: small.delete([0, 5, 99])),
        (InputError, "read-only", lambda: reader.add(["more"])),
        (InputError, "other measure", lambda: fuzzbow.open_index(small.path, other)),
    ):
        with pytest.raises(error, match=message):
            call()
    assert small.ids == fuzzbow.open_index(small.path, small.model).ids == [0, 1, 2, 3, 4, 5]


def test_equal_scores_are_in_the_order_of_insertion(vectors, tmp_path):
    model, names = fuzzbow.load(vectors, measure="dynamax-jaccard"), ["z", "b", "y", "a", "x"]
    build_sharded_index(model, ["a cat"] * 5, ids=names, path=tmp_path / "s", shards=3)
    assert fuzzbow.open_index(tmp_path / "s", model).search("a cat", k=4).ids == names[:4]


def test_texts_that_are_added_fill_the_last_shard_and_then_new_ones(small):
    small.add(["one", "two"])
    assert [shard.texts for shard in read_manifest(small.path).shards] == [2, 2, 4]
    small.add(["a"] * 9)
    assert [shard.texts for shard in read_manifest(small.path).shards] == [2, 2, 4, 4, 4, 1]


def test_changes_of_a_writer_that_died_before_the_manifest_are_undone(small):
    manifest = (small.path / "shards.json").read_bytes()
    small.delete([0, 5])
    small.add(["a"] * 9)
    (small.path / "shards.json").write_bytes(manifest)
    again = fuzzbow.open_index(small.path, small.model)
    assert again.ids == [0, 1, 2, 3, 4, 5]
    again.delete([0])
    assert fuzzbow.open_index(small.path, small.model).ids == [1, 2, 3, 4, 5]
    assert len(list(small.path.glob("shard-*"))) == 3


def test_a_deletion_from_several_shards_opens_none_of_them_again(small, monkeypatch):
    def refused(*arguments):
        raise AssertionError("opened again")

    assert small.search("a cat", 1).ids == [0]
    monkeypatch.setattr("fuzzbow.index.sharded_store.open_shard", refused)
    monkeypatch.setattr(ThisProcess, "load", refused)
    small.delete([0, 2, 5])
    assert sorted(small.search("a cat").ids) == [1, 3, 4]


def test_this_process_searches_all_shards_as_one_corpus(small, monkeypatch):
    kind, asked = type(small._placement.searcher), []
    search = kind.search

    def noted(*given):
        asked.append(given)
        return search(*given)

    monkeypatch.setattr(kind, "search", noted)
    assert len(small.search("a cat")) == 6
    assert len(asked) == 1


def test_an_actor_that_is_lost_too_often_is_an_error_that_names_the_shard(
    named, tmp_path, monkeypatch
):
    build_sharded_index(fuzzbow.load(named), TEXTS, path=tmp_path / "s", shards=2)
    index = fuzzbow.open_index(tmp_path / "s", ray="direct")

    def lose(*arguments):
        raise LostError("process 7 ended")

    monkeypatch.setattr(placement.ShardActor, "search", lose)
    with pytest.raises(
        placement.ShardLostError,
        match=r"shard-00000.* of .*4 actors in a row.*process 7 ended",
    ):
        index.search("a cat")


def test_a_reader_goes_on_with_the_newest_when_its_versions_are_removed(small):
    reader = fuzzbow.open_index(small.path, small.model, read_only=True)
    small.delete([0, 3])
    small.compact(keep_versions=1)
    found = [index.search("a cat", where="year > 0").ids for index in (reader, small)]
    assert found[0] == found[1]
    assert reader.ids == [1, 2, 4, 5]


def test_a_missing_shard_is_named(small):
    name = read_manifest(small.path).shards[1].name
    shutil.rmtree(small.path / name)
    with pytest.raises(InputError, match=name):
        fuzzbow.open_index(small.path, small.model)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ray": "local"}, "need a model that has a name"),
        ({"replicas": 2}, "replicas must be 1 without Ray; got 2"),
        ({"version": 1}, "has no versions: each shard has its own"),
    ],
)
def test_options_that_do_not_fit_are_refused(small, options, message):
    with pytest.raises(InputError, match=message):
        fuzzbow.open_index(small.path, small.model, **options)


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


def test_shards_clean_texts_as_their_model_does(tmp_path):
    model = fuzzbow.load(clean="web")
    texts = [f"<p>{text}</p>" for text in TEXTS]
    folder = tmp_path / "shards"
    build_sharded_index(model, texts, path=folder, shard_texts=2)
    with fuzzbow.open_index(folder) as index:
        assert index.model.spec.clean == "web"
        assert index.search("a **plane** flew", k=1)[0].text == texts[2]
    with pytest.raises(InputError, match="other cleaning"):
        fuzzbow.open_index(folder, fuzzbow.load(model.vectors))

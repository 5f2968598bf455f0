"""What an index does, in memory and on disk alike."""

from __future__ import annotations

import threading

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import fuzzbow
from fuzzbow.errors import InputError
from tests.unit.tasks.index.conftest import METADATA, TEXTS, YEARS


def test_equal_scores_are_in_the_order_of_insertion(index):
    hits = index.search("he has a cat", k=2)
    assert hits.ids == [0, 5]
    assert hits.scores.tolist() == [1.0, 1.0]


def test_a_hit_has_all_that_was_given(index):
    hit = index.search("she had a dog", k=1)[0]
    assert (hit.rank, hit.id, hit.text) == (1, 1, "she had a dog")
    assert hit.metadata == {"year": 2020, "lang": "en"}
    assert hit.score == pytest.approx(1.0)


def test_k_larger_than_the_index_gives_every_text(index):
    hits = index.search("a cat", k=100)
    assert sorted(hits.ids) == list(range(6))
    assert np.all(np.diff(hits.scores) <= 0)


def test_a_query_without_known_words_scores_0_with_all(index):
    for query in ("", "   ", "qwerty"):
        hits = index.search(query, k=3)
        assert (hits.ids, hits.scores.tolist()) == ([0, 1, 2], [0.0, 0.0, 0.0])
        assert len(index.search(query, min_score=1e-9)) == 0


def test_many_queries_give_a_list_of_the_same_hits(index):
    queries = ["a cat", "a plane", "", "zyx"] * 30
    for query, hits in zip(queries, index.search(queries, k=3), strict=True):
        alone = index.search(query, k=3)
        assert (hits.query, hits.ids, hits.scores.tolist()) == (
            query, alone.ids, alone.scores.tolist(),
        )  # fmt: skip
        assert [hit.text for hit in hits] == [hit.text for hit in alone]


def test_no_queries_give_no_hits(index):
    assert index.search([]) == []


def test_one_thread_gives_the_same(index):
    assert index.search("a cat", threads=1).ids == index.search("a cat").ids


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("year > 2020", [2, 4, 5]),
        ("YEAR > 2020", [2, 4, 5]),
        ("year IS NULL", [3]),
        ("lang = 'en' AND year < 2020", [0]),
        ("lang = 'it''s'", [4]),
        ("id IN (1, 3)", [1, 3]),
        ("text LIKE '%cat%'", [0, 5]),
        ("true", [0, 1, 2, 3, 4, 5]),
        ("year > 2020 -- as SQL comments", [2, 4, 5]),
        ("year > 3000", []),
    ],
)
def test_where_keeps_rows_and_nothing_else_appears(index, where, kept):
    assert sorted(index.search("a cat", k=10, where=where).ids) == kept


def test_where_after_changes(index):
    index.delete([2, 0])
    index.add(["a cat"], metadata=[{"year": 2030}])
    assert sorted(index.search("a cat", where="year > 2020").ids) == [4, 5, 6]
    index.compact()
    assert sorted(index.search("a cat", where="year > 2020").ids) == [4, 5, 6]


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("yeer > 2020", "columns id, text, year, lang.*yeer"),
        ("year >", "SQL condition"),
        ("year", "true or false"),
        ("", "SQL condition"),
        (5, "SQL condition"),
        ("(SELECT 1) > 0", "SQL condition"),
        ("year > 1; DROP TABLE texts", "SQL condition"),
    ],
)
def test_where_that_cannot_be_used_is_refused(index, where, message):
    with pytest.raises(InputError, match=message):
        index.search("a cat", where=where)


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "3", None])
def test_k_must_be_at_least_1(index, k):
    with pytest.raises(InputError, match="k must be"):
        index.search("a cat", k=k)


@pytest.mark.parametrize("score", ["high", None, float("nan")])
def test_min_score_must_be_a_number(index, score):
    with pytest.raises(InputError, match="min_score must be"):
        index.search("a cat", min_score=score)


@pytest.mark.parametrize("query", [None, 5, b"cat", ["a", 5]])
def test_a_query_must_be_text(index, query):
    with pytest.raises(InputError, match="query must"):
        index.search(query)


def test_ids_go_on_counting_and_are_never_given_again(index):
    assert index.add(["a dog", "a cat"]) == [6, 7]
    assert index.delete([7, 6]) == 2
    assert index.add(["a dog"]) == [8]
    index.delete(8)
    index.compact()
    assert index.add(["a dog"]) == [9]
    assert index.ids == [0, 1, 2, 3, 4, 5, 9]


def test_nothing_to_add_or_delete_is_no_change(index):
    assert (index.add([]), index.delete([])) == ([], 0)
    assert len(index) == 6


def test_scores_of_others_do_not_change(index):
    before = {hit.id: hit.score for hit in index.search("a cat flew", k=10)}
    index.add(["a cat flew", "unheard of words"], metadata={"year": [1, 2]})
    index.delete(0)
    after = {hit.id: hit.score for hit in index.search("a cat flew", k=10)}
    assert {name: after[name] for name in before if name} == {
        name: score for name, score in before.items() if name
    }


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([6, 6], "differ; got 6 2 times"),
        ([6, 3], "has 3 already"),
        (["6", "7"], "whole numbers"),
        ([6], "equal length; got 2 and 1"),
        ([6, "7"], "one kind"),
        ([6, None], "missing"),
        ([0.5, 1.5], "whole numbers or strings"),
        ([True, False], "whole numbers or strings"),
        ([2**70, 1], "ids must be"),
    ],
)
def test_ids_that_cannot_be_used_leave_the_index_as_it_was(index, ids, message):
    with pytest.raises(InputError, match=message):
        index.add(["a dog", "a cat"], ids=ids)
    assert index.ids == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("ids", "message"), [([0, 99], "1 are not: 99"), (["0"], "kind"), (None, "must be a list")]
)
def test_deleting_what_is_not_there_is_refused(index, ids, message):
    with pytest.raises(InputError, match=message):
        index.delete(ids)
    assert len(index) == 6


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"yeer": [1]}, "no metadata column 'yeer'; there are year, lang.*'year'"),
        ({"year": ["soon"]}, "'year' must hold int64"),
        ({"year": [1, 2]}, "one value for each text, 1; got 2"),
        ([5], "item 0 is int"),
        ("year", "got str"),
    ],
)
def test_metadata_that_does_not_fit_is_refused(index, metadata, message):
    with pytest.raises(InputError, match=message):
        index.add(["a dog"], metadata=metadata)
    assert len(index) == 6


@pytest.mark.parametrize("name", ["id", "Text", "score", "_x", "", "\ud800", 5])
def test_names_that_rows_have_already_are_refused(model, name):
    with pytest.raises(InputError, match="metadata column must have a name"):
        model.index(["a cat"], metadata={name: [1]})


@pytest.mark.parametrize(
    "metadata",
    [
        METADATA,
        [{"year": year, "lang": lang} for year, lang in zip(*METADATA.values(), strict=True)],
        pd.DataFrame({"year": pd.array(YEARS, dtype="Int64"), "lang": METADATA["lang"]}),
        pa.table(METADATA),
        {"year": pa.chunked_array([YEARS]), "lang": pa.array(METADATA["lang"]).dictionary_encode()},
    ],
    ids=["columns", "dictionaries", "pandas", "arrow", "arrays"],
)
def test_metadata_of_any_kind(model, metadata):
    index = model.index(TEXTS, metadata=metadata)
    assert index.metadata["year"] == "int64"
    assert index.search("a cat", where="year > 2020 AND lang = 'de'").ids == [2]


def test_strings_as_ids(model, tmp_path):
    names = ["it's", 'a "b"', "ü", "d"]
    for path in (None, tmp_path / "index"):
        index = model.index(["a cat", "a dog", "a plane", "he"], ids=names, path=path)
        assert index.search("a dog", k=1).ids == ['a "b"']
        assert index.add(["she"], ids=["e"]) == ["e"]
        assert index.delete(["it's", "ü"]) == 2
        assert index.ids == ['a "b"', "d", "e"]
        assert index.search("she", k=1)[0].id == "e"
        with pytest.raises(InputError, match="must be given"):
            index.add(["a cat"])


def test_ids_of_numpy_and_pandas(model):
    assert model.index(["a", "he"], ids=np.array([7, 3], dtype=np.uint8)).ids == [7, 3]
    assert model.index(["a", "he"], ids=pd.Series(["x", "y"])).ids == ["x", "y"]
    assert model.index(["a", "he"], ids=iter([4, 2])).add(["she"]) == [5]


def test_an_empty_index_finds_nothing_and_grows(model, tmp_path):
    for path in (None, tmp_path / "index"):
        index = model.index([], path=path)
        assert (len(index), index.ids, len(index.search("a cat"))) == (0, [], 0)
        assert str(index.search("a cat")) == "no hits for 'a cat'"
        assert index.search(["a cat", "a dog"])[1].ids == []
        assert index.add(["a cat"]) == [0]
        assert index.search("a cat").ids == [0]


def test_an_index_whose_texts_are_all_deleted(index):
    index.delete(index.ids)
    assert (len(index), len(index.search("a cat"))) == (0, 0)
    index.compact()
    assert index.search("a cat").to_dicts() == []
    index.add(["a cat"])
    assert index.search("a cat").ids == [6]


def test_texts_from_an_iterator_with_progress(model, tmp_path):
    told = []
    index = model.index(
        (f"a cat {n}" for n in range(40_000)),
        path=tmp_path / "index",
        progress=lambda done, total: told.append((done, total)),
    )
    assert told == [(16_384, None), (32_768, None), (40_000, None)]
    assert len(index) == 40_000


def test_odd_texts(model, tmp_path):
    odd = ["\ud800 lone", "🐈", "a\0cat", "x" * 1_000_000, "\n\t"]
    for path in (None, tmp_path / "index"):
        index = model.index(odd, path=path)
        assert index.search("\ud800 a cat", k=5).ids[0] == 2
        assert index.get(0)["text"] == "\ufffd lone"
        assert index.get(1)["text"] == "🐈"


@pytest.mark.parametrize("measure", ["wmd", "set-jaccard", "soft-cosine", "sif-pca"])
def test_measures_that_have_no_index_say_so(pets, measure, tmp_path):
    model = fuzzbow.load(pets, measure=measure)
    with pytest.raises(InputError, match=f"{measure} cannot be searched"):
        model.index(["a cat"], path=tmp_path / "index")
    assert not (tmp_path / "index").exists()


def test_get_gives_the_row_of_an_id(index):
    row = {"id": 2, "text": "a plane flew", "metadata": {"year": 2021, "lang": "de"}}
    assert index.get(2) == row
    with pytest.raises(InputError, match="not: 99"):
        index.get(99)


def test_info_says_what_there_is(index):
    facts = index.info()
    assert (facts["texts"], facts["measure"], facts["ids"]) == (6, "dynamax-jaccard", "numbers")
    assert facts["metadata"] == {"year": "int64", "lang": "string"}
    assert facts["memory_bytes"] == index.memory_bytes() > 0
    assert "6 texts" in repr(index)


def test_compacting_keeps_everything(index):
    index.delete([0, 3])
    before = index.search("he has a cat", k=10).to_dicts()
    index.compact()
    assert index.search("he has a cat", k=10).to_dicts() == before


def test_hits_stay_as_they_were_when_the_index_changes(index):
    hits = index.search("he has a cat", k=2)
    index.delete([0, 1])
    index.add(["another"])
    index.compact()
    assert [(hit.id, hit.text) for hit in hits] == [(0, "he has a cat"), (5, "he has a cat")]


def test_threads_search_while_the_index_changes(index):
    stop, wrong = threading.Event(), []

    def ask():
        while not stop.is_set():
            hits = index.search("he has a cat", k=50)
            rows = [(hit.id, hit.text) for hit in hits]
            if any(TEXTS[name] != text for name, text in rows if name < 6):
                wrong.append(rows)

    asking = [threading.Thread(target=ask) for _ in range(3)]
    for thread in asking:
        thread.start()
    for _ in range(8):
        index.delete(index.add(["he has a plane", "a dog"])[:1])
    index.compact()
    stop.set()
    for thread in asking:
        thread.join(30)
    assert wrong == []
    assert len(index) == 14

"""What an index does, in memory and on disk alike."""

from __future__ import annotations

import copy
import json
import math
import pickle
import threading
from dataclasses import asdict
from datetime import date

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import fuzzbow
from fuzzbow.errors import InputError
from fuzzbow.index.ids import LARGEST_ID
from tests.sts import ALL, read
from tests.unit.index.brute import same_hits
from tests.unit.index.conftest import METADATA, TEXTS, YEARS


def test_a_hit_has_all_that_was_given(index):
    hit = index.search("she had a dog", k=1)[0]
    assert (hit.rank, hit.id, hit.text) == (1, 1, "she had a dog")
    assert hit.metadata == {"year": 2020, "lang": "en"}
    assert hit.score == pytest.approx(1.0)


def test_k_larger_than_the_index_gives_every_text(index):
    hits = index.search("he has a cat", k=100)
    assert sorted(hits.ids) == list(range(6))
    assert hits.ids[:2] == [0, 5]  # equal scores in the order of insertion
    assert np.all(np.diff(hits.scores) <= 0)
    assert index.search("he has a cat", k=100, threads=1).ids == hits.ids


def test_a_query_without_known_words_scores_0_with_all(index):
    for query in ("", "   ", "qwerty"):
        hits = index.search(query, k=3)
        assert (hits.ids, hits.scores.tolist()) == ([0, 1, 2], [0.0, 0.0, 0.0])
        none = index.search(query, min_score=1e-9)
        assert none.to_arrow().num_rows == len(none.to_pandas()) == len(none.to_dicts()) == 0
        assert "<table>" in none._repr_html_()


def test_many_queries_give_a_list_of_the_same_hits(index):
    assert index.search([]) == []
    queries = ["a cat", "a plane", "", "zyx"] * 30
    for query, hits in zip(queries, index.search(queries, k=3), strict=True):
        alone = index.search(query, k=3)
        assert (hits.query, hits.ids, hits.scores.tolist()) == (
            query, alone.ids, alone.scores.tolist(),
        )  # fmt: skip
        assert [hit.text for hit in hits] == [hit.text for hit in alone]


def test_where_keeps_rows_and_nothing_else_appears(index):
    for where, kept in {
        "year > 2020": [2, 4, 5],
        "YEAR > 2020 -- as SQL comments": [2, 4, 5],
        "year IS NULL": [3],
        "lang = 'en' AND year < 2020": [0],
        "lang = 'it''s'": [4],
        "id IN (1, 3)": [1, 3],
        "text LIKE '%cat%'": [0, 5],
        "true": [0, 1, 2, 3, 4, 5],
        "year > 3000": [],
    }.items():
        assert sorted(index.search("a cat", k=10, where=where).ids) == kept, where


def test_where_after_changes(index):
    with pytest.raises(InputError, match="true or false"):
        index.search("a cat", where="year")
    index.delete([2, 0])
    index.add(["a cat"], metadata=[{"year": 2030}])
    assert sorted(index.search("a cat", where="year > 2020").ids) == [4, 5, 6]
    index.compact()
    assert sorted(index.search("a cat", where="year > 2020").ids) == [4, 5, 6]


def test_a_query_must_be_text(index):
    for query in (None, 5, b"cat", ["a", 5]):
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
    assert (index.add([]), index.delete([]), len(index)) == ([], 0, 7)


BAD_IDS = [
    ([6, 6], "differ; got 6 2 times"),
    ([6, 3], "has 3 already"),
    (["6", "7"], "whole numbers"),
    ([6], "equal length; got 2 and 1"),
    ([6, "7"], "one kind"),
    ([6, None], "missing"),
    ([0.5, 1.5], "whole numbers or strings"),
    ([True, False], "whole numbers or strings"),
    *(([6, n], "ids must be") for n in (2**70, 2**63, 2**63 - 1, 10**18, -(10**18), -(2**63))),
]
UNKNOWN_IDS = [
    ([0, 99], "1 are not: 99"),
    (["0"], "kind"),
    (None, "must be a list"),
    ([-(2**63)], "ids must be in the index"),
    ([2**63 - 1], "ids must be in the index"),
]
BAD_METADATA = [
    ({"yeer": [1]}, "no metadata column 'yeer'; there are year, lang.*'year'"),
    ({"year": ["soon"]}, "'year' must hold int64"),
    ({"year": [1, 2]}, "one value for each text, 1; got 2"),
    ([5], "item 0 is int"),
    ("year", "got str"),
]


def test_what_cannot_be_used_leaves_the_index_as_it_was(index):
    for ids, message in BAD_IDS:
        with pytest.raises(InputError, match=message):
            index.add(["a dog", "a cat"], ids=ids)
    for metadata, message in BAD_METADATA:
        with pytest.raises(InputError, match=message):
            index.add(["a dog"], metadata=metadata)
    for ids, message in UNKNOWN_IDS:
        with pytest.raises(InputError, match=message):
            index.delete(ids)
    assert index.ids == [0, 1, 2, 3, 4, 5]


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
    assert model.index(["a", "he"], ids=np.array([7, 3], dtype=np.uint8)).ids == [7, 3]
    assert model.index(["a", "he"], ids=iter([4, 2])).add(["she"]) == [5]
    for path in (None, tmp_path / "index"):
        index = model.index(["a cat", "a dog", "a plane", "he"], ids=pd.Series(names), path=path)
        assert index.search("a dog", k=1).ids == ['a "b"']
        assert index.add(["she"], ids=["e"]) == ["e"]
        assert index.delete(["it's", "ü"]) == 2
        assert index.ids == ['a "b"', "d", "e"]
        assert index.search("she", k=1)[0].id == "e"
        with pytest.raises(InputError, match="must be given"):
            index.add(["a cat"])


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


def test_info_says_what_there_is(index):
    facts = index.info()
    assert (facts["texts"], facts["measure"], facts["ids"]) == (6, "dynamax-jaccard", "numbers")
    assert facts["metadata"] == {"year": "int64", "lang": "string"}
    assert facts["memory_bytes"] == index.memory_bytes() > 0
    assert "6 texts" in repr(index)


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


@pytest.mark.parametrize("value", [LARGEST_ID, -LARGEST_ID, -1])
def test_an_id_at_the_end_of_the_range_can_be_deleted_and_counted_on_from(index, value):
    index.add(["a dog ran"], ids=[value])
    assert index.get(value)["text"] == "a dog ran"
    assert value in index.search("a dog ran", k=9, where=f"id = {value}").ids
    assert index.add(["a", "b"]) == [max(6, value + 1), max(7, value + 2)]
    assert index.delete([max(6, value + 1), value]) == 2
    assert value not in index.ids


@pytest.mark.parametrize("text", ["x", "1_0", "１", "+1", " 1", "1.0", "", "9" * 20, str(2**63)])
def test_what_is_typed_must_be_a_number(model, text):
    with pytest.raises(InputError, match="whole numbers"):
        model.index(["a"]).parse_ids([text])


MEASURES = {  # and every how manieth sentence is indexed
    "weighted-jaccard": 1, "dynamax-jaccard": 1, "dynamax-otsuka": 4, "dynamax-dice": 4,
    "dynamax-cosine": 4, "max-jaccard": 4, "avg-cosine": 4,
}  # fmt: skip
QUERIES, K = 40, 10


@pytest.fixture(scope="module")
def sentences(sts_folder) -> list[str]:
    """Every sentence of every labelled pair, repeats and all."""
    sides = [read(sts_folder / "raw", subtask)[:2] for subtask in ALL]
    return [sentence for lefts, rights in sides for sentence in lefts + rights]


@pytest.mark.sts
@pytest.mark.parametrize("measure", MEASURES)
def test_search_equals_brute_force(sentences, measure, tmp_path):
    model, sentences = fuzzbow.load("default", measure=measure), sentences[:: MEASURES[measure]]
    half = len(sentences) // 2
    index = model.index(sentences[:half], path=tmp_path / "index")
    index.add(sentences[half:])
    index.delete(range(0, len(sentences), 7))
    rows = {n: text for n, text in enumerate(sentences) if n % 7}
    queries = sentences[:: len(sentences) // QUERIES]
    reopened = fuzzbow.open_index(tmp_path / "index", model)
    scores = model.matrix(queries, list(rows.values()))
    decided = 0
    for hits, again, row in zip(
        index.search(queries, K), reopened.search(queries, K), scores, strict=True
    ):
        decided += same_hits(hits, list(rows), row, K)
        assert (again.ids, again.scores.tolist()) == (hits.ids, hits.scores.tolist())
        assert [hit.text for hit in again] == [rows[name] for name in again.ids]
    assert decided > QUERIES // 2


@pytest.fixture
def hits(model):
    return model.index(TEXTS, metadata=METADATA).search("he has a cat", k=3)


def test_hits_are_a_sequence(hits):
    assert len(hits) == 3
    assert [hit.rank for hit in hits] == [1, 2, 3]
    assert hits[-1] == hits[2] == hits[2:][0]
    assert hits[0] in hits


class ByLength:
    """Scores texts by their length."""

    def pairs(self, lefts, rights):
        return np.array([float(len(text)) for text in rights])


def test_reranked_hits_are_hits(model, hits):
    found = hits.rerank(ByLength(), k=2)
    longest = sorted(hits, key=lambda hit: -len(hit.text))[:2]
    assert type(found) is type(hits)
    assert [(hit.rank, hit.id, hit.metadata) for hit in found] == [
        (rank, hit.id, hit.metadata) for rank, hit in enumerate(longest, 1)
    ]
    assert found.ids == [hit.id for hit in longest]
    assert found.scores.tolist() == [len(hit.text) for hit in longest]
    assert found.to_arrow().column("text").to_pylist() == [hit.text for hit in longest]
    assert found.rerank(ByLength(), k=1).ids == found.ids[:1]
    assert len(str(found).splitlines()) == 3
    assert list(model.index(["a"]).search("qqq", min_score=2.0).rerank(ByLength())) == []


def test_hits_print_as_a_table(hits, model):
    lines = str(hits).splitlines()
    assert lines[0].split() == ["rank", "score", "id", "text", "metadata"]
    assert lines[1].split()[:3] == ["1", "1.0000", "0"]
    assert "year=2019" in lines[1]
    hits = model.index(["cat " * 100]).search("cat")
    assert max(map(len, str(hits).splitlines())) < 100
    assert hits[0].text == "cat " * 100
    page = model.index(["<b>cat</b>"], metadata={"x": ["<i>"]}).search("<script>")._repr_html_()
    assert "&lt;b&gt;cat" in page
    assert "<script>" not in page
    assert "<i>" not in page


def test_json_and_dicts(hits):
    data = json.loads(hits.to_json())
    assert data["query"] == "he has a cat"
    assert data["hits"] == hits.to_dicts()
    assert list(data["hits"][0]) == ["rank", "id", "score", "text", "metadata"]


def test_json_of_what_json_has_no_word_for(model):
    metadata = {"day": [date(2020, 1, 2)], "price": [float("nan")], "parts": [[{"a": math.inf}]]}
    hits = model.index(["a cat"], metadata=metadata).search("a cat")
    plain = {"day": "2020-01-02", "price": None, "parts": [{"a": None}]}
    assert json.loads(hits.to_json(), parse_constant=pytest.fail)["hits"][0]["metadata"] == plain


def test_arrow_and_pandas(hits):
    table, frame = hits.to_arrow(), hits.to_pandas()
    assert table.column_names == ["rank", "id", "score", "text", "year", "lang"]
    assert frame["id"].tolist() == table.column("id").to_pylist() == hits.ids
    assert frame["score"].tolist() == hits.scores.tolist()


EXPLAINED = ["a cat sleeps", "the jet landed", "two kittens play"]


@pytest.mark.parametrize("purpose", ["sentences", "passages", "answers", "records"])
def test_a_hit_explains_its_score(purpose):
    hits = fuzzbow.load(purpose=purpose).index(EXPLAINED).search("a kitten", k=2)
    why = hits[0].explain()
    assert why.left.text == "a kitten"
    assert why.right.text == hits[0].text
    assert [hit.explain().score for hit in hits] == pytest.approx(hits.scores.tolist(), abs=1e-6)


def test_hits_of_another_model_are_explained_by_that():
    hits = fuzzbow.load(purpose="passages").index(EXPLAINED).search("a kitten", k=2)
    other = fuzzbow.load(measure="dynamax-jaccard")
    first = hits.rerank(other)[0]
    assert first.explain().measure == "dynamax-jaccard"
    assert first.explain().score == pytest.approx(first.score, abs=1e-6)


def test_a_copy_has_the_fields_and_says_that_it_has_no_index():
    hit = fuzzbow.load().index(EXPLAINED).search("a kitten")[0]
    for twin in (copy.deepcopy(hit), pickle.loads(pickle.dumps(hit))):  # noqa: S301
        assert twin == hit
        with pytest.raises(fuzzbow.InputError, match=r"model.explain\(query, text\)"):
            twin.explain()
    assert set(asdict(hit)) == {"rank", "id", "score", "text", "metadata"}

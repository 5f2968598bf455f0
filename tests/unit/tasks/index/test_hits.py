"""Hits: a sequence that turns into tables."""

from __future__ import annotations

import json
import math
from datetime import date

import numpy as np
import pytest


@pytest.fixture
def hits(index):
    return index.search("he has a cat", k=3)


def test_hits_are_a_sequence(hits):
    assert len(hits) == 3
    assert [hit.rank for hit in hits] == [1, 2, 3]
    assert hits[-1] == hits[2] == hits[2:][0]
    assert hits[0] in hits


class ByLength:
    """Scores texts by their length."""

    def pairs(self, lefts, rights):
        return np.array([float(len(text)) for text in rights])


def test_reranked_hits_are_hits(index, hits):
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
    assert list(index.search("qqq", k=3, min_score=2.0).rerank(ByLength())) == []


def test_hits_print_as_a_table(hits):
    lines = str(hits).splitlines()
    assert lines[0].split() == ["rank", "score", "id", "text", "metadata"]
    assert lines[1].split()[:3] == ["1", "1.0000", "0"]
    assert "year=2019" in lines[1]


def test_a_long_text_is_cut_in_print_only(model):
    hits = model.index(["cat " * 100]).search("cat")
    assert max(map(len, str(hits).splitlines())) < 100
    assert hits[0].text == "cat " * 100


def test_html_is_escaped(model):
    hits = model.index(["<b>cat</b>"], metadata={"x": ["<i>"]}).search("<script>cat")
    page = hits._repr_html_()
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


def test_no_hits_are_empty_tables(index):
    none = index.search("qwerty", min_score=0.5)
    assert none.to_arrow().num_rows == len(none.to_pandas()) == len(none.to_dicts()) == 0
    assert "<table>" in none._repr_html_()

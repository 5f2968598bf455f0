"""A hit explains its own score."""

from __future__ import annotations

import copy
import pickle
from dataclasses import asdict

import pytest

import fuzzbow

TEXTS = ["a cat sleeps", "the jet landed", "two kittens play"]


@pytest.mark.parametrize("purpose", ["sentences", "passages", "answers", "records"])
def test_a_hit_explains_its_score(purpose):
    hits = fuzzbow.load(purpose=purpose).index(TEXTS).search("a kitten", k=2)
    why = hits[0].explain()
    assert why.left.text == "a kitten"
    assert why.right.text == hits[0].text
    assert [hit.explain().score for hit in hits] == pytest.approx(hits.scores.tolist(), abs=1e-6)


def test_hits_of_another_model_are_explained_by_that():
    hits = fuzzbow.load(purpose="passages").index(TEXTS).search("a kitten", k=2)
    other = fuzzbow.load(measure="dynamax-jaccard")
    first = hits.rerank(other)[0]
    assert first.explain().measure == "dynamax-jaccard"
    assert first.explain().score == pytest.approx(first.score, abs=1e-6)


def test_a_copy_has_the_fields_and_says_that_it_has_no_index():
    hit = fuzzbow.load().index(TEXTS).search("a kitten")[0]
    for twin in (copy.deepcopy(hit), pickle.loads(pickle.dumps(hit))):  # noqa: S301
        assert twin == hit
        with pytest.raises(fuzzbow.InputError, match=r"model.explain\(query, text\)"):
            twin.explain()
    assert set(asdict(hit)) == {"rank", "id", "score", "text", "metadata"}

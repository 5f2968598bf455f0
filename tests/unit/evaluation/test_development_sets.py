"""The sets for development give the numbers that were published with them."""

from __future__ import annotations

import pytest

import fuzzbow
from fuzzbow.evaluation import evaluate

FEW = 100  # resamples, where intervals are not looked at


@pytest.mark.retrieval
@pytest.mark.parametrize(
    ("name", "ours", "bm25"),
    [("cranfield", 40.08, 51.85), ("stackfaq-questions", 86.66, 81.94)],
)
def test_retrieval(retrieval_folder, name, ours, bm25):
    found = evaluate(retrieval_folder / name, fuzzbow.load(), resamples=FEW)
    assert found[name]["weighted-jaccard"].values["nDCG@10"] == pytest.approx(ours, abs=0.1)
    assert found[name]["bm25"].values["nDCG@10"] == pytest.approx(bm25, abs=0.3)  # many ties


@pytest.mark.retrieval
def test_answer_selection(retrieval_folder):
    model = fuzzbow.load(measure="weighted-coverage")
    path = retrieval_folder / "wikiqa-candidates.jsonl"
    item = evaluate(path, model, resamples=1000).sets[0]
    assert item["weighted-coverage"].values["MAP"] == pytest.approx(65.4, abs=0.3)
    assert item["weighted-coverage"].differences["bm25"]["MAP"].low > 0


@pytest.mark.matching
@pytest.mark.parametrize(
    ("name", "ours", "words", "characters"),
    [("abt-buy", 44.00, 61.48, 74.37), ("amazon-google", 54.36, 53.23, 56.89)],
)
def test_matching(matching_folder, name, ours, words, characters):
    found = evaluate(matching_folder / f"{name}.csv", fuzzbow.load(), resamples=FEW)[name]
    assert found["weighted-jaccard"].values["AP"] == pytest.approx(ours, abs=0.05)
    assert found["tfidf"].values["AP"] == pytest.approx(words, abs=0.05)
    assert found["char-tfidf"].values["AP"] == pytest.approx(characters, abs=0.05)

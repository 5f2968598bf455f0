"""`model.scorer` in RapidFuzz itself."""

from __future__ import annotations

import numpy as np
import pytest
from rapidfuzz import process, process_cpp, process_py, utils

import fuzzbow

EVERY = pytest.mark.parametrize("process", [process_py, process_cpp], ids=["py", "cpp"])


def test_a_scorer_is_the_similarity(model, texts):
    assert model.scorer(texts[0], texts[2]) == model.similarity(texts[0], texts[2])


@EVERY
def test_extract_finds_what_an_index_finds(process, model, texts):
    found = process.extract("a kitten on a mat", texts, scorer=model.scorer, limit=3)
    hits = model.index(texts).search("a kitten on a mat", k=3)
    assert [position for _, _, position in found] == hits.ids
    assert [score for _, score, _ in found] == pytest.approx(hits.scores.tolist(), abs=1e-12)
    found = process.extract(texts[0], texts, scorer=model.scorer, score_cutoff=0.9)
    assert [position for _, _, position in found] == [0, 2]
    best = process.extractOne("share prices fell", [texts[0], texts[1]], scorer=model.scorer)
    assert best[0] == texts[1]
    assert process.extractOne("zzz", texts, scorer=model.scorer, score_cutoff=0.5) is None
    assert process.extract("a cat", [], scorer=model.scorer) == []
    assert process.cdist([], [], scorer=model.scorer).shape == (0, 0)


@EVERY
def test_a_processor_comes_first(process, model):
    found = process.extract(
        "A CAT!", ["??? a cat", "a jet"], scorer=model.scorer, processor=utils.default_process
    )
    assert found[0][:2] == ("??? a cat", 1.0)
    assert model.scorer("CAT", "cat", processor=str.lower) == 1.0


@EVERY
def test_cdist_is_the_matrix_of_the_model(process, model, texts):
    wanted = model.matrix(texts, texts[:2])
    found = process.cdist(texts, texts[:2], scorer=model.scorer, dtype=np.float64)
    assert found == pytest.approx(wanted, abs=1e-12)
    assert process.cdist(texts, texts, scorer=model.scorer) == pytest.approx(
        model.matrix(texts), abs=1e-6
    )
    cut = process.cdist(texts, texts[:2], scorer=model.scorer, score_cutoff=0.9, dtype=np.float64)
    assert cut == pytest.approx(np.where(wanted >= 0.9, wanted, 0.0), abs=1e-12)


@EVERY
def test_an_asymmetric_measure_is_asked_in_both_orders(process, texts):
    model = fuzzbow.load(measure="weighted-coverage")
    both = ["a cat", "a cat sat on a mat"]
    found = process.cdist(both, both, scorer=model.scorer, dtype=np.float64)
    assert found == pytest.approx(model.matrix(both), abs=1e-12)
    assert found[0, 1] > found[1, 0]


def test_a_missing_text_scores_nothing(model):
    found = process.extract("a cat", [None, "a cat", float("nan")], scorer=model.scorer)
    assert found == [("a cat", 1.0, 1)]
    assert model.scorer(None, "a cat") == model.scorer("a cat", float("nan")) == 0.0
    with pytest.raises(fuzzbow.InputError, match="b must be a string; got int"):
        process.extract("a cat", [3], scorer=model.scorer)

"""Pairs with scores by people, as an evaluation set of any model."""

from __future__ import annotations

import json

import numpy as np
import pytest

import fuzzbow
from fuzzbow.research.evaluation import ScoredPairSet, evaluate, read_set
from tests.command import invoked

LEFTS = ["a red cat", "the jet landed", "bread and cake", "a small dog", "he ran home"]
RIGHTS = ["a red kitten", "a plane came down", "the garden", "a big dog", "she flew away"]
GOLD = [4.5, 4.0, 0.5, 3.0, 1.5]


@pytest.fixture
def path(tmp_path):
    rows = [f"{a},{b},{c}" for a, b, c in zip(LEFTS, RIGHTS, GOLD, strict=True)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["left,right,score", *rows, "x,y,"]) + "\n")
    return path


def test_a_model_is_correlated_with_people_and_compared_with_baselines(path):
    model = fuzzbow.load()
    found = evaluate(path, model, resamples=100)["people"]
    scores = model.pairs(LEFTS, RIGHTS)
    ours = found["weighted-jaccard"]
    assert ours.values["Pearson"] == pytest.approx(100 * np.corrcoef(scores, GOLD)[0, 1])
    assert found.sizes == {"pairs": 5, "pairs_skipped": 1}
    assert list(ours.differences) == ["tfidf", "char-tfidf"]
    delta = ours.values["Pearson"] - found["tfidf"].values["Pearson"]
    assert ours.differences["tfidf"]["Pearson"].delta == pytest.approx(delta)


def test_an_undefined_correlation_is_none_with_a_note(path):
    data = read_set(path)
    equal = ScoredPairSet("equal", data.lefts, data.rights, np.ones(len(data)))
    found = evaluate(equal, fuzzbow.load(), resamples=100)
    ours = found["equal"]["weighted-jaccard"]
    assert ours.values == {"Pearson": None, "Spearman": None}
    assert ours.notes == ("correlation undefined: all gold scores are the same",)
    json.dumps(found.to_dict(), allow_nan=False)


def test_the_command_shows_correlations(path):
    done = invoked("eval", path, "--resamples", "100", env={"COLUMNS": "160"})
    assert "people (scores): 5 pairs, 1 pair skipped" in done.stdout
    assert "Pearson less tfidf" in done.stdout

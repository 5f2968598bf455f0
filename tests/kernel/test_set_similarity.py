"""Set similarities by name, and what they say of themselves."""

import numpy as np
import pytest

import fuzzbow
from fuzzbow import _kernel
from tests.kernel import calls, oracle


def test_it_says_what_it_is():
    made = _kernel.SetSimilarity("tversky", [0.3, 1 / 3], universe="query")
    assert (made.name, made.parameters, made.universe) == ("tversky", (0.3, 1 / 3), "query")
    assert repr(made) == f"SetSimilarity('tversky', (0.3, {1 / 3}), universe='query')"
    assert repr(_kernel.SetSimilarity("dice")) == "SetSimilarity('dice', universe='dynamic')"


@pytest.mark.parametrize("similarity", oracle.SIMILARITIES, ids=str)
def test_it_knows_whether_it_is_symmetric(similarity):
    assert calls.compiled(similarity).symmetric == similarity.symmetric


@pytest.mark.parametrize(
    ("name", "parameters", "universe"),
    [
        ("cosinus", (), "dynamic"),
        ("jaccard", (), "identity"),
        ("jaccard", (1.0,), "dynamic"),
        ("tversky", (), "dynamic"),
        ("tversky", (1.0,), "dynamic"),
        ("tversky", (1.0, 1.0, 1.0), "dynamic"),
        ("tversky", (0.0, 0.0), "dynamic"),
        ("tversky", (-0.1, 1.0), "dynamic"),
        ("tversky", (1.0, float("nan")), "dynamic"),
        ("tversky", (1.0, float("inf")), "query"),
    ],
)
def test_it_is_refused(name, parameters, universe):
    with pytest.raises(fuzzbow.InputError, match="must be"):
        _kernel.SetSimilarity(name, parameters, universe=universe)


def test_coverage_of_a_query_is_what_the_document_holds_of_it():
    vectors = np.array([[1, 0, 0], [0, 1, 0], [0, 0.6, 0.8], [0, 0, 1]], np.float32)
    table = _kernel.Table(vectors, np.array([1, 2, 5, 7], np.float32), unit=True)
    [found] = calls.pairs(table, [[0, 1]], [[2, 0, 3, 3]], oracle.QUERY_COVERAGE)
    assert found == pytest.approx((1 * 1.0 + 2 * 0.6) / (1 + 2))


@pytest.mark.parametrize(
    ("parameters", "same"), [((1.0, 1.0), oracle.JACCARD), ((0.5, 0.5), oracle.DICE)]
)
def test_jaccard_and_dice_are_tversky_indices(parameters, same):
    random = np.random.default_rng(1)
    rows = random.random((2, 40, 30)).astype(np.float32)
    index = _kernel.SetSimilarity("tversky", parameters)
    np.testing.assert_allclose(
        _kernel.dense_pairs(*rows, index),
        _kernel.dense_pairs(*rows, calls.compiled(same)),
        rtol=1e-6,
    )

"""The shares of a join together find what the whole finds, each pair once, on every engine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuzzbow
from fuzzbow.engine import WHOLE
from fuzzbow.progress import no_progress

WORDS = ["cat", "dog", "plane", "jet", "the", "sat", "xqzzt"]
MODELS = {
    "compiled": {"engine": "auto"},
    "reference": {"engine": "reference"},
    "fixed universe": {"measure": "max-jaccard"},
}


@pytest.fixture(scope="module", params=MODELS)
def chosen(request: pytest.FixtureRequest) -> fuzzbow.Model:
    return fuzzbow.load(**MODELS[request.param])


@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), max_size=12, unique=True),
    st.integers(1, 15),
    st.data(),
)
def test_shares_make_up_the_whole(chosen: fuzzbow.Model, texts: list[str], count: int, data):
    boundary = data.draw(st.none() | st.integers(0, len(texts)))
    batch, _ = chosen.encoder.encode(texts)

    def found(share: tuple[int, int]) -> list[tuple[int, int, float]]:
        parts = chosen.measure.join(
            batch, threshold=0.5, boundary=boundary, progress=no_progress, share=share
        )
        columns = ((part.left, part.right, part.scores) for part in parts)
        return [row for part in columns for row in zip(*(c.tolist() for c in part), strict=True)]

    shares = [pair for number in range(count) for pair in found((number, count))]
    assert sorted(shares) == sorted(found(WHOLE))

"""Chunks of several words score alike on every way from texts to scores."""

from __future__ import annotations

import numpy as np
import pytest

import fuzzbow
from tests.messy.pairs import read_pairs

TEXTS = list(dict.fromkeys(text for pair in read_pairs() for text in (pair.left, pair.right)))
QUERIES = ["", "★", "64GB on 2024-01-05", "don't pay $5.00", "zqxw 1,650"]


@pytest.mark.parametrize("purpose", ["sentences", "records"])
def test_engines_single_calls_and_batches_agree(purpose):
    compiled = fuzzbow.load(purpose=purpose, counts=None, engine="compiled")
    reference = fuzzbow.load(purpose=purpose, counts=None, engine="reference")
    lefts, rights = TEXTS[:400], TEXTS[1:401]
    batch = compiled.pairs(lefts, rights)
    np.testing.assert_allclose(batch, reference.pairs(lefts, rights), atol=1e-5)
    alone = [compiled.similarity(a, b) for a, b in zip(lefts, rights, strict=True)]
    np.testing.assert_allclose(alone, batch, atol=1e-6)


def test_search_is_that_of_comparing_with_every_text():
    model = fuzzbow.load()
    index = model.index(TEXTS)
    for query in QUERIES:
        scores = model.matrix([query], TEXTS)[0]
        best = np.argsort(-scores, kind="stable")[:10]
        hits = index.search(query, k=10)
        assert [hit.id for hit in hits if hit.score > 0] == [i for i in best if scores[i] > 0]
        np.testing.assert_allclose(
            [hit.score for hit in hits], scores[best][: len(hits)], atol=1e-6
        )

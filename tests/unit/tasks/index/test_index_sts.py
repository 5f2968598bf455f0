"""Search equals brute force on all STS sentences."""

from __future__ import annotations

import pytest

import fuzzbow
from tests.sts import ALL, read
from tests.unit.tasks.index.brute import same_hits

MEASURES = [
    "weighted-jaccard", "dynamax-jaccard", "dynamax-otsuka", "dynamax-dice", "dynamax-cosine",
    "max-jaccard", "avg-cosine",
]  # fmt: skip
QUERIES, K = 40, 10


@pytest.fixture(scope="module")
def sentences(sts_folder) -> list[str]:
    """Every sentence of every labelled pair, repeats and all."""
    sides = [read(sts_folder / "raw", subtask)[:2] for subtask in ALL]
    return [sentence for lefts, rights in sides for sentence in lefts + rights]


@pytest.mark.sts
@pytest.mark.parametrize("measure", MEASURES)
def test_search_equals_brute_force(sentences, measure, tmp_path):
    model = fuzzbow.load("default", measure=measure)
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

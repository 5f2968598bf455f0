"""Columns of Arrow wherever texts are taken."""

from __future__ import annotations

import pyarrow as pa
import pytest

KINDS = pytest.mark.parametrize(
    "column",
    [
        lambda texts: pa.chunked_array([texts[:1], texts[1:]], pa.string()),
        lambda texts: pa.array(texts, pa.large_string()),
        lambda texts: pa.chunked_array([pa.array(texts, pa.string())]).dictionary_encode(),
    ],
    ids=["chunks", "large", "dictionary"],
)


@KINDS
def test_a_column_is_as_good_as_a_list(column, model, texts):
    given = column(texts)
    assert model.pairs(given, given[::-1]).tolist() == model.pairs(texts, texts[::-1]).tolist()
    assert model.matrix(given).tolist() == model.matrix(texts).tolist()
    assert (
        model.index(given).search(given)[1].to_dicts()
        == model.index(texts).search(texts)[1].to_dicts()
    )
    assert model.duplicates(given, threshold=0.7).kept().tolist() == [0, 1, 4]
    assert model.join(given, given) == model.join(texts, texts)
    assert model.pairs(column([]), column([])).shape == (0,)
    assert len(model.index(column([]))) == len(model.duplicates(column([])).texts) == 0

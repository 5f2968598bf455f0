"""The embedded vectors with the recommended measure keep their quality on STS12-16."""

from __future__ import annotations

import pytest

import fuzzbow
from tests import sts

pytestmark = pytest.mark.sts


@pytest.mark.parametrize(
    ("data", "tokenizer", "least"), [("raw", "words", 75.0), ("tokenized", "whitespace", 74.5)]
)
def test_default_reaches_the_promised_mean_pearson(sts_folder, data, tokenizer, least):
    model = fuzzbow.load("default", tokenizer=tokenizer)
    assert sts.mean_pearson(model.pairs, sts_folder / data) >= least

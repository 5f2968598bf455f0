"""Small models and indexes, in memory and on disk."""

from __future__ import annotations

import pytest

import fuzzbow
from fuzzbow.pipeline import build_sharded_index

TEXTS = ["he has a cat", "she had a dog", "a plane flew", "zyx", "", "he has a cat"]
YEARS = [2019, 2020, 2021, None, 2023, 2024]
METADATA = {"year": YEARS, "lang": ["en", "en", "de", "de", "it's", None]}


@pytest.fixture
def model(pets) -> fuzzbow.Model:
    """DynaMax on nine words."""
    return fuzzbow.load(pets, measure="dynamax-jaccard")


@pytest.fixture(params=["memory", "disk", "shards"])
def index(request, model, tmp_path):
    """Six texts in each kind of index; the last shard has room for one more."""
    if request.param == "memory":
        return model.index(TEXTS, metadata=METADATA)
    path = tmp_path / "index"
    if request.param == "shards":
        build_sharded_index(model, TEXTS, metadata=METADATA, path=path, shards=3, shard_texts=3)
        return fuzzbow.open_index(path, model)
    return model.index(TEXTS, metadata=METADATA, path=path)


@pytest.fixture
def folder(model, tmp_path):
    """The folder of an index of the six texts."""
    model.index(TEXTS, metadata=METADATA, path=tmp_path / "index")
    return tmp_path / "index"

"""Small models and indexes, in memory and on disk."""

from __future__ import annotations

import pytest

import fuzzbow

TEXTS = ["he has a cat", "she had a dog", "a plane flew", "zyx", "", "he has a cat"]
YEARS = [2019, 2020, 2021, None, 2023, 2024]
METADATA = {"year": YEARS, "lang": ["en", "en", "de", "de", "it's", None]}


@pytest.fixture
def model(pets) -> fuzzbow.Model:
    """DynaMax on nine words."""
    return fuzzbow.load(pets, measure="dynamax-jaccard")


@pytest.fixture(params=["memory", "disk", "opened"])
def index(request, model, tmp_path):
    """The same six texts in each kind of index."""
    if request.param == "memory":
        return model.index(TEXTS, metadata=METADATA)
    made = model.index(TEXTS, metadata=METADATA, path=tmp_path / "index")
    return made if request.param == "disk" else fuzzbow.open_index(tmp_path / "index", model)


@pytest.fixture
def folder(model, tmp_path):
    """The folder of an index of the six texts."""
    model.index(TEXTS, metadata=METADATA, path=tmp_path / "index")
    return tmp_path / "index"

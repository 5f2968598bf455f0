"""A purpose chooses what is best for it, and gives way to whatever else is asked for."""

from __future__ import annotations

import pytest

import fuzzbow
from fuzzbow.model import PURPOSES
from fuzzbow.text import TOKENIZERS


@pytest.mark.parametrize("purpose", PURPOSES)
def test_every_purpose_loads_and_searches(purpose):
    model = fuzzbow.load(purpose=purpose)
    assert model.measure.name == PURPOSES[purpose].fields["measure"]
    assert model.index(["a cat", "a dog"]).search("cat", k=1).ids == [0]
    assert model.encode(["a cat", ""]).shape == (2, model.vectors.dimension)
    assert fuzzbow.ModelSpec.from_dict(model.spec.to_dict()) == model.spec
    assert PURPOSES[purpose].fields.get("tokenizer", "words") in TOKENIZERS


def test_what_is_given_wins():
    model = fuzzbow.load(purpose="records", tokenizer="words", measure="weighted-jaccard")
    assert (model.tokenizer.name, model.measure.name) == ("words", "weighted-jaccard")
    assert model.spec.counts == "collection"


@pytest.mark.parametrize("measure", ["dynamax-jaccard", "soft-cardinality", "max-cosine"])
def test_a_measure_without_counts_leaves_out_those_of_the_purpose(measure):
    model = fuzzbow.load(purpose="records", measure=measure)
    assert (model.spec.counts, model.tokenizer.name) == (None, "records")
    with pytest.raises(fuzzbow.InputError, match="counts 'collection'"):
        fuzzbow.load(purpose="records", measure=measure, counts="collection")


@pytest.mark.parametrize("measure", ["fuzzy-bm25", "fuzzy-bm25(b=0.5)", "records-jaccard"])
def test_a_measure_of_a_collection_keeps_the_counts_of_the_purpose(measure):
    assert fuzzbow.load(purpose="records", measure=measure).spec.counts == "collection"


def test_without_a_purpose_it_is_the_usual_model():
    assert fuzzbow.load().spec == fuzzbow.ModelSpec() == fuzzbow.load(purpose="sentences").spec
    with pytest.raises(fuzzbow.InputError, match="did you mean 'passages'"):
        fuzzbow.load(purpose="passage")

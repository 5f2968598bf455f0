"""The component in spaCy itself."""

from __future__ import annotations

import numpy as np
import pytest
import spacy

import fuzzbow

WORDS = ["a", "cat", "kitten", "plane", "jet"]
A, B = "the cat sat on a mat", "A kitten sat on the mat."


def blank(**config):
    nlp = spacy.blank("en")
    nlp.add_pipe("fuzzbow", config=config)
    return nlp


def with_vectors():
    """A pipeline with vectors of its own."""
    nlp = spacy.blank("en")
    random = np.random.default_rng(3)
    for word in WORDS:
        nlp.vocab.set_vector(word, random.standard_normal(8).astype(np.float32))
    return nlp


def test_docs_spans_and_tokens_are_compared_by_the_model(model):
    nlp = blank()
    a, b = nlp(A), nlp(B)
    assert a.similarity(b) == model.similarity(A, B)
    assert a[:2].similarity(b[:2]) == model.similarity("the cat", "A kitten")
    assert a[1].similarity(b[1]) == model.similarity("cat", "kitten")
    assert a[1].similarity(b) == model.similarity("cat", B)
    found = nlp.get_pipe("fuzzbow").explain(a, b)
    assert found.score == pytest.approx(a.similarity(b), abs=1e-5)
    for text in ("", "   ", "zzzqq"):
        assert nlp(text).similarity(nlp("a cat")) == model.similarity(text, "a cat")
    with pytest.raises(AttributeError, match="text"):
        a.similarity(None)
    assert not hasattr(nlp.get_pipe("fuzzbow"), "model")  # which spaCy would train


def test_the_config_chooses_measure_and_purpose():
    nlp = blank(measure="dynamax-jaccard")
    assert nlp.get_pipe("fuzzbow").fuzzy_model.measure.name == "dynamax-jaccard"
    assert nlp(A).similarity(nlp(B)) == fuzzbow.load(measure="dynamax-jaccard").similarity(A, B)
    answers = blank(purpose="answers").get_pipe("fuzzbow")
    assert answers.fuzzy_model.measure.name == "weighted-coverage"


def test_the_pipelines_own_vectors_are_used_when_asked_for():
    nlp = with_vectors()
    nlp.add_pipe("fuzzbow", config={"vectors": "pipeline", "measure": "dynamax-jaccard"})
    wanted = fuzzbow.load(nlp.vocab, measure="dynamax-jaccard").similarity("a cat", "a jet")
    assert nlp("a cat").similarity(nlp("a jet")) == wanted


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"vectors": "pipeline"}, "no word vectors"),
        ({"measure": "dynmax"}, "measure must be one of"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_config_that_is_wrong_is_refused(config, message):
    with pytest.raises(ValueError, match=message):
        nlp = blank(**config)
        nlp("a").similarity(nlp("a"))


def test_pipes_of_many_texts_have_the_hooks():
    nlp = blank()
    docs = list(nlp.pipe(["a cat", "a kitten", "a jet"]))
    assert docs[0].similarity(docs[1]) > docs[0].similarity(docs[2])
    assert list(nlp.pipe([])) == []


@pytest.mark.parametrize("vectors", ["default", "pipeline"])
def test_a_pipeline_is_written_and_loaded_with_the_component(vectors, tmp_path):
    nlp = with_vectors()
    nlp.add_pipe("fuzzbow", config={"vectors": vectors, "measure": "dynamax-jaccard"})
    wanted = nlp("a cat").similarity(nlp("a jet"))
    nlp.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    assert again("a cat").similarity(again("a jet")) == wanted
    copied = spacy.blank("en")
    copied.add_pipe("fuzzbow")
    copied.from_bytes(nlp.to_bytes())
    assert copied("a cat").similarity(copied("a jet")) == wanted


def test_vectors_that_have_changed_since_are_refused(tmp_path):
    path = tmp_path / "v.vec"
    path.write_text("a 1 0\ncat 0 1\n", "utf-8")
    nlp = blank(vectors=str(path))
    written = nlp.to_bytes()
    path.write_text("a 0 1\ncat 1 0\n", "utf-8")
    with pytest.raises(fuzzbow.InputError, match="have changed since"):
        blank(vectors=str(path)).from_bytes(written)

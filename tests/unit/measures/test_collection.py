"""Words weighed by the texts at hand: where the collection comes from, and what it changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import fuzzbow
from fuzzbow.engine import inverse_frequencies
from fuzzbow.measures import Ability

DOCUMENTS = ["a cat sat", "a dog sat", "a cat and a cat", "a xqzzt", "a cat sat"]


@pytest.fixture(scope="module")
def model() -> fuzzbow.Model:
    return fuzzbow.load(counts="collection")


def by_hand(a: str, b: str, documents: list[str]) -> float:
    """weighted-jaccard with every weight times idf, from the words' own weights and vectors."""
    plain = fuzzbow.load()
    texts, _ = plain.encoder.encode([a, b])
    table, _ = plain.measure.prepare(texts)
    words = list(texts.words)
    frequency = np.array([sum(w in text.split() for text in documents) for w in words])
    weights = table.weights * np.log(1 + (len(documents) - frequency + 0.5) / (frequency + 0.5))
    ids = {word: place for place, word in enumerate(words)}
    left, right = ([ids[word] for word in text.split()] for text in (a, b))
    between = plain.measure.engine.similarities(
        table, np.array(left), np.array(right), plain.measure.options
    )
    found = np.concatenate([between.max(axis=1), between.max(axis=0)]).clip(0, 1)
    weigh = weights[left + right]
    return float((weigh * found).sum() / weigh.sum())


@pytest.mark.parametrize("query", ["cat dog", "xqzzt cat", "sat"])
def test_matrix_index_and_fit_take_the_same_collection(model, query):
    expected = [by_hand(query, text, DOCUMENTS) for text in DOCUMENTS]
    np.testing.assert_allclose(model.matrix([query], DOCUMENTS)[0], expected, atol=1e-6)
    fitted = model.fit(DOCUMENTS)
    np.testing.assert_allclose(
        fitted.pairs([query] * len(DOCUMENTS), DOCUMENTS), expected, atol=1e-6
    )
    hits = model.index(DOCUMENTS).search(query)
    found = dict(zip(hits.ids, hits.scores.tolist(), strict=True))
    assert [found[number] for number in range(len(DOCUMENTS))] == pytest.approx(expected, abs=1e-6)


def test_adding_and_deleting_change_the_weights_of_all(model):
    index = model.index(DOCUMENTS[:3])
    before = index.search("cat dog").scores.tolist()
    index.add(DOCUMENTS[3:])
    index.delete([1])
    assert index.search("cat dog").scores.tolist()[:2] != before[:2]
    left = [DOCUMENTS[0], *DOCUMENTS[2:]]
    expected = sorted(model.matrix(["cat dog"], left)[0].tolist(), reverse=True)
    assert index.search("cat dog").scores.tolist() == expected
    pair = index.fitted_model().similarity("cat dog", DOCUMENTS[0])
    assert pair == model.matrix(["cat dog"], left)[0, 0]


def test_an_index_on_disk_keeps_its_collection(model, tmp_path):
    pytest.importorskip("lance")
    made = model.index(DOCUMENTS, path=tmp_path / "index")
    opened = fuzzbow.open_index(tmp_path / "index")
    assert opened.model.spec.counts == "collection"
    assert opened.search("cat dog").scores.tolist() == made.search("cat dog").scores.tolist()
    with pytest.raises(fuzzbow.InputError, match="collection"):
        fuzzbow.open_index(tmp_path / "index", fuzzbow.load())


def test_duplicates_are_weighed_by_their_own_texts(model):
    found = model.duplicates(DOCUMENTS, threshold=0.1).pairs.to_arrow().to_pydict()
    scores = model.matrix(DOCUMENTS, DOCUMENTS)
    for left, right, score, exact in zip(*found.values(), strict=True):
        assert exact or score == scores[left, right]


def test_words_of_two_texts_alone_weigh_what_they_do_by_themselves(model):
    alone = replace(model.spec, counts=None).load()
    expected = alone.similarity("a cat", "a dog")
    assert model.similarity("a cat", "a dog") == expected
    assert model.pairs(["a cat"], ["a dog"]).tolist() == [expected]
    assert model.explain("a cat", "a dog").score == pytest.approx(expected, abs=1e-6)
    assert model.matrix(["a cat"], DOCUMENTS)[0, 0] != model.similarity("a cat", DOCUMENTS[0])


def test_an_explanation_adds_up_to_the_score(model):
    assert Ability.FIT in model.measure.abilities
    fitted = model.fit(DOCUMENTS)
    assert fitted.recipe() is None  # a collection has no name
    explained = fitted.explain("cat dog", DOCUMENTS[0])
    assert explained.left.share + explained.right.share == pytest.approx(explained.score)
    assert explained.score == pytest.approx(fitted.similarity("cat dog", DOCUMENTS[0]), abs=1e-6)


def test_a_word_that_no_text_has_weighs_most(model):
    assert inverse_frequencies(np.array([0, 1, 5]), 5).argmax() == 0
    assert (inverse_frequencies(np.arange(101), 100) > 0).all()
    fitted = model.fit(DOCUMENTS)
    shares = {word.word: word.weight for word in fitted.explain("a xqzzt", "a cat").left.words}
    assert shares["xqzzt"] > shares["a"]


@pytest.mark.parametrize("measure", ["dynamax-jaccard", "set-jaccard", "sif-pca", "avg-cosine"])
def test_measures_without_weights_refuse_a_collection(measure):
    with pytest.raises(fuzzbow.InputError, match="has no such weights"):
        fuzzbow.load(measure=measure, counts="collection")


@pytest.mark.parametrize("texts", [[], ["", "..."], ["xqzzt"]])
def test_degenerate_collections(model, texts):
    index = model.index(texts)
    assert len(index.search("a cat")) == len(texts)
    assert index.search("").scores.tolist() == [0.0] * len(texts)
    assert model.matrix(["a cat"], texts).shape == (1, len(texts))
    assert model.matrix([], texts).shape == (0, len(texts))


def test_weights_of_a_fixed_universe_too():
    from fuzzbow.measures import compose

    vocabulary = compose(words="weighted", universe="vocabulary")
    model = fuzzbow.load(measure=vocabulary, counts="collection", limit=300)
    scores = model.matrix(["the he"], ["the of", "he was", "the the"])
    plain = fuzzbow.load(measure=vocabulary, limit=300).matrix(["the he"], ["the of", "he was"])
    assert scores[0, 0] != pytest.approx(plain[0, 0], abs=1e-4)
    assert (scores <= 1).all()

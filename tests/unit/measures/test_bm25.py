"""fuzzy-bm25 as a measure: the formula, its collection, its explanation, bad input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fuzzbow
from fuzzbow.engine import Bm25Options
from fuzzbow.measures import fuzzy_bm25
from fuzzbow.measures.words import WeightedWords

DOCUMENTS = [
    "A puppy running along a street.",
    "A dog in a car.",
    "The cat sat on the mat, and the dog sat beside the cat.",
    "",
    "...",
    "xqzzt 12",
]
PUPPY = "puppy"


@pytest.fixture(scope="module")
def model() -> fuzzbow.Model:
    return fuzzbow.load(measure="fuzzy-bm25")


def by_hand(query: str, document: str, documents: list[str]) -> float:
    """The formula over the similarities and weights of weighted-jaccard's words."""
    plain = fuzzbow.load()
    everything = [query, document, *documents]
    texts, _ = plain.encoder.encode(everything)
    table, _ = plain.measure.prepare(texts)
    ids = {word: place for place, word in enumerate(texts.words)}
    split = [
        [ids[w.lower()] for w in plain.tokenizer.words(text) if any(map(str.isalnum, w))]
        for text in everything
    ]
    asked, held, collection = split[0], split[1], split[2:]

    def gain(a: list[int], b: list[int]) -> np.ndarray:
        found = plain.measure.engine.similarities(
            table, np.array(a, dtype=int), np.array(b, dtype=int), plain.measure.options
        )
        return np.maximum(0.0, (found.clip(0, 1) - 0.45) / 0.55) ** 1.5

    words = sorted({word for text in collection for word in text})
    holders = np.array([sum(word in text for text in collection) for word in words])
    frequency = np.minimum(len(collection), gain(asked, words) @ holders)
    inverse = np.log(1 + (len(collection) - frequency + 0.5) / (frequency + 0.5))
    weights = table.weights[asked] * inverse
    length = len(held) / np.mean([len(text) for text in collection])
    often = gain(asked, held).sum(axis=1)
    share = often / (often + 1.5 * (0.25 + 0.75 * length))
    return float((weights * share).sum() / weights.sum())


@pytest.mark.parametrize("query", [PUPPY, "a dog on the street", "cats and puppies", "xqzzt"])
def test_scores_are_those_of_the_formula(model, query):
    expected = [by_hand(query, text, DOCUMENTS) for text in DOCUMENTS]
    np.testing.assert_allclose(model.matrix([query], DOCUMENTS)[0], expected, atol=1e-5)
    index = model.index(DOCUMENTS)
    found, opened = index.search(query), fuzzbow.load(measure="fuzzy-bm25", counts="collection")
    assert opened.matrix([query], DOCUMENTS).tolist() == model.matrix([query], DOCUMENTS).tolist()
    np.testing.assert_allclose(found.scores, sorted(expected, reverse=True), atol=1e-5)
    fitted = index.fitted_model()
    assert fitted.similarity(query, DOCUMENTS[0]) == model.matrix([query], DOCUMENTS)[0, 0]


def test_with_equality_it_is_bm25():
    bm25s = pytest.importorskip("bm25s")
    words = [text.lower().replace(".", "").replace(",", "").split() for text in DOCUMENTS[:3]]
    documents, k1, b = [" ".join(text) for text in words], 1.2, 0.6
    peer = bm25s.BM25(method="lucene", k1=k1, b=b)
    peer.index(words, show_progress=False)

    class EqualWords(WeightedWords):
        """Every word weighs 1."""

        def prepare(self, texts, precision, trigram_ids):
            table, rows = super().prepare(texts, precision, trigram_ids)
            return type(table)(table.vectors, np.ones(len(table)), table.rules), rows

    measure = fuzzy_bm25(k1=k1, b=b, floor=1.0, words=EqualWords)
    model = fuzzbow.load(measure=measure, tokenizer="whitespace")
    for query in ("dog car", "the cat sat", "puppy dog mat"):
        asked = query.split()
        inverse = [
            np.log(1 + (3 - df + 0.5) / (df + 0.5))
            for df in (sum(word in text for text in words) for word in asked)
        ]
        expected = peer.get_scores(asked) / sum(inverse)
        np.testing.assert_allclose(model.matrix([query], documents)[0], expected, atol=1e-5)


def test_shares_of_query_words_are_exact_and_name_who_stood_for_them(model):
    index = model.index(DOCUMENTS)
    fitted = index.fitted_model()
    explained = fitted.explain("puppies, on streets", DOCUMENTS[0])
    assert explained.left.share == pytest.approx(explained.score)
    assert explained.right.share == 0.0
    assert explained.score == pytest.approx(
        fitted.similarity("puppies, on streets", DOCUMENTS[0]), abs=1e-6
    )
    puppies, comma, _, streets = explained.left.words
    assert puppies.stand_ins[0].word == "puppy"
    assert streets.stand_ins[0].word == "street"
    assert comma.note == "punctuation: left out"
    for word in explained.left.words:
        if word.stand_ins:
            assert sum(item.share for item in word.stand_ins) == pytest.approx(word.share)
    assert "stood for by" in str(explained)
    assert "stood for by" in explained.to_html()


def test_parameters_may_stand_in_the_name(tmp_path):
    name = "fuzzy-bm25(k1=0.9, b=0.3)"
    model = fuzzbow.load(measure=name)
    assert model.measure.name == name
    assert model.measure.options.k1 == 0.9
    assert model.measure.options.floor == 0.45
    assert model.spec.to_dict()["measure"] == name
    for wrong in ("fuzzy-bm25(k1)", "fuzzy-bm25(k1=2", "fuzzy-bm25(c=2)", "fuzzy-bm25(k1=x)"):
        with pytest.raises(fuzzbow.InputError, match="must be given as in fuzzy-bm25"):
            fuzzbow.load(measure=wrong)
    for name, value, needed in (
        ("k1", -1, "finite and at least 0"),
        ("k1", float("nan"), "finite and at least 0"),
        ("b", 1.5, "from 0 to 1"),
        ("b", -0.1, "from 0 to 1"),
        ("floor", 2, "from 0 to 1"),
        ("power", 0, "finite and above 0"),
    ):
        with pytest.raises(fuzzbow.InputError, match=f"{name} must be {needed}; got {value}"):
            fuzzy_bm25(**{name: value})


def test_an_index_with_parameters_opens_again(tmp_path):
    pytest.importorskip("lance")
    made = fuzzbow.load(measure="fuzzy-bm25(b=0.3)").index(DOCUMENTS, path=tmp_path / "index")
    opened = fuzzbow.open_index(tmp_path / "index")
    assert opened.search(PUPPY).scores.tolist() == made.search(PUPPY).scores.tolist()
    with pytest.raises(fuzzbow.InputError, match="measure"):
        fuzzbow.open_index(tmp_path / "index", fuzzbow.load(measure="fuzzy-bm25"))


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_without_a_collection_words_weigh_what_they_do_by_themselves(engine):
    alone = fuzzbow.load(measure="fuzzy-bm25", engine=engine)
    score = alone.similarity("the puppy", "a dog and a puppy")
    assert score == pytest.approx(alone.pairs(["the puppy"], ["a dog and a puppy"])[0])
    assert score == pytest.approx(alone.explain("the puppy", "a dog and a puppy").score, abs=1e-6)
    assert score > alone.similarity("the puppy", "the jet")
    assert alone.similarity("puppy", "puppy") == pytest.approx(1 / (1 + Bm25Options().k1))


def test_a_collection_must_hold_a_text(model):
    with pytest.raises(fuzzbow.InputError, match="must hold at least one text"):
        model.fit([])
    with pytest.raises(fuzzbow.InputError, match="holds no text"):
        model.index([]).fitted_model().similarity(PUPPY, "dog")
    with pytest.raises(fuzzbow.InputError, match="order of the two texts cannot find duplicates"):
        model.duplicates(DOCUMENTS)


def test_degenerate_input(model):
    assert len(model.index([]).search(PUPPY)) == 0
    assert model.matrix([PUPPY], []).shape == (1, 0)
    assert model.matrix([], DOCUMENTS).shape == (0, len(DOCUMENTS))
    assert model.matrix(["", "..."], DOCUMENTS).tolist() == [[0.0] * len(DOCUMENTS)] * 2
    assert model.matrix([PUPPY], ["", "..."]).tolist() == [[0.0, 0.0]]
    assert 0 < model.matrix([PUPPY], ["puppy " * 5_000])[0, 0] < 1


WORDS = ["cat", "kitten", "dog", "xqzzt", "xqzzu", "the", ",", ".", "2019"]
SOME_TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), max_size=12)


def counted(model: fuzzbow.Model, texts: list[str]):
    """How many of some texts hold each word."""
    searcher = model.measure.searcher(model.encoder)
    searcher.append(model.encoder.word_ids(texts))
    return searcher.frequencies()


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_documents_score_as_parts_of_the_collection_that_weighs_them(engine):
    model = fuzzbow.load(measure="fuzzy-bm25", engine=engine)

    @settings(max_examples=10, deadline=None)
    @given(texts=SOME_TEXTS, queries=SOME_TEXTS, cut=st.integers(0, 12))
    def check(texts, queries, cut):
        parts = texts[:cut], texts[cut:]
        measure = model.measure.with_frequencies(
            counted(model, parts[0]) + counted(model, parts[1])
        )
        weighed, whole = replace(model, measure=measure), model.index(texts)
        for query in queries:
            first, second = (weighed.index(part).search(query, k=20) for part in parts)
            found = {hit.id: hit.score for hit in first}
            found |= {hit.id + len(parts[0]): hit.score for hit in second}
            assert found == {hit.id: hit.score for hit in whole.search(query, k=20)}
            if texts:  # without a collection there are no pairs
                pairs = weighed.pairs([query] * len(texts), texts)
                assert pairs.tolist() == model.matrix([query], texts)[0].tolist()

    check()

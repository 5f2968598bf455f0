"""Another language is its vectors, its frequencies and, where words need it, a tokenizer."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest

import fuzzbow
from fuzzbow.text import LANGUAGES

WORDS = ["le", "la", "chat", "chien", "maison", "aujourd'hui", "dort"]


@pytest.fixture
def french() -> fuzzbow.WordVectors:
    random = np.random.default_rng(1)
    vectors = random.standard_normal((len(WORDS), 3))
    vectors[3] = vectors[2] + 0.1  # chien is near chat
    return fuzzbow.WordVectors.from_words(WORDS, vectors)


def split(text: str) -> list[str]:
    """Words by spaces: an apostrophe is a letter."""
    return text.lower().split()


@pytest.mark.filterwarnings("ignore::fuzzbow.FuzzbowWarning")
def test_a_language_is_vectors_counts_and_a_tokenizer(french):
    counts = {word: 100.0 / rank for rank, word in enumerate(WORDS, start=1)}
    model = fuzzbow.load(french, counts=counts, tokenizer=split)
    assert model.coverage(["Le chat dort aujourd'hui"]) == 1.0
    near, far = model.pairs(["le chat"] * 2, ["le chien", "la maison"])
    assert near > far
    assert model.index(["le chien", "la maison"]).search("le chat", k=1)[0].id == 0


@pytest.fixture
def listed(monkeypatch) -> dict[str, dict[str, float]]:
    """Frequencies of a package that lists two languages."""
    lists = {"en": {"le": 1e-9, "chat": 0.5}, "fr": {"le": 0.5, "chat": 1e-6}}
    package = ModuleType("wordfreq")
    package.available_languages = lambda wordlist: lists
    package.get_frequency_dict = lambda language, wordlist: lists[language]
    monkeypatch.setitem(sys.modules, "wordfreq", package)
    return lists


def test_english_splits_clitics_and_no_other_language_does(french):
    english, other = fuzzbow.load(french), fuzzbow.load(french, language="de")
    assert english.tokenizer.words("it's l's don't") == ["it", "'s", "l", "'s", "do", "n't"]
    assert other.tokenizer.words("it's don't") == ["it", "s", "don", "t"]


def test_french_keeps_the_apostrophe_of_what_is_elided(french):
    words = fuzzbow.load(french, language="fr").tokenizer.words
    assert words("L’homme qu'il n'est pas") == ["L'", "homme", "qu'", "il", "n'", "est", "pas"]
    assert words("Aujourd'hui, l'1 et rock'n'roll") == [
        "aujourd'hui", ",", "l", "1", "et", "rock", "n", "roll",
    ]  # fmt: skip


def test_a_language_chooses_the_list_of_frequencies(french, listed):
    english = fuzzbow.load(french, counts="wordfreq").space.probabilities
    other = fuzzbow.load(french, counts="wordfreq", language="fr").space.probabilities
    assert english[0] < 1e-6 < other[0]


def test_a_language_brings_its_frequencies_to_vectors_without_any(french, listed):
    usual, own = fuzzbow.load(french), fuzzbow.load(french, language="fr")
    assert own.space.probabilities[0] == pytest.approx(0.5, rel=0.01)
    assert usual.space.probabilities[0] < 0.5
    collection = fuzzbow.load(french, language="fr", counts="collection")
    np.testing.assert_array_equal(collection.space.probabilities, own.space.probabilities)


def test_counts_that_are_given_or_stored_win_over_those_of_the_language(french, listed):
    by_rank = fuzzbow.load(french, language="fr", counts="rank").space.probabilities
    np.testing.assert_array_equal(by_rank, fuzzbow.load(french).space.probabilities)
    counts = np.arange(len(WORDS), 0, -1)
    stored = fuzzbow.WordVectors.from_words(WORDS, french.matrix, counts=counts)
    np.testing.assert_allclose(
        fuzzbow.load(stored, language="fr").space.probabilities, counts / counts.sum()
    )


def test_a_language_without_a_list_goes_by_rank(french, listed):
    thai = fuzzbow.load(french, language="th")
    np.testing.assert_array_equal(
        thai.space.probabilities, fuzzbow.load(french).space.probabilities
    )
    with pytest.raises(fuzzbow.InputError, match="one of en, fr; got language 'th'"):
        _ = fuzzbow.load(french, language="th", counts="wordfreq").space.probabilities


def test_an_unknown_language_lists_those_that_there_are():
    with pytest.raises(fuzzbow.InputError, match=r"language must be one of ar, .*zh; got 'xx'"):
        fuzzbow.load(language="xx")


def test_the_languages_with_frequencies_are_those_of_the_package():
    wordfreq = pytest.importorskip("wordfreq")
    ours = {code for code, language in LANGUAGES.items() if language.frequencies}
    assert ours == set(wordfreq.available_languages("best"))


def test_english_by_name_is_the_default():
    assert fuzzbow.load(language="en").spec == fuzzbow.load().spec
    assert fuzzbow.load(language="en").identity() == fuzzbow.load().identity()


def test_an_index_opens_in_its_language_and_refuses_another(tmp_path):
    pytest.importorskip("lance")
    texts = ["le chat n'est pas l's", "it's a dog"]
    fuzzbow.load(measure="letters-jaccard", language="fr").index(texts).save(tmp_path / "index")
    found = fuzzbow.open_index(tmp_path / "index")
    assert found.model.spec.language == "fr"
    assert found.search(texts[0], k=1)[0].score == pytest.approx(1.0)
    other = fuzzbow.load(measure="letters-jaccard", language="de")
    with pytest.raises(fuzzbow.InputError, match=r"needs words \(fr\), the model has words \(de\)"):
        fuzzbow.open_index(tmp_path / "index", other)


def test_moses_splits_by_the_rules_of_the_language():
    pytest.importorskip("sacremoses")
    english, other = (
        fuzzbow.load(tokenizer="moses", language=code).tokenizer.words("l'homme")
        for code in ("en", "fr")
    )
    assert english == ["l", "'homme"]
    assert other == ["l'", "homme"]


def test_words_of_a_script_without_spaces_are_found_in_the_vectors():
    words = ["今天", "天气", "天气预报", "好"]
    vectors = fuzzbow.WordVectors.from_words(words, np.eye(4))
    model = fuzzbow.load(vectors, measure="dynamax-jaccard", language="zh")
    assert model.tokenizer.words("今天天气预报很好") == ["今天", "天气预报", "很", "好"]
    assert model.coverage(["今天天气预报很好"]) == pytest.approx(3 / 4)
    assert fuzzbow.load(vectors, tokenizer="unsegmented").coverage(["今天天气"]) == 0.0


def test_words_without_spaces_are_explained_where_they_stand():
    vectors = fuzzbow.WordVectors.from_words(["今天", "天气"], np.eye(2))
    model = fuzzbow.load(vectors, measure="dynamax-jaccard")
    left = model.explain("今天天气!", "天气").to_dict()["left"]
    assert [(word["word"], word["start"]) for word in left["words"]][:2] == [
        ("今天", 0),
        ("天气", 2),
    ]


@pytest.mark.parametrize(
    ("purpose", "measure"),
    [
        ("sentences", "letters-otsuka"),
        ("answers", "letters-coverage"),
        ("passages", "fuzzy-bm25"),
        ("records", "records-otsuka"),
    ],
)
def test_another_language_without_vectors_is_compared_by_letters(purpose, measure):
    spec = fuzzbow.load(language="de", purpose=purpose).spec
    assert spec.measure == measure
    assert fuzzbow.load(language="en", purpose=purpose).spec == fuzzbow.load(purpose=purpose).spec


def test_what_is_given_beside_a_language_wins(french, listed):
    assert fuzzbow.load(french, language="fr").spec.measure == "weighted-jaccard"
    assert fuzzbow.load(language="fr", measure="dynamax-jaccard").spec.counts is None
    assert fuzzbow.load(language="fr", counts="rank").spec.counts == "rank"


def test_rare_words_of_a_language_count_more_than_frequent_ones(listed):
    model = fuzzbow.load(language="fr")
    rare, frequent = model.pairs(["le chat"] * 2, ["un chat", "le lit"])
    assert rare > 0.8 > 0.1 > frequent


def test_texts_of_another_language_weigh_words_where_there_are_several(listed):
    model, texts = fuzzbow.load(language="fr"), ["le chat dort", "un chat joue", "le lit"]
    fitted = model.fit(texts)
    np.testing.assert_array_equal(model.matrix(texts), fitted.matrix(texts))
    score = model.index(texts).search("le chat", k=3)[0].score
    assert score == pytest.approx(fitted.matrix(["le chat"], texts).max(), abs=1e-6)


def test_an_index_by_another_list_of_frequencies_is_refused(tmp_path, listed):
    pytest.importorskip("lance")
    fuzzbow.load(language="fr").index(["le chat dort"]).save(tmp_path / "index")
    assert fuzzbow.open_index(tmp_path / "index").model.spec.measure == "letters-otsuka"
    listed["fr"]["lit"] = 0.1
    with pytest.raises(fuzzbow.InputError, match="frequencies"):
        fuzzbow.open_index(tmp_path / "index")


def test_counts_of_another_language_need_no_word_of_the_vocabulary():
    model = fuzzbow.load(language="ru", counts={"кот": 1.0, "и": 99.0})
    assert model.similarity("кот и", "кот") > 0.9

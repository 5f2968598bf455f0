"""Naming systems and vectors, and measures from a user's file."""

from __future__ import annotations

import numpy as np
import pytest

import fuzzbow
from fuzzbow import InputError
from fuzzbow.research.evaluation.systems import ScoringError
from fuzzbow.research.sts.evaluation import SystemScorer
from fuzzbow.research.sts.paper import recognise
from fuzzbow.research.sts.systems import (
    System,
    all_systems,
    parse_sources,
    parse_system,
    user_measure,
)

USER_FILE = """
import numpy as np
from fuzzbow.measures import compose

def best_pair(X, Y):
    return float((X @ Y.T).max())

def lengths(lefts, rights):
    return np.array([len(a) - len(b) for a, b in zip(lefts, rights)])

own = compose(universe="identity", pooling="max", similarity="dice")

def breaks(X, Y):
    raise RuntimeError("no luck")

def gives_nan(lefts, rights):
    return [float("nan")] * len(lefts)

def too_few(lefts, rights):
    return [1.0]

def wrong(left, right):
    return 0.0
"""


@pytest.fixture
def user_file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(USER_FILE)
    user_measure.cache_clear()
    return path


@pytest.mark.parametrize(
    "name", ["avg-cosine", "dynamax-jaccard+sif", "avg-cosine+norm", "max-dice+usif+norm"]
)
def test_a_system_is_read_from_its_name(name):
    assert parse_system(name).name == name


def test_all_systems_leaves_out_what_weighs_twice():
    kept, left_out = all_systems(["weighted-jaccard", "avg-cosine"], weights=["none", "sif"])
    assert [system.name for system in kept] == ["weighted-jaccard", "avg-cosine", "avg-cosine+sif"]
    assert [system.name for system in left_out] == ["weighted-jaccard+sif"]
    with pytest.raises(InputError, match="has word weights of its own"):
        all_systems(["sif-pca"], weights=["sif"])
    with pytest.raises(InputError, match=r"got '\+siff'"):
        parse_system("avg-cosine+siff")


def run(user_file, vectors_file, dataset, function):
    system = System(measure=f"{user_file}:{function}")
    scorer = SystemScorer(parse_sources([str(vectors_file)])[0], system)
    return scorer.pairs(dataset.lefts, dataset.rights)


def test_a_function_gets_vectors_or_texts_or_makes_a_measure(user_file, vectors_file, dataset):
    left, right = dataset.lefts[0], dataset.rights[0]
    model = fuzzbow.load(str(vectors_file), measure="max-dice", tokenizer="whitespace")
    X, Y = (np.array([model.vectors[word] for word in text.split()]) for text in (left, right))
    found = run(user_file, vectors_file, dataset, "best_pair")
    assert found[0] == pytest.approx((X @ Y.T).max(), abs=1e-6)
    assert run(user_file, vectors_file, dataset, "lengths")[0] == len(left) - len(right)
    found = run(user_file, vectors_file, dataset, "own")
    np.testing.assert_allclose(found, model.pairs(dataset.lefts, dataset.rights), atol=1e-12)


@pytest.mark.parametrize(
    ("function", "failure"),
    [
        ("breaks", "RuntimeError: no luck"),
        ("gives_nan", "scores must be finite; pair 1 has nan"),
        ("too_few", r"one score per pair, \(30,\); got \(1,\)"),
    ],
)
def test_a_measure_that_fails_is_a_failure_of_the_set(
    user_file, vectors_file, dataset, function, failure
):
    with pytest.raises(ScoringError, match=failure):
        run(user_file, vectors_file, dataset, function)


def test_a_function_that_cannot_be_used_is_refused(user_file):
    with pytest.raises(InputError, match="must be named X, Y; lefts, rights; space, engine"):
        user_measure(f"{user_file}:wrong")
    with pytest.raises(InputError, match="best_pair"):
        user_measure(f"{user_file}:best_pear")
    user_file.write_text("1 / 0\n")
    with pytest.raises(InputError, match="ZeroDivisionError"):
        user_measure(f"{user_file}:again")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("glove.840B.300d.txt", "glove"),
        ("crawl-300d-2M.vec", "fasttext"),
        ("GoogleNews-vectors-negative300.bin.gz", "word2vec"),
        ("english-conll17.bin", "word2vec-conll"),
        ("word2vec-BookCorpus.bin", "word2vec-books"),
        ("paragram_300_sl999.txt", "psl"),
        ("PP-XXL.txt", "pp-xxl"),
        ("paranmt-vectors.txt", "pnmt"),
        ("glove-6b-50d", None),
        ("crawl-300d-2M-subword.bin", None),
        ("wiki-news-300d-1M.vec", None),
        ("default", None),
    ],
)
def test_the_papers_vectors_are_known_by_name(name, key):
    found = recognise(name)
    assert (found and found["key"]) == key


def test_labels_and_titles(vectors_file, tmp_path):
    first, second = parse_sources([f"mine={vectors_file}", "default"])
    assert (first.label, first.title) == ("mine", "mine (not the paper's vectors)")
    assert second.label == "default"
    path = tmp_path / "glove.840B.300d.txt"
    path.write_text("")
    assert parse_sources([str(path)])[0].title == "GloVe 840B"
    assert "first 10 words" in parse_sources([str(path)], limit=10)[0].title


@pytest.mark.parametrize(
    ("given", "message"), [(["=x"], "LABEL=FILE"), (["default", "default"], "'default' twice")]
)
def test_bad_sources_are_refused(given, message):
    with pytest.raises(InputError, match=message):
        parse_sources(given)

"""Tables that carry the weights of their words: vectors of length √w, never whitened."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import fuzzbow
from fuzzbow.errors import InputError
from fuzzbow.vectors import WordVectors, open_vectors, save_vectors
from fuzzbow.vectors.formats.container import Tensor, open_container, write_container
from tests.command import invoked

WORDS = ["the", "cat", "dog", "sat", "car"]
UNIT = np.array(
    [[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0.6, 0.8, 0], [0, 0, 0, 1.0], [-0.6, 0, 0.8, 0]]
)
WEIGHTS = np.array([0.25, 2.25, 1.44, 1.0, 1.96])


@pytest.fixture
def table() -> WordVectors:
    """Five words with weights."""
    rows = UNIT * np.sqrt(WEIGHTS)[:, None]
    return WordVectors.from_words(WORDS, rows, name="five", preweighted=True)


def weighted_jaccard(a: list[str], b: list[str]) -> float:
    """The formula, on unit vectors and weights."""
    found = total = 0.0
    for left, right in ((a, b), (b, a)):
        for word in left:
            u = WORDS.index(word)
            best = max(0.0, max(float(UNIT[u] @ UNIT[WORDS.index(v)]) for v in right))
            found, total = found + WEIGHTS[u] * best, total + WEIGHTS[u]
    return found / total


def test_weighted_measures_take_weights_and_directions_of_the_table(table: WordVectors):
    model = fuzzbow.load(table, tokenizer="whitespace")
    wanted = weighted_jaccard(["the", "cat", "sat"], ["the", "dog", "car"])
    assert model.similarity("the cat sat", "the dog car") == pytest.approx(wanted, abs=1e-6)


def test_plain_and_whitened_measures_compare_the_vectors_as_they_are(table: WordVectors):
    pair = ("the cat sat", "dog car")
    plain, same, whitened = (
        fuzzbow.load(vectors, measure="dynamax-jaccard", weights=weights).similarity(*pair)
        for vectors, weights in (
            (table, "none"),
            (WordVectors.from_words(WORDS, table.matrix), "none"),
            (table, "whitened"),
        )
    )
    assert plain == same == pytest.approx(whitened, abs=1e-6)


def test_other_counts_change_the_weights(table: WordVectors):
    counts = dict.fromkeys(WORDS, 1.0) | {"cat": 1e6}
    usual = fuzzbow.load(table).measure.words.vocabulary_weights()
    changed = fuzzbow.load(table, counts=counts).measure.words.vocabulary_weights()
    assert changed[1] < usual[1] == pytest.approx(WEIGHTS[1])
    assert changed[2] > usual[2]


def test_identity_tells_a_ready_table_from_a_plain_one(table: WordVectors):
    plain = WordVectors.from_words(WORDS, table.matrix)
    assert fuzzbow.load(plain).identity() != fuzzbow.load(table).identity()


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_weights_come_back_from_every_stored_type(table, tmp_path, dtype):
    save_vectors(table, tmp_path / "five.safetensors", dtype=dtype)
    again = open_vectors(tmp_path / "five.safetensors")
    assert again.preweighted
    assert again.weights == pytest.approx(WEIGHTS, rel=0.02)
    assert again.first(2).preweighted


def test_plain_tables_are_of_the_first_version_and_later_versions_refused(table, tmp_path: Path):
    plain, path = tmp_path / "plain.safetensors", tmp_path / "five.safetensors"
    save_vectors(WordVectors.from_words(WORDS, UNIT), plain)
    assert open_container(plain).metadata["format"] == "fuzzbow-vectors/1"
    assert open_vectors(plain).weights is None
    save_vectors(table, path)
    content = open_container(path)
    tensors = [Tensor.of(name, np.array(content.array(name))) for name in content.entries]
    write_container(path, tensors, lambda: {**content.metadata, "ready": "9"})
    with pytest.raises(InputError, match="preweighted vectors must be of version 1; got 9"):
        open_vectors(path)


def test_info_says_where_the_weights_come_from(table, tmp_path: Path):
    save_vectors(table, tmp_path / "five.safetensors")
    done = invoked("vectors", "info", tmp_path / "five.safetensors", "--json")
    assert json.loads(done.stdout)["weights"] == "stored"


def test_the_first_default_says_how_to_get_it():
    with pytest.raises(InputError, match="fuzzbow vectors convert default"):
        fuzzbow.load("default-0.1")


def test_an_index_of_the_first_default_says_what_to_do(tmp_path, monkeypatch):
    pytest.importorskip("lance")
    model = fuzzbow.load("default")
    model.index(["a cat", "a dog"]).save(tmp_path / "old")
    place = "fuzzbow.model.loading.FIRST_FINGERPRINT"
    monkeypatch.setattr(place, model.vectors.fingerprint)
    with pytest.raises(InputError, match=r"version 0\.1; index the texts again"):
        fuzzbow.open_index(tmp_path / "old")

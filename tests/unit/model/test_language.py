"""Another language is its vectors, its frequencies and, where words need it, a tokenizer."""

from __future__ import annotations

import numpy as np
import pytest

import fuzzbow

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

"""Texts of every kind that a search may meet, over a small table of vectors made here."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from fuzzbow import WordVectors
from tests.hostile.scale import steps

PLAIN = """
a the of in and is on he she it cat dog cats dogs house houses bird fish tree
7 42 1,650 3.5 1999 2,000 . , ! ? ' n't 's café naïve 猫 犬 東京 日本 😀 🐱
"""
WORDS = [*PLAIN.split(), *(f"word{number}" for number in range(30))]
LONG_WORDS = steps(800, 4_000)  # known ones; more than the 255 of a page of the kernels
DIMENSION = 24  # so that words are far more than 1 like themselves


def small_vectors(seed: int = 3) -> WordVectors:
    """Words on a few themes, some vectors equal, some all zeros, one of them huge."""
    random = np.random.default_rng(seed)
    themes = random.standard_normal((4, DIMENSION))
    vectors = themes[np.arange(len(WORDS)) % 4] + 0.5 * random.standard_normal(
        (len(WORDS), DIMENSION)
    )
    vectors[WORDS.index("cats")] = vectors[WORDS.index("cat")]
    vectors[WORDS.index("word3")] = 0.0
    vectors[WORDS.index("word4")] *= 40.0
    return WordVectors.from_words(WORDS, vectors.astype(np.float32), name="small")


def _long(seed: int) -> str:
    random = np.random.default_rng(seed)
    known = random.choice(WORDS, LONG_WORDS).tolist()
    unknown = [f"zz{random.integers(10**6)}q" for _ in range(LONG_WORDS // 4)]
    return " ".join(random.permutation(known + unknown).tolist())


FIXED = [
    "",
    "  \t\n ",
    "qwxyz",
    "qwxyz qwxyzz zyxwq",
    "7",
    "42 1,650 3.5",
    "999 42",
    "cat",
    "cat cat cat",
    "He has a cat.",
    "he has a cat",
    "He has a dog.",
    "She had two houses!",
    "she had two housse",
    "😀",
    "😀 🐱 🐱",
    "👩‍👩‍👧 family",
    "東京の猫",
    "猫 犬",
    "cafe\u0301 nai\u0308ve",
    "café naïve",
    "Z\u0351\u036b\u0343a\u0357\u034bl\u034c\u0367go",
    "a lone \ud800 cat",
    "a lone \udfff cat",
    "\ud83d\ude00",
    "\ud800",
    "a lone \ufffd cat",
    "it's not n't 's",
    "word3",
    "word3 word4",
    "word4",
]
LONG = [_long(0), _long(1)]

SOME_WORDS = st.lists(
    st.sampled_from([*WORDS, "qwxyz", "qwxyzz", "catt", "hosue", "12345"]), max_size=12
)
TEXTS = st.one_of(
    st.sampled_from(FIXED),
    SOME_WORDS.map(" ".join),
    SOME_WORDS.map(" ".join),
    st.text(st.characters(), max_size=12),  # lone surrogates too
)
WORDLESS = st.sampled_from(["", " ", "\n\t", "qwxyz", "qwxyzz 98765", "\ud800", "👩‍👩‍👧"])

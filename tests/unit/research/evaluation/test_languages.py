"""Languages without vectors: letters and collection weights beside character TF-IDF."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import fuzzbow
from fuzzbow.arrays import Ragged
from fuzzbow.encoding import Encoder
from fuzzbow.research.evaluation.systems import tfidf

LANGUAGES = ("de", "es", "fr", "ru", "zh")
TFIDF = (("char_wb", (2, 4)), ("char_wb", (3, 5)), ("char", (1, 2)))

pytestmark = pytest.mark.languages


def sentences(folder, code: str) -> tuple[list[str], list[str], np.ndarray]:
    with (folder / f"stsb-{code}-dev.csv").open(encoding="utf-8", newline="") as file:
        left, right, gold = zip(*csv.reader(file), strict=True)
    return list(left), list(right), np.array(gold, dtype=np.float64)


def best_tfidf(left: list[str], right: list[str], gold: np.ndarray) -> float:
    systems = (tfidf("tfidf", *kind).over(left + right) for kind in TFIDF)
    return max(np.corrcoef(system.pairs(left, right), gold)[0, 1] for system in systems)


@pytest.mark.parametrize("code", LANGUAGES)
def test_letters_agree_with_people_as_well_as_character_tfidf(languages_folder, code):
    pytest.importorskip("wordfreq")
    left, right, gold = sentences(languages_folder, code)
    model = fuzzbow.load(language=code)
    least = best_tfidf(left, right, gold)
    for letters, allowed in ((model.fit(left + right), 0), (model, 0.005)):
        assert np.corrcoef(letters.pairs(left, right), gold)[0, 1] >= least - allowed


@pytest.mark.parametrize("code", LANGUAGES)
def test_kernel_and_python_split_real_sentences_alike(languages_folder, code):
    left, _, _ = sentences(languages_folder, code)
    texts = left[:300]
    made: Encoder = fuzzbow.load(language=code).encoder
    by_python = made._encode_by_python(texts)
    assert made.splitting is not None
    ids, offsets, chunks = made._kernel_encode(made.folded(texts))
    by_kernel = made._in_words(Ragged(ids, offsets), chunks)
    np.testing.assert_array_equal(by_kernel.rows.offsets, by_python.rows.offsets)
    words = []
    for tokens in (by_kernel, by_python):
        names = [*made.vectors.words, *tokens.unknown]
        words.append([names[word] for word in tokens.rows.values.tolist()])
    assert words[0] == words[1]

"""TF-IDF with cosine by scikit-learn, of words or of character n-grams within words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.errors import MissingExtraError
from fuzzbow.evaluation.systems import ScoredCollection, System

WORDS = ("word", (1, 1))
CHARACTERS = ("char_wb", (2, 4))


@dataclass(frozen=True)
class TfIdf(System):
    """TF-IDF under scikit-learn's defaults but for what a term is."""

    name: str
    analyzer: str
    ngrams: tuple[int, int]

    @property
    def note(self) -> str:  # type: ignore[override]
        """Describe the terms."""
        if self.analyzer == "word":
            return "words"
        return f"{self.ngrams[0]} to {self.ngrams[1]} characters within words"

    def over(self, texts: Sequence[str]) -> TfIdfCollection:
        """The document frequencies of these texts."""
        try:
            from sklearn.feature_extraction.text import TfidfVectorizer
        except ImportError as error:
            raise MissingExtraError("scikit-learn", "eval") from error
        vectorizer = TfidfVectorizer(analyzer=self.analyzer, ngram_range=self.ngrams)
        analyse = vectorizer.build_analyzer()
        if not any(analyse(text) for text in texts):
            return TfIdfCollection(list(texts), None)
        return TfIdfCollection(list(texts), vectorizer.fit(texts))


@dataclass(frozen=True)
class TfIdfCollection(ScoredCollection):
    """Texts under TF-IDF; `vectorizer` is None where no text has a term."""

    texts: list[str] = field(repr=False)
    vectorizer: Any = field(repr=False)

    def matrix(self, queries: Sequence[str]) -> Floats:
        """Every query with every text: (n, m)."""
        if self.vectorizer is None:
            return np.zeros((len(queries), len(self.texts)))
        return np.asarray((self.vectorizer.transform(queries) @ self._columns).toarray())

    @cached_property
    def _columns(self) -> Any:
        return self.vectorizer.transform(self.texts).T

    def pairs(self, lefts: Sequence[str], rights: Sequence[str]) -> Floats:
        """Row by row: n texts, n texts -> (n,)."""
        if self.vectorizer is None:
            return np.zeros(len(lefts))
        rows, columns = map(self.vectorizer.transform, (lefts, rights))
        return np.asarray(rows.multiply(columns).sum(axis=1), dtype=np.float64).ravel()


def word_tfidf() -> list[System]:
    """Terms are words."""
    return [TfIdf("tfidf", *WORDS)]


def character_tfidf() -> list[System]:
    """Terms are character n-grams."""
    return [TfIdf("char-tfidf", *CHARACTERS)]

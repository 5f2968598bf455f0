"""BM25 by the package bm25s, stemmed where PyStemmer is installed; both know English here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.errors import MissingExtraError
from fuzzbow.evaluation.systems import ScoredCollection, System

METHODS = ("lucene", "robertson", "atire", "bm25+", "bm25l")


@dataclass(frozen=True)
class BM25(System):
    """One variant of BM25 with the package's k1 and b; stop words left out or not."""

    name: str = "bm25"
    method: str = "lucene"
    stop_words: bool = False  # whether they take part
    k1: float = 1.5
    b: float = 0.75

    @property
    def note(self) -> str:  # type: ignore[override]
        """Describe the variant."""
        stemmed = "stemmed" if _stemmer() is not None else "not stemmed: PyStemmer is missing"
        return f"{self.method}, {'with' if self.stop_words else 'without'} stop words, {stemmed}"

    def over(self, texts: Sequence[str]) -> BM25Collection:
        """BM25 with the document frequencies of these texts."""
        package = _bm25s()
        tokens = self.tokens(texts)
        if not any(tokens):
            return BM25Collection(self, list(texts), None)
        retriever = package.BM25(method=self.method, k1=self.k1, b=self.b)
        retriever.index(tokens, show_progress=False)
        return BM25Collection(self, list(texts), retriever)

    def tokens(self, texts: Sequence[str]) -> list[list[str]]:
        """The terms of each text."""
        found: list[list[str]] = _bm25s().tokenize(
            list(texts),
            stopwords=None if self.stop_words else "en",
            stemmer=_stemmer(),
            return_ids=False,
            show_progress=False,
        )
        return found


@dataclass(frozen=True)
class BM25Collection(ScoredCollection):
    """Texts under BM25; `retriever` is None where no text has a term."""

    system: BM25
    texts: list[str] = field(repr=False)
    retriever: Any = field(repr=False)

    def matrix(self, queries: Sequence[str]) -> Floats:
        """Every query with every text: (n, m)."""
        return np.array([self._scores(terms) for terms in self.system.tokens(queries)])

    def pairs(self, lefts: Sequence[str], rights: Sequence[str]) -> Floats:
        """Each left text as a query for its right one, a text of the collection: -> (n,)."""
        place = {text: number for number, text in enumerate(self.texts)}
        distinct = list(dict.fromkeys(lefts))
        wanted: dict[str, list[int]] = {text: [] for text in distinct}
        for row, text in enumerate(lefts):
            wanted[text].append(row)
        scores = np.zeros(len(lefts))
        for text, terms in zip(distinct, self.system.tokens(distinct), strict=True):
            found = self._scores(terms)
            for row in wanted[text]:
                scores[row] = found[place[rights[row]]]
        return scores

    def _scores(self, terms: list[str]) -> Floats:
        """One query with every text; nothing where it holds no term of the collection."""
        known = [] if self.retriever is None else self.retriever.get_tokens_ids(terms)
        if not known:
            return np.zeros(len(self.texts))
        return np.asarray(self.retriever.get_scores_from_ids(known), dtype=np.float64)


def usual_bm25() -> list[System]:
    """Lucene's variant without stop words, as the package has it by default."""
    return [BM25()]


def best_bm25() -> list[System]:
    """Every variant with and without stop words: the strongest rival, picked with hindsight."""
    return [
        BM25("bm25-best", method, stop_words) for method in METHODS for stop_words in (False, True)
    ]


def _bm25s() -> Any:
    try:
        import bm25s
    except ImportError as error:
        raise MissingExtraError("bm25s", "eval") from error
    return bm25s


def _stemmer() -> Any:
    """The Snowball stemmer of English, if it is installed."""
    try:
        import Stemmer
    except ImportError:
        return None
    return Stemmer.Stemmer("english")

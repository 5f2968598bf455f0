"""Systems under evaluation: models, and baselines by other packages.

A system gets the texts of a collection, then ranks or scores them. Equal scores are ordered by a
seeded hash, never by a file: files often list relevant texts first, so that a measure with the
same score for every text would look perfect. Scores that agree to `DIGITS` decimals are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from hashlib import blake2b
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats, Integers
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.index import Hits, Index
from fuzzbow.measures.measure import Ability
from fuzzbow.model import Model

DIGITS = 10
BLOCK_QUERIES = 256
SCORES_HELD = 16_000_000  # numbers of a block of a matrix: 128 MB
BM25_METHODS = ("lucene", "robertson", "atire", "bm25+", "bm25l")
Ranking = tuple[Integers, Floats]  # positions in the collection, best first, and their scores


def tie_keys(ids: Iterable[str], *, seed: int = 0) -> NDArray[np.uint64]:
    """Hash each id by BLAKE2b under the seed: n ids -> (n,)."""
    key = str(seed).encode("ascii")[: blake2b.MAX_KEY_SIZE]
    digests = (
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest()
        for text in ids
    )
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def occurrences(texts: Iterable[Sequence[str]]) -> list[str]:
    """Make ids for texts: the text and the number of the copy."""
    seen: dict[tuple[str, ...], int] = {}
    ids = []
    for parts in texts:
        known = tuple(parts)
        seen[known] = seen.get(known, 0) + 1
        ids.append("\x1f".join((*known, str(seen[known]))))
    return ids


def ranked(scores: Floats, ties: NDArray[np.uint64] | Integers) -> Integers:
    """Sort positions from the best score to the worst, equal ones by `ties`: (n,), (n,) -> (n,)."""
    return np.asarray(np.lexsort((ties, -np.round(scores, DIGITS))))


class ScoringError(InputError):
    """Error of a system that cannot score a set; other sets and systems are still scored."""


@dataclass(frozen=True)
class ScoredCollection:
    """System with the texts of a collection, which are all scored for every query.

    `pairs` scores queries with texts of the collection, row by row: n texts, n texts -> (n,).
    `all_scores` scores every query with every text, (n, m), and `search` finds the best; without
    them pairs are scored.
    """

    texts: list[str] = field(repr=False)
    pairs: Callable[[Sequence[str], Sequence[str]], Floats] = field(repr=False)
    all_scores: Callable[[Sequence[str]], Floats] | None = field(default=None, repr=False)
    search: Callable[[list[str], int], Iterable[Hits]] | None = field(default=None, repr=False)

    def matrix(self, queries: Sequence[str]) -> Floats:
        """Score every query with every text: (n, m)."""
        if self.all_scores is not None:
            return self.all_scores(queries)
        texts = self.texts
        return np.array([self.pairs([query] * len(texts), texts) for query in queries])

    def rank(self, queries: Sequence[str], depth: int) -> Iterator[Ranking]:
        """Rank the best `depth` texts for each query, equal scores in the collection's order."""
        held = max(SCORES_HELD // len(self.texts), 1) if self.texts else 1
        block = BLOCK_QUERIES if self.search is not None else min(BLOCK_QUERIES, held)
        everything = np.arange(len(self.texts))
        for start in range(0, len(queries), block):
            if self.search is not None:
                for hits in self.search(list(queries[start : start + block]), depth):
                    positions = np.asarray(hits.ids, dtype=np.int64)
                    order = ranked(hits.scores, positions)  # rounding makes scores differ
                    yield positions[order], hits.scores[order]
                continue
            for scores in self.matrix(queries[start : start + block]):
                order = ranked(scores, everything)[:depth]
                yield order, scores[order]


@dataclass(frozen=True)
class Scoring:
    """System that scores texts: `over` fits it to a collection, `note` describes it."""

    name: str
    over: Callable[[Sequence[str]], ScoredCollection] = field(repr=False)
    note: str = ""


def model_system(name: str, model: Model, threads: int | None = None) -> Scoring:
    """Make a system of a model; `threads` is the number of threads, all cores if None."""
    return Scoring(name, partial(_over_by_model, model, threads))


def _over_by_model(model: Model, threads: int | None, texts: Sequence[str]) -> ScoredCollection:
    """Return the model over a collection: by an index if its measure can search."""
    collection, abilities = list(texts), model.measure.abilities

    @lru_cache(maxsize=1)
    def fitted() -> Model:
        """Return the model, with statistics of the collection if its measure takes any."""
        return model.fit(collection) if Ability.FIT in abilities else model

    @lru_cache(maxsize=1)
    def index() -> Index:
        return model.index(collection, threads=threads)

    def search(queries: list[str], depth: int) -> Iterable[Hits]:
        return index().search(queries, k=depth, threads=threads)

    return ScoredCollection(
        collection,
        lambda lefts, rights: fitted().pairs(lefts, rights, threads=threads),
        lambda queries: fitted().matrix(queries, collection, threads=threads),
        search if Ability.SEARCH in abilities else None,
    )


def _package(name: str, package: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError(package, "eval") from error


def bm25(
    name: str = "bm25",
    method: str = "lucene",
    stop_words: bool = False,
    k1: float = 1.5,
    b: float = 0.75,
) -> Scoring:
    """Make a variant of English BM25 by bm25s, stemmed if PyStemmer is installed.

    Stop words count with `stop_words`.
    """
    try:
        stemmer = import_module("Stemmer").Stemmer("english")
    except ImportError:
        stemmer = None

    def tokens(texts: Sequence[str]) -> list[list[str]]:
        """Split each text into terms."""
        found: list[list[str]] = _package("bm25s", "bm25s").tokenize(
            list(texts),
            stopwords=None if stop_words else "en",
            stemmer=stemmer,
            return_ids=False,
            show_progress=False,
        )
        return found

    def over(texts: Sequence[str]) -> ScoredCollection:
        """Return BM25 with the document frequencies of these texts."""
        terms_of_texts = tokens(texts)
        retriever: Any = None
        if any(terms_of_texts):
            retriever = _package("bm25s", "bm25s").BM25(method=method, k1=k1, b=b)
            retriever.index(terms_of_texts, show_progress=False)
        position = {text: number for number, text in enumerate(texts)}

        def score(terms: list[str]) -> Floats:
            """Score one query with every text; 0 if it has no term of the collection."""
            known = [] if retriever is None else retriever.get_tokens_ids(terms)
            if not known:
                return np.zeros(len(texts))
            return np.asarray(retriever.get_scores_from_ids(known), dtype=np.float64)

        def matrix(queries: Sequence[str]) -> Floats:
            return np.array([score(terms) for terms in tokens(queries)])

        def pairs(lefts: Sequence[str], rights: Sequence[str]) -> Floats:
            """Score each left text as a query for its right one, a text of the collection."""
            rows: dict[str, list[int]] = {}
            for row, text in enumerate(lefts):
                rows.setdefault(text, []).append(row)
            scores = np.zeros(len(lefts))
            for own, terms in zip(rows.values(), tokens(list(rows)), strict=True):
                scores[own] = score(terms)[[position[rights[row]] for row in own]]
            return scores

        return ScoredCollection(list(texts), pairs, matrix)

    stemmed = "not stemmed: PyStemmer is missing" if stemmer is None else "stemmed"
    words = "with" if stop_words else "without"
    return Scoring(name, over, f"{method}, {words} stop words, {stemmed}")


def tfidf(name: str, analyzer: str, ngrams: tuple[int, int]) -> Scoring:
    """Make TF-IDF with cosine by scikit-learn, of words or of character n-grams within words."""

    def over(texts: Sequence[str]) -> ScoredCollection:
        """Return TF-IDF with the document frequencies of these texts."""
        package = _package("sklearn.feature_extraction.text", "scikit-learn")
        vectorizer = package.TfidfVectorizer(analyzer=analyzer, ngram_range=ngrams)
        if not any(map(vectorizer.build_analyzer(), texts)):  # no text has a term
            return ScoredCollection(list(texts), lambda lefts, rights: np.zeros(len(lefts)))
        columns = vectorizer.fit_transform(texts).T

        def pairs(lefts: Sequence[str], rights: Sequence[str]) -> Floats:
            left, right = map(vectorizer.transform, (lefts, rights))
            return np.asarray(left.multiply(right).sum(axis=1), dtype=np.float64).ravel()

        return ScoredCollection(
            list(texts),
            pairs,
            lambda queries: np.asarray((vectorizer.transform(queries) @ columns).toarray()),
        )

    characters = "{} to {} characters within words".format(*ngrams)
    return Scoring(name, over, "words" if analyzer == "word" else characters)


# name -> variants, of which the best on a set is reported
BASELINES: dict[str, Callable[[], list[Scoring]]] = {
    "bm25": lambda: [bm25()],  # Lucene's variant without stop words, the package's default
    "bm25-best": lambda: [  # the strongest competitor, chosen with hindsight
        bm25("bm25-best", method, stop_words)
        for method in BM25_METHODS
        for stop_words in (False, True)
    ],
    "tfidf": lambda: [tfidf("tfidf", "word", (1, 1))],
    "char-tfidf": lambda: [tfidf("char-tfidf", "char_wb", (2, 4))],
}

"""scikit-learn: texts to rows, to similarities, and to a graph of neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, Integers, blocks
from fuzzbow.encoding import TextList, check_texts
from fuzzbow.errors import InputError, MissingExtraError, check_choice, check_count
from fuzzbow.integrations.common import given_model
from fuzzbow.measures import compose

try:
    from scipy.sparse import csr_matrix
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise MissingExtraError("scikit-learn", "sklearn") from error

__all__ = ["FuzzyKernel", "FuzzyNeighborsTransformer", "FuzzyVectorizer"]

BLOCK_TEXTS = 4096  # texts of one search
OUTPUTS = ("similarity", "distance")  # of a kernel; a distance is 1 - similarity
Edges = tuple[Integers, Integers, Floats]  # rows, columns and distances, (n,) each
MODES = ("distance", "connectivity")  # values of a graph of neighbours: distances, or ones


class _TextEstimator(TransformerMixin, BaseEstimator):
    """Base of the estimators, whose input is texts, not a matrix."""

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn before 1.6
        return {"X_types": ["string"], "requires_fit": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags

    def _fit_texts(self, X: Iterable[str]) -> None:
        """Keep the model and the texts to compare others with."""
        texts = check_texts(X, "X")
        if not texts:
            raise InputError("X must hold at least one text to compare others with; got none")
        self.model_, self.texts_ = given_model(self.model), texts
        self._n_features_out = len(texts)


class FuzzyVectorizer(_TextEstimator):
    """Transformer of texts to membership rows over a fixed universe: n texts -> (n, u).

    `model` is a `fuzzbow.Model`, the name of vectors, or None for the embedded ones; it provides
    vectors, weights and tokenizer. `universe` is "identity" (a column for each dimension of the
    vectors), "vocabulary", "principal-axes", "k-means", "random", or the universe itself, (u, d);
    `size`, `seed` and the other parts are those of `fuzzbow.measures.compose`. Nothing is learnt
    from the texts that it is fitted to.
    """

    def __init__(
        self,
        model: Any = None,
        *,
        universe: Any = "identity",
        size: int | None = None,
        seed: int = 0,
        pooling: str = "max",
        word_similarity: str = "dot",
        words: str | None = None,
        threads: int | None = None,
    ) -> None:
        self.model = model
        self.universe = universe
        self.size = size
        self.seed = seed
        self.pooling = pooling
        self.word_similarity = word_similarity
        self.words = words
        self.threads = threads

    def fit(self, X: Iterable[str], y: Any = None) -> FuzzyVectorizer:
        """Make the universe; the texts are only checked."""
        check_texts(X, "X")
        measure = compose(
            words=self.words,
            universe=self.universe,
            pooling=self.pooling,
            word_similarity=self.word_similarity,
            size=self.size,
            seed=self.seed,
        )
        chosen = given_model(self.model).with_measure(measure)
        self._names = chosen.measure.element_names()  # refuses a universe that is not fixed
        self.model_ = chosen
        return self

    def transform(self, X: Iterable[str]) -> Floats:
        """Return membership rows: n texts -> (n, u)."""
        check_is_fitted(self, "model_")
        return self.model_.encode(check_texts(X, "X"), threads=self.threads)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the columns: words of a vocabulary, or such as "axis 3"."""
        check_is_fitted(self, "model_")
        return np.array(self._names, dtype=object)


class FuzzyKernel(ClassNamePrefixFeaturesOutMixin, _TextEstimator):
    """Transformer of texts to similarities with the fitted texts: n texts -> (n, fitted).

    For estimators with `kernel="precomputed"` or `affinity="precomputed"`; with
    `output="distance"`, 1 less the similarity, for those with `metric="precomputed"`. The
    matrix of a symmetric measure is symmetric, with ones for a text with itself unless it has no
    words; only for measures over a fixed universe is it guaranteed to be positive semidefinite.
    """

    def __init__(
        self, model: Any = None, *, output: str = "similarity", threads: int | None = None
    ) -> None:
        self.model = model
        self.output = output
        self.threads = threads

    def fit(self, X: Iterable[str], y: Any = None) -> FuzzyKernel:
        """Keep the texts to compare others with."""
        check_choice(self.output, OUTPUTS, "output")
        self._fit_texts(X)
        return self

    def transform(self, X: Iterable[str]) -> Floats:
        """Score each text with each fitted one: n texts -> (n, fitted)."""
        check_is_fitted(self, "texts_")
        scores = self.model_.matrix(check_texts(X, "X"), self.texts_, threads=self.threads)
        output = check_choice(self.output, OUTPUTS, "output")
        return 1.0 - scores if output == "distance" else scores


class FuzzyNeighborsTransformer(ClassNamePrefixFeaturesOutMixin, _TextEstimator):
    """Transformer of texts to an exact sparse graph of neighbours among the fitted texts.

    Distances are 1 - similarity. With `threshold`, neighbours are all texts that score
    at least that, found by the join of `Model.duplicates`; otherwise the `n_neighbors` nearest,
    found by an index. As with scikit-learn's KNeighborsTransformer, a text is a neighbour of
    itself, at distance 0, and with `mode="distance"` there is one neighbour more for it. The graph
    is what DBSCAN, HDBSCAN, KNeighborsClassifier and others take with `metric="precomputed"`.
    """

    def __init__(
        self,
        model: Any = None,
        *,
        n_neighbors: int = 5,
        threshold: float | None = None,
        mode: str = "distance",
        threads: int | None = None,
    ) -> None:
        self.model = model
        self.n_neighbors = n_neighbors
        self.threshold = threshold
        self.mode = mode
        self.threads = threads

    def fit(self, X: Iterable[str], y: Any = None) -> FuzzyNeighborsTransformer:
        """Index the texts that are the possible neighbours."""
        check_choice(self.mode, MODES, "mode")
        self._fit_texts(X)
        if self.threshold is None:
            check_count(self.n_neighbors, "n_neighbors")
            self.index_ = self.model_.index(self.texts_, threads=self.threads)
        return self

    def fit_transform(self, X: Iterable[str], y: Any = None) -> Any:
        """Return the graph of the texts among themselves: n texts -> sparse (n, n)."""
        texts = check_texts(X, "X")
        return self.fit(texts)._graph(texts, within=True)

    def transform(self, X: Iterable[str]) -> Any:
        """Return the graph from texts to the fitted ones: n texts -> sparse (n, fitted)."""
        check_is_fitted(self, "texts_")
        texts = check_texts(X, "X")
        return self._graph(texts, within=texts == self.texts_)

    def _graph(self, texts: TextList, *, within: bool) -> Any:
        """Return the graph; `within` adds the diagonal, for the fitted texts."""
        mode, size = check_choice(self.mode, MODES, "mode"), len(texts)
        itself = np.arange(size if within else 0)
        least = self.threshold
        near = (
            self._nearest(texts, within) if least is None else self._similar(texts, within, least)
        )
        found = [(itself, itself, np.zeros(len(itself))), *near]
        rows, columns, distances = map(np.concatenate, zip(*found, strict=True))
        order = np.lexsort((columns, distances, rows))  # by distance, as scikit-learn requires
        ends = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=size))])
        data = distances[order] if mode == "distance" else np.ones(len(order))
        return csr_matrix((data, columns[order], ends), shape=(size, len(self.texts_)))

    def _nearest(self, texts: TextList, within: bool) -> Iterator[Edges]:
        """Yield the nearest texts of each text, without the text itself."""
        wanted = self.n_neighbors + (self.mode == "distance")
        if wanted > len(self.texts_):
            raise InputError(
                f"n_neighbors must be below the number of fitted texts, {len(self.texts_)};"
                f" got {self.n_neighbors}"
            )
        for part in blocks(len(texts), BLOCK_TEXTS):
            hits = self.index_.search(texts[part], wanted, threads=self.threads)
            for row, found in enumerate(hits, start=part.start):
                ids = np.array(found.ids, dtype=np.int64)
                chosen = np.flatnonzero((ids != row) | (not within))[: wanted - within]
                yield np.full(len(chosen), row), ids[chosen], 1.0 - found.scores[chosen]

    def _similar(self, texts: TextList, within: bool, threshold: float) -> Iterator[Edges]:
        """Yield all pairs at or above the threshold."""
        found = self.model_.duplicates(
            texts,
            others=None if within else self.texts_,
            threshold=threshold,
            details=(),
            threads=self.threads,
        )
        for batch in found.every_pair():
            left, right, score = (batch.column(n).to_numpy() for n in ("left", "right", "score"))
            yield left, right, 1.0 - score
            if within:
                yield right, left, 1.0 - score

"""Tokenizer, vectors, weights and measure together: texts in, similarities out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.engine import limited_threads
from fuzzbow.errors import InputError
from fuzzbow.measures import Measure, SifPca, WordSpace
from fuzzbow.model.encoding import Encoder, check_text, check_texts
from fuzzbow.text import Tokenizer
from fuzzbow.vectors import WordVectors

if TYPE_CHECKING:
    from fuzzbow.tasks.explain import Explanation
    from fuzzbow.tasks.index import Index


@dataclass(frozen=True)
class Model:
    """Compares texts; made by `fuzzbow.load`."""

    tokenizer: Tokenizer
    space: WordSpace = field(repr=False)
    measure: Measure

    @property
    def vectors(self) -> WordVectors:
        """The word vectors, with `words` and `matrix`."""
        return self.space.vectors

    def similarity(self, a: str, b: str) -> float:
        """Similarity of two texts."""
        texts = [check_text(a, "a"), check_text(b, "b")]
        batch, which = self._encoder.encode(texts)
        return float(self.measure.pairs(batch, which[:1], which[1:])[0])

    def pairs(
        self, lefts: Iterable[str], rights: Iterable[str], *, threads: int | None = None
    ) -> Floats:
        """Similarity row by row: n texts, n texts -> (n,). All cores unless `threads` says."""
        left, right = check_texts(lefts, "lefts"), check_texts(rights, "rights")
        if len(left) != len(right):
            raise InputError(
                f"lefts and rights must have equal length; got {len(left)} and {len(right)}"
            )
        with limited_threads(threads):
            batch, which = self._encoder.encode(left + right)
            keys = which[: len(left)] * len(batch.rows) + which[len(left) :]
            distinct, place = np.unique(keys, return_inverse=True)
            scores = self.measure.pairs(batch, *np.divmod(distinct, max(len(batch.rows), 1)))
        return np.asarray(scores[place])

    def matrix(
        self,
        rows: Iterable[str],
        columns: Iterable[str] | None = None,
        *,
        threads: int | None = None,
    ) -> Floats:
        """Similarity of every row with every column: n texts, m texts -> (n, m).

        Without columns, every row with every row. All cores unless `threads` says.
        """
        down = check_texts(rows, "rows")
        across = down if columns is None else check_texts(columns, "columns")
        with limited_threads(threads):
            batch, which = self._encoder.encode(down + across)
            distinct_rows, row = np.unique(which[: len(down)], return_inverse=True)
            distinct_columns, column = np.unique(which[len(down) :], return_inverse=True)
            scores = self.measure.matrix(batch, distinct_rows, distinct_columns)
        return np.asarray(scores[np.ix_(row, column)])

    def explain(self, a: str, b: str, *, dimensions: int = 20) -> Explanation:
        """Why two texts score what they score: the exact share of every word.

        For the dynamic max measures, and for max-pooled ones over a fixed universe, of
        which the `dimensions` with the largest shares are listed.
        """
        from fuzzbow.tasks.explain import explain

        return explain(self, a, b, dimensions=dimensions)

    def coverage(self, texts: Iterable[str]) -> float:
        """Share of the words of the texts that have a vector; 0 if there are no words."""
        batch, which = self._encoder.encode(check_texts(texts, "texts"))
        rows = batch.rows.take(which)
        _, known = self.space.raw_vectors(batch)
        return float(known[rows.values].mean()) if len(rows.values) else 0.0

    def fit(self, texts: Iterable[str]) -> Model:
        """The same model with the common component of these texts stored (sif-pca only)."""
        if not isinstance(self.measure, SifPca):
            raise InputError(f"only sif-pca is fitted to texts; the measure is {self.measure.name}")
        batch, which = self._encoder.encode(check_texts(texts, "texts"))
        return replace(self, measure=self.measure.fit(batch, which))

    def index(
        self,
        texts: Iterable[str],
        ids: Iterable[int] | Iterable[str] | None = None,
        metadata: Any = None,
        *,
        path: str | os.PathLike[str] | None = None,
        progress: Callable[[int, int | None], None] | None = None,
        threads: int | None = None,
    ) -> Index:
        """The texts ready for exact search: `index.search("a query", k=10)`.

        `ids` are whole numbers or strings; without them texts are numbered from 0. `metadata`
        is a mapping of columns, a list of dictionaries, a pandas frame or an Arrow table, for
        `where`. With a `path` the index is written to that new folder, a batch at a time, and
        stays there. `progress` hears of texts done, of how many.
        """
        from fuzzbow.tasks.index import build_index

        return build_index(
            self, texts, ids, metadata, path=path, progress=progress, threads=threads
        )

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self.tokenizer, self.vectors)

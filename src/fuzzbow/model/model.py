"""The facade: everything that can be done with a model, as its methods."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from fuzzbow.encoding import check_texts
from fuzzbow.engine import choose_engine
from fuzzbow.errors import InputError
from fuzzbow.measures import TextMeasure, build_measure
from fuzzbow.model.spec import ModelSpec
from fuzzbow.progress import Progress
from fuzzbow.tasks.dedupe import DEFAULT_THRESHOLD, Duplicates, find_duplicates
from fuzzbow.tasks.explain import Explanation, explain
from fuzzbow.tasks.index import Index, build_index


@dataclass(frozen=True)
class Model(TextMeasure):
    """Compares texts, searches, finds duplicates and explains; made by `fuzzbow.load`."""

    spec: ModelSpec = field(repr=False)  # what it was loaded with

    def recipe(self) -> dict[str, Any] | None:
        """How to load it again; None where it was made of things that have no name."""
        try:
            return self.spec.to_dict() | {"limit": len(self.vectors)}
        except InputError:
            return None

    def with_measure(self, name: str) -> Model:
        """The same vectors under the measure of that name."""
        measure = build_measure(name, self.space, choose_engine(self.spec.engine))
        return replace(self, measure=measure, spec=replace(self.spec, measure=name))

    def explain(self, a: str, b: str, *, dimensions: int = 20) -> Explanation:
        """Why two texts score what they score: the exact share of every word.

        For the dynamic max measures, and for max-pooled ones over a fixed universe, of
        which the `dimensions` with the largest shares are listed.
        """
        return explain(self, a, b, dimensions=dimensions)

    def duplicates(
        self,
        texts: Iterable[str],
        *,
        threshold: float = DEFAULT_THRESHOLD,
        others: Iterable[str] | None = None,
        same_details: bool = True,
        threads: int | None = None,
        progress: Progress | None = None,
        path: str | os.PathLike[str] | None = None,
    ) -> Duplicates:
        """Every pair of texts that scores at least `threshold`, exactly, without an n × n matrix.

        With `others`, every pair of a text with one of those. Two texts whose details differ
        are no pair, unless `same_details` is False: the words with a digit in them (numbers
        and codes such as 64GB or A1234) must be the same, and either both or neither must
        hold a negation such as "not"; `apart` of the result says how many pairs that undid.
        Copies of one string are reported as exact pairs of the first with each copy, whatever
        words they hold. Many pairs are kept in a Parquet file: a temporary one, or that at
        `path`. `progress` is called with texts done, of how many.
        """
        return find_duplicates(
            self.measure,
            self.encoder,
            texts,
            threshold=threshold,
            others=others,
            same_details=same_details,
            threads=threads,
            progress=progress,
            path=path,
        )

    def fit(self, texts: Iterable[str]) -> Model:
        """The same model with what its measure takes from a collection of texts stored.

        With `counts="collection"`, and for fuzzy-bm25, that is in how many texts each word
        occurs; for sif-pca, what the texts have in common.
        """
        batch, which = self.encoder.encode(check_texts(texts, "texts"))
        measure = self.measure.fit(batch, which)
        return replace(self, measure=measure, spec=replace(self.spec, measure=measure))

    def index(
        self,
        texts: Iterable[str],
        ids: Iterable[int] | Iterable[str] | None = None,
        metadata: Any = None,
        *,
        path: str | os.PathLike[str] | None = None,
        progress: Progress | None = None,
        threads: int | None = None,
    ) -> Index:
        """The texts ready for exact search: `index.search("a query", k=10)`.

        `ids` are whole numbers or strings; without them texts are numbered from 0. `metadata`
        is a mapping of columns, a list of dictionaries, a pandas frame or an Arrow table, for
        `where`. With a `path` the index is written to that new folder, a batch at a time, and
        stays there. `progress` hears of texts done, of how many.
        """
        return build_index(
            self, texts, ids, metadata, path=path, progress=progress, threads=threads
        )

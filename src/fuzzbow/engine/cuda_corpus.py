"""Documents for search in bulk on a GPU; the kernels' corpus searches what a GPU cannot."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers
from fuzzbow.engine.compiled import CompiledCorpus
from fuzzbow.engine.device_texts import DeviceTexts, computable
from fuzzbow.engine.protocol import Bags, DynamicOptions, Found, WordTable, joined_tables
from fuzzbow.engine.reference import joined_bags

FEWEST_QUERIES = 64  # below this, bounds on the processor are faster than all scores on a GPU
Scorer = Callable[[WordTable, Bags, Integers, Integers, DynamicOptions], Floats]


class CudaCorpus(CompiledCorpus):
    """The kernels' corpus, and its documents by word ids for a GPU."""

    def __init__(
        self, table: WordTable, documents: Bags, options: DynamicOptions, device: str, score: Scorer
    ) -> None:
        super().__init__(table, documents, options)
        self._device, self._score = device, score
        self._words, self._documents = table, documents
        self._alive = np.ones(len(documents), dtype=np.bool_)
        self._apart: tuple[Integers, CompiledCorpus] | None = None

    def search(
        self,
        table: WordTable | None,
        queries: Bags,
        corpus_ids: Integers | None,
        *,
        k: int,
        min_score: float = 0.0,
        allowed: Booleans | None = None,
    ) -> Found:
        """The k best documents of each query."""
        if len(queries) < FEWEST_QUERIES or not computable(queries, self._options):
            return super().search(
                table, queries, corpus_ids, k=k, min_score=min_score, allowed=allowed
            )
        there = self._with_queries(table, queries, corpus_ids)
        usable = self._alive if allowed is None else self._alive & allowed
        documents = np.flatnonzero(usable & there.plain[len(queries) :])
        asked, left, right = there.best(
            np.flatnonzero(there.plain[: len(queries)]), len(queries) + documents, k, min_score
        )
        scores = self._score(there.table, there.texts, left, right, self._options)
        good = scores >= min_score
        found = [(left[good], right[good] - len(queries), scores[good])]
        rest = np.setdiff1d(np.arange(len(queries)), asked)
        places, odd = self._odd()
        for which, inside, search in (
            (rest, np.arange(len(usable)), super().search),
            (asked, places, odd.search),
        ):
            allow = usable[inside]
            if not len(which) or not allow.any():
                continue
            part = search(
                table, queries.take(which), corpus_ids,
                k=k, min_score=min_score, allowed=None if allow.all() else allow,
            )  # fmt: skip
            rows, columns = np.nonzero(part.documents >= 0)
            where = inside[part.documents[rows, columns]]
            found.append((which[rows], where, part.scores[rows, columns]))
        return _found(found, len(queries), min(k, max(len(self), 1)))

    def _odd(self) -> tuple[Integers, CompiledCorpus]:
        """Documents that are not compared on the device: their numbers, and a corpus of them.

        A search that is allowed few of all documents costs more than one of these alone.
        """
        if self._apart is None:
            texts = DeviceTexts(self._words, self._documents, self._options, self._device)
            places = np.flatnonzero(~texts.plain)
            odd = CompiledCorpus(self._words, self._documents.take(places), self._options)
            self._apart = places, odd
        return self._apart

    def append(self, table: WordTable, documents: Bags) -> None:
        """Add words at the end of the table, then documents over the whole table."""
        super().append(table, documents)
        if len(table):
            self._words = joined_tables(self._words, table)
        self._documents = joined_bags(self._documents, documents)
        self._apart = None
        self._alive = np.concatenate([self._alive, np.ones(len(documents), dtype=np.bool_)])

    def delete(self, documents: Integers) -> None:
        """Leave these documents out of every later search."""
        super().delete(documents)
        self._alive[documents] = False

    def _with_queries(
        self, table: WordTable | None, queries: Bags, corpus_ids: Integers | None
    ) -> DeviceTexts:
        """The queries, then the documents, over one table."""
        words = self._words
        if table is not None and corpus_ids is not None:
            own = np.where(corpus_ids < 0, len(words) + np.arange(len(table)), corpus_ids)
            queries = Bags(queries.rows.map(own))
            words = joined_tables(words, table)
        return DeviceTexts(
            words, joined_bags(queries, self._documents), self._options, self._device
        )


def _found(parts: list[tuple[Integers, Integers, Floats]], queries: int, width: int) -> Found:
    """The best of each query, equal ones by insertion: query, document and score of each."""
    query, document, score = (np.concatenate(values) for values in zip(*parts, strict=True))
    order = np.lexsort([document, -score, query])
    query, document, score = query[order], document[order], score[order]
    rank = np.arange(len(query)) - np.searchsorted(query, query)
    kept = rank < width
    documents = np.full((queries, width), -1, dtype=np.int64)
    scores = np.zeros((queries, width))
    documents[query[kept], rank[kept]] = document[kept]
    scores[query[kept], rank[kept]] = score[kept]
    return Found(documents, scores)

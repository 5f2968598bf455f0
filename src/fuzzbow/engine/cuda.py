"""Engine for GPUs: matrices, joins and search in bulk by PyTorch, the rest compiled.

Search and joins on the GPU find candidates: pairs whose approximate score may reach the threshold.
The compiled kernels compute their exact scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.engine.compiled import CompiledEngine, maker_of
from fuzzbow.engine.device_texts import DeviceTexts, computable
from fuzzbow.engine.kernel import KernelCorpus, int64
from fuzzbow.engine.protocol import (
    Corpus,
    DynamicOptions,
    Found,
    JoinOptions,
    Matches,
    TopK,
    shared_rows,
)
from fuzzbow.engine.tables import Batch, Queries

ROUNDING = 1e-5  # how far scores of the kernels may differ between the orders of two texts
FEWEST_QUERIES = 64  # below this, bounds on the processor are faster than all scores on a GPU
Pairs = tuple[Integers, Integers]
Scorer = Callable[[Batch, Integers, Integers, DynamicOptions], Floats]


@dataclass(frozen=True)
class CudaEngine(CompiledEngine):
    """Engine that runs dynamic max measures by Jaccard or Dice in bulk on a device."""

    name: str = "cuda"
    device: str = "cuda"

    def matrix(
        self, batch: Batch, rows: Integers, columns: Integers, options: DynamicOptions
    ) -> Floats:
        """Compare every row text with every column text, to 1e-3: (n,), (m,) -> (n, m)."""
        if not computable(batch.texts, options):
            return super().matrix(batch, rows, columns, options)
        there = DeviceTexts(batch, options, self.device)
        scores = np.zeros((len(rows), len(columns)))
        plain_rows, plain_columns = there.plain[rows], there.plain[columns]
        places = np.ix_(plain_rows, plain_columns)
        scores[places] = there.matrix(rows[plain_rows], columns[plain_columns])
        everything = np.ones(len(columns), dtype=np.bool_)
        for down, across in (
            (~plain_rows, everything),
            (plain_rows, ~plain_columns),
            (plain_rows & there.numbered[rows], plain_columns & there.numbered[columns]),
        ):
            if down.any() and across.any():
                scores[np.ix_(down, across)] = super().matrix(
                    batch, rows[down], columns[across], options
                )
        return scores

    def corpus(self, documents: Batch, options: DynamicOptions) -> Corpus:
        """Make a corpus of documents, whose searches in bulk run on the device."""
        if not computable(documents.texts, options):
            return super().corpus(documents, options)
        return CudaCorpus(documents, options, self.device, self.pairs)

    def join(self, batch: Batch, options: DynamicOptions, join: JoinOptions) -> Iterator[Matches]:
        """Yield, in parts, all pairs of texts that score at least the threshold."""
        there = DeviceTexts(batch, options, self.device)
        texts, threshold = batch.texts, join.threshold
        if not computable(texts, options) or threshold <= max(there.error, ROUNDING):
            yield from super().join(batch, options, join)
            return
        nothing = np.zeros(0, dtype=np.int64)
        found = [Matches(nothing, nothing, np.zeros(0))]
        found += [
            self._matches(there, left, right, threshold)
            for left, right in self._candidates(there, join)
        ]
        join.progress(len(texts), len(texts))
        parts = ([getattr(part, name) for part in found] for name in ("left", "right", "scores"))
        left, right, scores = map(np.concatenate, parts)
        mine = shared_rows(len(texts), join.share)
        chosen = np.flatnonzero((left >= mine.start) & (left < mine.stop))
        order = chosen[np.lexsort([right[chosen], left[chosen]])]  # as the compiled engine does
        if len(order):
            yield Matches(left[order], right[order], scores[order])

    def _matches(
        self, there: DeviceTexts, left: Integers, right: Integers, threshold: float
    ) -> Matches:
        """Keep the pairs that reach the threshold, scored by the compiled kernels."""
        scores = self.pairs(there.batch, left, right, there.options)
        good = scores >= np.float32(threshold)
        return Matches(int64(left[good]), int64(right[good]), scores[good])

    def _candidates(self, there: DeviceTexts, join: JoinOptions) -> Iterator[Pairs]:
        """Yield pairs that may reach the threshold."""
        threshold, boundary, progress = join.threshold, join.boundary, join.progress
        everything = np.arange(len(there.batch.texts))
        plain, other = everything[there.plain], everything[~there.plain]
        if boundary is None:
            for left, right in there.above(plain, plain, threshold, progress):
                ordered = left < right
                yield left[ordered], right[ordered]
            crossing = [(other, plain)]
            yield from self._join_compiled(there, other, None, threshold)
        else:
            sides = plain[plain < boundary], plain[plain >= boundary]
            yield from there.above(*sides, threshold, progress)
            crossing = [
                (other[other < boundary], everything[boundary:]),
                (plain[plain < boundary], other[other >= boundary]),
            ]
        for some, others in crossing:
            both = np.concatenate([some, others])
            yield from self._join_compiled(there, both, len(some), threshold)

    def _join_compiled(
        self, there: DeviceTexts, which: Integers, boundary: int | None, threshold: float
    ) -> Iterator[Pairs]:
        """Yield pairs of some texts by the compiled join, at a slightly lower threshold."""
        if len(which) == 0 or boundary in (0, len(which)):
            return
        some = Batch(there.batch.table, there.batch.texts.take(which))
        for part in super().join(some, there.options, JoinOptions(threshold - ROUNDING, boundary)):
            a, b = which[part.left], which[part.right]
            yield np.minimum(a, b), np.maximum(a, b)


class CudaCorpus(KernelCorpus):
    """Documents in the kernels, and by word ids for a GPU."""

    def __init__(
        self, documents: Batch, options: DynamicOptions, device: str, score: Scorer
    ) -> None:
        super().__init__(documents, options.word_similarity, maker_of(options))
        self._options = options
        self._device, self._score = device, score
        self._all = documents
        self._alive = np.ones(len(documents.texts), dtype=np.bool_)
        self._apart: tuple[Integers, KernelCorpus] | None = None

    def search(self, queries: Queries, options: TopK) -> Found:
        """Find the k best documents of each query."""
        if len(queries) < FEWEST_QUERIES or not computable(queries.texts, self._options):
            return super().search(queries, options)
        allowed, least = options.allowed, options.min_score
        asked_for = queries.over(self._all.table)
        there = DeviceTexts(
            Batch(asked_for.table, asked_for.texts + self._all.texts), self._options, self._device
        )
        usable = self._alive if allowed is None else self._alive & allowed
        documents = np.flatnonzero(usable & there.plain[len(queries) :])
        asked, left, right = there.best(
            np.flatnonzero(there.plain[: len(queries)]), len(queries) + documents, options.k, least
        )
        scores = self._score(there.batch, left, right, self._options)
        good = scores >= least
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
            some = replace(options, allowed=None if allow.all() else allow)
            part = search(queries.take(which), some)
            rows, columns = np.nonzero(part.documents >= 0)
            where = inside[part.documents[rows, columns]]
            found.append((which[rows], where, part.scores[rows, columns]))
        return _sort_hits(found, len(queries), min(options.k, max(len(self), 1)))

    def _odd(self) -> tuple[Integers, KernelCorpus]:
        """Return the documents that are not compared on the device: their numbers, and a corpus.

        Searching this corpus is faster than filtering all documents.
        """
        if self._apart is None:
            plain = DeviceTexts(self._all, self._options, self._device).plain
            places = np.flatnonzero(~plain)
            some = Batch(self._all.table, self._all.texts.take(places))
            self._apart = (
                places,
                KernelCorpus(some, self._options.word_similarity, maker_of(self._options)),
            )
        return self._apart

    def append(self, documents: Batch) -> None:
        """Add words at the end of the table, then documents over the whole table."""
        super().append(documents)
        texts, words = documents.texts, self._all.table
        words = words + documents.table if len(documents.table) else words
        self._all = Batch(words, self._all.texts + texts)
        self._apart = None
        self._alive = np.concatenate([self._alive, np.ones(len(texts), dtype=np.bool_)])

    def delete(self, documents: Integers) -> None:
        """Exclude these documents from later searches."""
        super().delete(documents)
        self._alive[documents] = False


def _sort_hits(parts: list[tuple[Integers, Integers, Floats]], queries: int, width: int) -> Found:
    """Sort the hits, arrays of query, document and score, by query and score, ties by insertion."""
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

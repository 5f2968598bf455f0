"""The compiled engine, with comparisons of all with all on a GPU.

What the GPU finds in search and joins are candidates: pairs whose score, which is off by a
known error, may reach what is asked for. The compiled kernels score these again, so that
results are theirs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.engine.compiled import CompiledCorpus, CompiledEngine
from fuzzbow.engine.cuda_corpus import CudaCorpus
from fuzzbow.engine.device_texts import DeviceTexts, computable
from fuzzbow.engine.kernel_arrays import int64
from fuzzbow.engine.protocol import Bags, DynamicOptions, Matches, WordTable
from fuzzbow.engine.reference import ReferenceCorpus
from fuzzbow.engine.share import WHOLE, Share, shared_rows
from fuzzbow.progress import Progress, no_progress

ROUNDING = 1e-5  # how far scores of the kernels may differ between the orders of two texts
Pairs = tuple[Integers, Integers]


@dataclass(frozen=True)
class CudaEngine(CompiledEngine):
    """Matrices, joins and search in bulk of dynamic max measures by Jaccard or Dice on a device."""

    name: str = "cuda"
    device: str = "cuda"

    def matrix(
        self,
        table: WordTable,
        texts: Bags,
        rows: Integers,
        columns: Integers,
        options: DynamicOptions,
    ) -> Floats:
        """Every row text with every column text, to 1e-3: (n,), (m,) -> (n, m)."""
        if not computable(texts, options):
            return super().matrix(table, texts, rows, columns, options)
        there = DeviceTexts(table, texts, options, self.device)
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
                    table, texts, rows[down], columns[across], options
                )
        return scores

    def corpus(
        self, table: WordTable, documents: Bags, options: DynamicOptions
    ) -> CompiledCorpus | ReferenceCorpus:
        """Documents ready for search, in bulk on the device."""
        if not computable(documents, options):
            return super().corpus(table, documents, options)
        return CudaCorpus(table, documents, options, self.device, self.pairs)

    def join(
        self,
        table: WordTable,
        texts: Bags,
        options: DynamicOptions,
        *,
        threshold: float,
        boundary: int | None = None,
        share: Share = WHOLE,
        progress: Progress = no_progress,
    ) -> Iterator[Matches]:
        """Every pair i < j with a score of at least the threshold, a part at a time."""
        there = DeviceTexts(table, texts, options, self.device)
        if not computable(texts, options) or threshold <= max(there.error, ROUNDING):
            yield from super().join(
                table,
                texts,
                options,
                threshold=threshold,
                boundary=boundary,
                share=share,
                progress=progress,
            )
            return
        nothing = np.zeros(0, dtype=np.int64)
        found = [Matches(nothing, nothing, np.zeros(0))]
        found += [
            self._matches(there, left, right, threshold)
            for left, right in self._candidates(there, threshold, boundary, progress)
        ]
        progress(len(texts), len(texts))
        parts = ([getattr(part, name) for part in found] for name in ("left", "right", "scores"))
        left, right, scores = map(np.concatenate, parts)
        mine = shared_rows(len(texts), share)
        chosen = np.flatnonzero((left >= mine.start) & (left < mine.stop))
        order = chosen[np.lexsort([right[chosen], left[chosen]])]  # as the compiled engine does
        if len(order):
            yield Matches(left[order], right[order], scores[order])

    def _matches(
        self, there: DeviceTexts, left: Integers, right: Integers, threshold: float
    ) -> Matches:
        """Keep the pairs that reach the threshold by the compiled kernels."""
        scores = self.pairs(there.table, there.texts, left, right, there.options)
        good = scores >= np.float32(threshold)
        return Matches(int64(left[good]), int64(right[good]), scores[good])

    def _candidates(
        self, there: DeviceTexts, threshold: float, boundary: int | None, progress: Progress
    ) -> Iterator[Pairs]:
        """Pairs i < j, or those that straddle the boundary, that may reach the threshold."""
        everything = np.arange(len(there.texts))
        plain, other = everything[there.plain], everything[~there.plain]
        if boundary is None:
            for left, right in there.above(plain, plain, threshold, progress):
                ordered = left < right
                yield left[ordered], right[ordered]
            crossing = [(other, plain)]
            yield from self._joined(there, other, None, threshold)
        else:
            sides = plain[plain < boundary], plain[plain >= boundary]
            yield from there.above(*sides, threshold, progress)
            crossing = [
                (other[other < boundary], everything[boundary:]),
                (plain[plain < boundary], other[other >= boundary]),
            ]
        for some, others in crossing:
            both = np.concatenate([some, others])
            yield from self._joined(there, both, len(some), threshold)

    def _joined(
        self, there: DeviceTexts, which: Integers, boundary: int | None, threshold: float
    ) -> Iterator[Pairs]:
        """Pairs of some texts by the compiled join, a bit below the threshold too."""
        if len(which) == 0 or boundary in (0, len(which)):
            return
        for part in super().join(
            there.table,
            there.texts.take(which),
            there.options,
            threshold=threshold - ROUNDING,
            boundary=boundary,
        ):
            a, b = which[part.left], which[part.right]
            yield np.minimum(a, b), np.maximum(a, b)

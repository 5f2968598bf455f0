"""Fuzzy BM25 on compiled kernels: an inverted index, the same contract as the reference."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzzbow import _kernel
from fuzzbow.arrays import Floats, Integers, Ragged
from fuzzbow.engine.kernel_arrays import (
    int64,
    kernel_arrays,
    kernel_table,
    kernel_texts,
)
from fuzzbow.engine.kernel_corpus import KernelCorpus
from fuzzbow.engine.protocol import Bags, Bm25Options, Bm25Statistics, WordTable, plain_rows
from fuzzbow.engine.reference import float64
from fuzzbow.engine.threads import current_threads


def bm25_pairs(
    table: WordTable,
    texts: Bags,
    left: Integers,
    right: Integers,
    weights: Floats,
    mean_length: float,
    options: Bm25Options,
) -> Floats:
    """Query left[i] with document right[i]: (n,), (n,) -> (n,)."""
    scores = _kernel.bm25_pairs(
        kernel_table(table, unit=True),
        _texts(texts),
        int64(left),
        int64(right),
        float64(weights),
        mean_length,
        k1=options.k1,
        b=options.b,
        floor=options.floor,
        power=options.power,
        threads=current_threads(),
    )
    return scores.astype(np.float64)


def _texts(texts: Bags) -> Any:
    """Ids and offsets, as the kernels take them."""
    return kernel_texts(Bags(plain_rows(texts)))


class CompiledBm25Corpus(KernelCorpus):
    """Documents in the kernels' own layout."""

    def __init__(self, table: WordTable, documents: Bags, options: Bm25Options) -> None:
        self._table = kernel_table(table, unit=True)
        self._corpus = _kernel.Bm25Corpus(
            self._table,
            _texts(documents),
            k1=options.k1,
            b=options.b,
            floor=options.floor,
            power=options.power,
            threads=current_threads(),
        )

    def statistics(self) -> Bm25Statistics:
        """Return the statistics of the documents here."""
        return Bm25Statistics(*self._corpus.statistics())

    def weigh_by(self, table: WordTable, collection: Bm25Statistics) -> None:
        """Weigh words by a collection that the documents are a part of, until the next call."""
        if len(table):
            self._table.append(*self._arrays(table))
        held = np.flatnonzero(collection.holders)
        self._corpus.weigh_by(
            collection.documents,
            collection.words,
            held.astype(np.uint32),
            int64(collection.holders[held]),
        )

    @property
    def mean_length(self) -> float:
        """Mean number of words of a live document; 0 without documents."""
        return float(self._corpus.mean_length)

    def word_weights(
        self, table: WordTable | None, words: Integers, corpus_ids: Integers | None
    ) -> Floats:
        """Weight times inverse document frequency of some words: (k,) -> (k,)."""
        ids, _, _ = kernel_texts(Bags(Ragged.from_lengths(words, np.array([len(words)]))))
        return np.asarray(
            self._corpus.word_weights(
                ids,
                table=None if table is None else kernel_table(table, unit=True),
                corpus_ids=None if corpus_ids is None else int64(corpus_ids),
                threads=current_threads(),
            )
        )

    def _kernel_table(self, table: WordTable) -> Any:
        return kernel_table(table, unit=True)

    def _arrays(self, table: WordTable) -> Any:
        return kernel_arrays(table)

    def _texts(self, texts: Bags) -> Any:
        return _texts(texts)

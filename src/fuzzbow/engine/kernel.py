"""Words, texts, lexicons and corpora in the kernels' types and layout."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow import _kernel
from fuzzbow.arrays import Floats, Integers, Ragged
from fuzzbow.engine.protocol import Bm25Options, Bm25Statistics, Bm25Weights, Found, TopK
from fuzzbow.engine.tables import Bags, Batch, Queries, WordTable
from fuzzbow.engine.threads import current_threads
from fuzzbow.fuzzy import WordSimilarity, unit_rows

UNKNOWN = 2  # the bit for an unknown word in its kind; the bit for a number is 1

Text = str | list[str]  # as it is written, or the words that a tokenizer found in it


def float32(array: Floats) -> NDArray[np.float32]:
    """Convert an array to the kernels' type and layout."""
    return np.ascontiguousarray(array, dtype=np.float32)


def optional32(array: Floats | None) -> NDArray[np.float32] | None:
    """Convert an array to float32; return None for None."""
    return None if array is None else float32(array)


def int64(array: Integers) -> NDArray[np.int64]:
    """Convert ids and indices to the kernels' type and layout."""
    return np.ascontiguousarray(array, dtype=np.int64)


def kernel_arrays(
    table: WordTable, similarity: WordSimilarity = WordSimilarity.DOT
) -> tuple[Any, ...]:
    """Return vectors, weights, kinds, then offsets and values of trigrams and of letters."""
    vectors = table.vectors
    if similarity is not WordSimilarity.DOT:
        vectors = unit_rows(vectors)  # under max with zero, a clipped cosine is a cosine
    weights, rules = optional32(table.weights), table.rules
    if rules is None:
        return float32(vectors), weights, *[None] * 5
    kinds = rules.numbers.astype(np.uint8) + UNKNOWN * rules.unknown.astype(np.uint8)
    spellings = (
        part
        for rows in (rules.trigrams, rules.letters)
        for part in (rows.offsets, np.ascontiguousarray(rows.values, dtype=np.uint32))
    )
    return float32(vectors), weights, kinds, *spellings


def kernel_table(
    table: WordTable, similarity: WordSimilarity = WordSimilarity.DOT, *, unit: bool | None = None
) -> _kernel.Table:
    """Copy the words to the kernels' own layout; with rules, vectors have unit length."""
    unit = table.rules is not None if unit is None else unit
    return _kernel.Table(*kernel_arrays(table, similarity), unit=unit)


def kernel_texts(texts: Bags) -> Any:
    """Return ids, offsets and counts, as the kernels take them."""
    ids = texts.rows.values
    if ids.dtype == np.int32:  # the same bits, and no copy of a whole corpus
        ids = ids.view(np.uint32)
    ids = np.ascontiguousarray(ids, dtype=np.uint32)
    return ids, np.ascontiguousarray(texts.rows.offsets), optional32(texts.counts)


@lru_cache(maxsize=64)
def least32(score: float) -> float:
    """Return the least single-precision number that is not below a score from 0 to 1.

    >>> least32(0.5), least32(0.7) >= 0.7
    (0.5, True)
    """
    rounded = np.float32(min(max(score, -1.0), 2.0))
    return float(np.nextafter(rounded, np.float32(3.0)) if float(rounded) < score else rounded)


class KernelLexicon:
    """Words by spelling, with their rows in a growing table of the kernels.

    Texts are compared with each other by `similarity`, or are queries of a `corpus`. `arrays` make
    rows of new words; if it `learns`, it can make them from a source. Threads may share it.
    """

    def __init__(
        self,
        table: _kernel.Table,
        arrays: Callable[[WordTable], tuple[Any, ...]],
        splitting: str | None,
        *,
        similarity: _kernel.SetSimilarity | None = None,
        corpus: KernelCorpus | None = None,
        learns: bool = True,
    ) -> None:
        self._table, self._arrays, self.learns = table, arrays, learns
        self._similarity: Any = similarity
        self._corpus: Any = corpus
        self._lexicon = _kernel.Lexicon(table, splitting)

    def add(
        self, chunks: list[str], rows: Ragged, table: WordTable, corpus_ids: Integers | None
    ) -> None:
        """Add the rows of a table, then chunks, each with the rows of its words.

        Queries of a corpus also need `corpus_ids`: the corpus's id of each new row, or -1.
        """
        if len(table):
            self._table.append(*self._arrays(table))
        known = None if corpus_ids is None else int64(corpus_ids)
        self._lexicon.add(chunks, int64(rows.values), int64(rows.offsets), known)

    def learn_from(self, source: Any, **options: Any) -> None:
        """Learn missing words from a source of the kernels."""
        self._lexicon.learn_from(source, **options)

    def learn(self, texts: Any) -> tuple[str, list[str]]:
        """Learn missing words; return the state, and chunks whose words are not certain."""
        return self._lexicon.learn(texts)

    def learn_words(self, chunks: list[str], words: list[Any]) -> str:
        """Learn chunks by their words: (spelling, other case, traits of either); return a state."""
        return self._lexicon.learn_words(chunks, words)

    def read(self, texts: Sequence[Text], segments: Callable[[], Any]) -> _kernel.LexiconTexts:
        """Read texts; scripts without spaces are segmented by a vocabulary."""
        while (read := self._lexicon.read(texts, threads=current_threads())) is None:
            self._lexicon.segment_by(segments())
        return read

    def memory_bytes(self) -> int:
        """Return the memory used by the words, in bytes."""
        return self._table.memory_bytes() + self._lexicon.memory_bytes()

    def score(self, a: Text, b: Text, learn: bool = False) -> float | list[str] | None:
        """Compare two texts; return None if unreadable, or the chunks whose words are missing."""
        return self._lexicon.score(a, b, self._similarity, learn)

    def pairs(self, texts: Any, left: Integers, right: Integers) -> Floats:
        """Compare text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        return self._scores(_kernel.pairs, texts, left, right)

    def matrix(self, texts: Any, rows: Integers, columns: Integers) -> Floats:
        """Compare every row text with every column text: (n,), (m,) -> (n, m)."""
        return self._scores(_kernel.matrix, texts, rows, columns)

    def _scores(self, kernel: Any, texts: Any, left: Integers, right: Integers) -> Floats:
        threads, sides = current_threads(), (int64(left), int64(right))
        scores = kernel(self._table, texts, *sides, self._similarity, threads=threads)
        return np.asarray(scores, dtype=np.float64)

    def search(self, texts: Any, options: TopK) -> Found:
        """Find the k best documents of each query."""
        found: Found = self._corpus.search_texts(texts, options)
        return found


class KernelCorpus:
    """Documents in the kernels, over a growing table of words."""

    def __init__(
        self,
        documents: Batch,
        similarity: WordSimilarity,
        make: Callable[..., Any],
        unit: bool | None = None,
    ) -> None:
        self._word_similarity, self._unit = similarity, unit
        self._table = self._kernel_table(documents.table)
        texts = self._texts(documents.texts)
        self._corpus = make(self._table, texts, threads=current_threads())

    def __len__(self) -> int:
        return len(self._corpus)

    def _texts(self, texts: Bags) -> Any:
        return kernel_texts(texts)

    def _arrays(self, table: WordTable) -> tuple[Any, ...]:
        return kernel_arrays(table, self._word_similarity)

    def _kernel_table(self, table: WordTable) -> _kernel.Table:
        return kernel_table(table, self._word_similarity, unit=self._unit)

    def _words(self, queries: Queries) -> dict[str, Any]:
        """Return the queries' own table, if any, as arguments of the kernels."""
        if queries.table is None:
            return {}
        ids = None if queries.corpus_ids is None else int64(queries.corpus_ids)
        return {"table": self._kernel_table(queries.table), "corpus_ids": ids}

    def search(self, queries: Queries, options: TopK) -> Found:
        """Find the k best documents of each query."""
        return self.search_texts(self._texts(queries.texts), options, **self._words(queries))

    def search_texts(self, texts: Any, options: TopK, **words: Any) -> Found:
        """Search for texts in the kernels' layout, or as read by a lexicon."""
        allowed, least = options.allowed, least32(options.min_score)
        marks = None if allowed is None else allowed.astype(np.uint8)
        threads = current_threads()
        scores, documents, _ = self._corpus.search(
            texts, options.k, least, **words, allowed=marks, threads=threads
        )
        return Found(documents, scores.astype(np.float64))

    def lexicon(self, table: WordTable, splitting: str | None) -> KernelLexicon:
        """Return a lexicon of queries over a growing table of words."""
        words = self._kernel_table(table)
        learns = self._word_similarity is WordSimilarity.DOT
        return KernelLexicon(words, self._arrays, splitting, corpus=self, learns=learns)

    def append(self, documents: Batch) -> None:
        """Add words at the end of the table, then documents over the whole table."""
        texts = self._texts(documents.texts)
        self._add_words(documents.table)
        self._corpus.append(texts, threads=current_threads())

    def _add_words(self, table: WordTable) -> None:
        if len(table):
            self._table.append(*self._arrays(table))

    def delete(self, documents: Integers) -> None:
        """Exclude these documents from later searches."""
        self._corpus.delete(int64(documents))

    def memory_bytes(self) -> int:
        """Return the bytes of memory used by the documents, without the table of words."""
        return int(self._corpus.memory_bytes())


class KernelBm25Corpus(KernelCorpus):
    """Documents in the kernels under fuzzy BM25."""

    def __init__(self, documents: Batch, options: Bm25Options) -> None:
        self._options = options

        def make(table: _kernel.Table, texts: Any, *, threads: int) -> _kernel.Bm25Corpus:
            return _kernel.Bm25Corpus(table, texts, **vars(options), threads=threads)

        super().__init__(documents, WordSimilarity.DOT, make, unit=True)

    def _texts(self, texts: Bags) -> Any:
        return kernel_texts(Bags(texts.plain_rows))

    def statistics(self) -> Bm25Statistics:
        """Return the statistics of the documents that are not deleted."""
        return Bm25Statistics(*self._corpus.statistics())

    def with_frequencies(self, table: WordTable, collection: Bm25Statistics) -> None:
        """Weight words by a collection that includes the documents; the next call replaces it."""
        self._add_words(table)
        held = np.flatnonzero(collection.holders)
        holders = int64(collection.holders[held])
        numbers = collection.documents, collection.words
        self._corpus.with_frequencies(*numbers, held.astype(np.uint32), holders)

    def weights(self, queries: Queries) -> Bm25Weights:
        """Return weight times inverse document frequency of the words of the queries' table."""
        count = len(self._table if queries.table is None else queries.table)
        ids, words = np.arange(count, dtype=np.uint32), self._words(queries)
        weights = self._corpus.word_weights(ids, **words, threads=current_threads())
        return Bm25Weights(np.asarray(weights), float(self._corpus.mean_length), self._options)

"""Cache of words between strings and kernels: calls go from strings to scores.

The kernels read a text as chunks, which the lexicon maps to rows of its table. A missing chunk is
added once: the tokenizer's forms split it into words, the measure's `prepare` makes rows of the new
words (`WordRows`), and the lexicon maps the chunk to these rows. Rows never change, so readers need
no lock; one thread at a time adds words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from fuzzbow.arrays import Floats, Integers, Ragged
from fuzzbow.encoding.arrow_texts import TextList
from fuzzbow.encoding.encoder import Encoder, distinct_texts
from fuzzbow.encoding.texts import BatchWords, Texts
from fuzzbow.engine import Batch, Found, TopK, WordTable
from fuzzbow.fork import abandon, renew_after_fork
from fuzzbow.text import whole_text

NEW, DROPPED = -1, -2  # rows of words that were not added, and of those that the measure drops
PAIR_BYTES = 256 << 20  # of the words of a model; with more, the cache is emptied
QUERY_BYTES = 32 << 20  # of the words of queries of an index
WORD_BYTES = 256  # about the memory of a word besides its vector
ATTEMPTS = 3  # to add words, where the cache is emptied meanwhile
WIDEST = 2.0**40  # between the lengths of vectors that one scale of the kernels serves

Result = TypeVar("Result")
TrigramIds = dict[int, int]  # numbers of trigrams, by code points
Prepare = Callable[[Texts, TrigramIds], Batch]  # a measure's function from texts to its words


class QueryTrigrams(TrigramIds):
    """Ids of the trigrams of queries, after those of the corpus, which do not change."""

    def __init__(self, own: TrigramIds) -> None:
        super().__init__()
        self._own = own

    def __len__(self) -> int:
        return len(self._own) + super().__len__()

    def setdefault(self, trigram: int, default: int = 0) -> int:
        """Return the number of a trigram; a new one gets the next."""
        number = self._own.get(trigram)
        return super().setdefault(trigram, default) if number is None else number


class WordRows:
    """Row of each word of the vocabulary, and of words outside it that were added."""

    def __init__(self, encoder: Encoder, prepare: Prepare, trigrams: TrigramIds) -> None:
        self._vectors, self._prepare = encoder.vectors, prepare
        self._rows = np.full(len(encoder.vectors), NEW, dtype=np.int32)
        self._unknown: dict[str, int] = {}  # words outside the vocabulary -> row
        self.trigrams = trigrams
        self.size = 0

    def empty(self) -> WordTable:
        """Return a table of this kind without words."""
        return self.add(np.zeros(0, dtype=np.int64), [])[0]

    def lookup(self, unknown: Sequence[str]) -> Integers:
        """Return the row of each word of the vocabulary, then of unknown words."""
        if not unknown:
            return self._rows
        others = [self._unknown.get(word, NEW) for word in unknown]
        return np.concatenate([self._rows, np.array(others, dtype=np.int32)])

    def of_words(self, ids: Integers, unknown: Sequence[str]) -> Integers:
        """Return the rows of some words, by ids as in `TokenIds`: (n,) -> (n,)."""
        known = len(self._rows)
        rows = self._rows[np.minimum(ids, known - 1)]
        for word in np.flatnonzero(ids >= known).tolist():
            rows[word] = self._unknown.get(unknown[ids[word] - known], NEW)
        return rows

    def of_batch(self, words: BatchWords) -> Integers:
        """Return the row of each word of a batch, -1 for none: (m,)."""
        return np.maximum(self.of_words(words.ids, words.unknown).astype(np.int64), -1)

    def counts(self, by_row: Integers) -> tuple[Integers, dict[str, int]]:
        """Convert counts of rows to counts of words: vocabulary, (V,), and unknown words."""
        there = self._rows >= 0
        known = np.zeros(len(self._rows), dtype=np.int64)
        known[there] = by_row[self._rows[there]]
        unknown = {word: int(by_row[row]) for word, row in self._unknown.items() if row >= 0}
        return known, {word: count for word, count in unknown.items() if count}

    def add(self, fresh: Integers, unknown: Sequence[str]) -> tuple[WordTable, BatchWords]:
        """Assign rows to new words, given by distinct ids; return their table and the words.

        They get the next rows, or none if the measure drops them.
        """
        words = BatchWords(self._vectors, fresh, unknown)
        each = Ragged(np.arange(len(fresh)), np.arange(len(fresh) + 1))
        batch = self._prepare(Texts(words, each), self.trigrams)
        kept = batch.texts.rows.lengths > 0
        rows = np.where(kept, self.size + np.cumsum(kept) - 1, DROPPED)
        known = len(self._rows)
        inside = fresh < known
        self._rows[fresh[inside]] = rows[inside]
        outside = (unknown[word] for word in (fresh[~inside] - known).tolist())
        self._unknown.update(zip(outside, rows[~inside].tolist(), strict=True))
        self.size += int(kept.sum())
        if kept.all():
            return batch.table, words
        rest = np.flatnonzero(kept)
        return batch.table.take(rest), BatchWords(self._vectors, fresh[rest], unknown)


@dataclass
class _Contents:
    """Contents of the cache: a lexicon of words, and their rows."""

    lexicon: Any
    rows: WordRows
    length: float | None = None  # of the first vector, where the kernels choose a scale

    def fits(self, table: WordTable) -> bool:
        """Return whether new words can be stored on the same scale as the others."""
        if table.rules is not None or not len(table):
            return True
        lengths = np.abs(table.vectors).max(axis=1)
        lengths = lengths[lengths > 0]
        if len(lengths) and self.length is None:
            self.length = float(lengths[0])
        usual = self.length or 1.0
        return bool(((lengths > usual / WIDEST) & (lengths < usual * WIDEST)).all())


class WordCache:
    """Cache of words in a lexicon of the engine; methods return None if a batch is needed.

    A batch is needed if there is no lexicon, or if the words exceed `most_bytes`. The cache is
    emptied when it is full, and after a failure. Threads may share it.
    """

    def __init__(
        self,
        encoder: Encoder,
        prepare: Prepare,
        lexicon: Callable[[WordTable, str | None], Any],
        corpus_rows: WordRows | None = None,
    ) -> None:
        self._encoder, self._prepare, self._lexicon = encoder, prepare, lexicon
        self._corpus_rows = corpus_rows  # of a corpus that the texts are queries of
        self._most_bytes = PAIR_BYTES if corpus_rows is None else QUERY_BYTES
        self._word_bytes = 4 * encoder.vectors.dimension + WORD_BYTES
        self._splits = encoder.splitting is not None
        self._begin()
        renew_after_fork(self)

    def renew(self) -> None:
        """Empty the cache in a forked process, where another thread may have held its lock."""
        abandon(self._contents)
        self._begin()

    def _begin(self) -> None:
        self._lock, self._begun = Lock(), False
        self._contents: _Contents | None = None

    def score(self, a: str, b: str) -> float | None:
        """Compare two texts."""
        score = self.cached_score(a, b)
        if score is None:
            found = self.pairs([a], [b])  # which adds words
            return None if found is None else float(found[0])
        return score

    def cached_score(self, a: str, b: str) -> float | None:
        """Compare two texts if all their words are cached, without waiting for other threads."""
        contents = self._contents
        return None if contents is None else contents.lexicon.score(*self._split([a, b]))

    def pairs(self, left: TextList, right: TextList) -> Floats | None:
        """Compare text left[i] with text right[i]: (n,)."""
        texts, which = distinct_texts(left + right)
        first, second = which[: len(left)], which[len(left) :]
        return self._call(texts, lambda lexicon, read: lexicon.pairs(read, first, second))

    def matrix(self, rows: TextList, columns: TextList) -> Floats | None:
        """Compare every row with every column: (n, m)."""
        down, across = np.arange(len(rows)), len(rows) + np.arange(len(columns))
        return self._call(rows + columns, lambda lexicon, read: lexicon.matrix(read, down, across))

    def search(self, texts: TextList, options: TopK) -> Found | None:
        """Find the best documents of the corpus for each text."""
        return self._call(texts, lambda lexicon, read: lexicon.search(read, options))

    def memory_bytes(self) -> int:
        """Return the memory of the words."""
        return 0 if self._contents is None else int(self._contents.lexicon.memory_bytes())

    def _call(self, texts: TextList, call: Callable[[Any, Any], Result]) -> Result | None:
        """Call a method of the lexicon, after adding missing words."""
        split = self._split(texts)
        for _ in range(ATTEMPTS):
            contents = self._current()
            if contents is None:
                break
            read = contents.lexicon.read(split, lambda: self._encoder.segment_words)
            missing = read.missing_words()
            if not missing:
                return call(contents.lexicon, read)
            if len(missing) * self._word_bytes > self._most_bytes:
                break
            if self._add(contents, missing):
                read.settle()
                return call(contents.lexicon, read)
        return None

    def _split(self, texts: TextList) -> Sequence[str | list[str]]:
        """Return the texts, split into words if the lexicon cannot split them."""
        readable = self._encoder.readable(texts)
        if self._splits:
            return self._encoder.folded(readable)
        return [list(self._encoder.tokenizer.words(whole_text(text))) for text in readable]

    def _current(self) -> _Contents | None:
        """Return the current contents, created at first use."""
        if not self._begun:
            with self._lock:
                if not self._begun:
                    self._empty()
                    self._begun = True
        return self._contents

    def _empty(self) -> None:
        own = self._corpus_rows
        trigrams = {} if own is None else QueryTrigrams(own.trigrams)
        rows = WordRows(self._encoder, self._prepare, trigrams)
        lexicon = self._lexicon(rows.empty(), self._encoder.splitting)
        self._contents = None if lexicon is None else _Contents(lexicon, rows)

    def _add(self, contents: _Contents, chunks: list[str]) -> bool:
        """Add chunks; return False if the contents were replaced."""
        with self._lock:
            if contents is not self._contents:
                return False
            if self.memory_bytes() + len(chunks) * self._word_bytes > self._most_bytes:
                self._empty()
                return False
            try:
                fits = self._add_rows(contents, chunks)
            except BaseException:
                self._empty()
                raise
            if not fits:
                self._contents = None
            return fits

    def _add_rows(self, contents: _Contents, chunks: list[str]) -> bool:
        """Add chunks with the rows of their words; return False if these do not fit."""
        tokens, rows = self._encoder.chunk_ids(chunks), contents.rows
        ids, unknown = tokens.rows.values, tokens.unknown
        table, words = rows.add(np.unique(ids[rows.of_words(ids, unknown) == NEW]), unknown)
        if not contents.fits(table):
            return False
        corpus_ids = None if self._corpus_rows is None else self._corpus_rows.of_batch(words)
        found = rows.of_words(ids, unknown)
        kept = Ragged(found, tokens.rows.offsets).keep(found >= 0)
        contents.lexicon.add(chunks, kept, table, corpus_ids)
        return True

"""Cache of words between strings and kernels: calls go from strings to scores.

The kernels read a text as chunks, which the lexicon maps to rows of its table. A missing chunk is
added once. By `RowRules` the kernels make rows of new words themselves, from the stored vectors;
only chunks whose words are not certain are split by the tokenizer's forms first. Without such rules
the measure's `prepare` makes the rows (`WordRows`). Rows never change, so readers need no lock; one
thread at a time adds words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from fuzzbow.arrays import Floats, Integers, Ragged, blocks
from fuzzbow.encoding.arrow_texts import TextList
from fuzzbow.encoding.encoder import Encoder, distinct_texts
from fuzzbow.encoding.texts import BatchWords, Texts
from fuzzbow.engine import Batch, Found, RowRules, TopK, WordTable, load_kernel
from fuzzbow.fork import abandon, renew_after_fork
from fuzzbow.text import CONTRASTED, whole_text
from fuzzbow.vectors.tables import StoredTable

NEW, DROPPED = -1, -2  # rows of words that were not added, and of those that the measure drops
PAIRS_AT_ONCE = 1 << 15
PAIR_BYTES = 128 << 20  # of the words of a model; with more, the cache is emptied
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
        self.known_rows = np.full(len(encoder.vectors), NEW, dtype=np.int32)
        self.unknown_rows: dict[str, int] = {}  # words outside the vocabulary -> row
        self.trigrams = trigrams
        self.size = 0

    def empty(self) -> WordTable:
        """Return a table of this kind without words."""
        return self.add(np.zeros(0, dtype=np.int64), [])[0]

    def lookup(self, unknown: Sequence[str]) -> Integers:
        """Return the row of each word of the vocabulary, then of each unknown word."""
        if not unknown:
            return self.known_rows
        others = [self.unknown_rows.get(word, NEW) for word in unknown]
        return np.concatenate([self.known_rows, np.array(others, dtype=np.int32)])

    def of_words(self, ids: Integers, unknown: Sequence[str]) -> Integers:
        """Return the rows of some words, by ids as in `TokenIds`: (n,) -> (n,)."""
        known = len(self.known_rows)
        rows = self.known_rows[np.minimum(ids, known - 1)]
        for word in np.flatnonzero(ids >= known).tolist():
            rows[word] = self.unknown_rows.get(unknown[ids[word] - known], NEW)
        return rows

    def of_batch(self, words: BatchWords) -> Integers:
        """Return the row of each word of a batch, -1 for none: (m,)."""
        return np.maximum(self.of_words(words.ids, words.unknown).astype(np.int64), -1)

    def counts(self, by_row: Integers) -> tuple[Integers, dict[str, int]]:
        """Convert counts of rows to counts of words: vocabulary, (V,), and unknown words."""
        there = self.known_rows >= 0
        known = np.zeros(len(self.known_rows), dtype=np.int64)
        known[there] = by_row[self.known_rows[there]]
        unknown = {word: int(by_row[row]) for word, row in self.unknown_rows.items() if row >= 0}
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
        known = len(self.known_rows)
        inside = fresh < known
        self.known_rows[fresh[inside]] = rows[inside]
        outside = (unknown[word] for word in (fresh[~inside] - known).tolist())
        self.unknown_rows.update(zip(outside, rows[~inside].tolist(), strict=True))
        self.size += int(kept.sum())
        if kept.all():
            return batch.table, words
        rest = np.flatnonzero(kept)
        return batch.table.take(rest), BatchWords(self._vectors, fresh[rest], unknown)


def word_source(encoder: Encoder, rules: RowRules) -> Any:
    """Return the words of the encoder's vocabulary for the kernels, which make rows by rules.

    Return None if the kernels cannot read the vectors.
    """
    kernel, _ = load_kernel()
    vectors = encoder.vectors
    table = vectors.table
    if kernel is None or vectors.inference is not None or not isinstance(table, StoredTable):
        return None
    if not table.array.flags.aligned or not (table.scales is None or table.scales.flags.aligned):
        return None
    row_of = None if table.row_of is None else np.ascontiguousarray(table.row_of, dtype=np.int64)
    return kernel.WordSource(
        vectors.vocabulary.arrays or encoder.kernel_vocabulary,
        table.array,
        table.scales,
        row_of,
        dimension=vectors.dimension,
        lowercase=vectors.lowercase,
        rules=vars(rules),
    )


@dataclass
class _Contents:
    """Contents of the cache: a lexicon of words, and their rows."""

    lexicon: Any
    rows: WordRows | None  # none where the lexicon makes them
    length: float | None = None  # of the first vector, where the kernels choose a scale

    def learn(self, read: Any) -> tuple[str, list[str]]:
        """Let the lexicon make rows of missing words; return a state and the remaining chunks."""
        if self.rows is not None:
            return "done", read.missing_words()
        state, chunks = self.lexicon.learn(read)
        return str(state), list(chunks)

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
        rules: RowRules | None = None,
        corpus_rows: WordRows | None = None,
    ) -> None:
        self._encoder, self._prepare, self._lexicon = encoder, prepare, lexicon
        self._rules = rules
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
        contents = self._current()
        if contents is None:
            return None
        texts = self._split([a, b])
        found = contents.lexicon.score(*texts, contents.rows is None)
        if isinstance(found, list) and self._add(contents, found):  # chunks to be split
            found = contents.lexicon.score(*texts)
        if isinstance(found, float):
            return found
        scores = self.pairs([a], [b])
        return None if scores is None else float(scores[0])

    def cached_score(self, a: str, b: str) -> float | None:
        """Compare two texts if all their words are cached, without waiting for other threads."""
        contents = self._contents
        return None if contents is None else contents.lexicon.score(*self._split([a, b]))

    def pairs(self, left: TextList, right: TextList) -> Floats | None:
        """Compare text left[i] with text right[i], in parts whose words fit in the cache: (n,)."""
        scores = np.zeros(len(left))
        for part in blocks(len(left), PAIRS_AT_ONCE):
            texts, which = distinct_texts(left[part] + right[part])
            first, second = which.reshape(2, -1)

            def score(lexicon: Any, read: Any, a: Any = first, b: Any = second) -> Floats:
                return np.asarray(lexicon.pairs(read, a, b))

            found = self._call(texts, score)
            if found is None:
                return None
            scores[part] = found
        return scores

    def matrix(self, rows: TextList, columns: TextList) -> Floats | None:
        """Compare every row with every column: (n, m)."""
        down, across = np.arange(len(rows)), len(rows) + np.arange(len(columns))
        return self._call(rows + columns, lambda lexicon, read: lexicon.matrix(read, down, across))

    def search(self, texts: TextList, options: TopK) -> Found | None:
        """Find the best documents of the corpus for each text."""
        return self._call(texts, lambda lexicon, read: lexicon.search(read, options))

    def memory_bytes(self) -> int:
        """Return the memory used by the words, in bytes."""
        return 0 if self._contents is None else int(self._contents.lexicon.memory_bytes())

    def _call(self, texts: TextList, call: Callable[[Any, Any], Result]) -> Result | None:
        """Call a method of the lexicon, after adding missing words."""
        split = self._split(texts)
        for _ in range(ATTEMPTS):
            contents = self._current()
            if contents is None:
                break
            read = contents.lexicon.read(split, lambda: self._encoder.segment_words)
            if read.missing * self._word_bytes > self._most_bytes:
                break
            if not read.missing:
                return call(contents.lexicon, read)
            state, chunks = contents.learn(read)
            if self._add(contents, chunks, state):
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
        own, encoder, rules = self._corpus_rows, self._encoder, self._rules
        source = None if rules is None else word_source(encoder, rules)
        if rules is not None and source is not None:
            table = WordTable.empty(rules, encoder.vectors.dimension)
            lexicon = self._lexicon(table, encoder.splitting)
            if lexicon is not None and lexicon.learns:
                chunks = encoder.tokenizer.chunk_rules
                lexicon.learn_from(
                    source,
                    chunks=None if chunks is None else chunks._asdict(),
                    contrasted=list(CONTRASTED),
                    most_bytes=self._most_bytes,
                    **corpus_words(own),
                )
                self._contents = _Contents(lexicon, None)
                return
        rows = WordRows(encoder, self._prepare, {} if own is None else QueryTrigrams(own.trigrams))
        lexicon = self._lexicon(rows.empty(), encoder.splitting)
        self._contents = None if lexicon is None else _Contents(lexicon, rows)

    def _add(self, contents: _Contents, chunks: list[str], state: str = "done") -> bool:
        """Add chunks; return False if the contents were replaced."""
        with self._lock:
            if contents is not self._contents:
                return False
            if chunks and self.memory_bytes() + len(chunks) * self._word_bytes > self._most_bytes:
                state = "full"
            try:
                if chunks and state == "done":
                    state = self._add_chunks(contents, chunks)
            except BaseException:
                self._empty()
                raise
            if state == "full":
                self._empty()
            elif state != "done":  # their vectors cannot be stored here
                self._contents = None
            return state == "done"

    def _add_chunks(self, contents: _Contents, chunks: list[str]) -> str:
        """Add chunks; return "unfit" if the vectors of their words cannot be stored."""
        rows = contents.rows
        if rows is None:
            written = list(map(self._encoder.written_words, chunks))
            return str(contents.lexicon.learn_words(chunks, written))
        tokens = self._encoder.chunk_ids(chunks)
        ids, unknown = tokens.rows.values, tokens.unknown
        table, words = rows.add(np.unique(ids[rows.of_words(ids, unknown) == NEW]), unknown)
        if not contents.fits(table):
            return "unfit"
        corpus_ids = None if self._corpus_rows is None else self._corpus_rows.of_batch(words)
        found = rows.of_words(ids, unknown)
        kept = Ragged(found, tokens.rows.offsets).keep(found >= 0)
        contents.lexicon.add(chunks, kept, table, corpus_ids)
        return "done"


def corpus_words(rows: WordRows | None) -> dict[str, Any]:
    """Return the words of a corpus, which its queries share, as arguments of the kernels."""
    if rows is None:
        none = np.zeros(0, dtype=np.uint64)
        return {"trigrams": none, "corpus_rows": None, "others": [], "other_rows": None}
    return {
        "trigrams": np.fromiter(rows.trigrams, dtype=np.uint64, count=len(rows.trigrams)),
        "corpus_rows": rows.known_rows,
        "others": list(rows.unknown_rows),
        "other_rows": np.fromiter(rows.unknown_rows.values(), dtype=np.int32),
    }

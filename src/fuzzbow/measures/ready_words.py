"""Words that texts have used so far, ready in the engine: calls go from strings to scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Generic, TypeVar

import numpy as np

from fuzzbow.arrays import Floats, Integers, Ragged
from fuzzbow.encoding import Encoder, TextList, Texts, distinct_texts
from fuzzbow.engine import Lexicon, PairLexicon, ReadTexts, Text, WordTable
from fuzzbow.fork import abandon, renew_after_fork
from fuzzbow.measures.table_words import NEW, TableWords
from fuzzbow.text import whole_text

PAIR_BYTES = 256 << 20  # of the words of a model; with more, they are made ready anew
WORD_BYTES = 256  # about what a word takes beside its vector
ATTEMPTS = 3  # to make words ready, where the lexicon or another thread begins anew
WIDEST = 2.0**40  # between the lengths of vectors that one scale of the kernels serves

AnyLexicon = TypeVar("AnyLexicon", bound=Lexicon)
Result = TypeVar("Result")


class Stock(Generic[AnyLexicon]):
    """Words in a lexicon; `corpus_places` say which words of a corpus new ones are."""

    def __init__(
        self,
        encoder: Encoder,
        words: TableWords,
        lexicon: AnyLexicon,
        corpus_places: Callable[[Texts], Integers] | None = None,
    ) -> None:
        self.lexicon = lexicon
        self._encoder, self._words, self._corpus_places = encoder, words, corpus_places
        self._length: float | None = None  # of the first vector, where the kernels choose a scale

    def add(self, chunks: list[str]) -> bool:
        """Make words ready; False if the kernels cannot have them on one scale with the others."""
        tokens = self._encoder.chunk_ids(chunks)
        rows, unknown = tokens.rows, tokens.unknown
        fresh = np.unique(rows.values[self._words.places(rows.values, unknown) == NEW])
        table, texts = self._words.add(fresh, unknown)
        if not self._fits(table):
            return False
        corpus_ids = None if self._corpus_places is None else self._corpus_places(texts)
        places = self._words.places(rows.values, unknown)
        kept = places >= 0
        self.lexicon.add(chunks, Ragged(places, rows.offsets).keep(kept), table, corpus_ids)
        return True

    def _fits(self, table: WordTable) -> bool:
        if table.rules is not None or not len(table):
            return True
        lengths = np.abs(table.vectors).max(axis=1)
        lengths = lengths[lengths > 0]
        if len(lengths) and self._length is None:
            self._length = float(lengths[0])
        usual = self._length or 1.0
        return bool(((lengths > usual / WIDEST) & (lengths < usual * WIDEST)).all())


class ReadyWords(Generic[AnyLexicon]):
    """A lexicon of the words met so far, which takes about `most_bytes` at most.

    Words are made ready when they are first met. Beyond that memory it begins anew, as it does
    after a failure. Threads may share it. What it cannot do, as its words are too many or there
    is no lexicon, is left to a batch.
    """

    def __init__(
        self, encoder: Encoder, make: Callable[[], Stock[AnyLexicon] | None], *, most_bytes: int
    ) -> None:
        self._encoder, self._make, self._most_bytes = encoder, make, most_bytes
        self._word_bytes = 4 * encoder.vectors.dimension + WORD_BYTES
        self._splits = encoder.splitting is not None
        self._lock = Lock()  # one thread at a time adds words
        self._stock: Stock[AnyLexicon] | None = None
        self._begun = False
        renew_after_fork(self)

    def renew(self) -> None:
        """Begin anew in a forked process: another thread may have held the locks of the engine."""
        abandon(self._stock)
        self._lock, self._stock, self._begun = Lock(), None, False

    def ask(
        self, texts: TextList, call: Callable[[AnyLexicon, ReadTexts], Result]
    ) -> Result | None:
        """What a call of the lexicon finds once all words are there; None: take a batch."""
        given = self.given(texts)
        for _ in range(ATTEMPTS):
            stock = self._current()
            if stock is None:
                break
            read = self._read(stock.lexicon, given)
            unmet = read.unmet()
            if not unmet:
                return call(stock.lexicon, read)
            if len(unmet) * self._word_bytes > self._most_bytes:
                break
            if self._meet(stock, unmet):
                read.settle()
                return call(stock.lexicon, read)
        return None

    @property
    def lexicon(self) -> AnyLexicon | None:
        """The lexicon as it is, for texts of which most words were met."""
        stock = self._stock
        return None if stock is None else stock.lexicon

    def given(self, texts: TextList) -> Sequence[Text]:
        """The texts as the lexicon takes them: as lists of words where it cannot split them."""
        readable = self._encoder.readable(texts)
        if self._splits:
            return self._encoder.folded(readable)
        return [list(self._encoder.tokenizer.words(whole_text(text))) for text in readable]

    def _current(self) -> Stock[AnyLexicon] | None:
        """Return the words in use, an empty stock at first."""
        if not self._begun:
            with self._lock:
                if not self._begun:
                    self._stock = self._make()
                    self._begun = True
        return self._stock

    def _read(self, lexicon: AnyLexicon, given: Sequence[Text]) -> ReadTexts:
        while (read := lexicon.read(given)) is None:
            lexicon.segment_by(self._encoder.segment_words)
        return read

    def _meet(self, stock: Stock[AnyLexicon], tokens: list[str]) -> bool:
        """Whether the words were added to this stock; it may have to begin anew."""
        with self._lock:
            if stock is not self._stock:
                return False  # another thread began anew
            taken = stock.lexicon.memory_bytes() + len(tokens) * self._word_bytes
            if taken > self._most_bytes:
                self._stock = self._make()
                return False
            try:
                fits = stock.add(tokens)
            except BaseException:
                self._stock = self._make()
                raise
            if not fits:
                self._stock = None
            return fits


class ReadyPairs:
    """Pairs of strings by a lexicon; None where they need a batch."""

    def __init__(self, encoder: Encoder, make: Callable[[], Stock[PairLexicon] | None]) -> None:
        self._words = ReadyWords(encoder, make, most_bytes=PAIR_BYTES)

    def score(self, a: str, b: str) -> float | None:
        """Similarity of two texts."""
        score = self.score_at_once(a, b)
        if score is None:
            found = self.pairs([a], [b])  # which makes words ready
            return None if found is None else float(found[0])
        return score

    def score_at_once(self, a: str, b: str) -> float | None:
        """Similarity of two texts if all their words were met before; it waits for no thread."""
        lexicon = self._words.lexicon
        return None if lexicon is None else lexicon.score(*self._words.given([a, b]))

    def pairs(self, left: TextList, right: TextList) -> Floats | None:
        """Text left[i] with text right[i]: (n,)."""
        texts, which = distinct_texts(left + right)
        first, second = which[: len(left)], which[len(left) :]
        return self._words.ask(texts, lambda lexicon, read: lexicon.pairs(read, first, second))

    def matrix(self, rows: TextList, columns: TextList) -> Floats | None:
        """Every row with every column: (n, m)."""
        down, across = np.arange(len(rows)), len(rows) + np.arange(len(columns))
        return self._words.ask(
            rows + columns, lambda lexicon, read: lexicon.matrix(read, down, across)
        )

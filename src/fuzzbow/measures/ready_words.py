"""Words that texts have used so far, ready in the engine: calls go from strings to scores."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.encoding import Encoder, Texts, distinct_texts
from fuzzbow.engine import Lexicon, PairLexicon, Text, WordTable
from fuzzbow.measures.table_words import NEW, TableWords
from fuzzbow.text import whole_text

PAIR_BYTES = 128 << 20  # of the words of a model; with more, they are made ready anew
WORD_BYTES = 256  # about what a word takes beside its vector
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

    def add(self, tokens: list[str]) -> bool:
        """Make words ready; False if the kernels cannot have them on one scale with the others."""
        ids, unknown = self._encoder.find(tokens)
        fresh = np.unique(ids[self._words.places(ids, unknown) == NEW])
        table, texts = self._words.add(fresh, unknown)
        if not self._fits(table):
            return False
        corpus_ids = None if self._corpus_places is None else self._corpus_places(texts)
        places = np.maximum(self._words.places(ids, unknown), -1)
        self.lexicon.add(tokens, places, table, corpus_ids)
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
        self._tokenizer, self._make, self._most_bytes = encoder.tokenizer, make, most_bytes
        self._word_bytes = 4 * encoder.vectors.dimension + WORD_BYTES
        self._splits = encoder.splitting is not None
        self._lock = Lock()  # one thread at a time adds words
        self._stock = make()

    def ask(
        self, texts: list[str], call: Callable[[AnyLexicon, list[Text]], Result | None]
    ) -> Result | None:
        """What a call of the lexicon finds once all words are there; None: take a batch."""
        given: list[Text] | None = None
        while (stock := self._stock) is not None:
            given = given or self._given(stock.lexicon, texts)
            found = call(stock.lexicon, given)
            if found is not None:
                return found
            tokens, _ = stock.lexicon.obstacles(given)
            if len(tokens) * self._word_bytes > self._most_bytes:
                break
            self._meet(stock, tokens)
        return None

    def ask_at_once(
        self, texts: list[str], call: Callable[[AnyLexicon, list[Text]], Result | None]
    ) -> Result | None:
        """What a call of the lexicon finds by the words that are there; it waits for no thread."""
        stock = self._stock
        return None if stock is None else call(stock.lexicon, self._given(stock.lexicon, texts))

    def _given(self, lexicon: AnyLexicon, texts: list[str]) -> list[Text]:
        """The texts, those that the lexicon cannot split as lists of words."""
        if not self._splits:
            return [self._words(text) for text in texts]
        given: list[Text] = [*texts]
        others = [place for place, text in enumerate(texts) if not text.isascii()]
        if others:
            _, whole = lexicon.obstacles([texts[place] for place in others])
            for place in whole:
                given[others[place]] = self._words(texts[others[place]])
        return given

    def _words(self, text: str) -> list[str]:
        return list(self._tokenizer.words(whole_text(text)))

    def _meet(self, stock: Stock[AnyLexicon], tokens: list[str]) -> None:
        with self._lock:
            if stock is not self._stock:
                return  # another thread began anew
            taken = stock.lexicon.memory_bytes() + len(tokens) * self._word_bytes
            if taken > self._most_bytes:
                self._stock = self._make()
                return
            try:
                fits = stock.add(tokens)
            except BaseException:
                self._stock = self._make()
                raise
            if not fits:
                self._stock = None


class ReadyPairs:
    """Pairs of strings by a lexicon; None where they need a batch."""

    def __init__(self, encoder: Encoder, make: Callable[[], Stock[PairLexicon] | None]) -> None:
        self._words = ReadyWords(encoder, make, most_bytes=PAIR_BYTES)

    def score(self, a: str, b: str) -> float | None:
        """Similarity of two texts."""
        return self._words.ask([a, b], _score)

    def score_at_once(self, a: str, b: str) -> float | None:
        """Similarity of two texts if all their words were met before; None where they were not."""
        return self._words.ask_at_once([a, b], _score)

    def pairs(self, left: list[str], right: list[str]) -> Floats | None:
        """Text left[i] with text right[i]: (n,)."""
        texts, which = distinct_texts(left + right)
        first, second = which[: len(left)], which[len(left) :]
        return self._words.ask(texts, lambda lexicon, given: lexicon.pairs(given, first, second))


def _score(lexicon: PairLexicon, texts: list[Text]) -> float | None:
    return lexicon.score(*texts)

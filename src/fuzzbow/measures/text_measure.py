"""A measure with the encoder of its texts: strings in, similarities out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats
from fuzzbow.encoding import Encoder, KnownWords, check_text, check_texts, warn_of_language
from fuzzbow.engine import limited_threads
from fuzzbow.errors import InputError
from fuzzbow.measures.letter_vectors import LETTER_VECTORS_VERSION, Unknown
from fuzzbow.measures.measure import Measure
from fuzzbow.measures.ready_words import ReadyPairs
from fuzzbow.measures.scorer import Scorer
from fuzzbow.measures.space import WordSpace
from fuzzbow.measures.words.base import digest
from fuzzbow.text import CLEANING_RULES, Tokenizer, parse_clean, rules_version
from fuzzbow.vectors import WordVectors

SPLITTING = "rules of splitting"  # their version, in the identity
CLEANING = "rules of cleaning"
READY_SAMPLE = 8  # pairs whose language is looked at where no batch is made of them
READY_TEXTS = 64  # of a matrix that no batch is made of
PROBES = (
    "fuzzbow",
    "unheard-of",
    "Überwort",
)  # words whose made-up vectors tell a table of parts


@dataclass(frozen=True)
class TextMeasure:
    """Compares texts; `fuzzbow.Model` is one with everything that can be done with it."""

    tokenizer: Tokenizer
    space: WordSpace = field(repr=False)
    measure: Measure
    clean: str | None = field(default=None, kw_only=True)  # name of what removes markup

    @property
    def vectors(self) -> WordVectors:
        """The word vectors, with `words` and `matrix`."""
        return self.space.vectors

    @cached_property
    def encoder(self) -> Encoder:
        """Splits texts and finds their words in the vocabulary."""
        clean = parse_clean(self.clean)
        return Encoder(self.tokenizer, self.vectors, self.measure.uses_vectors, clean)

    @property
    def scorer(self) -> Scorer:
        """The similarity as a function of two texts, for `rapidfuzz.process.extract(scorer=…)`."""
        return Scorer(self)

    @cached_property
    def _ready(self) -> ReadyPairs | None:
        """Pairs without a batch, by words that stay in the engine, if the measure has a way."""
        return self.measure.ready_pairs(self.encoder)

    @cached_property
    def _known_words(self) -> KnownWords:
        """Tells whether the texts of pairs that no batch is made of are of another language."""
        return KnownWords(self.encoder)

    def similarity(self, a: str, b: str) -> float:
        """Similarity of `a` and `b`, from 0 to 1."""
        texts = [check_text(a, "a"), check_text(b, "b")]
        score = None if self._ready is None else self._ready.score(*texts)
        if score is not None:
            return score
        batch, which = self.encoder.encode(texts)
        return float(self.measure.pairs(batch, which[:1], which[1:])[0])

    def similarity_at_once(self, a: str, b: str) -> float | None:
        """Return the similarity if the words of `a` and `b` are cached, else None.

        Earlier calls cache words in the engine; the answer then takes microseconds.
        """
        return None if self._ready is None else self._ready.score_at_once(a, b)

    def pairs(
        self, lefts: Iterable[str], rights: Iterable[str], *, threads: int | None = None
    ) -> Floats:
        """Similarity of `lefts` and `rights`, row by row: n texts, n texts -> (n,).

        Lists, or columns of any library. All cores unless `threads` says.
        """
        left, right = check_texts(lefts, "lefts"), check_texts(rights, "rights")
        if len(left) != len(right):
            raise InputError(
                f"lefts and rights must have equal length; got {len(left)} and {len(right)}"
            )
        with limited_threads(threads):
            ready = None if self._ready is None else self._ready.pairs(left, right)
            if ready is not None:
                self._known_words.look_at(left[:READY_SAMPLE] + right[:READY_SAMPLE])
                return ready
            batch, which = self.encoder.encode(left + right)
            warn_of_language(self.encoder, batch)
            keys = which[: len(left)] * len(batch.rows) + which[len(left) :]
            distinct, place = np.unique(keys, return_inverse=True)
            scores = self.measure.pairs(batch, *np.divmod(distinct, max(len(batch.rows), 1)))
        return np.asarray(scores[place])

    def matrix(
        self,
        rows: Iterable[str],
        columns: Iterable[str] | None = None,
        *,
        threads: int | None = None,
    ) -> Floats:
        """Similarity of every row with every column: n texts, m texts -> (n, m).

        One of the `rows` is the first text of a pair, the query where the measure has one.
        Without `columns`, every row with every row. All cores unless `threads` says.
        """
        down = check_texts(rows, "rows")
        across = down if columns is None else check_texts(columns, "columns")
        with limited_threads(threads):
            few = len(down) + len(across) <= READY_TEXTS and not self.measure.depends_on_batch
            if few and self._ready is not None:
                ready = self._ready.matrix(down, across)
                if ready is not None:
                    self._known_words.look_at(down + across)
                    return ready
            batch, which = self.encoder.encode(down + across)
            warn_of_language(self.encoder, batch)
            distinct_rows, row = np.unique(which[: len(down)], return_inverse=True)
            distinct_columns, column = np.unique(which[len(down) :], return_inverse=True)
            measure = self.measure.for_columns(batch, which[len(down) :])
            scores = measure.matrix(batch, distinct_rows, distinct_columns)
        return np.asarray(scores[np.ix_(row, column)])

    def encode(self, texts: Iterable[str], *, threads: int | None = None) -> NDArray[np.float32]:
        """Memberships of each text in the fixed universe of the measure: n texts -> (n, u).

        Elements are those of `measure.element_names()`. A text without a known word has zeros.
        """
        with limited_threads(threads):
            batch, which = self.encoder.encode(check_texts(texts, "texts"))
            warn_of_language(self.encoder, batch)
            rows, _ = self.measure.memberships(batch)
        return rows[which].astype(np.float32, copy=False)

    def coverage(self, texts: Iterable[str]) -> float:
        """Share of the words of the `texts` that have a vector; 0 if there are no words."""
        batch, which = self.encoder.encode(check_texts(texts, "texts"))
        rows = batch.rows.take(which)
        _, known = self.space.raw_vectors(batch)
        return float(known[rows.values].mean()) if len(rows.values) else 0.0

    def identity(self) -> dict[str, Any]:
        """Return all that decides a score, as data for JSON."""
        return {
            "vectors": self.vectors.fingerprint,
            "parts of words": _inference(self.vectors),
            "unknown words": _unknown(self.space),
            "tokenizer": self.tokenizer.name,
            SPLITTING: rules_version(self.tokenizer),
            "cleaning": self.clean,
            CLEANING: None if self.clean is None else CLEANING_RULES,
            **self.measure.identity(),
        }

    def recipe(self) -> dict[str, Any] | None:
        """Return how to load the measure again, as data for JSON; None where it has no name."""
        return None


def _unknown(space: WordSpace) -> str | None:
    """Return the source of vectors for words without one; None without a source."""
    if space.unknown is Unknown.DROP:
        return None
    return f"{space.unknown.value} {LETTER_VECTORS_VERSION}"


def _inference(vectors: WordVectors) -> str | None:
    """Return the kind of inference of unknown words' vectors, with a digest of some of these."""
    if vectors.inference is None:
        return None
    made, _ = vectors.infer(PROBES)
    return f"{type(vectors.inference).__name__} {digest(made.round(5))}"

"""Measure of strings: a measure of batches with the encoder of its texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats
from fuzzbow.encoding import (
    Encoder,
    WordCache,
    check_text,
    check_texts,
    is_missing,
    warn_of_language,
)
from fuzzbow.engine import limited_threads
from fuzzbow.errors import InputError
from fuzzbow.measures.measure import Measure
from fuzzbow.measures.space import LETTER_VECTORS_VERSION, Unknown, WordSpace
from fuzzbow.measures.words import digest
from fuzzbow.text import CLEANING_RULES, Tokenizer, parse_clean
from fuzzbow.vectors import WordVectors

SPLITTING = "rules of splitting"  # their version, in the identity
CLEANING = "rules of cleaning"
LANGUAGE_PAIRS = 8  # pairs whose language is checked where no batch is made of them
CACHED_TEXTS = 64  # of a matrix that is made without a batch
PROBES = ("fuzzbow", "unheard-of", "Überwort")  # words whose inferred vectors identify a table
# RapidFuzz's flags: scores are floats, and do not depend on the order of two texts
FLOAT_SCORES, SYMMETRIC = 1 << 5, 1 << 11


@dataclass(frozen=True)
class TextMeasure:
    """Measure with the encoder of its texts; base of `fuzzbow.Model`."""

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
        """Encoder of texts for this measure."""
        clean = parse_clean(self.clean)
        return Encoder(self.tokenizer, self.vectors, self.measure.uses_vectors, clean)

    @property
    def scorer(self) -> Scorer:
        """Function of two texts for `rapidfuzz.process.extract(scorer=…)`."""
        return Scorer(self)

    @cached_property
    def _cache(self) -> WordCache | None:
        """Cache of words to compare texts without a batch, if the measure has one."""
        return self.measure.word_cache(self.encoder)

    def similarity(self, a: str, b: str) -> float:
        """Compare two texts.

        Parameters
        ----------
        a, b
            The texts; `a` is the query for measures that compare a query with documents.

        Returns
        -------
        float
            Similarity from 0 to 1.
        """
        texts = [check_text(a, "a"), check_text(b, "b")]
        score = None if self._cache is None else self._cache.score(*texts)
        if score is not None:
            return score
        batch, which = self.encoder.encode(texts)
        return float(self.measure.pairs(batch, which[:1], which[1:])[0])

    def cached_similarity(self, a: str, b: str) -> float | None:
        """Return the similarity if the words of `a` and `b` are cached, else None.

        Earlier calls cache words in the engine; the answer then takes microseconds.
        """
        return None if self._cache is None else self._cache.cached_score(a, b)

    def pairs(
        self, lefts: Iterable[str], rights: Iterable[str], *, threads: int | None = None
    ) -> Floats:
        """Compare texts row by row.

        Parameters
        ----------
        lefts, rights
            Lists, or columns of any library, of equal length.
        threads
            Number of threads, all cores unless given.

        Returns
        -------
        ndarray
            Similarity of each pair: (n,).

        Raises
        ------
        InputError
            If the lengths differ, or an item is no text.

        Examples
        --------
        >>> import fuzzbow
        >>> fuzzbow.load().pairs(["a cat", "a cat"], ["a cat", "a kitten"]).round(1).tolist()
        [1.0, 0.7]
        """
        left, right = check_texts(lefts, "lefts"), check_texts(rights, "rights")
        if len(left) != len(right):
            raise InputError(
                f"lefts and rights must have equal length; got {len(left)} and {len(right)}"
            )
        with limited_threads(threads):
            found = None if self._cache is None else self._cache.pairs(left, right)
            if found is not None:
                warn_of_language(self.encoder, left[:LANGUAGE_PAIRS] + right[:LANGUAGE_PAIRS])
                return found
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
        """Compare every row with every column.

        Parameters
        ----------
        rows
            First texts of the pairs; queries for measures that compare a query with documents.
        columns
            Second texts of the pairs; the `rows` unless given.
        threads
            Number of threads, all cores unless given.

        Returns
        -------
        ndarray
            Similarity of each pair: (n, m).
        """
        down = check_texts(rows, "rows")
        across = down if columns is None else check_texts(columns, "columns")
        with limited_threads(threads):
            few = len(down) + len(across) <= CACHED_TEXTS and not self.measure.depends_on_batch
            if few and self._cache is not None:
                found = self._cache.matrix(down, across)
                if found is not None:
                    warn_of_language(self.encoder, down + across)
                    return found
            batch, which = self.encoder.encode(down + across)
            warn_of_language(self.encoder, batch)
            distinct_rows, row = np.unique(which[: len(down)], return_inverse=True)
            distinct_columns, column = np.unique(which[len(down) :], return_inverse=True)
            measure = self.measure.for_columns(batch, which[len(down) :])
            scores = measure.matrix(batch, distinct_rows, distinct_columns)
        return np.asarray(scores[np.ix_(row, column)])

    def encode(self, texts: Iterable[str], *, threads: int | None = None) -> NDArray[np.float32]:
        """Return memberships of each text in the fixed universe of the measure: n texts -> (n, u).

        Elements are those of `measure.element_names()`. A text without a known word has zeros.
        """
        with limited_threads(threads):
            batch, which = self.encoder.encode(check_texts(texts, "texts"))
            warn_of_language(self.encoder, batch)
            rows, _ = self.measure.memberships(batch)
        return rows[which].astype(np.float32, copy=False)

    def coverage(self, texts: Iterable[str]) -> float:
        """Return the share of the words of texts that have a vector; 0 if there are no words."""
        batch, which = self.encoder.encode(check_texts(texts, "texts"))
        rows = batch.rows.take(which)
        _, known = self.space.raw_vectors(batch)
        return float(known[rows.values].mean()) if len(rows.values) else 0.0

    def identity(self) -> dict[str, Any]:
        """Return everything that decides a score, as data for JSON."""
        vectors, unknown = self.vectors, self.space.unknown
        parts = None  # the kind of inference of unknown words' vectors, with some of these
        if vectors.inference is not None:
            made, _ = vectors.infer(PROBES)
            parts = f"{type(vectors.inference).__name__} {digest(made.round(5))}"
        letters = f"{unknown.value} {LETTER_VECTORS_VERSION}"
        return {
            "vectors": vectors.fingerprint,
            "parts of words": parts,
            "unknown words": None if unknown is Unknown.DROP else letters,
            "tokenizer": self.tokenizer.name,
            SPLITTING: self.tokenizer.rules,
            "cleaning": self.clean,
            CLEANING: None if self.clean is None else CLEANING_RULES,
            **self.measure.identity(),
        }

    def recipe(self) -> dict[str, Any] | None:
        """Return the options that load the measure again, for JSON; None if it has no name."""
        return None


@dataclass(frozen=True)
class Scorer:
    """Function of two texts that returns their similarity, for `rapidfuzz.process`.

    A score below `score_cutoff` is 0, and so is that of a missing text, None or NaN.
    """

    model: TextMeasure

    def __call__(
        self,
        s1: Any,
        s2: Any,
        *,
        processor: Callable[[Any], str] | None = None,
        score_cutoff: float | None = None,
        score_hint: float | None = None,
    ) -> float:
        """Return the similarity of two texts after `processor`; `score_hint` is ignored."""
        if is_missing(s1) or is_missing(s2):
            return 0.0
        a, b = (s1, s2) if processor is None else (processor(s1), processor(s2))
        score = self.model.similarity(a, b)
        return score if score_cutoff is None or score >= score_cutoff else 0.0

    @property
    def _RF_ScorerPy(self) -> dict[str, Callable[..., dict[str, Any]]]:  # noqa: N802
        """Properties of a RapidFuzz scorer: best and worst score, and flags."""
        flags = FLOAT_SCORES | (SYMMETRIC if self.model.measure.symmetric else 0)
        facts = {"optimal_score": 1.0, "worst_score": 0.0, "flags": flags}
        return {"get_scorer_flags": lambda **options: facts}

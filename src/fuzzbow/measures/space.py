"""Word vectors with the probabilities of words and the scaling of vectors."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from hashlib import shake_128
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers, blocks, runs_of
from fuzzbow.encoding import Texts
from fuzzbow.errors import FuzzbowWarning, InputError, MissingExtraError
from fuzzbow.fuzzy import unit_rows
from fuzzbow.measures.frequencies import DocumentFrequencies
from fuzzbow.plurals import counted
from fuzzbow.text import ENGLISH, Language, has_digit, has_letter, trigrams
from fuzzbow.vectors import WordVectors
from fuzzbow.vectors.weights import (
    COLLECTION,
    WORDFREQ,
    Counts,
    Weights,
    Whitening,
    WordList,
    fit_whitening,
    scaling_of,
    sif_weights,
    word_list,
    word_probabilities,
)

LENGTH_SAMPLE = 10_000  # words whose vectors say how long one usually is
LETTER_VECTORS_VERSION = 1
TRIGRAM_BLOCK = 4096  # of a word of a million letters


class Unknown(str, Enum):
    """Treatment of words without a vector in the paper's measures."""

    DROP = "drop"  # as in the paper
    LETTERS = "letters"  # by a vector of its letters


@dataclass(frozen=True)
class WordSpace:
    """Word vectors, optionally of unit length and scaled by word weights."""

    vectors: WordVectors
    weights: Weights = Weights.NONE
    counts: Counts | None = None
    normalise: bool = False
    collection: DocumentFrequencies | None = None  # once there is one
    language: Language = ENGLISH  # whose frequencies are taken where the vectors have none
    unknown: Unknown = Unknown.DROP  # what the paper's words do without a vector

    @property
    def by_collection(self) -> bool:
        """Return whether a collection of texts decides the weights of words."""
        return isinstance(self.counts, str) and self.counts == COLLECTION

    @cached_property
    def probabilities(self) -> Floats:
        """Probability of each word of the vocabulary: (V,)."""
        counts, vectors = self.counts, self.vectors
        # the usual English vectors are in the order of frequency
        has_own = vectors.counts is not None or vectors.preweighted or self.language is ENGLISH
        if (counts is None or self.by_collection) and self.language.frequencies and not has_own:
            counts = WORDFREQ
        return word_probabilities(vectors, counts, self.language.code)

    def check_counts(self, *, uses_vectors: bool) -> None:
        """Read the counts now, to raise an error before the first score if they are unusable."""
        if self.counts is not None and not self.by_collection:
            _ = self.probabilities if uses_vectors else self.listed

    @cached_property
    def listed(self) -> WordList | None:
        """Probabilities of words, in the vocabulary or not; None without a source.

        Unless counts are given, they are the list of the language in wordfreq, if installed.
        """
        given = None if self.by_collection else self.counts
        if given is not None:
            return word_list(given, self.vectors, self.language.code)
        if not self.language.frequencies:
            return None
        try:
            return word_list(WORDFREQ, self.vectors, self.language.code)
        except MissingExtraError:
            return None

    @cached_property
    def rarest(self) -> int:
        """Id of the least probable word."""
        return int(self.probabilities.argmin())

    @cached_property
    def scale(self) -> Floats | None:
        """Factor of each vector, (V,), or None."""
        unscaled = self.weights is Weights.NONE
        return None if unscaled else scaling_of(self.weights, self.probabilities)

    @cached_property
    def whitening(self) -> Whitening:
        """Whitening of the vocabulary by these probabilities, stored or fitted once."""
        vectors = self.vectors
        if (self.counts is None or self.by_collection) and vectors.stored_whitening is not None:
            return vectors.stored_whitening
        if len(vectors) < 2 * vectors.dimension:
            warnings.warn(
                "weighted and whitened words need a vocabulary of far more words than dimensions;"
                f" got {counted(len(vectors), 'word')} of dimension {vectors.dimension}."
                " measure='dynamax-jaccard' works on any vocabulary",
                FuzzbowWarning,
                stacklevel=2,
            )
        return fit_whitening(runs_of(vectors.matrix), self.probabilities)

    def raw_vectors(self, texts: Texts) -> tuple[Floats, Booleans]:
        """Return vectors as stored, and mark known words: (m, d) float32, (m,)."""
        ids = texts.vocabulary_ids
        known = ids >= 0
        if known.all():
            return self.vectors.rows(ids), known
        vectors = np.zeros((len(ids), self.vectors.dimension), dtype=np.float32)
        vectors[known] = self.vectors.rows(ids[known])
        missing = np.flatnonzero(~known)
        inferred, made = self.vectors.infer([texts.words[word] for word in missing.tolist()])
        vectors[missing[made]] = inferred[made]
        known[missing[made]] = True
        return vectors, known

    def unknown_by_letters(self, texts: Texts, known: Booleans) -> tuple[Integers, Floats]:
        """Return the words that get a vector made of letters: positions (k,), unit rows (k, d).

        There are none unless unknown words are compared by letters; signs get no vector.
        """
        missing = np.flatnonzero(~known)
        if self.unknown is Unknown.DROP or not len(missing):
            return missing[:0], np.zeros((0, self.vectors.dimension))
        words = {place: texts.words[place] for place in missing.tolist()}
        lettered = [place for place, word in words.items() if has_letter(word) or has_digit(word)]
        made = letter_vectors([words[place] for place in lettered], self.vectors.dimension)
        return np.array(lettered, dtype=np.int64), made

    @cached_property
    def usual_length(self) -> float:
        """Mean length of the vectors of the first words."""
        rows = self.vectors.rows(np.arange(min(len(self.vectors), LENGTH_SAMPLE)))
        return float(np.linalg.norm(rows.astype(np.float64), axis=1).mean())

    def completed_vectors(self, texts: Texts) -> tuple[Floats, Booleans]:
        """Return vectors as stored or made of letters, and mark words: (m, d) float32, (m,)."""
        vectors, known = self.raw_vectors(texts)
        places, unit = self.unknown_by_letters(texts, known)
        if len(places):
            vectors, known = vectors.copy(), known.copy()
            vectors[places], known[places] = unit * self.usual_length, True
        return vectors, known

    def word_vectors(
        self, texts: Texts, dtype: type[np.floating[Any]] = np.float64
    ) -> tuple[Floats, Booleans]:
        """Return vectors of the batch's words as compared, and mark known words: (m, d), (m,)."""
        vectors, known = self.completed_vectors(texts)
        if self.normalise:
            vectors = unit_rows(vectors.astype(np.float64))
        if self.scale is not None:
            vectors = vectors * self.of_words(self.scale, texts)[:, None]
        return vectors.astype(dtype, copy=False), known

    def vocabulary_matrix(self) -> Floats:
        """Return vectors of the whole vocabulary as compared: (V, d)."""
        matrix = self.vectors.matrix
        matrix = unit_rows(matrix) if self.normalise else matrix
        return matrix if self.scale is None else matrix * self.scale[:, None]

    @cached_property
    def rarity(self) -> Floats:
        """Factor of each word's weight that depends on its probability: (V,).

        This is the SIF weight for whitened vectors. Preweighted vectors contain it for the table's
        own probabilities; with other counts it is the ratio of new to old weights.
        """
        sif = sif_weights(self.probabilities)
        if not self.vectors.preweighted:
            return sif
        if self.counts is None:
            return np.ones(len(sif))
        return np.asarray(sif / sif_weights(word_probabilities(self.vectors)))

    def sif(self, texts: Texts) -> Floats:
        """Return the SIF weight of each word of the batch: (m,)."""
        return sif_weights(self.of_words(self.probabilities, texts))

    def of_words(self, values: Floats, texts: Texts) -> Floats:
        """Look up the value of each word of the batch: (V,) -> (m,).

        A word outside the vocabulary counts as rare as the rarest in it.
        """
        ids = texts.vocabulary_ids
        return values[np.where(ids < 0, self.rarest, ids)]

    def check_scaling(self, name: str, scalings: frozenset[Weights]) -> None:
        """Raise InputError if the model has weights and the words have their own."""
        if self.weights not in scalings:
            wanted = " or ".join(kind.value for kind in Weights if kind in scalings)
            raise InputError(
                f"{name} weighs words by itself; weights must be {wanted}; got"
                f" {self.weights.value!r} (dynamax-jaccard takes weights)"
            )


def letter_vectors(words: Sequence[str], dimension: int) -> Floats:
    """Return unit vectors of words: n words -> (n, d).

    Every trigram of `<word>` has its own direction, signs from a hash of it, and a word is the
    sum of its trigrams. Equal words have equal vectors, words that share trigrams are similar, and
    others are nearly orthogonal to each other and to everything in the vocabulary.
    """
    sums = np.zeros((len(words), dimension))
    for row, word in enumerate(words):
        parts = sorted(trigrams(word))
        for some in blocks(len(parts), TRIGRAM_BLOCK):
            sums[row] += _signs(parts[some], dimension).sum(axis=0)
        if not sums[row].any():  # signs that cancel each other, in few dimensions
            sums[row] = _signs([word], dimension)[0]
    return unit_rows(sums)


def _signs(parts: Iterable[str], dimension: int) -> Floats:
    """Return signs by the hash of each part: n parts -> (n, d) of -1 and 1."""
    size = (dimension + 7) // 8
    hashes = [shake_128(part.encode("utf-8", "surrogatepass")).digest(size) for part in parts]
    bits = np.frombuffer(b"".join(hashes), dtype=np.uint8).reshape(-1, size)
    return np.unpackbits(bits, axis=1)[:, :dimension] * 2.0 - 1.0

"""What a measure works on: a batch of texts, and the vectors and weights of their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers, Ragged
from fuzzbow.fuzzy import unit_rows
from fuzzbow.vectors import WordVectors
from fuzzbow.vectors.frequencies import Counts, word_probabilities
from fuzzbow.vectors.weights import Weights, scaling, sif_weights


@dataclass(frozen=True)
class SomeWords(Sequence[str]):
    """Some of a batch's words, fetched when they are asked for."""

    words: Sequence[str]
    places: Integers

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> SomeWords: ...
    def __getitem__(self, place: int | slice) -> str | SomeWords:
        if isinstance(place, slice):
            return SomeWords(self.words, self.places[place])
        return self.words[int(self.places[place])]


@dataclass(frozen=True)
class Texts:
    """Distinct texts, as ids over the distinct words that they use."""

    words: Sequence[str]  # (m,)
    vocabulary_ids: Integers  # (m,), -1 for a word outside the vocabulary
    rows: Ragged  # row per text: ids into `words`

    def take(self, rows: Integers) -> Texts:
        """Some of the texts, with the words that those use."""
        chosen = self.rows.take(rows)
        used, places = np.unique(chosen.values, return_inverse=True)
        return Texts(
            SomeWords(self.words, used), self.vocabulary_ids[used], Ragged(places, chosen.offsets)
        )


@dataclass(frozen=True)
class WordSpace:
    """Word vectors, unit length if wanted, scaled by word weights if wanted."""

    vectors: WordVectors
    weights: Weights = Weights.NONE
    counts: Counts | None = None
    normalise: bool = False

    @cached_property
    def probabilities(self) -> Floats:
        """Probability of each word of the vocabulary: (V,)."""
        return word_probabilities(self.vectors, self.counts)

    @cached_property
    def rarest(self) -> int:
        """Id of the least probable word."""
        return int(self.probabilities.argmin())

    @cached_property
    def scale(self) -> Floats | None:
        """The factor of each vector, (V,), or None."""
        if self.weights is Weights.NONE:
            return None
        return scaling(self.weights, self.probabilities)

    def raw_vectors(self, texts: Texts) -> tuple[Floats, Booleans]:
        """Vectors of the batch's words as stored, and which are known: (m, d) float32, (m,)."""
        ids = texts.vocabulary_ids
        known = ids >= 0
        if known.all():
            return self.vectors.rows(ids), known
        vectors = np.zeros((len(ids), self.vectors.dimension), dtype=np.float32)
        vectors[known] = self.vectors.rows(ids[known])
        missing = np.flatnonzero(~known)
        if len(missing):
            inferred, made = self.vectors.infer([texts.words[word] for word in missing.tolist()])
            vectors[missing[made]] = inferred[made]
            known[missing[made]] = True
        return vectors, known

    def word_vectors(
        self, texts: Texts, dtype: type[np.floating[Any]] = np.float64
    ) -> tuple[Floats, Booleans]:
        """Vectors of the batch's words as compared, and which are known: (m, d), (m,)."""
        vectors, known = self.raw_vectors(texts)
        if self.normalise:
            vectors = unit_rows(vectors.astype(np.float64))
        if self.scale is not None:
            vectors = vectors * self.of_words(self.scale, texts)[:, None]
        return vectors.astype(dtype, copy=False), known

    def vocabulary_matrix(self) -> Floats:
        """Vectors of the whole vocabulary as compared: (V, d)."""
        matrix = self.vectors.matrix
        matrix = unit_rows(matrix) if self.normalise else matrix
        return matrix if self.scale is None else matrix * self.scale[:, None]

    def sif(self, texts: Texts) -> Floats:
        """SIF weight of each word of the batch: (m,)."""
        return sif_weights(self.of_words(self.probabilities, texts))

    def of_words(self, values: Floats, texts: Texts) -> Floats:
        """Pick a vocabulary's values for the batch's words: (V,) -> (m,).

        A word outside the vocabulary is taken for as rare as the rarest in it.
        """
        ids = texts.vocabulary_ids
        return values[np.where(ids < 0, self.rarest, ids)]


def known_rows(texts: Texts, known: Booleans) -> Ragged:
    """The texts without their unknown words."""
    return texts.rows if known.all() else texts.rows.keep(known[texts.rows.values])

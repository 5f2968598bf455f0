"""Probabilities of words, the weights that follow from them, and whitening.

A list of counts rarely covers the whole vocabulary. Most leave out punctuation, and a "." without a
count must not count as the rarest word. So a word that is not listed gets the probability that its
rank in the vocabulary suggests.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from hashlib import blake2b
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fuzzbow.arrays import Floats, Runs, moments
from fuzzbow.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from fuzzbow.vectors.word_vectors import WordVectors  # which holds a whitening from here

WORDFREQ, RANK = "wordfreq", "rank"
COLLECTION = "collection"  # counts of the texts that are compared, which change weights besides
ZIPF_SHIFT = 2.7  # Mandelbrot's shift of the rank in Zipf's law
SIF_A = 1e-3  # the parameter of Arora et al. 2017
USIF_LENGTH = 11  # expected words in a sentence, Ethayarajh 2018
PREWEIGHTED_VERSION = 1  # of vectors that need no whitening: a unit vector times √w
WHITENING_VERSION = 1  # of this algorithm; a stored whitening of another version is fitted again
# directions with less than this share of the largest variance are rounding noise
RANK_TOLERANCE = 1e-10
LARGEST_WHITENED = 1e30  # whitened numbers are of the order of 1, whatever the vectors were

Counts = Mapping[str, float] | str | os.PathLike[str]
Multiply = Callable[[Floats, Floats], Floats]  # rows with rows: (n, d), (m, d) -> (n, m)


def zipf_probabilities(size: int) -> Floats:
    """Compute p ∝ 1 / (rank + 2.7) for ranks 1 to size: (size,)."""
    odds = 1.0 / (np.arange(1, size + 1) + ZIPF_SHIFT)
    return np.asarray(odds / odds.sum())


def word_probabilities(
    vectors: WordVectors, counts: Counts | None = None, language: str = "en"
) -> Floats:
    """Compute the probability of every word of the vocabulary: (V,).

    `counts` is a mapping, a file with `word count` on each line, "wordfreq", which has a list for
    most languages, or "rank". None and "collection" mean the counts that came with the vectors,
    else rank.
    """
    by_rank = zipf_probabilities(len(vectors))
    if counts is None or counts == COLLECTION:
        if vectors.counts is None:
            return by_rank
        found = np.asarray(vectors.counts, dtype=np.float64)
        total = float(found.sum())
    elif counts == RANK:
        return by_rank
    else:
        listed = word_list(counts, vectors, language)
        words = (word.lower() for word in vectors.words) if counts == WORDFREQ else vectors.words
        found = np.array([listed.probabilities.get(word, 0.0) for word in words], dtype=np.float64)
        total = listed.total
    if not (found > 0).any():
        raise InputError("counts must name at least one word of the vocabulary; got none")
    return np.where(found > 0, found / total, by_rank)


@dataclass(frozen=True, eq=False)
class WordList:
    """Probabilities of the words of a language, in the vocabulary or not."""

    probabilities: Mapping[str, float] = field(repr=False)
    total: float = 1.0  # by which they are divided

    def of_words(self, words: Iterable[str]) -> Floats:
        """Return the probability of each word, 0 where it is not listed: (n,)."""
        get = self.probabilities.get
        found = [get(word) or get(word.lower(), 0.0) for word in words]
        return np.array(found, dtype=np.float64) / self.total

    @cached_property
    def fingerprint(self) -> str:
        """Hex digest of the words and their numbers."""
        words = "\n".join(self.probabilities).encode("utf-8", "surrogatepass")
        numbers = np.array(list(self.probabilities.values()), dtype=np.float64)
        return blake2b(words + numbers.tobytes(), digest_size=16).hexdigest()


def word_list(counts: Counts, vectors: WordVectors, language: str) -> WordList:
    """Make a word list of a mapping, a file, "wordfreq" or "rank"."""
    if counts == WORDFREQ:
        return WordList(_wordfreq(language))
    if counts == RANK:
        return WordList(dict(zip(vectors.words, zipf_probabilities(len(vectors)), strict=True)))
    if not isinstance(counts, Mapping):
        counts = read_counts(counts)
    else:
        for word, count in counts.items():
            if not isinstance(count, Real) or not 0 <= count < float("inf"):
                raise InputError(
                    f"counts must be numbers from 0 on; got {count!r:.40} for {word!r:.40}"
                )
    return WordList(counts, float(sum(counts.values())) or 1.0)


def read_counts(path: str | os.PathLike[str]) -> dict[str, float]:
    """Read `word count` lines, with a space or tab between; the first of repeated words is kept."""
    if not isinstance(path, str | os.PathLike) or not Path(path).is_file():
        raise InputError(
            "counts must be a file, a mapping, 'wordfreq', 'rank' or 'collection';"
            f" got {str(path)!r:.200}"
        )
    from fuzzbow.io.text import TextFile  # imports every compression

    counts: dict[str, float] = {}
    file = TextFile(Path(path))
    for line in file.lines():
        word, _, number = line.strip().replace("\t", " ").rpartition(" ")
        try:
            count = float(number or "0")
        except ValueError:
            count = -1.0
        if number and not (word and 0 <= count < float("inf")):
            raise InputError(
                f"{file.location}: must be `word count` with a count >= 0; got {line[:40]!r}"
            )
        if number:
            counts.setdefault(word, count)
    if not counts:
        raise InputError(f"{path}: must hold at least one `word count` line; got none")
    return counts


def _wordfreq(language: str) -> Mapping[str, float]:
    """Read the list of the wordfreq package for a language."""
    try:
        from wordfreq import available_languages, get_frequency_dict
    except ImportError as error:
        raise MissingExtraError("wordfreq", "wordfreq") from error
    lists = sorted(available_languages("best"))
    if language not in lists:
        raise InputError(
            f"counts='wordfreq' must be for one of {', '.join(lists)}; got language {language!r}"
        )
    listed: Mapping[str, float] = get_frequency_dict(language, wordlist="best")
    return listed


class Weights(str, Enum):
    """Scaling of word vectors before they are compared."""

    NONE = "none"
    SIF = "sif"
    USIF = "usif"
    WHITENED = "whitened"  # whitened first; see fuzzbow.measures.words


def sif_weights(probabilities: Floats, *, a: float = SIF_A) -> Floats:
    """Compute the smooth inverse frequency, a / (a + p): (V,) -> (V,)."""
    return np.asarray(a / (a + probabilities))


def scaling_of(kind: Weights, probabilities: Floats) -> Floats | None:
    """Return the factor of each word's vector, (V,), or None for vectors that are not scaled.

    Unsupervised SIF is a / (a/2 + p), with a from the frequencies alone: a word is frequent if
    p > 1 - (1 - 1/V)^length, the chance that `length` words drawn evenly hold a given one; alpha is
    the share of frequent words, Z = V/2 approximates the partition function, and
    a = (1 - alpha) / (alpha Z).
    """
    if kind is not Weights.USIF:
        return sif_weights(probabilities) if kind is Weights.SIF else None
    size = len(probabilities)
    threshold = 1.0 - (1.0 - 1.0 / size) ** USIF_LENGTH
    # at least one word, so that `a` stays finite for flat frequencies
    alpha = max(int((probabilities > threshold).sum()), 1) / size
    a = max((1.0 - alpha) / (alpha * 0.5 * size), np.finfo(np.float64).tiny)
    return np.asarray(a / (0.5 * a + probabilities))


@dataclass(frozen=True)
class Whitening:
    """Zipfian whitening, z = (x - mean) @ matrix with the matrix Σ_p^(-1/2).

    Mean and covariance are those of words as frequent as in running text.
    """

    mean: Floats  # (d,)
    matrix: Floats  # (d, d)
    mean_length: float  # mean of |z| over the vocabulary
    origin: str | None = None  # the file that it was read from, which may be damaged

    def apply(self, vectors: Floats, multiply: Multiply | None = None) -> Floats:
        """Whiten vectors, (n, d) -> (n, d); by default the last digits depend on the batch."""
        with np.errstate(over="ignore", invalid="ignore"):
            centred: Floats = np.asarray(vectors, dtype=np.float64) - self.mean
            whitened = multiply(centred, self.matrix.T) if multiply else centred @ self.matrix
        if self.origin is not None and not (np.abs(whitened) <= LARGEST_WHITENED).all():
            raise InputError(f"{self.origin}: damaged; its whitening makes no usable vectors")
        return whitened


def fit_whitening(runs: Runs, probabilities: Floats) -> Whitening:
    """Fit the whitening of a vocabulary, runs of rows (n, d), to its words' probabilities, (V,)."""
    mean, covariance = moments(runs, probabilities)
    variances, axes = np.linalg.eigh(covariance)
    kept = variances > RANK_TOLERANCE * max(float(variances[-1]), np.finfo(np.float64).tiny)
    matrix = (axes[:, kept] / np.sqrt(variances[kept])) @ axes[:, kept].T
    unscaled = Whitening(mean, matrix, 1.0)
    lengths = sum(float(np.linalg.norm(unscaled.apply(rows), axis=1).sum()) for rows in runs())
    # a vocabulary of one word has no spread: every length is 0, and so is the mean
    return Whitening(mean, matrix, lengths / len(probabilities) or 1.0)

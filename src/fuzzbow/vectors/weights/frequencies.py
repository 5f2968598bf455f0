"""Word probabilities from ranks, from a file of counts, or from wordfreq.

A list of counts rarely covers the whole vocabulary. Most leave out punctuation, and
a "." without a count must not be taken for the rarest of words. So a word that is
not listed gets the probability that its rank in the vocabulary suggests.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.streams import open_stream

if TYPE_CHECKING:
    from fuzzbow.vectors.word_vectors import WordVectors  # which holds a whitening from this room

WORDFREQ, RANK = "wordfreq", "rank"
COLLECTION = "collection"  # counts of the texts at hand, which weigh words besides
ZIPF_SHIFT = 2.7  # Mandelbrot's shift of the rank in Zipf's law

Counts = Mapping[str, float] | str | os.PathLike[str]


def zipf_probabilities(size: int) -> Floats:
    """p ∝ 1 / (rank + 2.7) for ranks 1 to size: (size,)."""
    odds = 1.0 / (np.arange(1, size + 1) + ZIPF_SHIFT)
    return np.asarray(odds / odds.sum())


def word_probabilities(
    vectors: WordVectors, counts: Counts | None = None, language: str = "en"
) -> Floats:
    """Probability of every word of the vocabulary: (V,).

    `counts` is a mapping, a file with `word count` on each line, "wordfreq", which has a list for
    most languages, or "rank".
    None means the counts that came with the vectors, else rank, and so does "collection".
    """
    by_rank = zipf_probabilities(len(vectors))
    counts = None if counts == COLLECTION else counts
    if counts is None and vectors.counts is not None:
        return _mixed(np.asarray(vectors.counts, dtype=np.float64), by_rank)
    if counts is None or counts == RANK:
        return by_rank
    if counts == WORDFREQ:
        listed = _wordfreq(language)
        found = np.array([listed.get(word.lower(), 0.0) for word in vectors.words])
        return _mixed(found, by_rank, total=1.0)
    listed = _checked(counts) if isinstance(counts, Mapping) else read_counts(counts)
    found = np.array([listed.get(word, 0.0) for word in vectors.words], dtype=np.float64)
    return _mixed(found, by_rank, total=float(sum(listed.values())))


@dataclass(frozen=True, eq=False)
class WordList:
    """Probabilities of the words of a language, whether a vocabulary has them or not."""

    probabilities: Mapping[str, float] = field(repr=False)
    total: float = 1.0  # by which they are divided

    def of_words(self, words: Iterable[str]) -> Floats:
        """Probability of each word, 0 where it is not listed: (n,)."""
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
    """Probabilities by `counts`: a mapping, a file, "wordfreq" or "rank"."""
    if counts == WORDFREQ:
        return WordList(_wordfreq(language))
    if counts == RANK:
        return WordList(dict(zip(vectors.words, zipf_probabilities(len(vectors)), strict=True)))
    listed = _checked(counts) if isinstance(counts, Mapping) else read_counts(counts)
    return WordList(listed, float(sum(listed.values())) or 1.0)


def read_counts(path: str | os.PathLike[str]) -> dict[str, float]:
    """Read `word count` lines, separated by a space or a tab, first of repeated words wins."""
    if not isinstance(path, str | os.PathLike) or not Path(path).is_file():
        raise InputError(
            "counts must be a file, a mapping, 'wordfreq', 'rank' or 'collection';"
            f" got {str(path)!r:.200}"
        )
    counts: dict[str, float] = {}
    with open_stream(Path(path)) as stream:
        for number, line in enumerate(stream.lines(), start=1):
            if line.strip():
                word, count = _parse_line(line, f"{path}, line {number}")
                counts.setdefault(word, count)
    if not counts:
        raise InputError(f"{path}: must hold at least one `word count` line; got none")
    return counts


def _checked(counts: Mapping[str, float]) -> Mapping[str, float]:
    """Refuse counts that are not numbers from 0 on."""
    for word, count in counts.items():
        if not isinstance(count, Real) or not 0 <= count < float("inf"):
            raise InputError(
                f"counts must be numbers from 0 on; got {count!r:.40} for {word!r:.40}"
            )
    return counts


def _parse_line(line: bytes, place: str) -> tuple[str, float]:
    """The word and its count; `place` goes into the error."""
    try:
        word, _, number = line.decode("utf-8").strip().replace("\t", " ").rpartition(" ")
        count = float(number)
    except UnicodeDecodeError as error:
        raise InputError(f"{place}: must be UTF-8; got {line[:40]!r}") from error
    except ValueError as error:
        raise InputError(f"{place}: must be `word count`; got {line[:40]!r}") from error
    if not word or not 0 <= count < float("inf"):
        raise InputError(f"{place}: must be `word count` with a count >= 0; got {line[:40]!r}")
    return word, count


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


def _mixed(found: Floats, by_rank: Floats, total: float | None = None) -> Floats:
    """Listed probabilities where there are any, else those of the rank: (V,)."""
    whole = float(found.sum()) if total is None else total
    if whole <= 0 or not (found > 0).any():
        raise InputError("counts must name at least one word of the vocabulary; got none")
    return np.where(found > 0, found / whole, by_rank)

"""Word vectors: a vocabulary, a table of vectors, and inference of other words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzbow.arrays import Booleans, Floats, Integers, blocks, read_only
from fuzzbow.errors import InputError
from fuzzbow.vectors.subwords import Inference
from fuzzbow.vectors.tables import CHUNK_ROWS, LARGEST_VALUE, StoredTable, Table, usable_rows
from fuzzbow.vectors.vocabulary import MemoryVocabulary, Vocabulary
from fuzzbow.vectors.weights import Whitening

CASE_SAMPLE = 10_000
CASE_SHARE = 0.001


@dataclass(frozen=True)
class LoadReport:
    """Entries that a reader skipped: repeated words and unusable entries."""

    duplicates: int = 0
    skipped: int = 0


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Words with their vectors, in frequency order unless there are `counts`.

    Examples
    --------
    >>> vectors = WordVectors.from_words(["cat", "dog"], [[1.0, 0.0], [0.6, 0.8]])
    >>> len(vectors), vectors.dimension, vectors["cat"].tolist()
    (2, 2, [1.0, 0.0])
    >>> vectors.ids(["dog", "fish"]).tolist()
    [1, -1]
    """

    vocabulary: Vocabulary = field(repr=False)
    table: Table = field(repr=False)
    counts: NDArray[np.int64] | None = field(default=None, repr=False)  # (V,)
    name: str = "vectors"
    report: LoadReport = LoadReport()
    inference: Inference | None = field(default=None, repr=False)
    stored_fingerprint: str | None = field(default=None, repr=False)
    stored_whitening: Whitening | None = field(default=None, repr=False)  # by rank or by `counts`
    preweighted: bool = False  # compared as they are: unit vectors times the root of a weight

    @classmethod
    def from_words(
        cls,
        words: Sequence[str],
        matrix: ArrayLike,
        *,
        counts: ArrayLike | None = None,
        name: str = "vectors",
        inference: Inference | None = None,
        preweighted: bool = False,
    ) -> WordVectors:
        """Make word vectors of words and a matrix.

        Parameters
        ----------
        words
            Words, (V,), in frequency order unless there are counts; of equal words the first is
            kept.
        matrix
            Their vectors, (V, d).
        counts
            Number of occurrences of each word, (V,).
        name
            Name of the vectors, which is shown and stored.
        inference
            Way to make vectors of other words.
        preweighted
            Whether the vectors are x·√w, a unit vector x and the weight w of its word, which are
            not whitened.

        Raises
        ------
        InputError
            If shapes do not agree, or a number is not finite.
        """
        try:
            array = np.asarray(matrix)
            if array.dtype != np.float32:
                with np.errstate(over="ignore"):  # infinity is refused below
                    array = array.astype(np.float32)
        except (TypeError, ValueError) as error:
            raise InputError(f"{name}: vectors must be a 2-D array of numbers: {error}") from error
        if array.ndim != 2 or array.shape[1] == 0:
            raise InputError(f"{name}: vectors must be 2-D (words, dimension); got {array.shape}")
        for position, word in enumerate(words := tuple(words)):
            if not isinstance(word, str):
                raise InputError(f"{name}: words must be strings; word {position} is {type(word)}")
        if len(words) != len(array):
            raise InputError(
                f"{name}: words and vectors must agree; got {len(words)} and {len(array)}"
            )
        check_finite(array, words, name)
        numbers = None if counts is None else np.asarray(counts)
        if numbers is not None:
            if numbers.shape != (len(array),):
                raise InputError(
                    f"{name}: counts must have shape ({len(array)},); got {numbers.shape}"
                )
            if not np.issubdtype(numbers.dtype, np.integer) or (numbers < 0).any():
                raise InputError(f"{name}: counts must be whole numbers of at least 0")
            numbers = numbers.astype(np.int64)
        made = assemble(words, array, counts=numbers, name=name, inference=inference)
        return replace(made, preweighted=preweighted)

    @property
    def words(self) -> Sequence[str]:
        """Words in the order of their ids."""
        return self.vocabulary.words

    @cached_property
    def matrix(self) -> Floats:
        """All vectors: (V, d) float32, read-only; converted at first use if stored otherwise."""
        return self.table.dense()

    @cached_property
    def weights(self) -> Floats | None:
        """Weight of each word if the vectors are preweighted, (V,) float64; else None."""
        if not self.preweighted:
            return None
        squares = [(rows.astype(np.float64) ** 2).sum(axis=1) for rows in self.table.chunks()]
        return read_only(np.concatenate(squares))

    @property
    def dimension(self) -> int:
        """Numbers per vector."""
        return self.table.shape[1]

    @cached_property
    def lowercase(self) -> bool:
        """Return whether the vocabulary is lower-cased, by its first alphabetic words."""
        if not self.vocabulary.capitals(2 * CASE_SAMPLE):  # the usual case
            return True
        sample = list(islice((word for word in self.words if word.isalpha()), CASE_SAMPLE))
        upper = sum(word != word.lower() for word in sample)
        return upper == 0 or upper < CASE_SHARE * len(sample)

    @cached_property
    def fingerprint(self) -> str:
        """Hex digest of the words and of the vectors as stored."""
        if self.stored_fingerprint is not None:
            return self.stored_fingerprint
        digest = Fingerprint(self.vocabulary)
        for array in self.table.arrays:
            digest.update(array)
        return digest.value()

    def __len__(self) -> int:
        return self.table.shape[0]

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and int(self.ids([word])[0]) >= 0

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __getitem__(self, word: str) -> Floats:
        """Return the vector of a known word: (d,) float32."""
        found = self.ids([word])
        if found[0] < 0:
            raise KeyError(word)
        vector: Floats = self.rows(found)[0]
        return vector

    def ids(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the id of each word as it is written, -1 where unknown: (n,)."""
        found = map(self.vocabulary.position, _several(words))
        return np.fromiter(found, dtype=np.int64, count=len(words))

    def position(self, word: str) -> int:
        """Return the id of one word as it is written, -1 if it is unknown."""
        return self.vocabulary.position(word)

    def rows(self, ids: Integers | Sequence[int]) -> Floats:
        """Read vectors, dequantising only these.

        Parameters
        ----------
        ids
            Ids of words, from 0: (n,).

        Returns
        -------
        ndarray
            Vectors, (n, d) float32.

        Raises
        ------
        InputError
            If an id is outside the vocabulary.
        """
        chosen = np.asarray(ids, dtype=np.int64)
        if chosen.size and not (chosen.min() >= 0 and chosen.max() < len(self)):
            wrong = chosen[(chosen < 0) | (chosen >= len(self))][0]
            raise InputError(f"ids must be from 0 to {len(self) - 1}; got {wrong}")
        return self.table.rows(chosen)

    def infer(self, words: Sequence[str]) -> tuple[Floats, Booleans]:
        """Make vectors of unknown words from their parts, and mark those made: (n, d), (n,)."""
        words = _several(words)
        if self.inference is None or not len(words):
            shape = (len(words), self.dimension)
            return np.zeros(shape, dtype=np.float32), np.zeros(len(words), dtype=np.bool_)
        return self.inference.infer(words)

    def first(self, count: int) -> WordVectors:
        """Return the first words only."""
        if count >= len(self):
            return self
        return WordVectors(
            MemoryVocabulary(self.words[:count]),
            self.table.head(count),
            None if self.counts is None else self.counts[:count],
            self.name,
            self.report,
            self.inference,
            preweighted=self.preweighted,
        )


class Fingerprint:
    """Running digest of words, then of arrays as they are stored."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._digest = blake2b(digest_size=16)
        data, offsets = vocabulary.packed()
        self.update(offsets)
        self.update(data)

    def update(self, array: NDArray[Any]) -> None:
        """Add an array, or the next rows of one."""
        for part in blocks(len(array), CHUNK_ROWS):
            self._digest.update(np.ascontiguousarray(array[part]).view(np.uint8).data)

    def value(self) -> str:
        """Return 32 hexadecimal digits."""
        return self._digest.hexdigest()


def assemble(
    words: Sequence[str],
    matrix: Floats,
    *,
    counts: NDArray[np.int64] | None = None,
    name: str,
    skipped: int = 0,
    inference: Inference | None = None,
) -> WordVectors:
    """Make word vectors of checked parts; of equal words the first is kept, others are counted."""
    if not len(words):
        raise InputError(f"{name}: the vocabulary is empty; there must be at least one word")
    vocabulary = MemoryVocabulary(words)
    duplicates = len(words) - len(vocabulary.index)
    if duplicates:
        keep = first_occurrences(words)
        vocabulary = MemoryVocabulary([words[position] for position in keep])
        matrix, counts = matrix[keep], None if counts is None else counts[keep]
    return WordVectors(
        vocabulary,
        StoredTable(read_only(matrix)),
        None if counts is None else read_only(counts),
        name,
        LoadReport(duplicates, skipped),
        inference,
    )


def first_occurrences(words: Sequence[str]) -> NDArray[np.int64]:
    """Return the position of the first of all equal words, in order: (distinct,)."""
    first = dict(zip(reversed(words), reversed(range(len(words))), strict=True))
    return np.sort(np.fromiter(first.values(), dtype=np.int64, count=len(first)))


def check_finite(matrix: Floats, words: Sequence[str], name: str) -> None:
    """Refuse NaN and infinity, naming the word that has it."""
    for part in blocks(len(matrix), CHUNK_ROWS):
        bad = ~usable_rows(matrix[part])
        if bad.any():
            word = words[part.start + int(bad.argmax())]
            raise InputError(
                f"{name}: the vector of {word!r} must be finite; got NaN, infinity or more than"
                f" {LARGEST_VALUE:g}"
            )


def _several(words: Sequence[str]) -> Sequence[str]:
    if isinstance(words, str):  # a str is a sequence of letters, which cannot be meant
        raise InputError(f"words must be a sequence of words; got the single text {words!r}")
    return words

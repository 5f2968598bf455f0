"""fastText's own model file, .bin: memory-mapped, word vectors made when they are used."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats, Integers, read_only
from fuzzbow.errors import DataError
from fuzzbow.vectors.formats import VectorFile
from fuzzbow.vectors.formats.text import check_dimension
from fuzzbow.vectors.subwords import LONGEST_NGRAM, NgramInference, divided
from fuzzbow.vectors.tables import StoredTable, Table, usable_rows
from fuzzbow.vectors.vocabulary import MemoryVocabulary
from fuzzbow.vectors.word_vectors import LoadReport, WordVectors, first_occurrences

MAGIC = struct.pack("<i", 793712314)
VERSION = 12
SETTINGS = struct.Struct("<12id")
DICTIONARY = struct.Struct("<3i2q")
ENTRY = struct.Struct("<qb")  # count and kind, after the word and a zero byte
MATRIX = struct.Struct("<?2q")  # quantised or not, rows, columns
WORD_KIND = 0


@dataclass(frozen=True, eq=False)
class FastTextTable(Table):
    """Table of computed rows: the mean of a word's own row and those of its n-grams."""

    words: Sequence[str]
    own: Integers  # (V,) row of each word in `inputs`
    inputs: NDArray[np.float32]  # (words + B, d), the n-grams' rows last
    ngrams: NgramInference
    origin: str

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.own), self.inputs.shape[1]

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        return self.inputs, self.own

    def rows(self, ids: Integers) -> Floats:
        words = [self.words[word] for word in ids]
        with np.errstate(over="ignore", invalid="ignore"):  # looked for below
            sums, lengths = self.ngrams.sums(words)
            vectors = divided(sums + self.inputs[self.own[ids]], lengths + 1)
        finite = usable_rows(vectors)
        if not finite.all():  # rows of a mapped file are checked when they are used
            word = words[int(finite.argmin())]
            raise DataError(f"{self.origin}: damaged; the vector of {word!r} must be finite")
        return vectors

    def head(self, count: int) -> FastTextTable:
        return replace(self, words=self.words[:count], own=self.own[:count])


def recognises(file: VectorFile) -> bool:
    """Return whether a file begins with fastText's magic number."""
    return file.head.startswith(MAGIC)


def read(file: VectorFile) -> WordVectors:
    """Read words, counts, vectors and n-grams of a model that is not quantised."""
    buffer, origin = file.content(), str(file.path)
    try:
        (version,) = struct.unpack_from("<i", buffer, 4)
        if version != VERSION:
            raise file.error(f"fastText version must be {VERSION}; got {version}")
        dimension, *_, buckets, shortest, longest, _, _ = SETTINGS.unpack_from(buffer, 8)
        if dimension < 1 or buckets < 0 or longest > LONGEST_NGRAM:
            raise file.error(
                f"dimension must be at least 1, buckets at least 0, and the longest n-gram at most"
                f" {LONGEST_NGRAM}; got {dimension}, {buckets} and {longest}"
            )
        check_dimension(file, dimension)
        raw, counts, rows, offset = _dictionary(buffer, 8 + SETTINGS.size, file.limit)
        inputs = _inputs(file, buffer, offset, (rows, buckets, dimension))
    except (struct.error, IndexError, OverflowError) as error:
        raise file.error("truncated fastText model") from error
    if len(raw) > rows or (len(counts) and counts.min() < 0):
        raise file.error(
            f"damaged; must have {rows} words with counts of at least 0; got {len(raw)} with"
            f" counts from {counts.min()} on"
        )
    words, positions = file.decode(raw)
    keep = first_occurrences(words)
    if not len(keep):
        raise file.error("the vocabulary is empty; there must be at least one word")
    own = np.array(positions, dtype=np.int64)[keep]
    vocabulary = MemoryVocabulary(words[position] for position in keep)
    if longest <= 0:  # then no word has n-grams, though rows may be kept for them
        shortest = longest = 0
    grams = StoredTable(inputs[len(inputs) - buckets :])
    unchecked = NgramInference(grams, shortest, longest)  # as FastTextTable checks its rows
    checked = NgramInference(replace(grams, origin=origin), shortest, longest)
    return WordVectors(
        vocabulary,
        FastTextTable(vocabulary.words, own, inputs, unchecked, origin),
        read_only(counts[own]) if counts[own].any() else None,
        file.name,
        LoadReport(len(words) - len(keep), len(raw) - len(words)),
        checked if buckets else None,
    )


def _dictionary(
    buffer: mmap.mmap | bytes, offset: int, limit: int | None
) -> tuple[list[bytes], NDArray[np.int64], int, int]:
    """Read raw words and their counts, the number of word rows, and the offset of the matrix."""
    size, words, _, _, pruned = DICTIONARY.unpack_from(buffer, offset)
    offset += DICTIONARY.size
    raw: list[bytes] = []
    counts: list[int] = []
    for _ in range(size):
        end = buffer.find(b"\0", offset)
        if end < 0:
            raise IndexError("the dictionary has no end")
        count, kind = ENTRY.unpack_from(buffer, end + 1)
        if kind == WORD_KIND and (limit is None or len(raw) < limit):
            raw.append(buffer[offset:end])
            counts.append(count)
        offset = end + 1 + ENTRY.size
    return raw, np.array(counts, dtype=np.int64), words, offset + 8 * max(pruned, 0)


def _inputs(
    file: VectorFile, buffer: mmap.mmap | bytes, offset: int, sizes: tuple[int, int, int]
) -> NDArray[np.float32]:
    """Read the matrix, which must have rows for words and buckets, and the dimension."""
    words, buckets, dimension = sizes
    quantised, rows, columns = MATRIX.unpack_from(buffer, offset)
    if quantised:
        raise file.error("a quantised fastText model has no vectors; use the full .bin")
    if columns != dimension or rows != words + buckets:
        raise file.error(
            f"damaged; the matrix must be {words} + {buckets} rows of {dimension}; got {rows} of"
            f" {columns}"
        )
    offset += MATRIX.size
    needed, left = 4 * rows * columns, len(buffer) - offset
    if needed > left:
        size = f"{rows} rows of {columns} numbers need {needed} bytes"
        raise file.error(f"truncated; {size}, {left} are left")
    flat = np.frombuffer(buffer, dtype="<f4", count=rows * columns, offset=offset)
    return flat.reshape(rows, columns)

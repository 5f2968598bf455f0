"""fastText's own model file, .bin: memory-mapped, word vectors made when they are asked for."""

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
from fuzzbow.vectors.formats.text_format import check_dimension
from fuzzbow.vectors.formats.vector_file import ReadOptions, VectorFile
from fuzzbow.vectors.subwords.inference import NgramInference, divided, sum_of_rows
from fuzzbow.vectors.subwords.ngrams import LONGEST_NGRAM, bucket_ids
from fuzzbow.vectors.tables import ArrayTable, gather, usable_rows
from fuzzbow.vectors.vocabulary import MemoryVocabulary
from fuzzbow.vectors.word_vectors import LoadReport, WordVectors, first_occurrences

MAGIC = struct.pack("<i", 793712314)
VERSION = 12
SETTINGS = struct.Struct("<12id")
DICTIONARY = struct.Struct("<3i2q")
ENTRY = struct.Struct("<qb")  # count and kind, after the word and a zero byte
MATRIX = struct.Struct("<?2q")  # quantised or not, rows, columns
WORD_KIND = 0


@dataclass(frozen=True)
class Settings:
    """The settings of a model that its vectors depend on."""

    dimension: int
    buckets: int
    shortest: int
    longest: int


@dataclass(frozen=True, eq=False)
class FastTextTable:
    """A word's vector is the mean of its own row and those of its n-grams."""

    words: Sequence[str]
    own: Integers  # (V,) row of each word in `inputs`
    inputs: NDArray[np.float32]  # (words + B, d), the n-grams' rows last
    settings: Settings
    origin: str = "the model"

    @property
    def shape(self) -> tuple[int, int]:
        """Number of words and dimension."""
        return len(self.own), self.settings.dimension

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The rows of words and n-grams, and which word has which."""
        return self.inputs, self.own

    def rows(self, ids: Integers) -> Floats:
        """The given words' vectors: (n,) -> (n, d) float32."""
        settings = self.settings
        parts, lengths = bucket_ids(
            [self.words[word] for word in ids],
            shortest=settings.shortest,
            longest=settings.longest,
            buckets=settings.buckets,
        )
        buckets = ArrayTable(self.inputs[len(self.inputs) - settings.buckets :])
        with np.errstate(over="ignore", invalid="ignore"):  # looked for below
            sums = sum_of_rows(buckets, parts, lengths) + self.inputs[self.own[ids]]
            vectors = divided(sums, lengths + 1)
        finite = usable_rows(vectors)
        if not finite.all():  # rows of a mapped file are checked when they are used
            word = self.words[int(ids[int(finite.argmin())])]
            raise DataError(f"{self.origin}: damaged; the vector of {word!r} must be finite")
        return vectors

    def dense(self) -> Floats:
        """All words' vectors: (V, d) float32, read-only."""
        return gather(self)

    def head(self, count: int) -> FastTextTable:
        """A table of the first words only."""
        return replace(self, words=self.words[:count], own=self.own[:count])


def recognises(file: VectorFile) -> bool:
    """Return whether a file begins with fastText's number."""
    return file.head.startswith(MAGIC)


def read(file: VectorFile) -> WordVectors:
    """Words, counts, vectors and n-grams of a model that is not quantised."""
    buffer, origin, options = file.content(), file.origin, file.options
    try:
        settings, place = _settings(buffer, origin)
        raw, counts, rows, place = _dictionary(buffer, place, options.limit)
        inputs = _inputs(buffer, place, rows, settings, origin)
    except (struct.error, IndexError, OverflowError) as error:
        raise DataError(f"{origin}: truncated fastText model") from error
    if len(raw) > rows or (len(counts) and counts.min() < 0):
        raise DataError(
            f"{origin}: damaged; must have {rows} words with counts of at least 0; got"
            f" {len(raw)} with counts from {counts.min()} on"
        )
    words, own, skipped = _decode(raw, origin, options)
    keep = first_occurrences(words)
    if not len(keep):
        raise DataError(f"{origin}: the vocabulary is empty; there must be at least one word")
    own = own[keep]
    vocabulary = MemoryVocabulary.from_words([words[position] for position in keep])
    grams = ArrayTable(inputs[len(inputs) - settings.buckets :], origin=origin)
    return WordVectors(
        vocabulary,
        FastTextTable(vocabulary.words, own, inputs, settings, origin),
        read_only(counts[own]) if counts[own].any() else None,
        file.name,
        LoadReport(len(words) - len(keep), skipped),
        NgramInference(grams, settings.shortest, settings.longest) if settings.buckets else None,
    )


def _settings(buffer: mmap.mmap | bytes, origin: str) -> tuple[Settings, int]:
    (version,) = struct.unpack_from("<i", buffer, 4)
    if version != VERSION:
        raise DataError(f"{origin}: fastText version must be {VERSION}; got {version}")
    values = SETTINGS.unpack_from(buffer, 8)
    dimension, buckets, shortest, longest = values[0], values[8], values[9], values[10]
    if dimension < 1 or buckets < 0 or longest > LONGEST_NGRAM:
        raise DataError(
            f"{origin}: dimension must be at least 1, buckets at least 0, and the longest n-gram"
            f" at most {LONGEST_NGRAM}; got {dimension}, {buckets} and {longest}"
        )
    check_dimension(dimension, origin)
    if longest <= 0:  # then no word has n-grams, though rows may be kept for them
        shortest = longest = 0
    return Settings(dimension, buckets, shortest, longest), 8 + SETTINGS.size


def _dictionary(
    buffer: mmap.mmap | bytes, place: int, limit: int | None
) -> tuple[list[bytes], NDArray[np.int64], int, int]:
    """Raw words and their counts, the number of word rows, and where the matrix begins."""
    size, words, _, _, pruned = DICTIONARY.unpack_from(buffer, place)
    place += DICTIONARY.size
    raw: list[bytes] = []
    counts: list[int] = []
    for _ in range(size):
        end = buffer.find(b"\0", place)
        if end < 0:
            raise IndexError("the dictionary has no end")
        count, kind = ENTRY.unpack_from(buffer, end + 1)
        if kind == WORD_KIND and (limit is None or len(raw) < limit):
            raw.append(buffer[place:end])
            counts.append(count)
        place = end + 1 + ENTRY.size
    place += 8 * max(pruned, 0)
    return raw, np.array(counts, dtype=np.int64), words, place


def _inputs(
    buffer: mmap.mmap | bytes, place: int, words: int, settings: Settings, origin: str
) -> NDArray[np.float32]:
    quantised, rows, columns = MATRIX.unpack_from(buffer, place)
    if quantised:
        raise DataError(f"{origin}: a quantised fastText model has no vectors; use the full .bin")
    if columns != settings.dimension or rows != words + settings.buckets:
        raise DataError(
            f"{origin}: damaged; the matrix must be {words} + {settings.buckets} rows of "
            f"{settings.dimension}; got {rows} of {columns}"
        )
    place += MATRIX.size
    if place + 4 * rows * columns > len(buffer):
        raise DataError(
            f"{origin}: truncated; {rows} rows of {columns} numbers need "
            f"{4 * rows * columns} bytes, {len(buffer) - place} are left"
        )
    flat = np.frombuffer(buffer, dtype="<f4", count=rows * columns, offset=place)
    return flat.reshape(rows, columns)


def _decode(
    raw: list[bytes], origin: str, options: ReadOptions
) -> tuple[list[str], NDArray[np.int64], int]:
    """Words, their rows, and how many could not be decoded."""
    words: list[str] = []
    rows: list[int] = []
    for row, word in enumerate(raw):
        try:
            words.append(word.decode(options.encoding))
            rows.append(row)
        except UnicodeDecodeError as error:
            if not options.skip_bad:
                raise DataError(
                    f"{origin}, word {row + 1}: {word!r} is not {options.encoding}"
                ) from error
    return words, np.array(rows, dtype=np.int64), len(raw) - len(words)

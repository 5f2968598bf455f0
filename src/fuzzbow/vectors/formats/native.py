"""File format of fuzzbow: memory-mapped without decoding, so that any size opens in milliseconds.

It is written some rows at a time, so that the table need not fit in memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from operator import index
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats
from fuzzbow.errors import DataError, InputError, parse_choice
from fuzzbow.progress import Progress, no_progress
from fuzzbow.vectors.formats.container import Container, Tensor, write_container
from fuzzbow.vectors.subwords import LONGEST_NGRAM, Inference, NgramInference, PieceInference
from fuzzbow.vectors.tables import StoredTable, StoredType, Table, pack_int4, quantise
from fuzzbow.vectors.vocabulary import StoredVocabulary, StoredWords, Vocabulary, word_hashes
from fuzzbow.vectors.weights import (
    LARGEST_WHITENED,
    PREWEIGHTED_VERSION,
    WHITENING_VERSION,
    Whitening,
    fit_whitening,
    word_probabilities,
)
from fuzzbow.vectors.word_vectors import Fingerprint, LoadReport, WordVectors

FORMAT = "fuzzbow-vectors/1"
# vectors of length √w that must not be whitened: a reader that knows only 1 must not take them
PREWEIGHTED_FORMAT = "fuzzbow-vectors/2"
LONGEST_NUMBER = 10  # digits of a dimension
SHORTEST_MEAN = 1e-6  # of whitened vectors; a vocabulary of a thousand million words has more


def is_native(container: Container) -> bool:
    """Return whether a safetensors file has our format in its metadata."""
    return container.metadata.get("format", "").startswith("fuzzbow-vectors/")


def read_native(container: Container) -> WordVectors:
    """Read word vectors in the file's own memory; nothing is decoded."""
    metadata = container.metadata
    preweighted = _is_preweighted(container)
    table = _read_table(container, "vectors", "scales")
    rows, dimension = table.shape
    if rows == 0 or dimension == 0:
        raise container.error("the vocabulary is empty; there must be at least one word")
    return WordVectors(
        _read_vocabulary(container, rows),
        table,
        _read_counts(container, rows),
        metadata.get("name", Path(container.origin).stem),
        LoadReport(),
        _read_inference(container, dimension),
        metadata.get("fingerprint"),
        None if preweighted else _read_whitening(container, dimension),
        preweighted,
    )


def _is_preweighted(container: Container) -> bool:
    """Return whether the vectors are preweighted; refuse unknown versions of that."""
    found, version = container.metadata["format"], container.metadata.get("ready")
    if found not in (FORMAT, PREWEIGHTED_FORMAT):
        raise container.error(f"format must be {FORMAT} or {PREWEIGHTED_FORMAT}; got {found}")
    wanted = str(PREWEIGHTED_VERSION) if found == PREWEIGHTED_FORMAT else None
    if version != wanted:
        raise container.error(f"preweighted vectors must be of version {wanted}; got {version}")
    return wanted is not None


def _read_table(container: Container, name: str, scales: str) -> StoredTable:
    """Read a table; the metadata of int4 contain how many numbers a row has."""
    if container.metadata.get("dtype") == StoredType.INT4.value:
        text = container.metadata.get("dimension", "")
        is_number = text.isascii() and text.isdigit() and len(text) < LONGEST_NUMBER
        dimension = int(text) if is_number else 0
        if dimension < 1:
            raise container.error(f"dimension must be a number from 1; got {text!r}")
        array = container.typed(name, "u1", None, StoredType.INT4.width(dimension))
    else:
        array, dimension = container.array(name), None
        if array.ndim != 2 or array.dtype not in (np.float32, np.float16, np.int8):
            raise container.error(
                f"{name!r} must be a 2-D array of float32, float16 or int8; got {array.dtype} of"
                f" shape {array.shape}"
            )
    has_scales = array.dtype in (np.int8, np.uint8)
    lengths = container.typed(scales, "<f4", len(array)) if has_scales else None
    return StoredTable(array, lengths, dimension, origin=container.origin)


def _read_counts(container: Container, rows: int) -> NDArray[np.int64] | None:
    """Read the count of each word; None without counts, or if all are 0."""
    if "counts" not in container.entries:
        return None
    counts = container.typed("counts", "<i8", rows)
    if counts.min() < 0:
        raise container.error(f"damaged; counts must be at least 0; got {counts.min()}")
    return counts if counts.any() else None


def _read_vocabulary(container: Container, rows: int) -> StoredVocabulary:
    data = container.typed("word_bytes", "u1", None)
    offsets = container.typed("word_offsets", "<i8", rows + 1)
    if offsets[0] != 0 or offsets[-1] != len(data):
        raise container.error(
            f"damaged; word_offsets must go from 0 to {len(data)}, go from {offsets[0]} to"
            f" {offsets[-1]}"
        )
    hashes, order = (container.typed(f"word_{n}", "<u4", rows) for n in ("hashes", "order"))
    return StoredVocabulary(StoredWords(data, offsets, container.origin), hashes, order)


def _read_whitening(container: Container, dimension: int) -> Whitening | None:
    """Read the whitening that was fitted when the file was written, unless by another algorithm."""
    version = container.metadata.get("whitening", "1")  # the first files did not say
    if "whitening_matrix" not in container.entries or version != str(WHITENING_VERSION):
        return None
    mean = container.typed("whitening_mean", "<f8", dimension)
    matrix = container.typed("whitening_matrix", "<f8", dimension, dimension)
    length = float(container.typed("whitening_length", "<f8", 1)[0])
    if not SHORTEST_MEAN <= length <= LARGEST_WHITENED:
        raise container.error(f"damaged; whitening_length is {length:g}")
    return Whitening(mean, matrix, length, container.origin)


def _read_inference(container: Container, dimension: int) -> Inference | None:
    kind = container.metadata.get("subwords")
    if kind is None:
        return None
    table = _read_table(container, "subword_vectors", "subword_scales")
    found = table.shape[1]
    if found != dimension:
        raise container.error(f"subword_vectors must have dimension {dimension}; got {found}")
    if kind == "pieces":
        tokenizer = container.typed("subword_tokenizer", "u1", None)
        try:
            text = tokenizer.tobytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise container.error(f"damaged subword_tokenizer: {error}") from error
        return PieceInference(table, text, container.origin)
    if kind != "fasttext":
        raise container.error(f"subwords must be fasttext or pieces; got {kind!r}")
    try:
        sizes = json.loads(container.metadata["subword_sizes"])
        shortest, longest = index(sizes[0]), index(sizes[1])
    except (KeyError, ValueError, TypeError, IndexError, RecursionError) as error:
        raise container.error(f"damaged subword_sizes: {error}") from error
    if not 0 <= longest <= LONGEST_NGRAM:
        raise container.error(f"the longest n-gram must be at most {LONGEST_NGRAM}; got {longest}")
    return NgramInference(table, shortest, longest)


def save_vectors(
    vectors: WordVectors,
    path: str | Path,
    *,
    dtype: StoredType | str = StoredType.FLOAT32,
    progress: Progress | None = None,
) -> None:
    """Write fuzzbow's own file, which opens in milliseconds whatever its size.

    It is written under another name, then renamed.

    Parameters
    ----------
    vectors
        Word vectors to write.
    path
        File to write; its name must end in .safetensors.
    dtype
        "float32", "float16", "int8" or "int4"; int8 and int4 have a scale for each row.
    progress
        Function that is called with the number of words written and of all words.

    Raises
    ------
    InputError
        If the name ends otherwise, or values are too large for float16.
    """
    stored = parse_choice(StoredType, dtype, "dtype")
    path = Path(path)
    if path.suffix != ".safetensors":
        raise InputError(f"{path}: the name of a native file must end in .safetensors")
    digest = Fingerprint(vectors.vocabulary)
    table = _RowsWriter(vectors.table, stored, vectors.name, digest, progress)
    tensors = [*table.tensors("vectors", "scales"), *_vocabulary_tensors(vectors.vocabulary)]
    if vectors.counts is not None:
        tensors.append(Tensor.of("counts", vectors.counts))
    if not vectors.preweighted:
        tensors.extend(_whitening_tensors(vectors, stored))
    subwords, inference = {}, vectors.inference
    if inference is not None:
        subwords = {"subwords": "pieces" if isinstance(inference, PieceInference) else "fasttext"}
        parts = _RowsWriter(inference.table, stored, vectors.name)
        tensors.extend(parts.tensors("subword_vectors", "subword_scales"))
    if isinstance(inference, PieceInference):
        content = np.frombuffer(inference.tokenizer.encode("utf-8"), dtype=np.uint8)
        tensors.append(Tensor.of("subword_tokenizer", content))
    elif isinstance(inference, NgramInference):
        subwords["subword_sizes"] = f"[{inference.shortest}, {inference.longest}]"

    def metadata() -> dict[str, str]:
        if vectors.preweighted:
            version = {"format": PREWEIGHTED_FORMAT, "ready": str(PREWEIGHTED_VERSION)}
        else:
            version = {"format": FORMAT, "whitening": str(WHITENING_VERSION)}
        # float32 changes no value, so that the content keeps its fingerprint
        exact = stored is StoredType.FLOAT32
        fingerprint = vectors.fingerprint if exact else digest.value()
        fixed = {**version, "name": vectors.name, "fingerprint": fingerprint}
        if stored is StoredType.INT4:  # bytes that hold two numbers each
            fixed |= {"dtype": stored.value, "dimension": str(vectors.dimension)}
        return {**fixed, **subwords}

    write_container(path, tensors, metadata)


def _vocabulary_tensors(vocabulary: Vocabulary) -> list[Tensor]:
    data, offsets = vocabulary.packed()
    content, bounds = data.tobytes(), offsets.tolist()
    hashes = word_hashes([content[a:b] for a, b in pairwise(bounds)])
    order = np.argsort(hashes, kind="stable")
    return [
        Tensor.of("word_offsets", offsets),
        Tensor.of("word_hashes", hashes[order]),
        Tensor.of("word_order", order.astype("<u4")),
        Tensor.of("word_bytes", data),
    ]


def _whitening_tensors(vectors: WordVectors, stored: StoredType) -> list[Tensor]:
    """Fit the whitening of the vocabulary, so that loading a model need not."""
    writer = _RowsWriter(vectors.table, stored, vectors.name)
    fitted = fit_whitening(writer.as_read_back, word_probabilities(vectors))
    return [
        Tensor.of("whitening_mean", fitted.mean),
        Tensor.of("whitening_matrix", fitted.matrix),
        Tensor.of("whitening_length", np.array([fitted.mean_length])),
    ]


class _RowsWriter:
    """Writer of a table: rows in the stored type, then their scales."""

    def __init__(
        self,
        table: Table,
        stored: StoredType,
        name: str,
        digest: Fingerprint | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._table, self._stored, self._name, self._digest = table, stored, name, digest
        self._progress = progress or no_progress
        self._scales: list[NDArray[np.float32]] = []
        # rounding rows again that have this type already could change them
        self._as_is = isinstance(table, StoredTable) and table.is_stored_as(stored)

    def tensors(self, name: str, scales: str) -> list[Tensor]:
        """Return the arrays to write: one, or two if rows have scales."""
        count, dimension = self._table.shape
        shape = (count, self._stored.width(dimension))
        found = [Tensor(name, self._stored.dtype, shape, self._rows)]
        if self._stored.scaled:
            found.append(Tensor(scales, np.dtype("<f4"), (count,), self._row_scales))
        return found

    def as_read_back(self) -> Iterator[Floats]:
        """Yield all rows as they will be read from the file: (n, d) float64."""
        for rows in self._table.chunks():
            if self._stored.scaled and not self._as_is:
                steps, scales = quantise(rows, self._stored)
                rows = steps * scales[:, None]
            elif self._stored is StoredType.FLOAT16:
                rows = self._narrowed(rows)
            yield rows.astype(np.float64)

    def _rows(self) -> Iterator[NDArray[Any]]:
        self._scales, done = [], 0
        for rows in self._encoded():
            if self._digest is not None:
                self._digest.update(rows)
            done += len(rows)
            self._progress(done, self._table.shape[0])
            yield rows

    def _encoded(self) -> Iterator[NDArray[Any]]:
        if self._as_is:
            array, *scales_of_rows = self._table.arrays
            self._scales.extend(scales_of_rows)
            yield array
            return
        for rows in self._table.chunks():
            if self._stored.scaled:
                steps, scales = quantise(rows, self._stored)
                self._scales.append(scales)
                yield pack_int4(steps) if self._stored is StoredType.INT4 else steps
            else:
                yield self._narrowed(rows)

    def _row_scales(self) -> Iterator[NDArray[Any]]:
        scales = np.concatenate(self._scales)
        if self._digest is not None:
            self._digest.update(scales)
        yield scales

    def _narrowed(self, rows: Floats) -> NDArray[Any]:
        """Convert rows to a smaller type that must be able to hold them."""
        with np.errstate(over="ignore"):
            narrowed = rows.astype(self._stored.dtype)
        if not np.isfinite(narrowed).all():
            raise DataError(f"{self._name}: values are too large for {self._stored.value}")
        return narrowed

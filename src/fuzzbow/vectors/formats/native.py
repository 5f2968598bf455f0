"""Reading fuzzbow's own file: memory-mapped and not decoded, so that any size opens at once."""

from __future__ import annotations

import json
from operator import index
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.errors import DataError
from fuzzbow.vectors.formats.container import Container
from fuzzbow.vectors.subwords.inference import Inference, NgramInference
from fuzzbow.vectors.subwords.ngrams import LONGEST_NGRAM
from fuzzbow.vectors.subwords.pieces import PieceInference
from fuzzbow.vectors.tables import ArrayTable, PackedTable, StoredType, Table
from fuzzbow.vectors.vocabulary import StoredVocabulary, StoredWords
from fuzzbow.vectors.weights.whitening import (
    LARGEST_WHITENED,
    READY_VERSION,
    WHITENING_VERSION,
    Whitening,
)
from fuzzbow.vectors.word_vectors import LoadReport, WordVectors

FORMAT = "fuzzbow-vectors/1"
# vectors of length √w that are not to be whitened: a reader that knows only 1 must not take them
READY_FORMAT = "fuzzbow-vectors/2"
LONGEST_NUMBER = 10  # digits of a dimension
SHORTEST_MEAN = 1e-6  # of whitened vectors; a vocabulary of a thousand million words has more
ONE_NUMBER_EACH = tuple(kind.dtype for kind in StoredType if kind is not StoredType.INT4)


def is_native(container: Container) -> bool:
    """Return whether a safetensors file has our format in its metadata."""
    return container.metadata.get("format", "").startswith("fuzzbow-vectors/")


def read_native(container: Container) -> WordVectors:
    """Word vectors in the file's own memory; nothing is decoded."""
    origin, metadata = container.origin, container.metadata
    ready = _is_ready(container)
    table = _read_table(container, "vectors", "scales")
    rows = table.shape[0]
    if rows == 0 or table.shape[1] == 0:
        raise DataError(f"{origin}: the vocabulary is empty; there must be at least one word")
    return WordVectors(
        _read_vocabulary(container, rows),
        table,
        _read_counts(container, rows),
        metadata.get("name", Path(origin).stem),
        LoadReport(),
        _read_inference(container, table.shape[1]),
        metadata.get("fingerprint"),
        None if ready else _read_whitening(container, table.shape[1]),
        ready,
    )


def _is_ready(container: Container) -> bool:
    """Return whether the vectors are preweighted; refuse unknown versions of that."""
    found = container.metadata["format"]
    if found not in (FORMAT, READY_FORMAT):
        raise DataError(
            f"{container.origin}: format must be {FORMAT} or {READY_FORMAT}; got {found}"
        )
    version = container.metadata.get("ready")
    wanted = str(READY_VERSION) if found == READY_FORMAT else None
    if version != wanted:
        raise DataError(
            f"{container.origin}: ready vectors must be of version {wanted}; got {version}"
        )
    return found == READY_FORMAT


def _typed(
    container: Container, name: str, dtype: str, shape: tuple[int | None, ...]
) -> NDArray[Any]:
    """An array that must have this type and shape; None stands for any length."""
    array = container.array(name)
    agrees = array.ndim == len(shape) and all(
        wanted is None or side == wanted for side, wanted in zip(array.shape, shape, strict=True)
    )
    if array.dtype != np.dtype(dtype) or not agrees:
        wanted_shape = "(" + ", ".join("n" if side is None else str(side) for side in shape) + ")"
        raise DataError(
            f"{container.origin}: {name!r} must be {np.dtype(dtype)} of shape {wanted_shape}; "
            f"got {array.dtype} of shape {array.shape}"
        )
    return array


def _read_table(container: Container, name: str, scales: str) -> Table:
    array = container.array(name)
    if container.metadata.get("dtype") == StoredType.INT4.value:
        return _packed_table(container, name, scales)
    if array.ndim != 2 or array.dtype not in ONE_NUMBER_EACH:
        raise DataError(
            f"{container.origin}: {name!r} must be a 2-D array of float32, float16 or int8; "
            f"got {array.dtype} of shape {array.shape}"
        )
    if array.dtype != np.int8:
        return ArrayTable(array, origin=container.origin)
    return ArrayTable(array, _typed(container, scales, "<f4", (len(array),)), container.origin)


def _packed_table(container: Container, name: str, scales: str) -> PackedTable:
    """Numbers of four bits; the metadata say how many there are in a row."""
    text = container.metadata.get("dimension", "")
    dimension = int(text) if text.isascii() and text.isdigit() and len(text) < LONGEST_NUMBER else 0
    if dimension < 1:
        raise DataError(f"{container.origin}: dimension must be a number from 1; got {text!r}")
    array = _typed(container, name, "u1", (None, StoredType.INT4.width(dimension)))
    lengths = _typed(container, scales, "<f4", (len(array),))
    return PackedTable(array, lengths, dimension, container.origin)


def _read_counts(container: Container, rows: int) -> NDArray[np.int64] | None:
    """Read the count of each word; None without counts, or if all are 0."""
    if "counts" not in container.entries:
        return None
    counts = _typed(container, "counts", "<i8", (rows,))
    if counts.min() < 0:
        raise DataError(
            f"{container.origin}: damaged; counts must be at least 0; got {counts.min()}"
        )
    return counts if counts.any() else None


def _read_vocabulary(container: Container, rows: int) -> StoredVocabulary:
    data = _typed(container, "word_bytes", "u1", (None,))
    offsets = _typed(container, "word_offsets", "<i8", (rows + 1,))
    if offsets[0] != 0 or offsets[-1] != len(data):
        raise DataError(
            f"{container.origin}: damaged; word_offsets must go from 0 to {len(data)}, "
            f"go from {offsets[0]} to {offsets[-1]}"
        )
    return StoredVocabulary(
        StoredWords(data, offsets, container.origin),
        _typed(container, "word_hashes", "<u4", (rows,)),
        _typed(container, "word_order", "<u4", (rows,)),
    )


def _read_whitening(container: Container, dimension: int) -> Whitening | None:
    """The whitening that was fitted when the file was written, unless by another algorithm."""
    version = container.metadata.get("whitening", "1")  # the first files did not say
    if "whitening_matrix" not in container.entries or version != str(WHITENING_VERSION):
        return None
    mean = _typed(container, "whitening_mean", "<f8", (dimension,))
    matrix = _typed(container, "whitening_matrix", "<f8", (dimension, dimension))
    length = float(_typed(container, "whitening_length", "<f8", (1,))[0])
    if not SHORTEST_MEAN <= length <= LARGEST_WHITENED:
        raise DataError(f"{container.origin}: damaged; whitening_length is {length:g}")
    return Whitening(mean, matrix, length, container.origin)


def _read_inference(container: Container, dimension: int) -> Inference | None:
    kind = container.metadata.get("subwords")
    if kind is None:
        return None
    table = _read_table(container, "subword_vectors", "subword_scales")
    if table.shape[1] != dimension:
        raise DataError(
            f"{container.origin}: subword_vectors must have dimension {dimension}; "
            f"got {table.shape[1]}"
        )
    if kind == "pieces":
        tokenizer = _typed(container, "subword_tokenizer", "u1", (None,))
        try:
            text = tokenizer.tobytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise DataError(f"{container.origin}: damaged subword_tokenizer: {error}") from error
        return PieceInference(table, text, container.origin)
    if kind != "fasttext":
        raise DataError(f"{container.origin}: subwords must be fasttext or pieces; got {kind!r}")
    try:
        sizes = json.loads(container.metadata["subword_sizes"])
        shortest, longest = index(sizes[0]), index(sizes[1])
    except (KeyError, ValueError, TypeError, IndexError, RecursionError) as error:
        raise DataError(f"{container.origin}: damaged subword_sizes: {error}") from error
    if not 0 <= longest <= LONGEST_NGRAM:
        raise DataError(
            f"{container.origin}: the longest n-gram must be at most {LONGEST_NGRAM}; got {longest}"
        )
    return NgramInference(table, shortest, longest)

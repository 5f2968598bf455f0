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
from fuzzbow.errors import InputError, parse_choice
from fuzzbow.progress import Progress, no_progress
from fuzzbow.vectors.formats.container import Container, Tensor, write_container
from fuzzbow.vectors.subwords import LONGEST_NGRAM, Inference, NgramInference, PieceInference
from fuzzbow.vectors.tables import StoredTable, StoredType, Table
from fuzzbow.vectors.vocabulary import StoredVocabulary, word_hashes
from fuzzbow.vectors.weights import (
    LARGEST_WHITENED,
    PREWEIGHTED_VERSION,
    WHITENING_VERSION,
    Whitening,
    fit_whitening,
    word_probabilities,
)
from fuzzbow.vectors.word_vectors import Fingerprint, WordVectors

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
    metadata, counts = container.metadata, None
    found, version = metadata["format"], metadata.get("ready")
    if found not in (FORMAT, PREWEIGHTED_FORMAT):
        raise container.error(f"format must be {FORMAT} or {PREWEIGHTED_FORMAT}; got {found}")
    preweighted = found == PREWEIGHTED_FORMAT
    wanted = str(PREWEIGHTED_VERSION) if preweighted else None
    if version != wanted:
        raise container.error(f"preweighted vectors must be of version {wanted}; got {version}")
    table = _read_table(container, "vectors", "scales")
    rows, dimension = table.shape
    if rows == 0 or dimension == 0:
        raise container.error("the vocabulary is empty; there must be at least one word")
    if "counts" in container.entries:
        counts = container.typed("counts", "<i8", rows)
        if counts.min() < 0:
            raise container.error(f"damaged; counts must be at least 0; got {counts.min()}")
    data = container.typed("word_bytes", "u1", None)
    offsets = container.typed("word_offsets", "<i8", rows + 1)
    if offsets[0] != 0 or offsets[-1] != len(data):
        range_ = f"from 0 to {len(data)}, go from {offsets[0]} to {offsets[-1]}"
        raise container.error(f"damaged; word_offsets must go {range_}")
    hashes, order = (container.typed(f"word_{name}", "<u4", rows) for name in ("hashes", "order"))
    return WordVectors(
        StoredVocabulary(data, offsets, hashes, order, container.origin),
        table,
        counts if counts is not None and counts.any() else None,
        metadata.get("name", Path(container.origin).stem),
        inference=_read_inference(container, dimension),
        stored_fingerprint=metadata.get("fingerprint"),
        stored_whitening=None if preweighted else _read_whitening(container, dimension),
        preweighted=preweighted,
    )


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


def _read_whitening(container: Container, dimension: int) -> Whitening | None:
    """Read the stored whitening; None if there is none, or another algorithm fitted it."""
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
        Function that is called with the number of words written and their total.

    Raises
    ------
    InputError
        If the name ends otherwise, or values are too large for float16.
    """
    stored = parse_choice(StoredType, dtype, "dtype")
    path = Path(path)
    if path.suffix != ".safetensors":
        raise InputError(f"{path}: the name of a native file must end in .safetensors")
    # float32 changes no value, so that the content keeps its fingerprint
    digest = None if stored is StoredType.FLOAT32 else Fingerprint(vectors.vocabulary)
    tensors = _table_tensors("vectors", "scales", vectors.table, stored, vectors, digest, progress)
    data, offsets = vectors.vocabulary.packed()
    content = data.tobytes()
    hashes = word_hashes([content[a:b] for a, b in pairwise(offsets.tolist())])
    order = np.argsort(hashes, kind="stable")
    arrays: dict[str, NDArray[Any]] = {
        "word_offsets": offsets,
        "word_hashes": hashes[order],
        "word_order": order.astype("<u4"),
        "word_bytes": data,
    }
    if vectors.counts is not None:
        arrays["counts"] = vectors.counts
    if vectors.preweighted:
        fixed = {"format": PREWEIGHTED_FORMAT, "ready": str(PREWEIGHTED_VERSION)}
    else:  # fitted here, so that loading a model need not
        fixed = {"format": FORMAT, "whitening": str(WHITENING_VERSION)}
        fitted = fit_whitening(lambda: _as_read_back(vectors, stored), word_probabilities(vectors))
        arrays["whitening_mean"], arrays["whitening_matrix"] = fitted.mean, fitted.matrix
        arrays["whitening_length"] = np.array([fitted.mean_length])
    tensors.extend(Tensor.of(name, array) for name, array in arrays.items())
    fixed |= {"name": vectors.name, "fingerprint": ""}  # which is known when all is written
    if stored is StoredType.INT4:  # bytes that hold two numbers each
        fixed |= {"dtype": stored.value, "dimension": str(vectors.dimension)}
    inference = vectors.inference
    if inference is not None:
        names = ("subword_vectors", "subword_scales")
        tensors += _table_tensors(*names, inference.table, stored, vectors)
    if isinstance(inference, PieceInference):
        fixed["subwords"] = "pieces"
        tokenizer = np.frombuffer(inference.tokenizer.encode("utf-8"), dtype=np.uint8)
        tensors.append(Tensor.of("subword_tokenizer", tokenizer))
    elif inference is not None:
        fixed["subwords"] = "fasttext"
        fixed["subword_sizes"] = f"[{inference.shortest}, {inference.longest}]"

    def metadata() -> dict[str, str]:
        return fixed | {"fingerprint": digest.value() if digest else vectors.fingerprint}

    write_container(path, tensors, metadata)


def _is_stored_as(table: Table, stored: StoredType) -> bool:
    """Return whether rows have this type already; rounding them again could change them."""
    is_plain = isinstance(table, StoredTable) and table.row_of is None
    return is_plain and bool(table.arrays[0].dtype == stored.dtype)


def _as_read_back(vectors: WordVectors, stored: StoredType) -> Iterator[Floats]:
    """Yield all vectors as they will be read from the file: (n, d) float64."""
    as_is = _is_stored_as(vectors.table, stored)
    for rows in vectors.table.chunks():
        found = rows if as_is else stored.encode(rows, vectors.name).dense()
        yield found.astype(np.float64)


def _table_tensors(
    name: str,
    scales_name: str,
    table: Table,
    stored: StoredType,
    vectors: WordVectors,
    digest: Fingerprint | None = None,
    progress: Progress | None = None,
) -> list[Tensor]:
    """Make the arrays of a table to write: its rows, and their scales if the type has them."""
    scales: list[NDArray[np.float32]] = []
    shape = (table.shape[0], stored.width(table.shape[1]))

    def rows() -> Iterator[NDArray[Any]]:
        scales.clear()
        done = 0
        encoded = (stored.encode(rows, vectors.name) for rows in table.chunks())
        for part in [table] if _is_stored_as(table, stored) else encoded:
            array, *found = part.arrays
            scales.extend(found)
            if digest is not None:
                digest.update(array)
            done += len(array)
            (progress or no_progress)(done, table.shape[0])
            yield array

    def row_scales() -> Iterator[NDArray[Any]]:
        joined = np.concatenate(scales)
        if digest is not None:
            digest.update(joined)
        yield joined

    tensors = [Tensor(name, stored.dtype, shape, rows)]
    if stored.scaled:
        tensors.append(Tensor(scales_name, np.dtype("<f4"), shape[:1], row_scales))
    return tensors

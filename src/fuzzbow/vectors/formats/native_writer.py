"""Writing fuzzbow's own file, some rows at a time, so that the table need not fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats
from fuzzbow.errors import DataError, InputError, parse_choice
from fuzzbow.progress import Progress
from fuzzbow.vectors.formats.container import Tensor, write_container
from fuzzbow.vectors.formats.native import FORMAT, READY_FORMAT
from fuzzbow.vectors.quantisation import Quantised, packed, quantise, quantise_int4
from fuzzbow.vectors.subwords.inference import Inference, NgramInference
from fuzzbow.vectors.subwords.pieces import PieceInference
from fuzzbow.vectors.tables import ArrayTable, PackedTable, StoredType, Table, chunks
from fuzzbow.vectors.vocabulary import Vocabulary, word_hashes
from fuzzbow.vectors.weights.frequencies import word_probabilities
from fuzzbow.vectors.weights.whitening import READY_VERSION, WHITENING_VERSION, fit_whitening
from fuzzbow.vectors.word_vectors import Fingerprint, WordVectors

Observer = Callable[[NDArray[Any]], None]


def save_vectors(
    vectors: WordVectors,
    path: str | Path,
    *,
    dtype: StoredType | str = StoredType.FLOAT32,
    progress: Progress | None = None,
) -> None:
    """Write fuzzbow's own file under another name, then rename it.

    int8 and int4 have a scale per row. `progress` is told how many words are written, of how many.
    """
    stored = parse_choice(StoredType, dtype, "dtype")
    path = Path(path)
    if path.suffix != ".safetensors":
        raise InputError(f"{path}: the name of a native file must end in .safetensors")
    digest = Fingerprint(vectors.vocabulary)
    table = _Rows(vectors.table, stored, _observer(digest, len(vectors), progress), vectors.name)
    subwords = _subwords(vectors.inference, stored, vectors.name)
    tensors = [*table.tensors("vectors", "scales"), *_vocabulary_tensors(vectors.vocabulary)]
    if vectors.counts is not None:
        tensors.append(Tensor.of("counts", vectors.counts))
    if not vectors.ready:
        tensors.extend(_whitening_tensors(vectors, stored))
    tensors.extend(subwords[1])

    def metadata() -> dict[str, str]:
        # float32 changes no value, so that the content keeps its fingerprint
        exact = stored is StoredType.FLOAT32
        fingerprint = vectors.fingerprint if exact else digest.value()
        fixed = {"name": vectors.name, "fingerprint": fingerprint}
        return {**_version(vectors), **fixed, **_packing(vectors, stored), **subwords[0]}

    write_container(path, tensors, metadata)


def _version(vectors: WordVectors) -> dict[str, str]:
    """Return the metadata for reading the vectors."""
    if vectors.ready:
        return {"format": READY_FORMAT, "ready": str(READY_VERSION)}
    return {"format": FORMAT, "whitening": str(WHITENING_VERSION)}


def _packing(vectors: WordVectors, stored: StoredType) -> dict[str, str]:
    """Return the metadata of bytes that hold two numbers each."""
    if stored is not StoredType.INT4:
        return {}
    return {"dtype": stored.value, "dimension": str(vectors.dimension)}


def _whitening_tensors(vectors: WordVectors, stored: StoredType) -> list[Tensor]:
    """The whitening of the vocabulary, stored so that loading a model need not fit it."""
    fitted = fit_whitening(
        lambda: _as_stored(vectors.table, stored, vectors.name), word_probabilities(vectors)
    )
    return [
        Tensor.of("whitening_mean", fitted.mean),
        Tensor.of("whitening_matrix", fitted.matrix),
        Tensor.of("whitening_length", np.array([fitted.mean_length])),
    ]


def _as_stored(table: Table, stored: StoredType, name: str) -> Iterator[Floats]:
    """All rows as they will be read back, a bounded number at a time: (n, d) float64."""
    for rows in chunks(table):
        if stored.scaled and not _is_stored_as(table, stored):
            steps, scales = _quantised(rows, stored)
            rows = steps * scales[:, None]
        elif stored is StoredType.FLOAT16:
            rows = _narrowed(rows, stored, name)
        yield rows.astype(np.float64)


def _quantised(rows: Floats, stored: StoredType) -> Quantised:
    return quantise_int4(rows) if stored is StoredType.INT4 else quantise(rows)


def _narrowed(rows: NDArray[Any], stored: StoredType, name: str) -> NDArray[Any]:
    """Rows in a smaller type that must hold them: (n, d) -> (n, d)."""
    with np.errstate(over="ignore"):
        narrowed = rows.astype(stored.dtype)
    if not np.isfinite(narrowed).all():
        raise DataError(f"{name}: values are too large for {stored.value}")
    return narrowed


def _is_stored_as(table: Table, stored: StoredType) -> bool:
    """Return whether a table has that type already; rounding again could change it."""
    if stored is StoredType.INT4:
        return isinstance(table, PackedTable)
    return isinstance(table, ArrayTable) and bool(table.array.dtype == stored.dtype)


def _observer(digest: Fingerprint, total: int, progress: Progress | None) -> Observer:
    """A function that adds written rows to the digest and reports progress."""
    done = 0

    def observe(rows: NDArray[Any]) -> None:
        nonlocal done
        digest.update(rows)
        done += len(rows) if rows.ndim == 2 else 0
        if progress is not None:
            progress(done, total)

    return observe


class _Rows:
    """A table to be written: its rows in the stored type, then their scales."""

    def __init__(self, table: Table, stored: StoredType, observe: Observer, name: str) -> None:
        self._table, self._stored, self._observe, self._name = table, stored, observe, name
        self._scales: list[NDArray[np.float32]] = []

    def tensors(self, name: str, scales: str) -> list[Tensor]:
        """The arrays to write: one, or two where rows have scales."""
        count, dimension = self._table.shape
        shape = (count, self._stored.width(dimension))
        found = [Tensor(name, self._stored.dtype, shape, self._rows)]
        if self._stored.scaled:
            found.append(Tensor(scales, np.dtype("<f4"), (count,), self._row_scales))
        return found

    def _rows(self) -> Iterator[NDArray[Any]]:
        for rows in self._encoded():
            self._observe(rows)
            yield rows

    def _encoded(self) -> Iterator[NDArray[Any]]:
        table, self._scales = self._table, []
        if _is_stored_as(table, self._stored):
            array, *scales_of_rows = table.arrays
            self._scales.extend(scales_of_rows)
            yield array
            return
        for rows in chunks(table):
            if self._stored.scaled:
                steps, scales = _quantised(rows, self._stored)
                self._scales.append(scales)
                yield packed(steps) if self._stored is StoredType.INT4 else steps
            else:
                yield _narrowed(rows, self._stored, self._name)

    def _row_scales(self) -> Iterator[NDArray[Any]]:
        scales = np.concatenate(self._scales)
        self._observe(scales)
        yield scales


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


def _subwords(
    inference: Inference | None, stored: StoredType, name: str
) -> tuple[dict[str, str], list[Tensor]]:
    """Return metadata and arrays that give unknown words their vectors."""
    if isinstance(inference, NgramInference):
        metadata = {"subwords": "fasttext"}
        metadata["subword_sizes"] = f"[{inference.shortest}, {inference.longest}]"
        table, extra = inference.buckets, []
    elif isinstance(inference, PieceInference):
        metadata = {"subwords": "pieces"}
        content = np.frombuffer(inference.tokenizer.encode("utf-8"), dtype=np.uint8)
        table, extra = inference.pieces, [Tensor.of("subword_tokenizer", content)]
    else:
        return {}, []
    rows = _Rows(table, stored, lambda _: None, name)
    return metadata, [*rows.tensors("subword_vectors", "subword_scales"), *extra]

"""The words of texts as Arrow columns, so that an index opens without splitting texts again.

A token is the id of a word in the vocabulary. The number of words in the vocabulary itself
stands for a word outside it, and those words follow, as bytes, in a column of their own:
the n-th such token is the n-th such word. A row therefore needs no other row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fuzzbow.arrays import Integers, Ragged, read_only
from fuzzbow.vectors.vocabulary import encode

TOKENS, UNKNOWN = "_tokens", "_unknown"


def fields() -> list[Any]:
    """The two columns."""
    import pyarrow as pa

    return [
        pa.field(TOKENS, pa.list_(pa.uint32())),
        pa.field(UNKNOWN, pa.list_(pa.binary())),
    ]


def to_columns(rows: Ragged, unknown: Sequence[str], known: int) -> list[Any]:
    """Both columns of texts whose ids from `known` on are those of unknown words."""
    import pyarrow as pa

    outside = rows.values >= known
    tokens = np.minimum(rows.values, known).astype(np.uint32)
    words = pa.array([encode(word) for word in unknown], pa.binary())
    places = pa.array(rows.values[outside].astype(np.int64) - known)
    before = np.concatenate([[0], np.cumsum(outside)])
    return [
        pa.ListArray.from_arrays(rows.offsets.astype(np.int32), pa.array(tokens)),
        pa.ListArray.from_arrays(before[rows.offsets].astype(np.int32), words.take(places)),
    ]


def from_columns(tokens: Any, unknown: Any, known: int) -> tuple[Ragged, list[str]]:
    """The texts and their distinct unknown words, as `Encoder.word_ids` would give them."""
    import pyarrow as pa

    values = _joined([chunk.flatten() for chunk in tokens.chunks], np.uint32)
    lengths = _joined([chunk.value_lengths() for chunk in tokens.chunks], np.int64)
    words = pa.chunked_array([chunk.flatten() for chunk in unknown.chunks], pa.binary())
    coded = words.combine_chunks().dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    outside = np.flatnonzero(values == known)
    values[outside] = known + coded.indices.to_numpy(zero_copy_only=False).astype(np.uint32)
    found = [word.decode("utf-8", "surrogatepass") for word in coded.dictionary.to_pylist()]
    return Ragged.from_lengths(read_only(values), lengths), found


def _joined(parts: list[Any], kind: type) -> Integers:
    """Arrow arrays as one NumPy array of its own."""
    arrays = [part.to_numpy(zero_copy_only=False) for part in parts]
    return np.concatenate([np.zeros(0, kind), *arrays]).astype(kind, copy=False)

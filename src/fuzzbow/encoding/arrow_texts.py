"""Texts in an Arrow column, which the kernels read without a copy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import compress
from operator import eq
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Booleans
from fuzzbow.errors import InputError
from fuzzbow.plurals import counted
from fuzzbow.text import ARROW_BLANK_TEXT, fold

PROTOCOLS = ("__arrow_c_stream__", "__arrow_c_array__")
SPACE, LAST_VISIBLE = 0x20, 0x7E  # of ASCII
STRINGS = ("string", "large_string", "string_view")
BLOCK_TEXTS = 4096  # texts that become strings together


Chunk = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]


class ArrowTexts(Sequence[str]):
    """Sequence of texts in Arrow's memory; a text becomes a Python string when it is read."""

    def __init__(self, column: Any, mask: Booleans | None = None) -> None:
        self._whole, self._mask = column, mask  # chunks of large_string, without nulls

    @cached_property
    def _column(self) -> Any:
        """Column of the texts, copied if some rows are excluded."""
        return self._whole if self._mask is None else self._whole.filter(self._mask)

    def __len__(self) -> int:
        return len(self._whole) if self._mask is None else int(np.count_nonzero(self._mask))

    def __getitem__(self, place: int | slice) -> Any:
        found = self._column[place]
        return ArrowTexts(found) if isinstance(place, slice) else found.as_py()

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), BLOCK_TEXTS):
            yield from self._column.slice(start, BLOCK_TEXTS).to_pylist()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, list | ArrowTexts):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]  # as that of a list

    def __add__(self, more: TextList) -> ArrowTexts:
        return _concatenate(self, more)

    def __radd__(self, before: list[str]) -> ArrowTexts:
        return _concatenate(before, self)

    def __repr__(self) -> str:
        return f"ArrowTexts({counted(len(self), 'text')})"

    def __arrow_array__(self, type: Any = None) -> Any:
        """Return the column, for `pyarrow.array`."""
        return self._column if type is None else self._column.cast(type)

    def where(self, mask: Booleans) -> ArrowTexts:
        """Return the texts where the mask, (n,), is true; they are copied when they are read."""
        return ArrowTexts(self._column, mask)

    def blank(self) -> Booleans:
        """Mark blank texts: (n,)."""
        import pyarrow.compute as pc

        blank = np.ones(len(self), dtype=np.bool_)
        done = 0
        for data, starts, ends in self.utf8_chunks():
            # most texts begin with a visible character of ASCII
            whole = starts < ends
            first = data[starts[whole]]
            blank[done : done + len(starts)][whole] = (first <= SPACE) | (first > LAST_VISIBLE)
            done += len(starts)
        rest = self._column.filter(blank)
        blank[blank] = pc.match_substring_regex(rest, ARROW_BLANK_TEXT).to_numpy()
        return blank

    def without(self, mask: Booleans) -> ArrowTexts:
        """Empty the texts where the mask, (n,), is true."""
        import pyarrow as pa
        import pyarrow.compute as pc

        empty = pa.scalar("", pa.large_string())
        return ArrowTexts(pc.if_else(pa.chunked_array([mask]), empty, self._column))

    def folded(self) -> ArrowTexts:
        """Fold the texts; those of plain ASCII are copied only if others change."""
        import pyarrow as pa
        import pyarrow.compute as pc

        chunks, changed = [], False
        for chunk in self._column.chunks:
            odd = pc.invert(pc.string_is_ascii(chunk))
            texts = chunk.filter(odd).to_pylist()
            folded = list(map(fold, texts))
            if folded != texts:
                changed = True
                chunk = pc.replace_with_mask(chunk, odd, pa.array(folded, chunk.type))
            chunks.append(chunk)
        return ArrowTexts(pa.chunked_array(chunks, self._column.type)) if changed else self

    def utf8_chunks(self) -> list[Chunk]:
        """Return the bytes of each chunk, and the offsets of its texts."""
        chunks, done = [], 0
        for chunk in self._whole.chunks:
            mask = None if self._mask is None else self._mask[done : done + len(chunk)]
            done += len(chunk)
            if len(chunk):
                chunks.append(_parts(chunk, mask))
        return chunks


TextList = list[str] | ArrowTexts


def texts_where(texts: TextList, mask: Booleans) -> TextList:
    """Return the texts where the mask, (n,), is true."""
    if isinstance(texts, ArrowTexts):
        return texts.where(mask)
    return list(compress(texts, mask.tobytes()))


def folded_texts(texts: TextList) -> TextList:
    """Fold texts for the kernels."""
    if isinstance(texts, ArrowTexts):
        return texts.folded()
    return [text if text.isascii() else fold(text) for text in texts]


def column_texts(texts: Any, name: str) -> tuple[ArrowTexts, Booleans] | None:
    """Return texts in Arrow's memory, missing ones empty, and mark those: n, (n,).

    Return None for anything else than strings in Arrow's memory.
    """
    if isinstance(texts, ArrowTexts):
        return texts, np.zeros(len(texts), dtype=np.bool_)
    column = _import_column(texts) if _in_arrow(texts) else None
    strings = None if column is None else _strings(column, name)
    if strings is None:
        return None
    missing = np.asarray(strings.is_null().to_numpy(), dtype=np.bool_)
    return ArrowTexts(strings.fill_null("") if missing.any() else strings), missing


def _in_arrow(texts: Any) -> bool:
    """Return whether texts are in Arrow's memory; pandas also exports Python strings."""
    dtype = getattr(texts, "dtype", None)
    if isinstance(dtype, np.dtype) or hasattr(dtype, "storage"):
        return getattr(dtype, "storage", None) == "pyarrow"
    if isinstance(texts, Iterator):  # that cannot be read a second time as what it is
        return False
    return any(hasattr(texts, protocol) for protocol in PROTOCOLS)


def _import_column(texts: Any) -> Any:
    """Import a column of any library as chunks of Arrow; None if it cannot be exported."""
    import pyarrow as pa

    if isinstance(texts, pa.ChunkedArray):
        return texts
    try:
        column = pa.chunked_array(texts) if hasattr(texts, PROTOCOLS[0]) else pa.array(texts)
    except (pa.ArrowException, TypeError, ValueError):
        return None
    return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])


def _strings(column: Any, name: str) -> Any:
    """Cast a column to large_string with its nulls; None if that is impossible."""
    import pyarrow as pa

    coded = pa.types.is_dictionary(column.type)
    if str(column.type.value_type if coded else column.type) not in STRINGS:
        return None
    try:
        column.validate(full=True)  # the kernels go by its offsets
    except pa.ArrowInvalid as error:
        raise InputError(f"{name} must be a sound column of Arrow; {error}") from error
    wide = pa.large_string()
    try:
        if not coded:
            return column.cast(wide)
        chunks = [chunk.dictionary.cast(wide).take(chunk.indices) for chunk in column.chunks]
    except pa.ArrowNotImplementedError:  # views, in older versions
        return None
    return pa.chunked_array(chunks, wide)


def _concatenate(before: TextList, behind: TextList) -> ArrowTexts:
    """Concatenate texts, without a copy of those in Arrow's memory."""
    import pyarrow as pa

    wide = pa.large_string()
    sides = [pa.array(side, wide) for side in (before, behind)]
    chunks = [chunk for side in sides for chunk in getattr(side, "chunks", [side])]
    return ArrowTexts(pa.chunked_array(chunks, wide))


def _parts(chunk: Any, mask: Booleans | None) -> Chunk:
    """Return the bytes of a chunk that is not empty, and the offsets of the mask's texts."""
    _, offsets, data = chunk.buffers()
    known = np.frombuffer(offsets, np.int64, len(chunk) + 1, 8 * chunk.offset)
    chosen = slice(None) if mask is None else mask
    return np.frombuffer(data or b"", np.uint8), known[:-1][chosen], known[1:][chosen]

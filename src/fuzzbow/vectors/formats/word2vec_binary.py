"""word2vec binary: a header line, then a word, a space and d float32 numbers, V times."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fuzzbow.errors import DataError, InputError
from fuzzbow.plurals import counted
from fuzzbow.vectors.formats import VectorFile
from fuzzbow.vectors.formats.text import Header, find_header, parse_line
from fuzzbow.vectors.tables import usable_rows
from fuzzbow.vectors.word_vectors import WordVectors, assemble, check_finite

BLOCK = 1 << 22
LONGEST_WORD = 1 << 16


def recognises(file: VectorFile) -> bool:
    """Return whether the file has a header line that is followed by binary data."""
    header = find_header(file, file.head)
    return header is not None and not _is_text(file.head, header)


def _is_text(head: bytes, header: Header) -> bool:
    """Return whether a parsable line, or text without controls, follows a header line."""
    _, dimension, size = header
    line, newline, _ = head[size:].partition(b"\n")
    if newline:
        try:
            parse_line(line, dimension, "latin-1")
        except InputError:
            pass
        else:
            return True
    sample = head[size : size + 4096]
    return all(byte >= 32 or byte in b"\t\n\r" for byte in sample)


def read(file: VectorFile) -> WordVectors:
    """Read words and vectors, with an optional newline after each vector."""
    header = find_header(file, file.head)
    if header is None:
        raise file.error("must begin with a line `words dimension`; it does not")
    count, dimension, size = header
    file.stream.read(size)
    entries = min(count, file.limit or count)
    if entries * (4 * dimension + 1) > file.stream.largest:
        raise _truncated(file, header)
    raw, matrix = _read_entries(file, header, entries)
    words, kept = file.decode(raw)
    matrix = matrix if len(kept) == entries else matrix[kept]
    if not file.skip_bad:
        check_finite(matrix, words, str(file.path))
    elif not (usable := usable_rows(matrix)).all():
        words = [word for word, good in zip(words, usable.tolist(), strict=True) if good]
        matrix = matrix[usable]
    return assemble(words, matrix, name=file.name, skipped=entries - len(words))


def _truncated(file: VectorFile, header: Header) -> DataError:
    size = f"{counted(header[0], 'word')} of dimension {header[1]}"
    return file.error(f"truncated; its first line says {size}, it ends before")


def _read_entries(
    file: VectorFile, header: Header, entries: int
) -> tuple[list[bytes], NDArray[np.float32]]:
    """Read raw words and the matrix, (entries, d)."""
    width = 4 * header[1]
    matrix = np.empty((entries, header[1]), dtype="<f4")
    target = matrix.reshape(-1).view(np.uint8).data
    words: list[bytes] = []
    data, position = b"", 0
    while len(words) < entries:
        end = data.find(b" ", position)
        if end < 0 or end + 1 + width > len(data):
            more = file.stream.read(max(BLOCK, 2 * width))
            too_long = end < 0 and len(data) - position > LONGEST_WORD
            if not more or too_long:
                raise _truncated(file, header)
            data, position = data[position:] + more, 0
            continue
        row = len(words)
        target[row * width : (row + 1) * width] = data[end + 1 : end + 1 + width]
        words.append(data[position:end].lstrip(b"\n"))  # a newline belongs to the vector before
        position = end + 1 + width
    return words, matrix

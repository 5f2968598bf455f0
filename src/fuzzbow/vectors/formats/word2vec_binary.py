"""word2vec binary: a header line, then a word, a space and d float32 numbers, V times."""

from __future__ import annotations

import numpy as np

from fuzzbow.errors import DataError, InputError
from fuzzbow.plurals import counted
from fuzzbow.streams import Stream
from fuzzbow.vectors.formats.text_blocks import Layout, parse_line
from fuzzbow.vectors.formats.text_format import Header, find_header
from fuzzbow.vectors.formats.vector_file import ReadOptions, VectorFile
from fuzzbow.vectors.tables import usable_rows
from fuzzbow.vectors.word_vectors import WordVectors, assemble, check_finite

BLOCK = 1 << 22
LONGEST_WORD = 1 << 16


def recognises(file: VectorFile) -> bool:
    """Return whether a header line is followed by anything but text."""
    header = find_header(file.head, file.origin)
    return header is not None and not _is_text(file.head, header)


def _is_text(head: bytes, header: Header) -> bool:
    """Return whether a parsable line, or text without controls, follows a header line."""
    line, newline, _ = head[header.size :].partition(b"\n")
    if newline:
        try:
            parse_line(line, Layout("", header.dimension, "latin-1"))
        except InputError:
            pass
        else:
            return True
    sample = head[header.size : header.size + 4096]
    return all(byte >= 32 or byte in b"\t\n\r" for byte in sample)


def read(file: VectorFile) -> WordVectors:
    """Words and vectors; a newline may follow each vector, as some writers put one."""
    stream, options = file.stream, file.options
    header = find_header(file.head, file.origin)
    if header is None:
        raise DataError(f"{file.origin}: must begin with a line `words dimension`; it does not")
    stream.read(header.size)
    entries = header.words if options.limit is None else min(header.words, options.limit)
    if entries * (4 * header.dimension + 1) > stream.largest:
        raise _truncated(stream, header)
    raw, matrix = _read_entries(stream, header, entries)
    words, keep = _decode(raw, stream.origin, options)
    finite = usable_rows(matrix)
    if not options.skip_bad:
        check_finite(matrix, words, stream.origin)
    else:
        keep &= finite
        words = [word for word, good in zip(words, keep.tolist(), strict=True) if good]
        matrix = matrix if keep.all() else matrix[keep]
    return assemble(words, matrix, name=file.name, skipped=int((~keep).sum()))


def _truncated(stream: Stream, header: Header) -> InputError:
    size = f"{counted(header.words, 'word')} of dimension {header.dimension}"
    return DataError(f"{stream.origin}: truncated; its first line says {size}, it ends before")


def _read_entries(
    stream: Stream, header: Header, entries: int
) -> tuple[list[bytes], np.ndarray[tuple[int, int], np.dtype[np.float32]]]:
    """Raw words and the matrix, (entries, d)."""
    width = 4 * header.dimension
    matrix = np.empty((entries, header.dimension), dtype="<f4")
    target = matrix.reshape(-1).view(np.uint8).data
    words: list[bytes] = []
    data, place = b"", 0
    while len(words) < entries:
        end = data.find(b" ", place)
        if end < 0 or end + 1 + width > len(data):
            more = stream.read(max(BLOCK, 2 * width))
            too_long = end < 0 and len(data) - place > LONGEST_WORD
            if not more or too_long:
                raise _truncated(stream, header)
            data, place = data[place:] + more, 0
            continue
        row = len(words)
        target[row * width : (row + 1) * width] = data[end + 1 : end + 1 + width]
        words.append(data[place:end].lstrip(b"\n"))  # a newline belongs to the vector before
        place = end + 1 + width
    return words, matrix


def _decode(
    raw: list[bytes], origin: str, options: ReadOptions
) -> tuple[list[str], np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """Words, and which of them could be decoded (the others are empty)."""
    words: list[str] = []
    good = np.ones(len(raw), dtype=np.bool_)
    for position, word in enumerate(raw):
        try:
            words.append(word.decode(options.encoding))
        except UnicodeDecodeError as error:
            if not options.skip_bad:
                raise DataError(
                    f"{origin}, word {position + 1}: {word!r} is not {options.encoding}; "
                    "give its encoding"
                ) from error
            words.append("")
            good[position] = False
    return words, good

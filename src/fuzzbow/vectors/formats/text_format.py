"""word2vec text, GloVe text and fastText .vec: blocks of lines, parsed by a few threads."""

from __future__ import annotations

import os
import re
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzbow.errors import DataError
from fuzzbow.plurals import counted
from fuzzbow.streams import LONGEST_LINE, Stream
from fuzzbow.vectors.formats.text_blocks import BYTE_ORDER_MARK, Block, Layout, Parsed, parse_block
from fuzzbow.vectors.formats.vector_file import VectorFile
from fuzzbow.vectors.word_vectors import WordVectors, assemble

BLOCK = 1 << 22
MOST_ROOM = 1 << 28  # bytes reserved for the matrix of a compressed file before it is read
MOST_DIMENSIONS = 1 << 16
MOST_THREADS = 8
HEADER = re.compile(rb"\s*(\d{1,18})[ \t]+(\d{1,18})[ \t]*\r?\n")


@dataclass(frozen=True)
class Header:
    """The first line of a word2vec file, and how many bytes it takes."""

    words: int
    dimension: int
    size: int


def find_header(head: bytes, origin: str) -> Header | None:
    """The line "V d" that word2vec files begin with, if there is one."""
    match = HEADER.match(head)
    if match is None:
        return None
    words, dimension = int(match[1]), int(match[2])
    if words == 0:
        raise DataError(f"{origin}: the vocabulary is empty; its first line says 0 words")
    if dimension == 0:
        raise DataError(f"{origin}: dimension must be at least 1; its first line says 0")
    check_dimension(dimension, origin)
    return Header(words, dimension, match.end())


def check_dimension(dimension: int, origin: str) -> None:
    """Refuse a number of dimensions that no word vectors have."""
    if dimension > MOST_DIMENSIONS:
        raise DataError(f"{origin}: dimension must be at most {MOST_DIMENSIONS}; got {dimension}")


def recognises(file: VectorFile) -> bool:
    """Return whether a file has a header line, or at least no zero byte."""
    return b"\0" not in file.head or find_header(file.head, file.origin) is not None


def read(file: VectorFile) -> WordVectors:
    """Words and vectors of a text file, with or without a header line."""
    stream, options = file.stream, file.options
    if stream.head.startswith(BYTE_ORDER_MARK):
        stream.read(len(BYTE_ORDER_MARK))
    head = stream.head.removeprefix(BYTE_ORDER_MARK)
    header = find_header(head, stream.origin)
    if header is not None:
        stream.read(header.size)
    dimension = header.dimension if header else guess_dimension(head, stream.origin)
    layout = Layout(stream.origin, dimension, options.encoding, options.skip_bad)
    rows = _Rows(dimension, _expected_rows(stream, header, head, options.limit, dimension))
    blocks = _blocks(stream, first_line=2 if header else 1, limit=options.limit)
    for parsed in _parse_all(blocks, layout):
        rows.add(parsed)
    if header is not None and not options.skip_bad:
        _check_count(header.words, len(rows.words), options.limit, stream.origin)
    if not rows.words:
        raise DataError(f"{stream.origin}: the vocabulary is empty; no line could be used")
    return assemble(rows.words, rows.matrix(), name=file.name, skipped=rows.skipped)


def guess_dimension(head: bytes, origin: str) -> int:
    """Fields per line less one, as most of the first lines have it (a word may have spaces)."""
    lines = head.split(b"\n")
    whole = lines[:-1] if len(lines) > 1 else lines
    sizes = Counter(len(line.split()) for line in whole[:100] if line.strip())
    if not sizes:
        raise DataError(f"{origin}: the vocabulary is empty; the file has no words")
    most = max(sizes.values())
    fields = next(size for size, count in sizes.items() if count == most)
    if fields < 2:
        raise DataError(f"{origin}: not a file of word vectors; its lines hold no numbers")
    check_dimension(fields - 1, origin)
    return fields - 1


def _check_count(announced: int, found: int, limit: int | None, origin: str) -> None:
    wanted = announced if limit is None else min(announced, limit)
    if found != wanted:
        kind = "truncated; " if found < wanted else ""
        raise DataError(
            f"{origin}: {kind}its first line says {counted(announced, 'word')}, but {found} follow"
        )


def _expected_rows(
    stream: Stream, header: Header | None, head: bytes, limit: int | None, dimension: int
) -> int:
    """About how many rows there will be; reserved memory that stays unused costs nothing."""
    if header is not None:
        expected = header.words
    elif stream.compression:
        expected = 1024
    else:
        lines = max(head.count(b"\n"), 1)
        expected = int(1.1 * lines * stream.file_size / len(head)) + 1
    # a number takes at least two bytes, so that a false header cannot reserve much more
    possible = stream.largest // (2 * dimension + 1) + 1
    if stream.compression:
        possible = min(possible, MOST_ROOM // (4 * dimension) + 1)
    return min(expected, possible, limit or expected)


def _blocks(stream: Stream, *, first_line: int, limit: int | None) -> Iterator[Block]:
    """Whole lines, about 4 MB at a time, no more lines than `limit`."""
    left, line = b"", first_line
    while limit is None or line - first_line < limit:
        data = stream.read(BLOCK)
        if not data:
            if left:
                yield Block(left, line)
            return
        cut = data.rfind(b"\n") + 1
        if not cut:
            left += data
            if len(left) > LONGEST_LINE:
                raise DataError(f"{stream.origin}, line {line}: too long for a word vector")
            continue
        block, left = left + data[:cut], data[cut:]
        if limit is not None:
            block = _first_lines(block, limit - (line - first_line))
        yield Block(block, line)
        line += block.count(b"\n")


def _first_lines(block: bytes, count: int) -> bytes:
    ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == 10)
    return block if len(ends) <= count else block[: int(ends[count - 1]) + 1]


def _parse_all(blocks: Iterator[Block], layout: Layout) -> Iterator[Parsed]:
    """Parse in threads (pyarrow lets them run side by side), give back in order."""
    threads = min(MOST_THREADS, os.cpu_count() or 1)
    pool = ThreadPoolExecutor(threads, thread_name_prefix="fuzzbow-parse")
    waiting: deque[Future[Parsed]] = deque()
    try:
        for block in blocks:
            waiting.append(pool.submit(parse_block, block, layout))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class _Rows:
    """Collects words and vectors in an array of the expected size, which grows if need be."""

    def __init__(self, dimension: int, expected: int) -> None:
        self.words: list[str] = []
        self.skipped = 0
        self._room = np.empty((expected, dimension), dtype=np.float32)

    def add(self, parsed: Parsed) -> None:
        first, last = len(self.words), len(self.words) + len(parsed.words)
        if last > len(self._room):
            grown = np.empty((last + last // 2, self._room.shape[1]), dtype=np.float32)
            grown[:first] = self._room[:first]
            self._room = grown
        self._room[first:last] = parsed.matrix
        self.words.extend(parsed.words)
        self.skipped += parsed.skipped

    def matrix(self) -> NDArray[np.float32]:
        return self._room[: len(self.words)]

"""word2vec text, GloVe text and fastText .vec: blocks of lines, parsed by a few threads.

pyarrow parses a whole block at a time. A block that it refuses, or that is irregular, is parsed
line by line, which is slower, but accepts more and names the line that is wrong.
"""

from __future__ import annotations

import os
import re
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from fuzzbow.errors import DataError, InputError
from fuzzbow.io.streams import LONGEST_LINE, Stream
from fuzzbow.plurals import counted
from fuzzbow.vectors.formats import VectorFile
from fuzzbow.vectors.tables import LARGEST_VALUE, usable_rows
from fuzzbow.vectors.word_vectors import WordVectors, assemble

BLOCK = 1 << 22
MOST_ROOM = 1 << 28  # bytes reserved for the matrix of a compressed file before it is read
MOST_DIMENSIONS = 1 << 16
MOST_THREADS = 8
HEADER = re.compile(rb"\s*(\d{1,18})[ \t]+(\d{1,18})[ \t]*\r?\n")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LONGEST_WORD = 1 << 20  # bytes
LONGEST_NUMBER = 1 << 10  # bytes; a line may hold one number per dimension

Block = tuple[bytes, int]  # whole lines, and the number of the first
Parsed = tuple[list[str], NDArray[np.float32], int]  # words, (n, d), number of lines skipped


Header = tuple[int, int, int]  # first line of a word2vec file: words, dimension, its size in bytes


def find_header(file: VectorFile, head: bytes) -> Header | None:
    """Return the line "V d" that word2vec files begin with, if there is one."""
    match = HEADER.match(head)
    if match is None:
        return None
    words, dimension = int(match[1]), int(match[2])
    if words == 0:
        raise file.error("the vocabulary is empty; its first line says 0 words")
    if dimension == 0:
        raise file.error("dimension must be at least 1; its first line says 0")
    check_dimension(file, dimension)
    return words, dimension, match.end()


def check_dimension(file: VectorFile, dimension: int) -> None:
    """Refuse an implausible number of dimensions."""
    if dimension > MOST_DIMENSIONS:
        raise file.error(f"dimension must be at most {MOST_DIMENSIONS}; got {dimension}")


def recognises(file: VectorFile) -> bool:
    """Return whether a file has a header line, or at least no zero byte."""
    return b"\0" not in file.head or find_header(file, file.head) is not None


def read(file: VectorFile) -> WordVectors:
    """Read words and vectors of a text file, with or without a header line."""
    stream, limit = file.stream, file.limit
    if stream.head.startswith(BYTE_ORDER_MARK):
        stream.read(len(BYTE_ORDER_MARK))
    head = stream.head.removeprefix(BYTE_ORDER_MARK)
    header = find_header(file, head)
    if header is not None:
        stream.read(header[2])
    dimension = header[1] if header else _guess_dimension(file, head)
    expected = _expected_rows(stream, header, head, limit, dimension)
    room = np.empty((expected, dimension), dtype=np.float32)  # grows if there are more
    words: list[str] = []
    skipped = 0
    for found, rows, bad in _parse_all(file, dimension, 2 if header else 1):
        first, last = len(words), len(words) + len(found)
        if last > len(room):
            grown = np.empty((last + last // 2, dimension), dtype=np.float32)
            grown[:first] = room[:first]
            room = grown
        room[first:last] = rows
        words.extend(found)
        skipped += bad
    if header is not None and not file.skip_bad:
        wanted = min(header[0], limit or header[0])
        if len(words) != wanted:
            kind = "truncated; " if len(words) < wanted else ""
            announced = counted(header[0], "word")
            raise file.error(f"{kind}its first line says {announced}, but {len(words)} follow")
    if not words:
        raise file.error("the vocabulary is empty; no line could be used")
    return assemble(words, room[: len(words)], name=file.name, skipped=skipped)


def _guess_dimension(file: VectorFile, head: bytes) -> int:
    """Guess the numbers per line from most of the first lines; words may contain spaces."""
    lines = head.split(b"\n")
    whole = lines[:-1] if len(lines) > 1 else lines
    sizes = Counter(len(line.split()) for line in whole[:100] if line.strip())
    if not sizes:
        raise file.error("the vocabulary is empty; the file has no words")
    most = max(sizes.values())
    fields = next(size for size, count in sizes.items() if count == most)
    if fields < 2:
        raise file.error("not a file of word vectors; its lines hold no numbers")
    check_dimension(file, fields - 1)
    return fields - 1


def _expected_rows(
    stream: Stream, header: Header | None, head: bytes, limit: int | None, dimension: int
) -> int:
    """Estimate how many rows there are; reserved memory that is never used costs nothing."""
    if header is not None:
        expected = header[0]
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
    """Read whole lines, about 4 MB at a time, no more lines than `limit`."""
    left, line = b"", first_line
    while limit is None or line - first_line < limit:
        data = stream.read(BLOCK)
        if not data:
            if left:
                yield left, line
            return
        cut = data.rfind(b"\n") + 1
        if not cut:
            left += data
            if len(left) > LONGEST_LINE:
                raise DataError(f"{stream.path}, line {line}: too long for a word vector")
            continue
        block, left = left + data[:cut], data[cut:]
        if limit is not None:
            ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == 10)
            missing = limit - (line - first_line)
            block = block if len(ends) <= missing else block[: int(ends[missing - 1]) + 1]
        yield block, line
        line += block.count(b"\n")


def _parse_all(file: VectorFile, dimension: int, first_line: int) -> Iterator[Parsed]:
    """Parse in threads (pyarrow releases the interpreter), and yield in order."""
    threads = min(MOST_THREADS, os.cpu_count() or 1)
    pool = ThreadPoolExecutor(threads, thread_name_prefix="fuzzbow-parse")
    waiting: deque[Future[Parsed]] = deque()
    try:
        for block in _blocks(file.stream, first_line=first_line, limit=file.limit):
            waiting.append(pool.submit(_parse, block, file, dimension))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _parse(block: Block, file: VectorFile, dimension: int) -> Parsed:
    """Parse a block, by pyarrow if it can."""
    return _parse_fast(block[0], file, dimension) or _parse_slowly(block, file, dimension)


def _parse_fast(data: bytes, file: VectorFile, dimension: int) -> Parsed | None:
    """Parse all lines by one call of pyarrow; return None if any is irregular."""
    import pyarrow as arrow
    from pyarrow import csv

    if data.startswith(BYTE_ORDER_MARK):  # pyarrow would drop it, but here it is part of a word
        return None
    for odd, plain in ((b"\t", b" "), (b"\r\n", b"\n"), (b" \n", b"\n")):
        data = data.replace(odd, plain) if odd in data else data
    data = data.rstrip(b" \r") if data.endswith((b" ", b"\r")) else data
    names = [str(column) for column in range(dimension + 1)]
    types = dict.fromkeys(names, arrow.float32()) | {"0": arrow.binary()}
    try:
        table = csv.read_csv(
            arrow.py_buffer(data),
            read_options=csv.ReadOptions(
                use_threads=False, column_names=names, block_size=len(data) + 1
            ),
            parse_options=csv.ParseOptions(delimiter=" ", quote_char=False, escape_char=False),
            convert_options=csv.ConvertOptions(
                check_utf8=False, column_types=types, null_values=[], strings_can_be_null=False
            ),
        )
        if file.encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
            words = table.column(0).cast(arrow.string()).to_pylist()
        else:
            words = [word.decode(file.encoding) for word in table.column(0).to_pylist()]
    except (arrow.ArrowInvalid, UnicodeDecodeError):
        return None
    matrix = np.empty((len(words), dimension), dtype=np.float32)
    for column in range(dimension):
        matrix[:, column] = table.column(column + 1).to_numpy()
    return (words, matrix, 0) if "" not in words and usable_rows(matrix).all() else None


def _parse_slowly(block: Block, file: VectorFile, dimension: int) -> Parsed:
    """Parse line by line; raise an error with the number of a malformed line, or count it."""
    words: list[str] = []
    rows: list[NDArray[np.float32]] = []
    skipped = 0
    for number, line in enumerate(block[0].split(b"\n"), start=block[1]):
        if not line.strip(b" \t\r"):
            continue
        try:
            word, row = parse_line(line, dimension, file.encoding)
        except InputError as error:
            if not file.skip_bad:
                raise DataError(f"{file.path}, line {number}: {error}") from error
            skipped += 1
            continue
        words.append(word)
        rows.append(row)
    matrix = np.array(rows, dtype=np.float32).reshape(len(rows), dimension)
    return words, matrix, skipped


def parse_line(line: bytes, dimension: int, encoding: str) -> tuple[str, NDArray[np.float32]]:
    """Parse a word, which may have spaces in it, and its vector: (d,)."""
    most = LONGEST_WORD + LONGEST_NUMBER * dimension
    if len(line) > most:
        raise DataError(f"must have at most {most} bytes; got {len(line)}")
    fields = line.rstrip(b" \t\r").replace(b"\t", b" ").split(b" ")
    numbers = [field for field in fields[1:] if field] if b"" in fields else fields[1:]
    inner, numbers = numbers[:-dimension], numbers[-dimension:]
    if len(numbers) < dimension or not fields[0] or (inner and _is_number(inner[-1])):
        wanted = f"{counted(dimension + 1, 'field')} (a word and {counted(dimension, 'number')})"
        raise DataError(f"must have {wanted}; got {sum(bool(field) for field in fields)}")
    raw = b" ".join([fields[0], *inner])
    try:
        word = raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise DataError(f"the word {raw!r} is not {encoding}; give its encoding") from error
    for number, field in enumerate(numbers, start=1):
        if not _is_number(field):
            raise DataError(f"number {number} of {word!r} must be a number; got {field!r}")
    with np.errstate(over="ignore"):
        row = np.array([float(field) for field in numbers], dtype=np.float64).astype(np.float32)
    usable = np.abs(row) <= LARGEST_VALUE
    if not usable.all():
        shown = numbers[int(usable.argmin())][:40].decode()
        raise DataError(f"the vector of {word!r} must be finite; got {shown}")
    return word, row


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return b"_" not in field

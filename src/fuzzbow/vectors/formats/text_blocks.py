"""Blocks of lines "word number number …" into words and numbers.

pyarrow parses a whole block at once. A block that it refuses, or that has anything odd in it, is
parsed line by line, which is slower, but accepts more and names the line that is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzbow.errors import DataError, InputError
from fuzzbow.plurals import counted
from fuzzbow.vectors.tables import LARGEST_VALUE, usable_rows

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LONGEST_WORD = 1 << 20  # bytes
LONGEST_NUMBER = 1 << 10  # bytes; a line may hold one number per dimension


@dataclass(frozen=True)
class Layout:
    """Layout of every line of a file."""

    origin: str
    dimension: int
    encoding: str = "utf-8"
    skip_bad: bool = False


@dataclass(frozen=True, eq=False)
class Block:
    """Whole lines, and the number of the first."""

    data: bytes
    first_line: int


@dataclass(frozen=True, eq=False)
class Parsed:
    """Words, their vectors, (n, d) float32, and how many lines were passed over."""

    words: list[str]
    matrix: NDArray[np.float32]
    skipped: int = 0


def parse_block(block: Block, layout: Layout) -> Parsed:
    """The block's words and numbers, by pyarrow where it can parse them."""
    return _parse_fast(block.data, layout) or parse_slowly(block, layout)


def _parse_fast(data: bytes, layout: Layout) -> Parsed | None:
    """All lines by one call of pyarrow; None if it cannot parse them as they should be."""
    import pyarrow as arrow
    from pyarrow import csv

    if data.startswith(BYTE_ORDER_MARK):  # pyarrow would drop it, but here it is part of a word
        return None
    data = _tidied(data)
    names = [str(column) for column in range(layout.dimension + 1)]
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
        words = _decoded(table.column(0), layout.encoding)
    except (arrow.ArrowInvalid, UnicodeDecodeError):
        return None
    matrix = np.empty((len(words), layout.dimension), dtype=np.float32)
    for column in range(layout.dimension):
        matrix[:, column] = table.column(column + 1).to_numpy()
    return Parsed(words, matrix) if "" not in words and usable_rows(matrix).all() else None


def _tidied(data: bytes) -> bytes:
    """Tabs as spaces, CR LF as LF, and no space at the end of a line."""
    if b"\t" in data:
        data = data.replace(b"\t", b" ")
    if b"\r\n" in data:
        data = data.replace(b"\r\n", b"\n")
    if b" \n" in data:
        data = data.replace(b" \n", b"\n")
    return data.rstrip(b" \r") if data.endswith((b" ", b"\r")) else data


def _decoded(column: object, encoding: str) -> list[str]:
    import pyarrow as arrow

    if encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
        found: list[str] = column.cast(arrow.string()).to_pylist()  # type: ignore[attr-defined]
        return found
    return [word.decode(encoding) for word in column.to_pylist()]  # type: ignore[attr-defined]


def parse_slowly(block: Block, layout: Layout) -> Parsed:
    """Line by line; a line that cannot be used is an error with its number, or is counted."""
    words: list[str] = []
    rows: list[NDArray[np.float32]] = []
    skipped = 0
    lines = block.data.split(b"\n")
    for number, line in enumerate(lines, start=block.first_line):
        if not line.strip(b" \t\r"):
            continue
        try:
            word, row = parse_line(line, layout)
        except InputError as error:
            if not layout.skip_bad:
                raise DataError(f"{layout.origin}, line {number}: {error}") from error
            skipped += 1
            continue
        words.append(word)
        rows.append(row)
    matrix = np.array(rows, dtype=np.float32).reshape(len(rows), layout.dimension)
    return Parsed(words, matrix, skipped)


def parse_line(line: bytes, layout: Layout) -> tuple[str, NDArray[np.float32]]:
    """A word, which may have spaces in it, and its vector: (d,)."""
    dimension = layout.dimension
    most = LONGEST_WORD + LONGEST_NUMBER * dimension
    if len(line) > most:
        raise DataError(f"must have at most {most} bytes; got {len(line)}")
    fields = line.rstrip(b" \t\r").replace(b"\t", b" ").split(b" ")
    numbers = [field for field in fields[1:] if field] if b"" in fields else fields[1:]
    inner, numbers = numbers[:-dimension], numbers[-dimension:]
    if len(numbers) < dimension or not fields[0] or (inner and _is_number(inner[-1])):
        found = sum(bool(field) for field in fields)
        raise DataError(
            f"must have {dimension + 1} fields (a word and {counted(dimension, 'number')});"
            f" got {found}"
        )
    raw = b" ".join([fields[0], *inner])
    try:
        word = raw.decode(layout.encoding)
    except UnicodeDecodeError as error:
        raise DataError(f"the word {raw!r} is not {layout.encoding}; give its encoding") from error
    return word, _numbers(numbers, word)


def _numbers(fields: list[bytes], word: str) -> NDArray[np.float32]:
    for place, field in enumerate(fields, start=1):
        if not _is_number(field):
            raise DataError(f"number {place} of {word!r} must be a number; got {field!r}")
    with np.errstate(over="ignore"):
        row = np.array([float(field) for field in fields], dtype=np.float64).astype(np.float32)
    usable = np.abs(row) <= LARGEST_VALUE
    if not usable.all():
        shown = fields[int(usable.argmin())][:40].decode()
        raise DataError(f"the vector of {word!r} must be finite; got {shown}")
    return row


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return b"_" not in field

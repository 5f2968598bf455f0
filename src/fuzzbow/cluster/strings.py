"""Which rows hold the same string, over all shards, in bounded memory.

Each shard has its strings' digests, sorted; a range of digests of all shards is looked at a
time. A digest has 128 bits: that two strings out of 10⁹ share one by chance is less likely than
1 in 10²⁰.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Integers
from fuzzbow.atomic import replacing
from fuzzbow.cluster.data import ShardTexts
from fuzzbow.file_digest import DigestedFile
from fuzzbow.text import is_blank

KIND = np.dtype([("high", "<u8"), ("low", "<u8"), ("row", "<i8"), ("length", "<i8")])
AT_ONCE = 4_000_000  # digests that are compared together


@dataclass(frozen=True)
class StringsTask:
    """The strings of a shard, to be told apart."""

    texts: ShardTexts
    out: str


def digest_strings(task: StringsTask) -> None:
    """Write the digest, row and length of each string of a shard, by digest."""
    texts = task.texts.read()
    found = np.empty(len(texts), dtype=KIND)
    digests = b"".join(blake2b(text.encode(), digest_size=16).digest() for text in texts)
    numbers = np.frombuffer(digests, dtype="<u8").reshape(-1, 2)
    found["high"], found["low"] = numbers[:, 0], numbers[:, 1]
    found["row"] = np.arange(len(texts)) + task.texts.shard.start
    # not positive where a text is blank, so that this is known, too
    found["length"] = [-len(text) if is_blank(text) else len(text) for text in texts]
    found.sort(order=["high", "low", "row"])
    with replacing(Path(task.out)) as beside, beside.open("wb") as file:
        np.save(file, found, allow_pickle=False)


@dataclass(frozen=True)
class Strings:
    """The first row with the string of each row of a data set, and its length.

    A row whose text is blank is a first row, as `Collection` has it.
    """

    first: Integers  # (rows,)
    lengths: Integers  # (rows,) characters
    blank: Booleans  # (rows,)


def find_strings(files: Sequence[DigestedFile], rows: int) -> Strings:
    """What the digests of all shards say."""
    first, lengths = np.arange(rows), np.zeros(rows, dtype=np.int64)
    for part in _ranges(files, rows):
        row, heads = _firsts(part)
        first[row] = heads
        lengths[part["row"]] = part["length"]
    return Strings(first, np.abs(lengths), lengths <= 0)


def equal_strings(
    left: Sequence[DigestedFile], right: Sequence[DigestedFile], sizes: tuple[int, int]
) -> Integers:
    """The first place of each string in two data sets, the second's behind the first's."""
    shift, rows = sizes[0], sum(sizes)
    first = np.arange(rows)
    for part in _ranges([*left, *right], rows, shifted=len(left), by=shift):
        row, heads = _firsts(part)
        first[row] = heads
    return first


def _firsts(part: Any) -> tuple[Integers, Integers]:
    """Rows, and the first row with the same string as each; itself where the text is blank."""
    part = part[np.lexsort((part["row"], part["low"], part["high"]))]
    new = np.ones(len(part), dtype=np.bool_)
    new[1:] = (part["high"][1:] != part["high"][:-1]) | (part["low"][1:] != part["low"][:-1])
    new |= part["length"] <= 0
    heads = np.maximum.accumulate(np.where(new, np.arange(len(part)), 0))
    return part["row"], part["row"][heads]


def _ranges(
    files: Sequence[DigestedFile], rows: int, *, shifted: int | None = None, by: int = 0
) -> Iterator[Any]:
    """Ranges of digests of all files; the rows of files from `shifted` on are moved."""
    with ExitStack() as stack:
        paths = [stack.enter_context(file.reading()) for file in files]
        arrays = [np.load(path, mmap_mode="r", allow_pickle=False) for path in paths]
        yield from _parts_of(arrays, rows, shifted, by)


def _parts_of(arrays: Sequence[Any], rows: int, shifted: int | None, by: int) -> Iterator[Any]:
    count = max(-(-rows // AT_ONCE), 1)
    edges = [(1 << 64) * number // count for number in range(1, count)]
    cuts = np.array(edges, dtype=np.uint64)
    places = [[0, *np.searchsorted(file["high"], cuts).tolist(), len(file)] for file in arrays]
    for number in range(count):
        parts = []
        for place, file in enumerate(arrays):
            part = np.array(file[places[place][number] : places[place][number + 1]])
            part["row"] += by if shifted is not None and place >= shifted else 0
            parts.append(part)
        yield np.concatenate(parts)

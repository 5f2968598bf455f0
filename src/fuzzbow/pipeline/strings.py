"""Equal strings of data sets in shards, found in bounded memory.

Each shard has its strings' digests, sorted; the digests of all shards are compared a range at a
time. A digest has 128 bits: the probability that two of 10⁹ strings share one is below 10⁻²⁰.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Integers
from fuzzbow.dedupe.collection import Collection
from fuzzbow.encoding import blank_texts
from fuzzbow.io.atomic import replacing
from fuzzbow.io.file_digest import DigestedFile
from fuzzbow.pipeline.shards import RunContext, Shard

KIND = np.dtype([("high", "<u8"), ("low", "<u8"), ("row", "<i8"), ("blank", "?")])
RANGE_DIGESTS = 4_000_000  # digests that are compared together


def digest_strings(out: str, shard: Shard) -> None:
    """Write the digest and row of each text of a shard, sorted by digest."""
    texts = shard.texts()
    found = np.empty(len(texts), dtype=KIND)
    digests = b"".join(blake2b(text.encode(), digest_size=16).digest() for text in texts)
    found["high"], found["low"] = np.frombuffer(digests, dtype="<u8").reshape(-1, 2).T
    found["row"] = np.arange(len(texts)) + shard.start
    found["blank"] = blank_texts(texts)
    found.sort(order=["high", "low", "row"])
    with replacing(Path(out)) as partial_file:
        _save(found, partial_file)


def find_strings(
    sides: Sequence[Sequence[DigestedFile]], sizes: Sequence[int]
) -> tuple[Integers, Integers, Booleans]:
    """Compare the strings of one data set or two by the digests of their shards.

    Return for each position the first position of its string in its own data set, that in all of
    them, and whether the text is blank: (positions,) each. Blank texts are not compared.
    """
    total = sum(sizes)
    own, anywhere, blank = np.arange(total), np.arange(total), np.zeros(total, dtype=np.bool_)
    edges = max(-(-total // RANGE_DIGESTS), 1)
    bounds = np.array([(1 << 64) * number // edges for number in range(1, edges)], dtype=np.uint64)
    with ExitStack() as stack:
        files = []
        for side, digested in enumerate(sides):
            for file in digested:
                path = stack.enter_context(file.reading())
                array = np.load(path, mmap_mode="r", allow_pickle=False)
                cuts = [0, *np.searchsorted(array["high"], bounds).tolist(), len(array)]
                files.append((array, cuts, sum(sizes[:side])))
        for number in range(edges):
            parts = []
            for array, cuts, shift in files:
                parts.append(np.array(array[cuts[number] : cuts[number + 1]]))
                parts[-1]["row"] += shift
            part = np.concatenate(parts)
            part = part[np.lexsort((part["row"], part["low"], part["high"]))]
            blank[part["row"]] = part["blank"]
            part = part[~part["blank"]]
            new = np.ones(len(part), dtype=np.bool_)
            new[1:] = (part["high"][1:] != part["high"][:-1]) | (
                part["low"][1:] != part["low"][:-1]
            )
            other = part["row"] >= sizes[0]
            other_new = new.copy()
            other_new[1:] |= other[1:] != other[:-1]
            for found, starts in ((anywhere, new), (own, other_new)):
                heads = np.maximum.accumulate(np.where(starts, np.arange(len(part)), 0))
                found[part["row"]] = part["row"][heads]
    return own, anywhere, blank


def collect_shards(context: RunContext) -> tuple[Collection, list[DigestedFile]]:
    """Return the collection of the data sets, and the file of first rows of each data set."""
    run, sides = context.run, context.sides
    tasks = [
        (run.path(f"strings-{number}", f"{shard.name}.npy"), shard)
        for number, side in enumerate(sides)
        for shard in side.shards
    ]
    done = (file for file, _ in run.do(context.executor, digest_strings, tasks))
    digested = [[next(done) for _ in side.shards] for side in sides]
    sizes = [len(side) for side in sides]
    own, anywhere, blank = find_strings(digested, sizes)
    firsts = []
    for number, (size, start) in enumerate(zip(sizes, [0, *sizes], strict=False)):
        rows = own[start : start + size] - start
        firsts.append(run.write("first", f"{number}.npy", partial(_save, rows)))
    others = sides[1] if len(sides) > 1 else None
    return Collection.of(sides[0], others, own, anywhere, blank, context.model.encoder), firsts


def _save(array: np.ndarray[Any, Any], path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, array, allow_pickle=False)

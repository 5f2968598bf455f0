"""fastText's hashed character n-grams, for many words at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fuzzbow.vectors.vocabulary import encode

FNV_START = np.uint32(2166136261)
FNV_PRIME = np.uint32(16777619)
LONGEST_NGRAM = 256  # characters that a file may ask for; fastText's own default is 6
SENTENCE_END = "</s>"  # fastText gives this word no n-grams

Uints = NDArray[np.uint32]


def bucket_ids(
    words: Sequence[str], *, shortest: int, longest: int, buckets: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Buckets of each word's n-grams, word after word, and how many each has: (total,), (n,).

    An n-gram has `shortest` to `longest` characters of `<word>`; a bracket alone does not count.
    """
    lengths = np.zeros(len(words), dtype=np.int64)
    if not len(words) or longest <= 0 or buckets <= 0:
        return np.zeros(0, dtype=np.int64), lengths
    encoded = [b"" if word == SENTENCE_END else b"<" + encode(word) + b">" for word in words]
    data = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    sizes = np.fromiter((len(item) for item in encoded), dtype=np.int64, count=len(encoded))
    owner = np.repeat(np.arange(len(encoded)), sizes)
    starts = np.flatnonzero((data & 0xC0) != 0x80)
    owners, hashes = _grow(data, starts, owner, np.cumsum(sizes), shortest, longest)
    order = np.argsort(owners, kind="stable")
    lengths += np.bincount(owners, minlength=len(encoded))
    return (hashes[order] % np.uint32(buckets)).astype(np.int64), lengths


def _grow(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    owner: NDArray[np.int64],
    word_ends: NDArray[np.int64],
    shortest: int,
    longest: int,
) -> tuple[NDArray[np.int64], Uints]:
    """Every n-gram, grown one character at a time from every start: owner and hash."""
    # FNV over signed chars: a byte of 128 or more is sign-extended before the xor
    signed = data.astype(np.int8).astype(np.int32).view(np.uint32)
    continues = np.append((data & 0xC0) == 0x80, False)
    word_of = owner[starts]
    ends = word_ends[word_of]
    at_begin = starts == np.concatenate([[0], word_ends[:-1]])[word_of]
    hashes = np.full(len(starts), FNV_START, dtype=np.uint32)
    position = starts.copy()
    found = [(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint32))]
    for size in range(1, longest + 1):
        alive = position < ends
        if not alive.any():
            break
        hashes, position, ends = hashes[alive], position[alive], ends[alive]
        word_of, at_begin = word_of[alive], at_begin[alive]
        _take_character(signed, continues, hashes, position, ends)
        if size == 1 >= shortest:
            whole = ~(at_begin | (position == ends))
            found.append((word_of[whole], hashes[whole]))
        elif size >= shortest:
            found.append((word_of, hashes.copy()))
    return (
        np.concatenate([item[0] for item in found]),
        np.concatenate([item[1] for item in found]),
    )


def _take_character(
    signed: Uints,
    continues: NDArray[np.bool_],
    hashes: Uints,
    position: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> None:
    """Add the character at each position to its hash, in place, and step past it."""
    active = np.arange(len(position))
    while len(active):
        hashes[active] = (hashes[active] ^ signed[position[active]]) * FNV_PRIME
        position[active] += 1
        at = position[active]
        active = active[(at < ends[active]) & continues[at]]

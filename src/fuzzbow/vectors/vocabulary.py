"""Vocabularies: words in memory, and words in a mapped file."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import blocks
from fuzzbow.errors import InputError

DECODED_RUN = 8192  # words decoded at a time


def encode(word: str) -> bytes:
    """Encode as UTF-8; a lone surrogate is kept, and matches nothing."""
    return word.encode("utf-8", "surrogatepass")


def pack(words: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Encode all words, one after the other, with their offsets: (bytes,), (V + 1,)."""
    encoded = [encode(word) for word in words]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(item) for item in encoded], out=offsets[1:])
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets


def word_hashes(encoded: Sequence[bytes]) -> NDArray[np.uint32]:
    """Hash each word to four bytes of BLAKE2b, as a number: (n,)."""
    digests = b"".join(blake2b(item, digest_size=4).digest() for item in encoded)
    return np.frombuffer(digests, dtype="<u4")


class MemoryVocabulary:
    """Vocabulary in memory: distinct words and a dictionary from word to id."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(words)
        self.index = dict(zip(self.words, range(len(self.words)), strict=True))

    def position(self, word: str) -> int:
        """Return the id of a word, -1 if it is unknown."""
        return self.index.get(word, -1)

    def capitals(self, count: int) -> bool:
        """Return whether the first words may have capital letters."""
        return not "".join(self.words[:count]).islower()

    @property
    def arrays(self) -> None:
        """Return None: there are no arrays to be searched."""

    def packed(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return UTF-8 of all words, and the offset of each: (bytes,), (V + 1,)."""
        return pack(self.words)


@dataclass(frozen=True, eq=False)
class StoredVocabulary(Sequence[str]):
    """Vocabulary in a mapped file: packed words, found by binary search over sorted hashes."""

    data: NDArray[np.uint8]  # (bytes,)
    offsets: NDArray[np.int64]  # (V + 1,)
    hashes: NDArray[np.uint32]  # (V,) sorted
    order: NDArray[np.uint32]  # (V,) id of the k-th hash
    origin: str

    @property
    def words(self) -> Sequence[str]:
        """Words in the order of their ids, decoded when they are read."""
        return self

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, position: int) -> str: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[str]: ...
    def __getitem__(self, position: int | slice) -> str | Sequence[str]:
        found = range(len(self))[position]
        if isinstance(found, int):
            return self._decode(found, found + 1)[0]
        return [self[word] for word in found]

    def __iter__(self) -> Iterator[str]:
        for run in blocks(len(self), DECODED_RUN):
            yield from self._decode(run.start, run.stop)

    def _decode(self, first: int, last: int) -> list[str]:
        bounds = self.offsets[first : last + 1].tolist()
        data = self.data[bounds[0] : bounds[-1]].tobytes()
        pairs = pairwise([bound - bounds[0] for bound in bounds])
        try:
            return [data[start:end].decode("utf-8", "surrogatepass") for start, end in pairs]
        except UnicodeDecodeError as error:
            raise InputError(
                f"{self.origin}: words {first} to {last - 1} are not valid UTF-8; broken file"
            ) from error

    def position(self, word: str) -> int:
        """Return the id of a word, -1 if it is unknown."""
        encoded = encode(word)
        wanted = int.from_bytes(blake2b(encoded, digest_size=4).digest(), "little")
        data, offsets, hashes, order = self._views
        rank = bisect_left(hashes, wanted)
        while rank < len(hashes) and hashes[rank] == wanted:
            found = order[rank]
            if found >= len(self):
                raise InputError(f"{self.origin}: word_order is out of range; broken file")
            if data[offsets[found] : offsets[found + 1]] == encoded:
                return int(found)
            rank += 1
        return -1

    @cached_property
    def _views(self) -> tuple[memoryview, ...]:
        """Arrays whose elements are Python integers, for searches without NumPy."""
        return tuple(array.data for array in self.arrays)

    def capitals(self, count: int) -> bool:
        """Return whether the first words may have capital letters."""
        head = self.data[: self.offsets[min(count, len(self))]]
        if ((head >= ord("A")) & (head <= ord("Z"))).any():
            return True
        others = head[head >= 0x80].tobytes().decode("utf-8", "replace")
        return others != others.lower()

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Arrays in which words are searched: bytes, offsets, sorted hashes, and their words."""
        return tuple(map(np.ascontiguousarray, (self.data, self.offsets, self.hashes, self.order)))

    def packed(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return UTF-8 of all words, and the offset of each: (bytes,), (V + 1,)."""
        return self.data, self.offsets


Vocabulary = MemoryVocabulary | StoredVocabulary

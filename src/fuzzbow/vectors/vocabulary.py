"""Two vocabularies behind one contract: words in memory, and words in a mapped file."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import Protocol, overload

import numpy as np
from numpy.typing import NDArray

from fuzzbow.errors import InputError


class Vocabulary(Protocol):
    """Words in order, and the way back from a word to its position."""

    @property
    def words(self) -> Sequence[str]:
        """The words; position is id."""

    def find(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Id of each word, -1 where unknown: (n,)."""

    def position(self, word: str) -> int:
        """Return the id of one word, -1 if it is unknown; faster than `find` for one."""

    def packed(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """UTF-8 of all words one after the other, and where each begins: (bytes,), (V + 1,)."""


def encode(word: str) -> bytes:
    """UTF-8 that never fails: a lone surrogate is kept, and simply matches nothing."""
    return word.encode("utf-8", "surrogatepass")


def pack(words: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """UTF-8 of all words and their offsets: (bytes,), (V + 1,)."""
    encoded = [encode(word) for word in words]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(item) for item in encoded], out=offsets[1:])
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets


def word_hashes(encoded: Sequence[bytes]) -> NDArray[np.uint32]:
    """Four bytes of BLAKE2b of each word, as a number: (n,)."""
    digests = b"".join(blake2b(item, digest_size=4).digest() for item in encoded)
    return np.frombuffer(digests, dtype="<u4")


@dataclass(frozen=True, eq=False)
class MemoryVocabulary:
    """A tuple of distinct words and a dictionary from word to id."""

    words: tuple[str, ...]
    index: dict[str, int]

    @classmethod
    def from_words(cls, words: Sequence[str]) -> MemoryVocabulary:
        """From words that are known to be distinct."""
        words = tuple(words)
        return cls(words, dict(zip(words, range(len(words)), strict=True)))

    def find(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Id of each word, -1 where unknown: (n,)."""
        get = self.index.get
        return np.fromiter((get(word, -1) for word in words), dtype=np.int64, count=len(words))

    def position(self, word: str) -> int:
        """Return the id of one word, -1 if it is unknown."""
        return self.index.get(word, -1)

    def packed(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """UTF-8 of all words and their offsets: (bytes,), (V + 1,)."""
        return pack(self.words)


@dataclass(frozen=True, eq=False)
class StoredWords(Sequence[str]):
    """Words in packed bytes, decoded when asked for."""

    data: NDArray[np.uint8]  # (bytes,)
    offsets: NDArray[np.int64]  # (V + 1,)
    origin: str

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, position: int) -> str: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[str]: ...
    def __getitem__(self, position: int | slice) -> str | Sequence[str]:
        if isinstance(position, slice):
            return [self._decode(word) for word in range(*position.indices(len(self)))]
        word = position + len(self) if position < 0 else position
        if not 0 <= word < len(self):
            raise IndexError(f"word {position} of {len(self)}")
        return self._decode(word)

    def __iter__(self) -> Iterator[str]:
        step = 8192
        for first in range(0, len(self), step):
            yield from self._decode_run(first, min(first + step, len(self)))

    def _decode(self, word: int) -> str:
        return self._decode_run(word, word + 1)[0]

    def _decode_run(self, first: int, last: int) -> list[str]:
        bounds = self.offsets[first : last + 1].tolist()
        data = self.data[bounds[0] : bounds[-1]].tobytes()
        starts = [bound - bounds[0] for bound in bounds]
        pairs = pairwise(starts)
        try:
            return [data[start:end].decode("utf-8", "surrogatepass") for start, end in pairs]
        except UnicodeDecodeError as error:
            place = f"words {first} to {last - 1}"
            raise InputError(f"{self.origin}: {place} are not valid UTF-8; broken file") from error


@dataclass(frozen=True, eq=False)
class StoredVocabulary:
    """Words in a mapped file, found by binary search over sorted hashes."""

    words: StoredWords
    hashes: NDArray[np.uint32]  # (V,) sorted
    order: NDArray[np.uint32]  # (V,) id of the k-th hash

    @cached_property
    def _bytes(self) -> memoryview:
        return self.words.data.data

    def find(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Id of each word, -1 where unknown: (n,)."""
        encoded = [encode(word) for word in words]
        wanted = word_hashes(encoded)
        places = np.searchsorted(self.hashes, wanted)
        found = np.full(len(encoded), -1, dtype=np.int64)
        inside = places < len(self.hashes)
        inside[inside] = self.hashes[places[inside]] == wanted[inside]
        matches = np.flatnonzero(inside)
        candidates = self._in_range(self.order[places[matches]].astype(np.int64))
        starts = self.words.offsets[candidates].tolist()
        ends = self.words.offsets[candidates + 1].tolist()
        for place, word, start, end in zip(
            matches.tolist(), candidates.tolist(), starts, ends, strict=True
        ):
            same = self._bytes[start:end] == encoded[place]
            found[place] = word if same else self._scan(int(places[place]), encoded[place])
        return found

    def position(self, word: str) -> int:
        """Return the id of one word, -1 if it is unknown."""
        encoded = encode(word)
        wanted = int.from_bytes(blake2b(encoded, digest_size=4).digest(), "little")
        place = bisect_left(self._hash_values, wanted)
        is_there = place < len(self._hash_values) and self._hash_values[place] == wanted
        return self._scan(place, encoded) if is_there else -1

    @cached_property
    def _hash_values(self) -> memoryview:
        """The hashes as numbers of Python, whose search takes no array."""
        return np.ascontiguousarray(self.hashes, dtype=np.uint32).data

    def _in_range(self, candidates: NDArray[np.int64]) -> NDArray[np.int64]:
        if len(candidates) and candidates.max() >= len(self.words):
            raise InputError(f"{self.words.origin}: word_order is out of range; broken file")
        return candidates

    def _scan(self, place: int, encoded: bytes) -> int:
        """The id whose bytes are these, among the equal hashes that begin at `place`."""
        last = bisect_right(self._hash_values, self._hash_values[place], lo=place)
        offsets = self.words.offsets
        for word in self._in_range(self.order[place:last].astype(np.int64)).tolist():
            if self._bytes[int(offsets[word]) : int(offsets[word + 1])] == encoded:
                return int(word)
        return -1

    def packed(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """UTF-8 of all words and their offsets: (bytes,), (V + 1,)."""
        return self.words.data, self.words.offsets

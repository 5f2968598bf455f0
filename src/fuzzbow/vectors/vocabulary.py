"""Vocabularies: words in memory, and words in a mapped file."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import overload

import numpy as np
from numpy.typing import NDArray

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


@dataclass(frozen=True, eq=False)
class MemoryVocabulary:
    """Vocabulary in memory: distinct words and a dictionary from word to id."""

    words: tuple[str, ...]
    index: dict[str, int]

    @classmethod
    def from_words(cls, words: Sequence[str]) -> MemoryVocabulary:
        """Make a vocabulary of distinct words."""
        words = tuple(words)
        return cls(words, dict(zip(words, range(len(words)), strict=True)))

    def find(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the id of each word, -1 where unknown: (n,)."""
        get = self.index.get
        return np.fromiter((get(word, -1) for word in words), dtype=np.int64, count=len(words))

    def position(self, word: str) -> int:
        """Return the id of one word, -1 if it is unknown; faster than `find` for one."""
        return self.index.get(word, -1)

    def packed(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return UTF-8 of all words, and the offset of each: (bytes,), (V + 1,)."""
        return pack(self.words)


@dataclass(frozen=True, eq=False)
class StoredWords(Sequence[str]):
    """Words in packed bytes, decoded when they are read."""

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
            return [self[word] for word in range(*position.indices(len(self)))]
        word = position + len(self) if position < 0 else position
        if not 0 <= word < len(self):
            raise IndexError(f"word {position} of {len(self)}")
        return self._decode(word, word + 1)[0]

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self), DECODED_RUN):
            yield from self._decode(first, min(first + DECODED_RUN, len(self)))

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


@dataclass(frozen=True, eq=False)
class StoredVocabulary:
    """Vocabulary in a mapped file, searched by binary search over sorted hashes."""

    words: StoredWords
    hashes: NDArray[np.uint32]  # (V,) sorted
    order: NDArray[np.uint32]  # (V,) id of the k-th hash

    def find(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the id of each word, -1 where unknown: (n,)."""
        encoded = [encode(word) for word in words]
        wanted = word_hashes(encoded)
        ranks = np.searchsorted(self.hashes, wanted)
        found = np.full(len(encoded), -1, dtype=np.int64)
        inside = ranks < len(self.hashes)
        inside[inside] = self.hashes[ranks[inside]] == wanted[inside]
        matches = np.flatnonzero(inside)
        candidates = self._checked(self.order[ranks[matches]].astype(np.int64))
        starts = self.words.offsets[candidates].tolist()
        ends = self.words.offsets[candidates + 1].tolist()
        for item, word, start, end in zip(
            matches.tolist(), candidates.tolist(), starts, ends, strict=True
        ):
            same = self._bytes[start:end] == encoded[item]
            found[item] = word if same else self._scan(int(ranks[item]), encoded[item])
        return found

    def position(self, word: str) -> int:
        """Return the id of one word, -1 if it is unknown; faster than `find` for one."""
        encoded = encode(word)
        wanted = int.from_bytes(blake2b(encoded, digest_size=4).digest(), "little")
        rank = bisect_left(self._hash_values, wanted)
        is_there = rank < len(self._hash_values) and self._hash_values[rank] == wanted
        return self._scan(rank, encoded) if is_there else -1

    def packed(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return UTF-8 of all words, and the offset of each: (bytes,), (V + 1,)."""
        return self.words.data, self.words.offsets

    @cached_property
    def _bytes(self) -> memoryview:
        return self.words.data.data

    @cached_property
    def _hash_values(self) -> memoryview:
        """Hashes as Python integers, for searches without arrays."""
        return np.ascontiguousarray(self.hashes, dtype=np.uint32).data

    def _checked(self, candidates: NDArray[np.int64]) -> NDArray[np.int64]:
        if len(candidates) and candidates.max() >= len(self.words):
            raise InputError(f"{self.words.origin}: word_order is out of range; broken file")
        return candidates

    def _scan(self, rank: int, encoded: bytes) -> int:
        """Return the id with these bytes among the equal hashes that begin at a rank."""
        last = bisect_right(self._hash_values, self._hash_values[rank], lo=rank)
        offsets = self.words.offsets
        for word in self._checked(self.order[rank:last].astype(np.int64)).tolist():
            if self._bytes[int(offsets[word]) : int(offsets[word + 1])] == encoded:
                return int(word)
        return -1


Vocabulary = MemoryVocabulary | StoredVocabulary

"""The compiled kernels; private behind `fuzzbow.engine`."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Texts = (
    tuple[NDArray[np.uint32], NDArray[np.int64]]
    | tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.float32] | None]
    | "LexiconTexts"
)
Floats32 = NDArray[np.float32]
Found = tuple[Floats32, NDArray[np.int64], NDArray[np.int64]]
Matches = tuple[NDArray[np.int64], NDArray[np.int64], Floats32]

def info() -> dict[str, Any]: ...
def set_simd(name: str) -> None: ...

class Table:
    def __init__(
        self,
        vectors: Floats32,
        weights: Floats32 | None = None,
        kinds: NDArray[np.uint8] | None = None,
        trigram_offsets: NDArray[np.int64] | None = None,
        trigram_ids: NDArray[np.uint32] | None = None,
        letter_offsets: NDArray[np.int64] | None = None,
        letters: NDArray[np.uint32] | None = None,
        *,
        unit: bool = False,
    ) -> None: ...
    def append(
        self,
        vectors: Floats32,
        weights: Floats32 | None = None,
        kinds: NDArray[np.uint8] | None = None,
        trigram_offsets: NDArray[np.int64] | None = None,
        trigram_ids: NDArray[np.uint32] | None = None,
        letter_offsets: NDArray[np.int64] | None = None,
        letters: NDArray[np.uint32] | None = None,
    ) -> int: ...
    def __len__(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    def memory_bytes(self) -> int: ...

class SetSimilarity:
    def __init__(
        self, name: str, parameters: Sequence[float] = (), *, universe: str = "dynamic"
    ) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> tuple[float, ...]: ...
    @property
    def universe(self) -> str: ...
    @property
    def symmetric(self) -> bool: ...

def pairs(
    table: Table,
    texts: Texts,
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    similarity: SetSimilarity,
    *,
    threads: int = 0,
) -> Floats32: ...
def matrix(
    table: Table,
    texts: Texts,
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    similarity: SetSimilarity,
    *,
    threads: int = 0,
) -> Floats32: ...
def dense_pairs(
    left: Floats32,
    right: Floats32,
    similarity: SetSimilarity,
    *,
    weights: Floats32 | None = None,
    threads: int = 0,
) -> Floats32: ...
def dense_matrix(
    rows: Floats32,
    columns: Floats32,
    similarity: SetSimilarity,
    *,
    weights: Floats32 | None = None,
    threads: int = 0,
) -> Floats32: ...
def products(
    rows: NDArray[np.float64], columns: NDArray[np.float64], *, threads: int = 0
) -> NDArray[np.float64]: ...
def row_products(
    left: NDArray[np.float64], right: NDArray[np.float64], *, threads: int = 0
) -> NDArray[np.float64]: ...
def memberships(
    texts: Texts, word_rows: Floats32, pooling: str = "max", *, threads: int = 0
) -> NDArray[np.floating[Any]]: ...

class Corpus:
    def __init__(
        self,
        table: Table,
        documents: Texts,
        similarity: SetSimilarity,
        *,
        postings_from: int = ...,
        threads: int = 0,
    ) -> None: ...
    def append(self, documents: Texts, *, threads: int = 0) -> None: ...
    def delete(self, documents: NDArray[np.int64]) -> None: ...
    def search(
        self,
        queries: Texts,
        k: int = 10,
        min_score: float = 0.0,
        *,
        table: Table | None = None,
        corpus_ids: NDArray[np.int64] | None = None,
        allowed: NDArray[np.uint8] | None = None,
        threads: int = 0,
        statistics: bool = False,
    ) -> Found: ...
    def __len__(self) -> int: ...
    def memory_bytes(self) -> int: ...

class Bm25Corpus:
    def __init__(
        self,
        table: Table,
        documents: Texts,
        *,
        k1: float,
        b: float,
        floor: float,
        power: float,
        threads: int = 0,
    ) -> None: ...
    def append(self, documents: Texts, *, threads: int = 0) -> None: ...
    def delete(self, documents: NDArray[np.int64]) -> None: ...
    def search(
        self,
        queries: Texts,
        k: int = 10,
        min_score: float = 0.0,
        *,
        table: Table | None = None,
        corpus_ids: NDArray[np.int64] | None = None,
        allowed: NDArray[np.uint8] | None = None,
        threads: int = 0,
    ) -> Found: ...
    def word_weights(
        self,
        words: NDArray[np.uint32],
        *,
        table: Table | None = None,
        corpus_ids: NDArray[np.int64] | None = None,
        threads: int = 0,
    ) -> NDArray[np.float64]: ...
    def statistics(self) -> tuple[int, int, NDArray[np.int64]]: ...
    def weigh_by(
        self,
        documents: int,
        total_words: int,
        words: NDArray[np.uint32],
        holders: NDArray[np.int64],
    ) -> None: ...
    @property
    def mean_length(self) -> float: ...
    def __len__(self) -> int: ...
    def memory_bytes(self) -> int: ...

def bm25_pairs(
    table: Table,
    texts: Texts,
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    weights: NDArray[np.float64],
    mean_length: float,
    *,
    k1: float,
    b: float,
    floor: float,
    power: float,
    threads: int = 0,
) -> Floats32: ...

class Join:
    def __init__(
        self,
        table: Table,
        texts: Texts,
        similarity: SetSimilarity,
        threshold: float,
        *,
        boundary: int | None = None,
        threads: int = 0,
    ) -> None: ...
    def __len__(self) -> int: ...
    def rows(
        self, start: int, stop: int, *, threads: int = 0, statistics: bool = False
    ) -> Matches: ...

class Vocabulary:
    def __init__(self, words: bytes, offsets: NDArray[np.int64]) -> None: ...
    def __len__(self) -> int: ...
    def memory_bytes(self) -> int: ...

class Utf8Texts(Protocol):
    def utf8_chunks(
        self,
    ) -> list[tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]]: ...

def distinct(texts: list[str] | Utf8Texts) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def encode(
    vocabulary: Vocabulary,
    texts: list[str] | Utf8Texts,
    splitting: str,
    lowercase: bool,
    *,
    threads: int = 0,
) -> tuple[NDArray[np.uint32], NDArray[np.int64], list[str]]: ...
def characters_version() -> str: ...
def use_characters(table: Any) -> None: ...

class LexiconTexts:
    def __len__(self) -> int: ...
    def unmet(self) -> list[str]: ...
    def settle(self) -> None: ...

class Lexicon:
    def __init__(self, table: Table, splitting: str | None) -> None: ...
    def add(
        self,
        chunks: list[str],
        places: NDArray[np.int64],
        offsets: NDArray[np.int64],
        corpus_ids: NDArray[np.int64] | None = None,
    ) -> None: ...
    def score(
        self, left: str | list[str], right: str | list[str], similarity: SetSimilarity
    ) -> float | None: ...
    def read(
        self, texts: Sequence[str | list[str]], *, threads: int = 0
    ) -> LexiconTexts | None: ...
    def segment_by(self, vocabulary: Vocabulary) -> None: ...
    def __len__(self) -> int: ...
    def memory_bytes(self) -> int: ...

"""The compiled kernels; private behind `fuzzbow.engine`."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Ids = NDArray[np.uint32]
Integers = NDArray[np.int64]
Floats32 = NDArray[np.float32]
Texts = tuple[Ids, Integers] | tuple[Ids, Integers, Floats32 | None] | "LexiconTexts"
Found = tuple[Floats32, Integers, Integers]
Matches = tuple[Integers, Integers, Floats32]

def info() -> dict[str, Any]: ...
def set_simd(name: str) -> None: ...

class Table:
    def __init__(
        self, vectors: Floats32, weights: Floats32 | None = None, kinds: Bytes | None = None,
        trigram_offsets: Integers | None = None, trigram_ids: Ids | None = None,
        letter_offsets: Integers | None = None, letters: Ids | None = None, *, unit: bool = False,
    ) -> None: ...  # fmt: skip
    def append(
        self, vectors: Floats32, weights: Floats32 | None = None, kinds: Bytes | None = None,
        trigram_offsets: Integers | None = None, trigram_ids: Ids | None = None,
        letter_offsets: Integers | None = None, letters: Ids | None = None,
    ) -> int: ...  # fmt: skip
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
    table: Table, texts: Texts, left: Integers, right: Integers, similarity: SetSimilarity, *,
    threads: int = 0,
) -> Floats32: ...  # fmt: skip
def matrix(
    table: Table, texts: Texts, rows: Integers, columns: Integers, similarity: SetSimilarity, *,
    threads: int = 0,
) -> Floats32: ...  # fmt: skip
def dense_pairs(
    left: Floats32, right: Floats32, similarity: SetSimilarity, *, weights: Floats32 | None = None,
    threads: int = 0,
) -> Floats32: ...  # fmt: skip
def dense_matrix(
    rows: Floats32, columns: Floats32, similarity: SetSimilarity, *,
    weights: Floats32 | None = None, threads: int = 0,
) -> Floats32: ...  # fmt: skip
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
        self, table: Table, documents: Texts, similarity: SetSimilarity, *,
        postings_from: int = ..., threads: int = 0,
    ) -> None: ...  # fmt: skip
    def append(self, documents: Texts, *, threads: int = 0) -> None: ...
    def delete(self, documents: Integers) -> None: ...
    def search(
        self, queries: Texts, k: int = 10, min_score: float = 0.0, *, table: Table | None = None,
        corpus_ids: Integers | None = None, allowed: Bytes | None = None, threads: int = 0,
        statistics: bool = False,
    ) -> Found: ...  # fmt: skip
    def __len__(self) -> int: ...
    def memory_bytes(self) -> int: ...

class Bm25Corpus:
    def __init__(
        self, table: Table, documents: Texts, *, k1: float, b: float, floor: float, power: float,
        threads: int = 0,
    ) -> None: ...  # fmt: skip
    def search(
        self, queries: Texts, k: int = 10, min_score: float = 0.0, *, table: Table | None = None,
        corpus_ids: Integers | None = None, allowed: Bytes | None = None, threads: int = 0,
    ) -> Found: ...  # fmt: skip
    def word_weights(
        self, words: Ids, *, table: Table | None = None, corpus_ids: Integers | None = None,
        threads: int = 0,
    ) -> NDArray[np.float64]: ...  # fmt: skip
    def append(self, documents: Texts, *, threads: int = 0) -> None: ...
    def delete(self, documents: Integers) -> None: ...
    def statistics(self) -> tuple[int, int, Integers]: ...
    def with_frequencies(
        self, documents: int, total_words: int, words: Ids, holders: Integers
    ) -> None: ...
    @property
    def mean_length(self) -> float: ...
    def __len__(self) -> int: ...
    def memory_bytes(self) -> int: ...

def bm25_pairs(
    table: Table, texts: Texts, left: Integers, right: Integers, weights: NDArray[np.float64],
    mean_length: float, *, k1: float, b: float, floor: float, power: float, threads: int = 0,
) -> Floats32: ...  # fmt: skip

class Join:
    def __init__(
        self, table: Table, texts: Texts, similarity: SetSimilarity, threshold: float, *,
        boundary: int | None = None, threads: int = 0,
    ) -> None: ...  # fmt: skip
    def __len__(self) -> int: ...
    def rows(
        self, start: int, stop: int, *, threads: int = 0, statistics: bool = False
    ) -> Matches: ...

class Vocabulary:
    def __init__(self, words: bytes, offsets: Integers) -> None: ...
    def __len__(self) -> int: ...
    def memory_bytes(self) -> int: ...

class WordSource:
    def __init__(
        self, vocabulary: Vocabulary | tuple[Any, ...], values: NDArray[Any],
        scales: Floats32 | None, row_of: Integers | None, *, dimension: int, lowercase: bool,
        rules: dict[str, Any],
    ) -> None: ...  # fmt: skip

class Utf8Texts(Protocol):
    def utf8_chunks(self) -> list[tuple[Bytes, Integers, Integers]]: ...

def distinct(texts: list[str] | Utf8Texts) -> tuple[Integers, Integers]: ...
def encode(
    vocabulary: Vocabulary, texts: list[str] | Utf8Texts, splitting: str, lowercase: bool, *,
    threads: int = 0,
) -> tuple[Ids, Integers, list[str]]: ...  # fmt: skip
def characters_version() -> str: ...
def use_characters(table: Any) -> None: ...

class LexiconTexts:
    def __len__(self) -> int: ...
    @property
    def missing(self) -> int: ...
    def missing_words(self) -> list[str]: ...
    def settle(self) -> None: ...

class Lexicon:
    def __init__(self, table: Table, splitting: str | None) -> None: ...
    def add(
        self, chunks: list[str], places: Integers, offsets: Integers,
        corpus_ids: Integers | None = None,
    ) -> None: ...  # fmt: skip
    def learn_from(
        self, source: WordSource, *, chunks: dict[str, Any] | None, contrasted: list[str],
        trigrams: NDArray[np.uint64], corpus_rows: NDArray[np.int32] | None, others: list[str],
        other_rows: NDArray[np.int32] | None, most_bytes: int,
    ) -> None: ...  # fmt: skip
    def learn(self, texts: LexiconTexts) -> tuple[str, list[str]]: ...
    def learn_words(self, chunks: list[str], words: list[Any]) -> str: ...
    def score(
        self, left: str | list[str], right: str | list[str], similarity: SetSimilarity,
        learn: bool = False,
    ) -> float | list[str] | None: ...  # fmt: skip
    def read(
        self, texts: Sequence[str | list[str]], *, threads: int = 0
    ) -> LexiconTexts | None: ...
    def segment_by(self, vocabulary: Vocabulary) -> None: ...
    def __len__(self) -> int: ...
    def memory_bytes(self) -> int: ...

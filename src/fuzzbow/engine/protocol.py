"""Options and results of engines, and the contract of a corpus."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Booleans, Floats, Integers
from fuzzbow.engine.tables import Batch, Queries, WordTable
from fuzzbow.errors import InputError
from fuzzbow.fuzzy import JACCARD, Pooling, SetSimilarity, Universe, WordSimilarity
from fuzzbow.progress import Progress, no_progress

if TYPE_CHECKING:
    from fuzzbow.engine.kernel import KernelLexicon

Share = tuple[int, int]  # its number, from 0, and the number of shares
WHOLE: Share = (0, 1)


def shared_rows(rows: int, share: Share) -> slice:
    """Return the rows of a share; those of all shares cover every row once.

    >>> [shared_rows(5, (number, 2)) for number in range(2)]
    [slice(0, 2, None), slice(2, 5, None)]
    """
    number, count = share
    return slice(rows * number // count, rows * (number + 1) // count)


@dataclass(frozen=True)
class DynamicOptions:
    """Options for comparing two texts over the words of both, or of the first alone."""

    pooling: Pooling = Pooling.MAX
    similarity: SetSimilarity = JACCARD
    word_similarity: WordSimilarity = WordSimilarity.DOT
    universe: Universe = Universe.DYNAMIC  # or QUERY

    @property
    def symmetric(self) -> bool:
        """Return whether both orders of two texts score the same."""
        return self.similarity.symmetric and self.universe is Universe.DYNAMIC


@dataclass(frozen=True)
class SetOptions:
    """Options for comparing membership rows.

    `signed` is set if rows of this kind may hold negative values, so that the score of two rows
    does not depend on the rest of the batch.
    """

    similarity: SetSimilarity
    weights: Floats | None = None  # (u,)
    signed: bool = False


@dataclass(frozen=True)
class TopK:
    """Options of a search: number of documents, minimum score, and a filter."""

    k: int
    min_score: float = 0.0
    allowed: Booleans | None = None  # (documents,)


@dataclass(frozen=True)
class JoinOptions:
    """Options of a join: all pairs i < j of texts with a score of at least the threshold.

    With a `boundary`, only pairs of a text before it with one at or after it. A `share` restricts
    the join to a part of the pairs; all shares of the same texts together have each pair once.
    `progress` is called with the number of compared texts and their total.
    """

    threshold: float
    boundary: int | None = None
    share: Share = WHOLE
    progress: Progress = no_progress


@dataclass(frozen=True)
class Bm25Options:
    """Options of fuzzy BM25: floor and power of similarities, k1 and b of counts.

    A word v counts g(s) for a query word u of similarity s: 0 up to the floor, then
    ((s - floor)/(1 - floor))^power. A floor of 1 means equality: only the word itself counts.
    A sum of tf counts tf/(tf + K), K = k1·(1 - b + b·|D|/mean|D|).
    """

    k1: float = 1.5
    b: float = 0.75
    floor: float = 0.45
    power: float = 1.5

    def __post_init__(self) -> None:
        for name, needed, fits in (
            ("k1", "finite and at least 0", 0 <= self.k1 < np.inf),
            ("b", "from 0 to 1", 0 <= self.b <= 1),
            ("floor", "from 0 to 1", 0 <= self.floor <= 1),
            ("power", "finite and above 0", 0 < self.power < np.inf),
        ):
            if not fits:
                raise InputError(f"{name} must be {needed}; got {getattr(self, name)}")


@dataclass(frozen=True)
class Bm25Statistics:
    """Statistics for the weights of words, of a corpus or of a collection."""

    documents: int
    words: int  # of all documents, repeats too
    holders: Integers = field(repr=False)  # (m,) documents that hold each word of the table

    @property
    def mean_length(self) -> float:
        """Mean number of words of a document; 0 without documents."""
        return self.words / self.documents if self.documents else 0.0


@dataclass(frozen=True)
class Bm25Weights:
    """Weights of query words, and the mean document length of a corpus."""

    words: Floats  # (m,)
    mean_length: float
    options: Bm25Options


@dataclass(frozen=True)
class Found:
    """Best documents of each query, best first, ties by insertion; -1 if there are fewer."""

    documents: NDArray[np.int64]  # (q, k)
    scores: Floats  # (q, k)


@dataclass(frozen=True)
class Matches:
    """Pairs of texts at or above a threshold."""

    left: NDArray[np.int64]  # (n,)
    right: NDArray[np.int64]  # (n,)
    scores: Floats  # (n,)


class Corpus(Protocol):
    """Documents for exact top-k search under one measure."""

    def __len__(self) -> int: ...

    def search(self, queries: Queries, options: TopK) -> Found:
        """Find the k best documents of each query."""
        ...

    def lexicon(self, table: WordTable, splitting: str | None) -> KernelLexicon | None:
        """Return a lexicon of queries over a growing table of words, or None without kernels."""
        ...

    def append(self, documents: Batch) -> None:
        """Add words at the end of the table, then documents over the whole table."""
        ...

    def delete(self, documents: Integers) -> None:
        """Exclude these documents from later searches."""
        ...

    def memory_bytes(self) -> int:
        """Return the bytes of memory used by the documents, without the table of words."""
        ...


class Bm25Corpus(Corpus, Protocol):
    """Documents for search under fuzzy BM25, and the statistics of those not deleted."""

    def statistics(self) -> Bm25Statistics:
        """Return the statistics of the documents."""
        ...

    def with_frequencies(self, table: WordTable, collection: Bm25Statistics) -> None:
        """Weight words by a collection that includes the documents; the next call replaces it.

        New words are added to the end of the table first; the statistics are over all words.
        """
        ...

    def weights(self, queries: Queries) -> Bm25Weights:
        """Return weight times inverse document frequency of the words of the queries' table."""
        ...

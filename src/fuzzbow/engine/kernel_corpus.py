"""Documents in the kernels' own layout, whatever they are searched by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Integers
from fuzzbow.engine.kernel_arrays import int64, least32
from fuzzbow.engine.kernel_lexicon import KernelLexicon
from fuzzbow.engine.protocol import Bags, Found, WordTable
from fuzzbow.engine.threads import current_threads


def kernel_search(
    corpus: Any,
    queries: Any,
    *,
    k: int,
    min_score: float,
    allowed: Booleans | None,
    table: Any = None,
    corpus_ids: Any = None,
) -> Found:
    """The k best documents of each query, as arrays over a table or as a lexicon has read them."""
    scores, documents, _ = corpus.search(
        queries,
        k,
        least32(min_score),
        table=table,
        corpus_ids=corpus_ids,
        allowed=None if allowed is None else allowed.astype(np.uint8),
        threads=current_threads(),
    )
    return Found(documents, scores.astype(np.float64))


class KernelQueryLexicon(KernelLexicon):
    """A lexicon whose texts are queries of a corpus."""

    def __init__(
        self,
        corpus: Any,
        table: Any,
        arrays: Callable[[WordTable], tuple[Any, ...]],
        splitting: str | None,
    ) -> None:
        super().__init__(table, arrays, splitting)
        self._corpus = corpus

    def search(self, texts: Any, *, k: int, min_score: float, allowed: Booleans | None) -> Found:
        """The k best documents of each query, of those allowed."""
        return kernel_search(self._corpus, texts, k=k, min_score=min_score, allowed=allowed)


class KernelCorpus(ABC):
    """A corpus of the kernels; a subclass makes it, and says how words and texts get there."""

    _table: Any
    _corpus: Any

    @abstractmethod
    def _kernel_table(self, table: WordTable) -> Any:
        """Words of queries as a table of the kernels."""

    @abstractmethod
    def _arrays(self, table: WordTable) -> Any:
        """New words as arrays, for the end of the corpus's table."""

    @abstractmethod
    def _texts(self, texts: Bags) -> Any:
        """Ids and offsets."""

    def __len__(self) -> int:
        return len(self._corpus)

    def search(
        self,
        table: WordTable | None,
        queries: Bags,
        corpus_ids: Integers | None,
        *,
        k: int,
        min_score: float = 0.0,
        allowed: Booleans | None = None,
    ) -> Found:
        """The k best documents of each query."""
        return kernel_search(
            self._corpus,
            self._texts(queries),
            k=k,
            min_score=min_score,
            allowed=allowed,
            table=None if table is None else self._kernel_table(table),
            corpus_ids=None if corpus_ids is None else int64(corpus_ids),
        )

    def lexicon(self, table: WordTable, splitting: str | None) -> KernelQueryLexicon:
        """A lexicon of queries over a table that grows."""
        return KernelQueryLexicon(self._corpus, self._kernel_table(table), self._arrays, splitting)

    def append(self, table: WordTable, documents: Bags) -> None:
        """Add words at the end of the table, then documents over the whole table."""
        texts = self._texts(documents)
        if len(table):
            self._table.append(*self._arrays(table))
        self._corpus.append(texts, threads=current_threads())

    def delete(self, documents: Integers) -> None:
        """Leave these documents out of every later search."""
        self._corpus.delete(int64(documents))

    def memory_bytes(self) -> int:
        """Memory that the documents take, without the table of words."""
        return int(self._corpus.memory_bytes())

"""Words in the kernels, by how they are written: from strings to scores in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fuzzbow import _kernel
from fuzzbow.arrays import Floats, Integers, Ragged
from fuzzbow.engine.kernel_arrays import int64
from fuzzbow.engine.lexicon import Text
from fuzzbow.engine.protocol import WordTable
from fuzzbow.engine.threads import current_threads


class KernelLexicon:
    """Words and their rows in a table of the kernels; `arrays` make rows of new words."""

    def __init__(
        self,
        table: _kernel.Table,
        arrays: Callable[[WordTable], tuple[Any, ...]],
        splitting: str | None,
    ) -> None:
        self._table, self._arrays = table, arrays
        self._lexicon = _kernel.Lexicon(table, splitting)

    def add(
        self, chunks: list[str], places: Ragged, table: WordTable, corpus_ids: Integers | None
    ) -> None:
        """Add the rows of a table, then chunks by the places of their words in it."""
        if len(table):
            self._table.append(*self._arrays(table))
        known = None if corpus_ids is None else int64(corpus_ids)
        self._lexicon.add(chunks, int64(places.values), int64(places.offsets), known)

    def read(self, texts: Sequence[Text]) -> _kernel.LexiconTexts | None:
        """Texts for the kernels; None where it takes `segment_by` to tell their words apart."""
        return self._lexicon.read(texts, threads=current_threads())

    def segment_by(self, vocabulary: _kernel.Vocabulary) -> None:
        """The words by which texts in scripts without spaces are cut."""
        self._lexicon.segment_by(vocabulary)

    def memory_bytes(self) -> int:
        """Memory that the words take."""
        return self._table.memory_bytes() + self._lexicon.memory_bytes()


class KernelPairLexicon(KernelLexicon):
    """One whose texts are compared with each other."""

    def __init__(
        self,
        table: _kernel.Table,
        arrays: Callable[[WordTable], tuple[Any, ...]],
        splitting: str | None,
        similarity: _kernel.SetSimilarity,
    ) -> None:
        super().__init__(table, arrays, splitting)
        self._similarity = similarity

    def score(self, a: Text, b: Text) -> float | None:
        """Similarity of two texts; None where words are unmet, or not to be told apart."""
        return self._lexicon.score(a, b, self._similarity)

    def pairs(self, texts: Any, left: Integers, right: Integers) -> Floats:
        """Text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        return self._scores(_kernel.pairs, texts, left, right)

    def matrix(self, texts: Any, rows: Integers, columns: Integers) -> Floats:
        """Every row text with every column text: (n,), (m,) -> (n, m)."""
        return self._scores(_kernel.matrix, texts, rows, columns)

    def _scores(
        self, kernel: Callable[..., Any], texts: Any, left: Integers, right: Integers
    ) -> Floats:
        scores = kernel(
            self._table,
            texts,
            int64(left),
            int64(right),
            self._similarity,
            threads=current_threads(),
        )
        return np.asarray(scores, dtype=np.float64)

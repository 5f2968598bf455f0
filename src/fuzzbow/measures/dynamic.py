"""Measures over the dynamic universe: DynaMax and its ablations."""

from __future__ import annotations

from dataclasses import dataclass, field

from fuzzbow.arrays import Floats, Integers, Ragged
from fuzzbow.engine import DynamicOptions, Engine, WordTable
from fuzzbow.measures.counting import Counting, count_words
from fuzzbow.measures.space import Texts, WordSpace, known_rows


@dataclass(frozen=True)
class DynamicMeasure:
    """The words of the two texts are the universe."""

    name: str
    space: WordSpace = field(repr=False)
    engine: Engine = field(repr=False)
    options: DynamicOptions
    counting: Counting = Counting.REPEAT

    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        table, rows, counts = self._prepare(texts)
        return self.engine.dynamic_pairs(table, rows, left, right, self.options, counts)

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Every row text with every column text: (n,), (m,) -> (n, m)."""
        table, known, counts = self._prepare(texts)
        return self.engine.dynamic_matrix(table, known, rows, columns, self.options, counts)

    def _prepare(self, texts: Texts) -> tuple[WordTable, Ragged, Floats | None]:
        """Words with vectors, texts without unknown words, counts of a bag."""
        vectors, known = self.space.word_vectors(texts)
        rows, counts = count_words(known_rows(texts, known), self.counting)
        return WordTable(vectors), rows, counts

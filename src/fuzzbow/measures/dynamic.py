"""Measures over the dynamic universe: DynaMax and its ablations."""

from __future__ import annotations

from dataclasses import dataclass, field

from fuzzbow.arrays import Floats, Integers
from fuzzbow.engine import Bags, DynamicOptions, Engine, WordTable
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
        table, bags = self.prepare(texts)
        return self.engine.pairs(table, bags, left, right, self.options)

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Every row text with every column text: (n,), (m,) -> (n, m)."""
        table, bags = self.prepare(texts)
        return self.engine.matrix(table, bags, rows, columns, self.options)

    def prepare(self, texts: Texts) -> tuple[WordTable, Bags]:
        """Words with vectors, and the texts without unknown words."""
        vectors, known = self.space.word_vectors(texts, self.engine.precision)
        return WordTable(vectors), count_words(known_rows(texts, known), self.counting)

"""weighted-jaccard, the recommended measure: whitened vectors, weighted elements, letters.

Same dynamic universe as DynaMax-Jaccard, with three changes, none of them trained:

* vectors are whitened by word probability, z = Σ_p^(-1/2) (x - μ_p), then made unit length;
* a universe element u weighs w(u) = |z_u| / mean|z| · a / (a + p(u)), a word without a vector 1;
* different numbers have similarity 0, and words without a vector are compared by trigrams.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers, Ragged, blocks, runs_of
from fuzzbow.engine import Bags, DynamicOptions, Engine, WordRules, WordTable
from fuzzbow.errors import FuzzbowWarning
from fuzzbow.fuzzy import unit_rows
from fuzzbow.measures.space import Texts, WordSpace, known_rows
from fuzzbow.text import is_number
from fuzzbow.vectors.whitening import Whitening, fit_whitening

WORD_BLOCK = 4096  # words whitened at once, in float64
SMALLEST_WEIGHT = 1e-9  # a word at the very mean still has to resemble itself


@dataclass(frozen=True)
class WeightedJaccard:
    """Fuzzy Jaccard over the dynamic universe of whitened, weighted words."""

    space: WordSpace = field(repr=False)
    engine: Engine = field(repr=False)
    numbers: bool = True  # different numbers have nothing in common
    unknown: bool = True  # words without a vector are compared by trigrams, else dropped
    name: str = "weighted-jaccard"
    options: DynamicOptions = field(default=DynamicOptions(), repr=False)

    @cached_property
    def whitening(self) -> Whitening:
        """Whitening of the vocabulary, fitted when it is first needed."""
        vectors = self.space.vectors
        if self.space.counts is None and vectors.stored_whitening is not None:
            return vectors.stored_whitening
        if len(vectors) < 2 * vectors.dimension:
            warnings.warn(
                f"weighted-jaccard whitens the vocabulary and needs far more words than"
                f" dimensions; got {len(vectors)} words of dimension {vectors.dimension}."
                f" measure='dynamax-jaccard' works on any vocabulary",
                FuzzbowWarning,
                stacklevel=2,
            )
        return fit_whitening(runs_of(vectors.matrix), self.space.probabilities)

    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        table, bags = self.prepare(texts)
        return self.engine.pairs(table, bags, left, right, self.options)

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Every row text with every column text: (n,), (m,) -> (n, m)."""
        table, bags = self.prepare(texts)
        return self.engine.matrix(table, bags, rows, columns, self.options)

    def prepare(
        self, texts: Texts, trigram_ids: dict[int, int] | None = None
    ) -> tuple[WordTable, Bags]:
        """Words with vectors, weights and rules, and the texts that are compared.

        Tables that are compared with each other must share `trigram_ids`.
        """
        vectors, known = self.space.raw_vectors(texts)
        unit, lengths = self._whitened(vectors)
        weights = lengths / self.whitening.mean_length * self.space.sif(texts)
        weights = np.where(known, np.maximum(weights, SMALLEST_WEIGHT), 1.0)
        table = WordTable(unit, weights, self._rules(texts, known, trigram_ids))
        return table, Bags(texts.rows if self.unknown else known_rows(texts, known))

    def _whitened(self, vectors: Floats) -> tuple[Floats, Floats]:
        """Whitened vectors of unit length, and the lengths they had: (m, d) -> (m, d), (m,)."""
        unit = np.empty(vectors.shape, dtype=self.engine.precision)
        lengths = np.empty(len(vectors))
        for part in blocks(len(vectors), WORD_BLOCK):
            whitened = self.whitening.apply(vectors[part], self.engine.products)
            lengths[part] = np.linalg.norm(whitened, axis=1)
            unit[part] = unit_rows(whitened)
        return unit, lengths

    def _rules(
        self, texts: Texts, known: Booleans, trigram_ids: dict[int, int] | None
    ) -> WordRules:
        """What letters decide for the words of the batch."""
        words = list(texts.words)  # decoded once
        numbers = np.zeros(len(known), dtype=np.bool_)
        if self.numbers:
            numbers[:] = [is_number(word) for word in words]
        if trigram_ids is not None or (self.unknown and not known.all()):
            letters = _trigrams(words, {} if trigram_ids is None else trigram_ids)
        else:
            letters = _no_trigrams(len(known))
        return WordRules(numbers, ~known, letters)


def _trigrams(words: Sequence[str], ids: dict[int, int]) -> Ragged:
    """Sorted ids of the distinct trigrams of each word, as `text.trigrams` makes them.

    All words are cut at once. A trigram is known by its three code points in one number; new
    ones are numbered on.
    """
    marked = "".join([f"<{word}>" for word in words])
    codes = np.frombuffer(marked.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
    owners = np.repeat(np.arange(len(words)), lengths)
    first = np.arange(len(owners)) + 2 * owners  # two marks around each word before
    wide = codes.astype(np.uint64)
    keys = wide[first] << 42 | wide[first + 1] << 21 | wide[first + 2]
    distinct, place = np.unique(keys, return_inverse=True)
    numbers = np.array([ids.setdefault(key, len(ids)) for key in distinct.tolist()], dtype=np.int64)
    cells = np.sort(owners << 32 | numbers[place])
    each_once = cells[np.diff(cells, prepend=-1) > 0]
    counts = np.bincount(each_once >> 32, minlength=len(words))
    return Ragged.from_lengths((each_once & 0xFFFFFFFF).astype(np.uint32), counts)


def _no_trigrams(size: int) -> Ragged:
    """Rows without trigrams, where every word has a vector."""
    return Ragged.from_rows([[]] * size)


def weighted_jaccard(
    *, numbers: bool = True, unknown: bool = True
) -> Callable[[WordSpace, Engine], WeightedJaccard]:
    """A factory of the measure, without its rule for numbers or for unknown words if wanted."""
    return lambda space, engine: WeightedJaccard(space, engine, numbers, unknown)

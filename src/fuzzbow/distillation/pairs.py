"""Pairs of texts to train on: neighbours of two kinds, random ones, perturbed copies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats, Integers, blocks
from fuzzbow.distillation.corpus import Corpus
from fuzzbow.distillation.features import Start
from fuzzbow.distillation.neighbours import near_rows
from fuzzbow.distillation.recipe import TEACHER_RANKS, Recipe
from fuzzbow.errors import MissingExtraError

BLOCK = 65_536

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PairSource:
    """Draws pairs of some texts of a corpus; the same ones for the same seed and step."""

    corpus: Corpus
    texts: NDArray[np.int64]  # (n,)
    by_teacher: NDArray[np.int32]  # (n, ranks): places in `texts`, -1 for none
    by_table: NDArray[np.int32]
    recipe: Recipe

    def draw(self, step: int, count: int) -> tuple[Integers, Integers, Floats]:
        """Texts left and right, and the teacher's cosine: (count,) each."""
        generator = np.random.default_rng([self.recipe.seed, step])
        shares = np.array(self.recipe.shares) * [1, 1, 1, self.corpus.copies]
        kinds = generator.choice(4, size=count, p=shares / shares.sum())
        left = generator.integers(len(self.texts), size=count)
        right = generator.integers(len(self.texts), size=count)
        rank = generator.integers(len(TEACHER_RANKS), size=count)
        for kind, near in enumerate((self.by_teacher, self.by_table)):
            chosen = np.where(kinds == kind, near[left, rank], -1)
            right = np.where(chosen >= 0, chosen, right)
        lefts, rights = self.texts[left], self.texts[right]
        rights = np.where(kinds == 3, lefts + self.corpus.texts, rights)
        return lefts, rights, self.corpus.cosines(lefts, rights)


def pair_source(
    corpus: Corpus, texts: NDArray[np.int64], start: Start, recipe: Recipe, device: str | None
) -> PairSource:
    """Find the neighbours of some texts among themselves."""
    by_teacher = near_rows(corpus.embeddings[texts], TEACHER_RANKS, recipe.seed, device)
    by_table = near_rows(averages(corpus, texts, start), TEACHER_RANKS, recipe.seed, device)
    return PairSource(corpus, texts, by_teacher, by_table, recipe)


def averages(corpus: Corpus, texts: NDArray[np.int64], start: Start) -> NDArray[np.float16]:
    """Weighted averages of the words' vectors, of unit length: (n, d) float16."""
    try:
        from scipy.sparse import csr_matrix
    except ImportError as error:
        raise MissingExtraError("scipy", "distil") from error
    table, size = start.vectors, corpus.vocabulary
    found = np.zeros((len(texts), table.shape[1]), dtype=np.float16)
    for part in blocks(len(texts), BLOCK):
        rows = corpus.rows.take(texts[part])
        rows = rows.keep(rows.values < size)
        shape = (len(rows), size)
        sums = csr_matrix((start.weights[rows.values], rows.values, rows.offsets), shape) @ table
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        found[part] = sums / np.where(lengths > 0, lengths, 1.0)
    return found


def split(corpus: Corpus, held_out: int, seed: int) -> tuple[Places, Places]:
    """Numbers of the texts to train on and of those held out."""
    order = np.random.default_rng([seed, corpus.texts]).permutation(corpus.texts)
    return np.sort(order[held_out:]), np.sort(order[:held_out])

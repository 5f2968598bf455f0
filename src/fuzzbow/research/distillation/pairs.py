"""Pairs of texts to train on: neighbours of two kinds, random texts, perturbed copies.

The table at the start is a map from features of words to vectors: a vector is x = f·M + δ, then
unit length. f contains the whitened vector of the word, and the whitened mean embedding of the
texts with this word; at the start M makes the vectors of `weighted` words from the first and
ignores the second.

Near rows are found without comparing every row with every other: rows are sorted to the nearest of
about √n of them, the pivots; a row is compared with the rows of its pivot and of the nearest other
pivots. Time grows with n·√n, and memory with n. A GPU compares all pairs of up to EXACT_ROWS rows
instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats, Integers, blocks, runs_of
from fuzzbow.errors import InputError
from fuzzbow.fuzzy import unit_rows
from fuzzbow.research.distillation.corpus import TrainingTexts
from fuzzbow.research.distillation.recipe import TEACHER_RANKS, Recipe
from fuzzbow.vectors import WordVectors
from fuzzbow.vectors.weights import fit_whitening, sif_weights, word_probabilities

SMALLEST_WEIGHT = 1e-4  # of a word at the start; its logarithm is trained
PROBES = 8  # pivots whose rows are compared
EXACT_ROWS = 2_000_000
ROWS_PER_BLOCK = 1024

Ids = NDArray[np.int64]
Batch = tuple[Integers, Integers, Floats]  # texts left and right, and the teacher's cosine
Top = Callable[[Integers, Integers, int], Ids]  # (rows, columns, k) -> the best k columns


@dataclass(frozen=True, eq=False)
class Start:
    """Features of all words, and the initial parameters that map them to the table."""

    features: NDArray[np.float32]  # (V, f)
    map: NDArray[np.float32]  # (f, d)
    weights: NDArray[np.float32]  # (V,)

    @property
    def vectors(self) -> NDArray[np.float32]:
        """Unit vectors at the start: (V, d)."""
        return unit_rows(self.features @ self.map).astype(np.float32)

    def with_contexts(self, contexts: NDArray[np.float32]) -> Start:
        """Return these features with others, (V, e), whose initial parameters are 0."""
        features = np.concatenate([self.features, contexts], axis=1)
        unused = np.zeros((contexts.shape[1], self.map.shape[1]), dtype=np.float32)
        return Start(features, np.concatenate([self.map, unused]), self.weights)


def starting_point(vectors: WordVectors, dimension: int | None = None) -> Start:
    """Make the initial features and parameters from the unit vectors and weights of a table."""
    matrix = np.asarray(vectors.matrix, dtype=np.float64)
    size = matrix.shape[1] if dimension is None else dimension
    if not 1 <= size <= matrix.shape[1]:
        raise InputError(
            f"dimension must be from 1 to that of the vectors, {matrix.shape[1]}; got {dimension}"
        )
    if vectors.preweighted and size != matrix.shape[1]:
        raise InputError("dimension cannot be changed where vectors carry weights of their own")
    if vectors.preweighted:
        # coordinates of the order of 1, as whitened ones are, so that the same rates suit them
        features, first = unit_rows(matrix) * size**0.5, np.eye(size)
        weights = (matrix**2).sum(axis=1)
    else:
        probabilities = word_probabilities(vectors)
        features = fit_whitening(runs_of(matrix), probabilities).apply(matrix)
        whitened, first = features, np.eye(size)
        if size != matrix.shape[1]:
            # centred rows on the axes of largest variance
            centred = matrix - matrix.mean(axis=0)
            _, axes = np.linalg.eigh(centred.T @ centred)
            narrow = np.asarray(centred @ axes[:, ::-1][:, :size])
            whitened = fit_whitening(runs_of(narrow), probabilities).apply(narrow)
            # features are uncorrelated and of variance 1, so that this is the regression on them
            first = (features * probabilities[:, None]).T @ whitened
        lengths = np.linalg.norm(whitened, axis=1)
        weights = lengths / lengths.mean() * sif_weights(probabilities)
    return Start(
        features.astype(np.float32),
        first.astype(np.float32),
        np.maximum(weights, SMALLEST_WEIGHT).astype(np.float32),
    )


def context_features(corpus: TrainingTexts, texts: Ids, shrinkage: float) -> NDArray[np.float32]:
    """Compute the whitened mean embedding of each word's texts, shrunk for rare words: (V, e)."""
    sums = np.zeros((corpus.vocabulary, corpus.embeddings.shape[1]), dtype=np.float32)
    counts = np.zeros(corpus.vocabulary)
    ones = np.ones(corpus.vocabulary, dtype=np.float32)
    for part in blocks(len(texts), 16_384):
        holds = _words_of_texts(corpus, texts[part], ones)
        holds.sum_duplicates()
        holds.data[:] = 1.0
        sums += holds.T @ corpus.embeddings[texts[part]].astype(np.float32)
        counts += np.asarray(holds.sum(axis=0)).ravel()
    seen = counts > 0
    if not seen.any():
        raise InputError("texts must hold words of the vocabulary; got none that has a vector")
    means = sums[seen] / counts[seen, None]
    found = np.zeros_like(sums)
    shrunk = counts[seen] / (counts[seen] + shrinkage)
    found[seen] = fit_whitening(runs_of(means), counts[seen]).apply(means) * shrunk[:, None]
    return found


def _words_of_texts(corpus: TrainingTexts, texts: Ids, values: NDArray[np.float32]) -> Any:
    """Return the sparse matrix of texts × vocabulary, filled with each word's value."""
    from scipy.sparse import csr_matrix

    rows = corpus.rows.take(texts)
    rows = rows.keep(rows.values < corpus.vocabulary)
    # copies, because SciPy sorts in place
    cells = (values[rows.values], np.array(rows.values), np.array(rows.offsets))
    return csr_matrix(cells, shape=(len(rows), corpus.vocabulary))


def near_rows(
    matrix: NDArray[Any], ranks: tuple[int, ...], seed: int, device: str | None = None
) -> NDArray[np.int32]:
    """Find other rows at these ranks of each row's neighbours, by product: (n, d) -> (n, ranks).

    -1 where there are fewer. The rows should have unit length.
    """
    count = len(matrix)
    found = np.full((count, len(ranks)), -1, dtype=np.int32)
    if count < 2:
        return found
    top = _numpy_top(matrix) if device is None else _torch_top(matrix, device)

    def fill(rows: Ids, others: Ids) -> None:
        """Write the chosen neighbours of some rows; a row is not its own."""
        for part in blocks(len(rows), ROWS_PER_BLOCK):
            own = rows[part]
            best = others[top(own, others, min(ranks[-1] + 2, len(others)))]
            itself = best == own[:, None]
            # the row itself moves to the end, whatever its rank, and the others keep their order
            order = np.argsort(itself, axis=1, kind="stable")
            best = np.take_along_axis(best, order, axis=1)
            width = best.shape[1] - itself.sum(axis=1)
            for column, rank in enumerate(ranks):
                if rank < best.shape[1]:
                    found[own, column] = np.where(rank < width, best[:, rank], -1)

    everything = np.arange(count)
    if str(device).startswith("cuda") and count <= EXACT_ROWS:
        fill(everything, everything)
        return found
    generator = np.random.default_rng([seed, count])
    pivots = np.sort(generator.choice(count, size=max(1, int(count**0.5)), replace=False))
    nearest = np.concatenate([top(everything[part], pivots, 1)[:, 0] for part in blocks(count)])
    order = np.argsort(nearest, kind="stable")
    members = np.split(order, np.searchsorted(nearest[order], np.arange(1, len(pivots))))
    probes = top(pivots, pivots, min(PROBES, len(pivots)))
    for pivot, group in enumerate(members):
        fill(group, np.concatenate([members[probe] for probe in probes[pivot]]))
    return found


def _numpy_top(matrix: NDArray[Any]) -> Top:
    def top(rows: Integers, columns: Integers, k: int) -> Ids:
        across = matrix[columns].astype(np.float32)
        found = np.empty((len(rows), k), dtype=np.int64)
        for part in blocks(len(rows), 4096):
            scores = matrix[rows[part]].astype(np.float32) @ across.T
            if k == 1:
                found[part] = scores.argmax(axis=1)[:, None]
            elif k == scores.shape[1]:
                found[part] = np.argsort(-scores, axis=1, kind="stable")
            else:
                chosen = np.argpartition(-scores, k - 1, axis=1)[:, :k]
                best = np.take_along_axis(scores, chosen, axis=1)
                order = np.argsort(-best, axis=1, kind="stable")
                found[part] = np.take_along_axis(chosen, order, axis=1)
        return found

    return top


def _torch_top(matrix: NDArray[Any], device: str) -> Top:
    import torch

    kind = torch.float16 if device.startswith("cuda") else torch.float32
    held = torch.from_numpy(np.array(matrix)).to(device=device, dtype=kind)

    def top(rows: Integers, columns: Integers, k: int) -> Ids:
        everything = len(columns) == len(held) and bool((np.diff(columns) == 1).all())
        chosen = torch.from_numpy(np.asarray(columns, dtype=np.int64))
        across = held if everything else held[chosen.to(device)]
        found = np.empty((len(rows), k), dtype=np.int64)
        for part in blocks(len(rows), 16_384):
            down = held[torch.from_numpy(np.asarray(rows[part], dtype=np.int64)).to(device)]
            found[part] = torch.topk(down @ across.T, k, dim=1).indices.cpu().numpy()
        return found

    return top


@dataclass(frozen=True, eq=False)
class PairSource:
    """Source of pairs of some texts of a corpus, chosen by seed and step."""

    corpus: TrainingTexts
    texts: Ids  # (n,)
    by_teacher: NDArray[np.int32]  # (n, ranks): positions in `texts`, -1 for none
    by_table: NDArray[np.int32]
    recipe: Recipe

    def draw(self, step: int, count: int) -> Batch:
        """Draw texts left and right, with the teacher's cosine: (count,) each."""
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
    corpus: TrainingTexts, texts: Ids, start: Start, recipe: Recipe, device: str | None
) -> PairSource:
    """Find the neighbours of some texts among themselves, by the teacher and by the table."""
    by_teacher = near_rows(corpus.embeddings[texts], TEACHER_RANKS, recipe.seed, device)
    table = start.vectors
    averages = np.zeros((len(texts), table.shape[1]), dtype=np.float16)
    for part in blocks(len(texts), 65_536):
        sums = _words_of_texts(corpus, texts[part], start.weights) @ table
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        averages[part] = sums / np.where(lengths > 0, lengths, 1.0)
    by_table = near_rows(averages, TEACHER_RANKS, recipe.seed, device)
    return PairSource(corpus, texts, by_teacher, by_table, recipe)


def split(corpus: TrainingTexts, held_out: int, seed: int) -> tuple[Ids, Ids]:
    """Split texts into those to train on and those held out, and return their numbers."""
    order = np.random.default_rng([seed, corpus.texts]).permutation(corpus.texts)
    return np.sort(order[held_out:]), np.sort(order[:held_out])

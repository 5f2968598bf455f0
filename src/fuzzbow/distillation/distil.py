"""Distil a table of word vectors from a sentence model, without labels."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from fuzzbow.distillation.checkpoint import Checkpoint
from fuzzbow.distillation.corpus import Corpus, TextSource, read_corpus
from fuzzbow.distillation.features import Start, context_features, starting_point
from fuzzbow.distillation.neighbours import near_rows
from fuzzbow.distillation.numpy_trainer import NumpyTrainer
from fuzzbow.distillation.pairs import pair_source, split
from fuzzbow.distillation.perturbation import NEAREST, Perturbation
from fuzzbow.distillation.recipe import (
    HELD_OUT_SHARE,
    MOST_HELD_OUT,
    Recipe,
    Train,
    usual_steps,
)
from fuzzbow.distillation.report import DistilReport, Listener, nobody
from fuzzbow.distillation.teacher import parse_teacher
from fuzzbow.distillation.torch_trainer import TorchTrainer, check_device
from fuzzbow.distillation.trainer import State, Task, Trainer, table_of
from fuzzbow.distillation.training import train as train_table
from fuzzbow.encoding import Encoder
from fuzzbow.errors import MissingExtraError, check_count, parse_choice
from fuzzbow.text import ENGLISH, Tokenizer, adapted, is_number, parse_tokenizer
from fuzzbow.vectors import WordVectors, open_vectors

USUAL_BATCH = 4096


def distil(
    texts: TextSource,
    teacher: Any,
    *,
    vectors: Any = "default",
    train: str | Train = "all",
    dimension: int | None = None,
    steps: int | None = None,
    batch: int = USUAL_BATCH,
    seed: int = 0,
    device: str | None = None,
    tokenizer: str | Tokenizer | Callable[[str], Sequence[str]] = "words",
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Listener | None = None,
    name: str | None = None,
) -> WordVectors:
    """Word vectors and weights trained so that weighted-jaccard agrees with a sentence model.

    `texts` are an iterable of strings or a file with one on each line; no labels are needed.
    `teacher` is a function from a list of texts to an array, an array with a row for each text
    or its .npy file, a sentence-transformers or model2vec model, or the folder of one. `vectors`
    is the table to begin with; words that the texts do not hold change with the others.
    `train="weights"` trains the weights of words alone, which needs far less text. `dimension`
    makes the vectors shorter. `device` "cpu" or "cuda" trains with PyTorch, else NumPy does.
    With a `checkpoint`, a .safetensors file, an interrupted training goes on where it was.
    Ctrl-C during the training ends it; the result is the best table so far.

    The result holds vectors of length √w, ready to be compared, and nothing of the texts. Save
    it with `fuzzbow.vectors.save_vectors`.
    """
    kind = parse_choice(Train, train, "train")
    check_count(seed, "seed", least=0)
    if steps is not None:
        check_count(steps, "steps")
    recipe = Recipe(train=kind, batch=check_count(batch, "batch", least=2), seed=seed)
    _check_scipy()
    listener = nobody if progress is None else progress
    guide = parse_teacher(teacher)
    if device is not None:
        check_device(device)
    table = open_vectors(vectors)
    start = starting_point(table, dimension)
    encoder = Encoder(adapted(parse_tokenizer(tokenizer), ENGLISH, table), table)
    perturbation = None
    if guide.encode is not None and kind is Train.ALL:
        perturbation = perturbation_of(table, start, Random(seed), device)
    corpus = read_corpus(texts, guide, encoder, perturbation, listener)
    recipe = replace(recipe, steps=steps or usual_steps(corpus.texts, batch))
    run = Run(table, start, corpus, recipe, device, listener)
    return run.table(run.train(checkpoint), name)


class Run:
    """A corpus ready to be trained on; several recipes can share its preparation."""

    def __init__(
        self,
        vectors: WordVectors,
        start: Start,
        corpus: Corpus,
        recipe: Recipe,
        device: str | None,
        listener: Listener,
    ) -> None:
        self.vectors, self.corpus, self.recipe = vectors, corpus, recipe
        self.device, self.listener = device, listener
        held_out = max(2, min(int(corpus.texts * HELD_OUT_SHARE), MOST_HELD_OUT))
        trained_on, unseen = split(corpus, held_out, recipe.seed)
        listener(DistilReport("finding pairs", 0, len(trained_on)))
        self.source = pair_source(corpus, trained_on, start, recipe, device)
        self.unseen = pair_source(corpus, unseen, start, recipe, device)
        listener(DistilReport("finding pairs", len(trained_on), len(trained_on)))
        self.start = start
        if recipe.train is Train.ALL:
            contexts = context_features(corpus, trained_on, recipe.shrinkage)
            self.start = start.with_contexts(contexts)
        self._numbers = np.array([is_number(word) for word in vectors.words], dtype=np.bool_)

    def train(
        self, checkpoint: str | os.PathLike[str] | None = None, recipe: Recipe | None = None
    ) -> State:
        """The best parameters, by the recipe or by a variant of it."""
        chosen = self.recipe if recipe is None else recipe
        self.task = Task.of(self.corpus, self.start, self._numbers, chosen)
        trainer: Trainer = (
            NumpyTrainer(self.task) if self.device is None else TorchTrainer(self.task, self.device)
        )
        kept = None if checkpoint is None else Checkpoint(Path(checkpoint), self._identity(chosen))
        source = replace(self.source, recipe=chosen)
        return train_table(trainer, source, self.unseen, chosen, kept, self.listener)

    def table(self, state: State, name: str | None = None) -> WordVectors:
        """Word vectors of length √w."""
        unit, weights = table_of(self.start, self.task, state)
        return WordVectors.from_words(
            list(self.vectors.words),
            unit * np.sqrt(weights)[:, None],
            counts=self.vectors.counts,
            name=name or f"{self.vectors.name}-distilled",
            ready=True,
        )

    def _identity(self, recipe: Recipe) -> dict[str, Any]:
        return {
            "recipe": recipe.identity(),
            "texts and embeddings": self.corpus.digest,
            "vectors": self.vectors.fingerprint,
            "dimension": int(self.start.map.shape[1]),
            "engine": "numpy" if self.device is None else "torch",
        }


def perturbation_of(
    vectors: WordVectors, start: Start, random: Random, device: str | None
) -> Perturbation:
    """A maker of copies over the words of a table."""
    words = list(vectors.words)
    near = near_rows(start.vectors, tuple(range(NEAREST)), 0, device)
    usable = [place for place, word in enumerate(words) if word.isalpha()]
    return Perturbation(words, near, usable or range(len(words)), random)


def _check_scipy() -> None:
    try:
        import scipy.sparse  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("scipy", "distil") from error

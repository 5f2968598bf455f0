"""Distil a table of word vectors from a sentence model, without labels."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from fuzzbow.encoding import Encoder
from fuzzbow.errors import InputError, MissingExtraError, check_count
from fuzzbow.research.distillation import pairs
from fuzzbow.research.distillation import recipe as recipes
from fuzzbow.research.distillation.corpus import (
    NEAREST,
    Perturbation,
    TextSource,
    TrainingTexts,
    parse_teacher,
    read_corpus,
)
from fuzzbow.research.distillation.pairs import Batch, PairSource, Start
from fuzzbow.research.distillation.recipe import DistilReport, Listener, Recipe
from fuzzbow.research.distillation.trainers import (
    PARAMETERS,
    NumpyTrainer,
    State,
    TorchTrainer,
    Trainer,
    TrainingTask,
    check_device,
)
from fuzzbow.text import ENGLISH, Tokenizer, is_number, parse_tokenizer
from fuzzbow.vectors import WordVectors, open_vectors
from fuzzbow.vectors.formats.container import Tensor, open_container, write_container

USUAL_BATCH = 4096
CHECKPOINT_FORMAT = "fuzzbow-distillation/1"
EVALUATIONS = 30  # of the held-out loss in a whole run
AHEAD = 4  # batches drawn before they are needed
HELD_OUT_STEP = 2**31  # no step of the training has this number, nor its pairs


def distil(
    texts: TextSource,
    teacher: Any,
    *,
    vectors: Any = "default",
    train: str = "all",
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
    """Train word vectors and weights so that weighted-jaccard agrees with a sentence model.

    No labels are needed. Ctrl-C during the training ends it; the result is the best table so far.

    Parameters
    ----------
    texts : iterable of str or path
        Texts, or a file with one on each line.
    teacher : function, array, path or model
        A function from a list of texts to an array, an array with a row for each text or its
        .npy file, a sentence-transformers or model2vec model, or the folder of one.
    vectors : str, path or WordVectors
        The table to begin with; words outside the texts change with the others.
    train : {"all", "weights"}
        "weights" trains the weights of words alone, which needs far less text.
    dimension : int, optional
        A smaller dimension of the vectors.
    steps, batch, seed : int
        Steps (by the number of texts unless given), pairs in a step, and the seed.
    device : {"cpu", "cuda"}, optional
        Device of PyTorch; NumPy trains unless given.
    tokenizer : str, Tokenizer or function
        Tokenizer of the texts.
    checkpoint : path, optional
        A .safetensors file from which an interrupted training resumes.
    progress : function, optional
        Called with a `DistilReport` at every stage.
    name : str, optional
        Name of the new vectors.

    Returns
    -------
    WordVectors
        Vectors of length √w, with w the word's weight, without any text. Save them with
        `fuzzbow.vectors.save_vectors`.

    Raises
    ------
    InputError
        If texts, teacher or options cannot be used.
    """
    recipe = Recipe(train=train, batch=batch, seed=seed)
    if steps is not None:
        check_count(steps, "steps")
    try:
        import scipy.sparse  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("scipy", "distil") from error
    listener = progress or (lambda report: None)
    guide = parse_teacher(teacher)
    if device is not None:
        check_device(device)
    table = open_vectors(vectors)
    start = pairs.starting_point(table, dimension)
    encoder = Encoder(parse_tokenizer(tokenizer).adapted(ENGLISH, table), table)
    perturbation = None
    if guide.encode is not None and train == "all":
        perturbation = perturbation_of(table, start, Random(seed), device)
    corpus = read_corpus(texts, guide, encoder, perturbation, listener)
    recipe = replace(recipe, steps=steps or recipes.usual_steps(corpus.texts, batch))
    run = DistilRun(table, start, corpus, recipe, device, listener)
    return run.table(run.train(checkpoint), name)


class DistilRun:
    """A corpus prepared for training; several recipes can share the preparation."""

    def __init__(
        self,
        vectors: WordVectors,
        start: Start,
        corpus: TrainingTexts,
        recipe: Recipe,
        device: str | None,
        listener: Listener,
    ) -> None:
        self.vectors, self.corpus, self.recipe = vectors, corpus, recipe
        self.device, self.listener = device, listener
        held_out = min(int(corpus.texts * recipes.HELD_OUT_SHARE), recipes.MOST_HELD_OUT)
        trained_on, unseen = pairs.split(corpus, max(2, held_out), recipe.seed)
        listener(DistilReport("finding pairs", 0, len(trained_on)))
        self.source = pairs.pair_source(corpus, trained_on, start, recipe, device)
        self.unseen = pairs.pair_source(corpus, unseen, start, recipe, device)
        listener(DistilReport("finding pairs", len(trained_on), len(trained_on)))
        self.start = start
        if recipe.train == "all":
            contexts = pairs.context_features(corpus, trained_on, recipe.shrinkage)
            self.start = start.with_contexts(contexts)
        self._numbers = np.array([is_number(word) for word in vectors.words], dtype=np.bool_)

    def train(
        self, checkpoint: str | os.PathLike[str] | None = None, recipe: Recipe | None = None
    ) -> State:
        """Train by the recipe or a variant; return the parameters with the least held-out loss."""
        chosen = self.recipe if recipe is None else recipe
        self.task = TrainingTask.of(self.corpus, self.start, self._numbers, chosen)
        trainer: Trainer = (
            NumpyTrainer(self.task) if self.device is None else TorchTrainer(self.task, self.device)
        )
        identity = {
            "recipe": chosen.identity(),
            "texts and embeddings": self.corpus.digest,
            "vectors": self.vectors.fingerprint,
            "dimension": int(self.start.map.shape[1]),
            "engine": "numpy" if self.device is None else "torch",
        }
        path = None if checkpoint is None else Path(checkpoint)
        count = min(recipes.HELD_OUT_PAIRS, 16 * len(self.unseen.texts))
        unseen = self.unseen.draw(HELD_OUT_STEP, count)
        best = None if path is None else load_checkpoint(path, identity)
        if best is None:
            state = trainer.state()
            best = Progressed(0, trainer.loss(*unseen), _parameters(state), state)
        else:
            trainer.restore(best.state)
        try:
            for reached, report in _steps(
                trainer, replace(self.source, recipe=chosen), unseen, best
            ):
                best = reached
                if path is not None:
                    save_checkpoint(path, identity, best)
                self.listener(report)
        except KeyboardInterrupt:
            self.listener(
                DistilReport("training", best.step, chosen.steps, best=best.best, interrupted=True)
            )
        return best.parameters

    def table(self, state: State, name: str | None = None) -> WordVectors:
        """Return the word vectors, of length √w."""
        unit, weights = self.task.table(state)
        return WordVectors.from_words(
            list(self.vectors.words),
            unit * np.sqrt(weights)[:, None],
            counts=self.vectors.counts,
            name=name or f"{self.vectors.name}-distilled",
            preweighted=True,
        )


def perturbation_of(
    vectors: WordVectors, start: Start, random: Random, device: str | None
) -> Perturbation:
    """Return a generator of perturbed copies of texts, over the words of a table."""
    words = list(vectors.words)
    near = pairs.near_rows(start.vectors, tuple(range(NEAREST)), 0, device)
    usable = [position for position, word in enumerate(words) if word.isalpha()]
    return Perturbation(words, near, usable or range(len(words)), random)


@dataclass(frozen=True, eq=False)
class Progressed:
    """State of a training run after some steps."""

    step: int
    best: float  # least held-out loss so far
    parameters: State  # with that loss
    state: State  # of the trainer


def _steps(
    trainer: Trainer, source: PairSource, unseen: Batch, kept: Progressed
) -> Iterator[tuple[Progressed, DistilReport]]:
    """Train, and yield the state and a report at each evaluation of the held-out loss."""
    steps = source.recipe.steps
    every = max(1, steps // EVALUATIONS)
    began, first, losses = time.monotonic(), kept.step, []
    for step, batch in _batches(source, first):
        losses.append(trainer.step(*batch, step))
        done = step + 1
        if done % every and done != steps:
            continue
        now, state = trainer.loss(*unseen), trainer.state()
        best = kept.parameters if now >= kept.best else _parameters(state)
        kept = Progressed(done, min(now, kept.best), best, state)
        left = (time.monotonic() - began) / (done - first) * (steps - done)
        mean = sum(losses) / len(losses)
        yield kept, DistilReport("training", done, steps, mean, now, kept.best, left)
        losses.clear()


def _batches(source: PairSource, first: int) -> Iterator[tuple[int, Batch]]:
    """Yield steps with their pairs; the next pairs are drawn while these are used."""
    steps, batch = source.recipe.steps, source.recipe.batch
    waiting: deque[Future[Batch]] = deque()
    with ThreadPoolExecutor(AHEAD, thread_name_prefix="fuzzbow-pairs") as pool:
        for step in range(first, steps + AHEAD):
            if step < steps:
                waiting.append(pool.submit(source.draw, step, batch))
            if step >= first + AHEAD and waiting:
                yield step - AHEAD, waiting.popleft().result()


def _parameters(state: State) -> State:
    return {name: state[name] for name in PARAMETERS}


def save_checkpoint(path: Path, identity: dict[str, Any], progressed: Progressed) -> None:
    """Write the checkpoint of a training run, replacing an older one."""
    arrays = {f"state.{name}": array for name, array in progressed.state.items()}
    arrays |= {f"best.{name}": array for name, array in progressed.parameters.items()}
    metadata = {
        "format": CHECKPOINT_FORMAT,
        "identity": json.dumps(identity, sort_keys=True),
        "step": str(progressed.step),
        "best": repr(progressed.best),
    }
    tensors = [Tensor.of(name, array) for name, array in arrays.items()]
    write_container(path, tensors, lambda: metadata)


def load_checkpoint(path: Path, identity: dict[str, Any]) -> Progressed | None:
    """Read the checkpoint of this training run, if there is one; refuse that of another run."""
    if path.suffix != ".safetensors":
        raise InputError(f"{path}: the name of a checkpoint must end in .safetensors")
    if not path.exists():
        return None
    container = open_container(path)
    if container.metadata.get("format") != CHECKPOINT_FORMAT:
        raise InputError(f"{path}: must be a checkpoint of fuzzbow; it is not")
    try:
        stored = dict(json.loads(container.metadata["identity"]))
        step, best = int(container.metadata["step"]), float(container.metadata["best"])
    except (KeyError, ValueError, TypeError) as error:
        raise InputError(f"{path}: damaged checkpoint: {error}") from error
    for part, value in identity.items():
        if stored.get(part) != value:
            raise InputError(
                f"{path}: is the checkpoint of another training: {part} was"
                f" {stored.get(part)}, is {value}; name another file, or remove it"
            )
    parts: dict[str, State] = {"state": {}, "best": {}}
    for name in container.entries:
        kind, _, rest = name.partition(".")
        parts.setdefault(kind, {})[rest] = np.array(container.array(name))
    return Progressed(step, best, parts["best"], parts["state"])

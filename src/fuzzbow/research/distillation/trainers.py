"""Trainers of a table of words, in NumPy with SciPy and in PyTorch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Booleans, Floats, Integers, Ragged, blocks
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.fuzzy import unit_rows
from fuzzbow.research.distillation.corpus import TrainingTexts
from fuzzbow.research.distillation.objective import (
    TrainedWords,
    groups,
    loss_and_gradient,
    padded,
    scores,
)
from fuzzbow.research.distillation.pairs import Start
from fuzzbow.research.distillation.recipe import Recipe

State = dict[str, NDArray[np.float32]]
PARAMETERS = ("delta", "map", "change")  # of words alone, of all words, and of log-weights
FIRST_MOMENT, SECOND_MOMENT = 0.9, 0.99
EPSILON = 1e-8
CPU_CELLS, GPU_CELLS = 1 << 20, 1 << 23  # similarities of words in PyTorch's memory


@dataclass(frozen=True, eq=False)
class TrainingTask:
    """Words that occur in a corpus, numbered from 0, and its texts as these numbers."""

    active: NDArray[np.int64]  # (m,) ids in the vocabulary
    rows: Ragged
    features: NDArray[np.float32]  # (m, f)
    start: Start
    weights: NDArray[np.float32]  # (m,) at the start
    numbers: Booleans  # (m,)
    recipe: Recipe

    @classmethod
    def of(
        cls, corpus: TrainingTexts, start: Start, numbers: Booleans, recipe: Recipe
    ) -> TrainingTask:
        """Number the words that occur; only these are trained individually."""
        size, values = corpus.vocabulary, corpus.rows.values
        active = np.unique(values[values < size]).astype(np.int64)
        number = np.full(size, -1, dtype=np.int64)
        number[active] = np.arange(len(active))
        known = number[np.minimum(values, size - 1)]
        moved = np.where(values < size, known, values.astype(np.int64) - size + len(active))
        rows = Ragged(moved.astype(np.int32), corpus.rows.offsets)
        features, weights = start.features[active], start.weights[active]
        return cls(active, rows, features, start, weights, numbers[active], recipe)

    def initial_state(self) -> State:
        """Return the initial parameters of the table."""
        return {
            "delta": np.zeros((len(self.active), self.start.map.shape[1]), dtype=np.float32),
            "map": self.start.map.copy(),
            "change": np.zeros(len(self.active), dtype=np.float32),
        }

    def table(self, state: State) -> tuple[Floats, Floats]:
        """Return unit vectors and weights of the whole vocabulary: (V, d), (V,)."""
        made = self.start.features @ state["map"]
        made[self.active] += state["delta"]
        weights = self.start.weights.copy()
        weights[self.active] *= np.exp(state["change"])
        return unit_rows(made.astype(np.float64)), weights


class Trainer(ABC):
    """Trainer by Adam with separate decay; parameters and moments are arrays of its library."""

    adam_rows = 1 << 62  # rows per update

    def __init__(self, task: TrainingTask) -> None:
        self._task = task
        recipe, first = task.recipe, task.initial_state()
        self._rates = {"change": (recipe.weight_rate, recipe.decay)}
        if recipe.train == "all":
            self._rates["map"] = recipe.map_rate, 0.0
            self._rates["delta"] = recipe.vector_rate, recipe.decay
        for name in PARAMETERS:
            for moment in ("first", "second"):
                first[f"{name}.{moment}"] = np.zeros_like(first[name])
        self._state: dict[str, Any] = {name: self._own(array) for name, array in first.items()}

    def step(self, lefts: Integers, rights: Integers, cosines: Floats, number: int) -> float:
        """Train on some pairs, and return their loss before the step."""
        loss, gradients = self._gradients(lefts, rights, cosines)
        for name, gradient in gradients.items():
            self._adam(name, gradient, number)
        return loss

    @abstractmethod
    def loss(self, lefts: Integers, rights: Integers, cosines: Floats) -> float:
        """Return the loss of some pairs without training."""

    def state(self) -> State:
        """Copy the parameters and Adam's moments."""
        return {name: np.array(array) for name, array in self._state.items()}

    def restore(self, state: State) -> None:
        """Continue from a state that `state` returned."""
        self._state = {name: self._own(np.array(state[name])) for name in self._state}

    @abstractmethod
    def _own(self, array: NDArray[Any]) -> Any:
        """Return an array of the trainer's library."""

    @abstractmethod
    def _gradients(
        self, lefts: Integers, rights: Integers, cosines: Floats
    ) -> tuple[float, dict[str, Any]]:
        """Return the loss of some pairs, and its gradients by the parameters that are trained."""

    def _adam(self, name: str, gradient: Any, number: int) -> None:
        t, (rate, decay) = number + 1, self._rates[name]
        rate *= self._task.recipe.rate(number)
        scale = rate * (1 - SECOND_MOMENT**t) ** 0.5 / (1 - FIRST_MOMENT**t)
        small = EPSILON * (1 - SECOND_MOMENT**t) ** 0.5
        state = self._state
        for part in blocks(len(gradient), self.adam_rows):
            first, second = state[f"{name}.first"][part], state[f"{name}.second"][part]
            value, change = state[name][part], gradient[part]
            first *= FIRST_MOMENT
            first += (1 - FIRST_MOMENT) * change
            second *= SECOND_MOMENT
            second += (1 - SECOND_MOMENT) * change * change
            value *= 1 - rate * decay
            value -= scale * first / (second**0.5 + small)


class NumpyTrainer(Trainer):
    """Trainer on sparse gradients; a step touches only the words of its pairs."""

    adam_rows = 2048  # few enough for the processor's cache

    def __init__(self, task: TrainingTask) -> None:
        super().__init__(task)
        self._numbers = np.append(task.numbers, False)
        self._vectors = np.zeros((len(task.active) + 1, task.start.map.shape[1]), dtype=np.float32)
        self._lengths = np.ones(len(task.active), dtype=np.float32)
        self._refresh(np.arange(len(task.active)))
        self._start = TrainedWords(self._vectors.copy(), self._weights(), self._numbers)

    def loss(self, lefts: Integers, rights: Integers, cosines: Floats) -> float:
        """Return the loss of some pairs without training."""
        found = scores(self._words(lefts, rights), self._task.rows, lefts, rights)
        error = found - self._targets(lefts, rights, cosines)
        return float(np.mean(error**2))

    def _own(self, array: NDArray[Any]) -> Any:
        return array

    def _gradients(
        self, lefts: Integers, rights: Integers, cosines: Floats
    ) -> tuple[float, dict[str, Any]]:
        words, targets = self._words(lefts, rights), self._targets(lefts, rights, cosines)
        loss, gradient = loss_and_gradient(words, self._task.rows, lefts, rights, targets)
        found = {"change": gradient.log_weights[:-1].astype(np.float32)}
        if "delta" in self._rates:
            delta = gradient.vectors[:-1] / self._lengths[:, None]
            used = np.flatnonzero(delta.any(axis=1))
            found |= {"map": self._task.features[used].T @ delta[used], "delta": delta}
        return loss, found

    def _targets(self, lefts: Integers, rights: Integers, cosines: Floats) -> Floats:
        share = self._task.recipe.teacher_share
        before = scores(self._start, self._task.rows, lefts, rights)
        return np.asarray(share * cosines + (1.0 - share) * before, dtype=np.float32)

    def _words(self, lefts: Integers, rights: Integers) -> TrainedWords:
        """Return the current table, updated for the words of these pairs."""
        rows = self._task.rows.take(np.concatenate([lefts, rights]))
        flags = np.zeros(len(self._task.active), dtype=np.bool_)
        flags[rows.values[rows.values < len(flags)]] = True
        if self._task.recipe.train == "all":
            self._refresh(np.flatnonzero(flags))
        return TrainedWords(self._vectors, self._weights(), self._numbers)

    def _weights(self) -> NDArray[np.float32]:
        return np.append(self._task.weights * np.exp(self._state["change"]), np.float32(1.0))

    def _refresh(self, words: NDArray[np.int64]) -> None:
        """Compute the unit vectors of some words, and store their previous lengths."""
        made = self._task.features[words] @ self._state["map"] + self._state["delta"][words]
        lengths = np.linalg.norm(made, axis=1)
        self._lengths[words] = np.where(lengths > 0, lengths, 1.0)
        self._vectors[words] = made / self._lengths[words, None]


def check_device(device: str) -> str:
    """Check that PyTorch has a device, and return its name."""
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("torch", "torch") from error
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        message = f"device must be one that PyTorch has; got {device!r}: {reason}"
        raise InputError(message) from error
    return device


class TorchTrainer(Trainer):
    """Trainer by PyTorch's gradients, on a CPU or a GPU."""

    def __init__(self, task: TrainingTask, device: str) -> None:
        import torch

        self._torch, self._device = torch, check_device(device)
        super().__init__(task)
        self._cells = CPU_CELLS if device == "cpu" else GPU_CELLS
        self._features = self._own(task.features)
        self._base = torch.log(self._own(task.weights))
        self._numbers = self._own(np.append(task.numbers, False))
        self._start = self._table(self._state)

    def loss(self, lefts: Integers, rights: Integers, cosines: Floats) -> float:
        """Return the loss of some pairs without training."""
        return float(self._loss(self._state, lefts, rights, cosines))

    def state(self) -> State:
        """Copy the parameters and Adam's moments."""
        return {name: array.cpu().numpy().copy() for name, array in self._state.items()}

    def _own(self, array: NDArray[Any]) -> Any:
        return self._torch.from_numpy(np.ascontiguousarray(array)).to(self._device)

    def _gradients(
        self, lefts: Integers, rights: Integers, cosines: Floats
    ) -> tuple[float, dict[str, Any]]:
        trained = {name: self._state[name].detach().requires_grad_() for name in self._rates}
        loss = self._loss(self._state | trained, lefts, rights, cosines)
        found = self._torch.autograd.grad(loss, list(trained.values()))
        return float(loss.detach()), dict(zip(trained, found, strict=True))

    def _table(self, now: dict[str, Any]) -> tuple[Any, Any]:
        """Return unit vectors and weights, the last row for words without a vector."""
        torch = self._torch
        made = torch.addmm(now["delta"], self._features, now["map"])
        unit = torch.nn.functional.normalize(made, dim=1)
        weights = torch.exp(self._base + now["change"])
        nothing = torch.zeros_like(unit[:1])
        return torch.cat([unit, nothing]), torch.cat([weights, torch.ones_like(weights[:1])])

    def _loss(self, now: dict[str, Any], lefts: Integers, rights: Integers, cosines: Floats) -> Any:
        """Compute the mean squared error of the scores."""
        torch, share = self._torch, self._task.recipe.teacher_share
        table, total = self._table(now), 0.0
        lengths = self._task.rows.lengths
        for positions in groups(np.maximum(lengths[lefts], lengths[rights]), self._cells):
            ends = (lefts[positions], -1), (rights[positions], -2)
            sides = [self._own(padded(self._task.rows, *end)) for end in ends]
            with torch.no_grad():
                before = self._score(self._start, *sides)
                target = share * self._own(cosines[positions]) + (1.0 - share) * before
            total = total + ((self._score(table, *sides) - target) ** 2).sum()
        return total / len(lefts)

    def _score(self, table: tuple[Any, Any], left: Any, right: Any) -> Any:
        """Score some pairs: (n, k), (n, l) -> (n,)."""
        torch, (vectors, weights) = self._torch, table
        last = len(weights) - 1
        a, b = (torch.where(side < 0, last, side.clamp(max=last)) for side in (left, right))
        embed = torch.nn.functional.embedding
        similar = embed(a, vectors) @ embed(b, vectors).transpose(1, 2)
        clash = self._numbers[a][:, :, None] & self._numbers[b][:, None, :]
        similar = similar.masked_fill(clash, 0.0)
        similar = similar.masked_fill(left[:, :, None] == right[:, None, :], 1.0).clamp(min=0.0)
        w_a = torch.where(left < 0, 0.0, embed(a, weights[:, None])[..., 0])
        w_b = torch.where(right < 0, 0.0, embed(b, weights[:, None])[..., 0])
        common = (w_a * similar.amax(dim=2)).sum(dim=1) + (w_b * similar.amax(dim=1)).sum(dim=1)
        return common / (w_a.sum(dim=1) + w_b.sum(dim=1))

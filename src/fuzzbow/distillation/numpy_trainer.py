"""The trainer in NumPy and SciPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats, Integers, blocks
from fuzzbow.distillation.objective import Words, loss_and_gradient, scores
from fuzzbow.distillation.recipe import Train
from fuzzbow.distillation.trainer import (
    EPSILON,
    FIRST_MOMENT,
    PARAMETERS,
    SECOND_MOMENT,
    State,
    Task,
)

ADAM_ROWS = 2048  # rows updated at once, few enough for the processor's cache


class NumpyTrainer:
    """Adam on sparse gradients; a step costs what the words of its pairs cost."""

    def __init__(self, task: Task) -> None:
        self._task = task
        first = task.initial_state()
        self._state = first | _moments(first)
        self._numbers = np.append(task.numbers, False)
        self._vectors = np.zeros((len(task.active) + 1, task.map.shape[1]), dtype=np.float32)
        self._lengths = np.ones(len(task.active), dtype=np.float32)
        self._refresh(np.arange(len(task.active)))
        self._start = Words(self._vectors.copy(), self._weights(), self._numbers)

    def step(self, lefts: Integers, rights: Integers, cosines: Floats, number: int) -> float:
        """Learn from some pairs; their loss before that."""
        task, recipe = self._task, self._task.recipe
        words = self._words(lefts, rights)
        targets = self._targets(lefts, rights, cosines)
        loss, said = loss_and_gradient(words, task.rows, lefts, rights, targets)
        rate = recipe.rate(number)
        change = said.log_weights[:-1].astype(np.float32)
        self._adam("change", change, rate * recipe.weight_rate, number, recipe.decay)
        if recipe.train is Train.ALL:
            delta = said.vectors(words)[:-1] / self._lengths[:, None]
            used = np.flatnonzero(delta.any(axis=1))
            moved = task.features[used].T @ delta[used]
            self._adam("map", moved, rate * recipe.map_rate, number, 0.0)
            self._adam("delta", delta, rate * recipe.vector_rate, number, recipe.decay)
        return loss

    def loss(self, lefts: Integers, rights: Integers, cosines: Floats) -> float:
        """The loss of some pairs."""
        found = scores(self._words(lefts, rights), self._task.rows, lefts, rights)
        error = found - self._targets(lefts, rights, cosines)
        return float(np.mean(error**2))

    def state(self) -> State:
        """A copy of the parameters and of Adam's moments."""
        return {name: array.copy() for name, array in self._state.items()}

    def restore(self, state: State) -> None:
        """Go on from such a copy."""
        self._state = {name: np.array(state[name]) for name in self._state}

    def _targets(self, lefts: Integers, rights: Integers, cosines: Floats) -> Floats:
        share = self._task.recipe.teacher_share
        before = scores(self._start, self._task.rows, lefts, rights)
        return np.asarray(share * cosines + (1.0 - share) * before, dtype=np.float32)

    def _words(self, lefts: Integers, rights: Integers) -> Words:
        """The table as it is now, up to date for the words of these pairs."""
        rows = self._task.rows.take(np.concatenate([lefts, rights]))
        flags = np.zeros(len(self._task.active), dtype=np.bool_)
        flags[rows.values[rows.values < len(flags)]] = True
        if self._task.recipe.train is Train.ALL:
            self._refresh(np.flatnonzero(flags))
        return Words(self._vectors, self._weights(), self._numbers)

    def _weights(self) -> NDArray[np.float32]:
        return np.append(self._task.weights * np.exp(self._state["change"]), np.float32(1.0))

    def _refresh(self, words: NDArray[np.int64]) -> None:
        """Make the unit vectors of some words, and keep how long they were."""
        made = self._task.features[words] @ self._state["map"] + self._state["delta"][words]
        lengths = np.linalg.norm(made, axis=1)
        self._lengths[words] = np.where(lengths > 0, lengths, 1.0)
        self._vectors[words] = made / self._lengths[words, None]

    def _adam(self, name: str, gradient: Floats, rate: float, number: int, decay: float) -> None:
        """One step of Adam with decay beside it, a few rows at a time."""
        t = number + 1
        scale = rate * (1 - SECOND_MOMENT**t) ** 0.5 / (1 - FIRST_MOMENT**t)
        small = EPSILON * (1 - SECOND_MOMENT**t) ** 0.5
        state = self._state
        for part in blocks(len(gradient), ADAM_ROWS):
            first, second = state[f"{name}.first"][part], state[f"{name}.second"][part]
            value, change = state[name][part], gradient[part]
            first *= FIRST_MOMENT
            first += (1 - FIRST_MOMENT) * change
            second *= SECOND_MOMENT
            second += (1 - SECOND_MOMENT) * change * change
            value *= 1 - rate * decay
            value -= scale * first / (np.sqrt(second) + small)


def _moments(state: State) -> State:
    return {
        f"{name}.{moment}": np.zeros_like(state[name])
        for name in PARAMETERS
        for moment in ("first", "second")
    }

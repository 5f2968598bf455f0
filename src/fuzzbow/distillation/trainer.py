"""What a trainer is: parameters, one step, and the loss of pairs; and the task it works on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Booleans, Floats, Integers, Ragged
from fuzzbow.distillation.corpus import Corpus
from fuzzbow.distillation.features import Start
from fuzzbow.distillation.recipe import Recipe
from fuzzbow.fuzzy import unit_rows

State = dict[str, NDArray[np.float32]]
PARAMETERS = ("delta", "map", "change")  # of words alone, of all words, and of log-weights
FIRST_MOMENT, SECOND_MOMENT = 0.9, 0.99
EPSILON = 1e-8


@dataclass(frozen=True, eq=False)
class Task:
    """The words that occur in a corpus, and its texts in their numbers, from `words` on unknown."""

    active: NDArray[np.int64]  # (m,) ids in the vocabulary
    rows: Ragged
    features: NDArray[np.float32]  # (m, f)
    map: NDArray[np.float32]  # (f, d) at the start
    weights: NDArray[np.float32]  # (m,) at the start
    numbers: Booleans  # (m,)
    recipe: Recipe

    @classmethod
    def of(cls, corpus: Corpus, start: Start, numbers: Booleans, recipe: Recipe) -> Task:
        """Only the words that occur can learn something of their own."""
        size = corpus.vocabulary
        values = corpus.rows.values
        active = np.unique(values[values < size]).astype(np.int64)
        place = np.full(size, -1, dtype=np.int64)
        place[active] = np.arange(len(active))
        moved = np.where(values < size, place[np.minimum(values, size - 1)], 0)
        moved = np.where(values < size, moved, values - size + len(active)).astype(np.int32)
        rows = Ragged(moved, corpus.rows.offsets)
        return cls(
            active,
            rows,
            start.features[active],
            start.map,
            start.weights[active],
            numbers[active],
            recipe,
        )

    def initial_state(self) -> State:
        """Parameters that make the table at the start."""
        return {
            "delta": np.zeros((len(self.active), self.map.shape[1]), dtype=np.float32),
            "map": self.map.copy(),
            "change": np.zeros(len(self.active), dtype=np.float32),
        }


class Trainer(Protocol):
    """Parameters and how they learn."""

    def step(self, lefts: Integers, rights: Integers, cosines: Floats, number: int) -> float:
        """Learn from some pairs; their loss before that."""

    def loss(self, lefts: Integers, rights: Integers, cosines: Floats) -> float:
        """The loss of some pairs."""

    def state(self) -> State:
        """A copy of the parameters and of what the optimiser knows."""

    def restore(self, state: State) -> None:
        """Go on from such a copy."""


def table_of(start: Start, task: Task, state: State) -> tuple[Floats, Floats]:
    """Unit vectors and weights of the whole vocabulary: (V, d), (V,)."""
    made = start.features @ state["map"]
    made[task.active] += state["delta"]
    weights = start.weights.copy()
    weights[task.active] *= np.exp(state["change"])
    return unit_rows(made.astype(np.float64)), weights

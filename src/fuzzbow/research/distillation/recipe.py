"""Parameters of a training run, and reports of its progress."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from fuzzbow.errors import InputError, check_choice, check_count

RECIPE_VERSION = 3
TEACHER_RANKS = (0, 1, 2, 3, 5, 8, 12, 18, 27, 40, 60, 90)  # of the neighbours that make pairs
LEAST_TEXTS = 32  # that hold words: fewer make no pairs and no held-out part
PAIRS_PER_TEXT = 33
LEAST_STEPS, MOST_STEPS = 200, 1500
HELD_OUT_SHARE, MOST_HELD_OUT = 0.02, 10_000
HELD_OUT_PAIRS = 8192


# parameters to train: all, or the weights of words alone, whose vectors keep their directions
TRAIN = ("all", "weights")


@dataclass(frozen=True)
class Recipe:
    """Parameters of a training run that decide the result, besides the data."""

    train: str = "all"  # one of TRAIN
    steps: int = 1500
    batch: int = 4096  # pairs in a step
    seed: int = 0
    warm_up: int = 200
    vector_rate: float = 1e-2  # of δ, each word's own change
    map_rate: float = 1e-3  # of M, the change of all words together
    weight_rate: float = 5e-3  # of log-weights
    decay: float = 0.3  # of δ and of the change of log-weights, times the rate
    teacher_share: float = 0.7  # of the target; the rest is the score of the table at the start
    # of pairs: near under the teacher, near under the table, random, with a perturbed copy
    shares: tuple[float, float, float, float] = (0.40, 0.20, 0.05, 0.35)
    shrinkage: float = 10.0  # texts that a word's mean embedding has to be seen in to count half

    def __post_init__(self) -> None:
        check_choice(self.train, TRAIN, "train")
        check_count(self.steps, "steps")
        check_count(self.batch, "batch", least=2)
        check_count(self.seed, "seed", least=0)
        if not 0.0 <= self.teacher_share <= 1.0:
            raise InputError(f"teacher_share must be from 0 to 1; got {self.teacher_share}")

    def rate(self, step: int) -> float:
        """Return the factor of the learning rates at a step: linear warm-up, then cosine decay."""
        warm = max(1, min(self.warm_up, self.steps // 5))
        if step < warm:
            return (step + 1) / warm
        return 0.5 * (1.0 + math.cos(math.pi * (step - warm) / max(1, self.steps - warm)))

    def identity(self) -> dict[str, Any]:
        """Return all fields as data for JSON, with the version of the recipe."""
        return asdict(self) | {"shares": list(self.shares), "version": RECIPE_VERSION}


def usual_steps(texts: int, batch: int) -> int:
    """Return the number of steps for a corpus: PAIRS_PER_TEXT pairs per text, within bounds."""
    return min(max(texts * PAIRS_PER_TEXT // batch, LEAST_STEPS), MOST_STEPS)


@dataclass(frozen=True)
class DistilReport:
    """Progress of a distillation; losses are mean squared errors of a score, from 0 to 1."""

    stage: str  # "reading texts", "finding pairs" or "training"
    done: int
    total: int | None = None
    loss: float | None = None  # of the last pairs trained on
    held_out: float | None = None  # of pairs of texts that are not trained on
    best: float | None = None  # the least held-out loss so far; its table is kept
    seconds_left: float | None = None
    interrupted: bool = False  # Ctrl-C ended the training; the best so far is the result


Listener = Callable[[DistilReport], None]

"""The best scores of the left rows of a join, by which a person chooses a threshold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.measures.blockwise_join import at_least
from fuzzbow.tasks.join.matches import NOTHING, Matches

BELOW = 0.3  # how far below its threshold a join also looks
LEAST = 0.05
STEP = 0.05
SHOWN = 5  # matches on either side of the threshold


@dataclass
class BestScores:
    """The best score of each left row, and the matches nearest to the threshold."""

    threshold: float
    scores: list[Floats] = field(default_factory=list)
    above: list[dict[str, Any]] = field(default_factory=list)  # the least similar that match
    below: list[dict[str, Any]] = field(default_factory=list)  # the most similar that do not

    @property
    def floor(self) -> float:
        """The lowest score that is looked for."""
        return min(self.threshold, max(round(self.threshold - BELOW, 6), LEAST))

    def add(self, found: Matches, texts: Any, others: Any, done: int) -> None:
        """Take in the matches of the next left texts, which stand after `done` others."""
        is_best = (np.diff(found.left, prepend=-1) != 0) & (found.right != NOTHING)
        best = Matches(found.left[is_best], found.right[is_best], found.score[is_best])
        self.scores.append(best.score)
        matches = at_least(best.score, self.threshold)
        for name, mask, sign in (("above", matches, 1.0), ("below", ~matches, -1.0)):
            places = np.flatnonzero(mask)
            order = places[np.argsort(sign * best.score[places], kind="stable")][:SHOWN]
            rows = [
                {
                    "left": done + a + 1,
                    "right": b + 1,
                    "score": score,
                    "text": texts[a],
                    "right_text": others[b],
                }
                for a, b, score in zip(
                    best.left[order].tolist(),
                    best.right[order].tolist(),
                    best.score[order].tolist(),
                    strict=True,
                )
            ]
            nearest = sorted([*getattr(self, name), *rows], key=lambda row: sign * row["score"])
            setattr(self, name, nearest[:SHOWN])

    def near(self) -> list[dict[str, Any]]:
        """The matches nearest to the threshold on both sides, the least similar first."""
        return [
            *({**row, "matches": False} for row in reversed(self.below)),
            *({**row, "matches": True} for row in self.above),
        ]

    def counts(self) -> list[tuple[float, int]]:
        """Left rows with a match, by the threshold, from the floor up to 1."""
        every = np.concatenate([np.zeros(0), *self.scores])
        steps = np.arange(self.floor, 1 + STEP / 2, STEP)
        at = np.unique(np.round([*steps[steps <= 1], self.threshold, 1.0], 6))
        return [(float(t), int(np.count_nonzero(at_least(every, t)))) for t in at]

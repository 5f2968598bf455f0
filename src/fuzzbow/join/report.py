"""Reports of joins: matches by threshold, and the matches nearest to the chosen one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.join.matches import NOTHING, Matches
from fuzzbow.measures.blockwise_join import at_least
from fuzzbow.notebook import short_line
from fuzzbow.plurals import counted

BELOW = 0.3  # the part of the scores below its threshold that a join also looks at
LEAST = 0.05
STEP = 0.05
SHOWN = 5  # matches on either side of the threshold


@dataclass
class BestScores:
    """Best score of each left row, and the matches nearest to the threshold."""

    threshold: float
    scores: list[Floats] = field(default_factory=list)
    above: list[dict[str, Any]] = field(default_factory=list)  # the least similar that match
    below: list[dict[str, Any]] = field(default_factory=list)  # the most similar that do not

    @property
    def floor(self) -> float:
        """Lowest score of the search."""
        return min(self.threshold, max(round(self.threshold - BELOW, 6), LEAST))

    def add(self, found: Matches, texts: Sequence[str], others: Sequence[str], done: int) -> None:
        """Add the matches of the next left texts, which follow `done` others."""
        best = found.where((np.diff(found.left, prepend=-1) != 0) & (found.right != NOTHING))
        self.scores.append(best.score)
        matches = at_least(best.score, self.threshold)
        for name, mask, sign in (("above", matches, 1.0), ("below", ~matches, -1.0)):
            positions = np.flatnonzero(mask)
            near = positions[np.argsort(sign * best.score[positions], kind="stable")][:SHOWN]
            rows = [
                {
                    "left": done + a + 1,
                    "right": b + 1,
                    "score": score,
                    "text": texts[a],
                    "right_text": others[b],
                    "matches": name == "above",
                }
                for a, b, score in best.where(near).to_rows()
            ]
            nearest = sorted([*getattr(self, name), *rows], key=lambda row: sign * row["score"])
            setattr(self, name, nearest[:SHOWN])

    def nearest(self) -> list[dict[str, Any]]:
        """List the matches nearest to the threshold on both sides, the least similar first."""
        return [*reversed(self.below), *self.above]

    def counts(self) -> list[dict[str, Any]]:
        """Count left rows with a match by threshold, from the floor up to 1."""
        every = np.concatenate([np.zeros(0), *self.scores])
        steps = np.arange(self.floor, 1 + STEP / 2, STEP)
        at = np.unique(np.round([*steps[steps <= 1], self.threshold, 1.0], 6)).tolist()
        return [{"threshold": t, "matched": int(np.count_nonzero(at_least(every, t)))} for t in at]


def summary_lines(facts: dict[str, Any]) -> list[str]:
    """Summarise the matches at the threshold and at others, one line each."""
    at = facts["threshold"]
    empty = f"; {facts['without_text']} had an empty text" if facts["without_text"] else ""
    found = (
        f"{counted(facts['left'], 'row')} and {counted(facts['right'], 'row')}:"
        f" {facts['matched']} matched at ≥ {at:g}, {counted(facts['rows'], 'row')} written{empty}"
    )
    tenths = [(step, 10 * (step["threshold"] - at)) for step in facts["thresholds"]]
    others = [step for step, away in tenths if round(away) and abs(away - round(away)) < 1e-6]
    steps = ", ".join(f"{step['matched']} at ≥ {step['threshold']:g}" for step in others)
    return [found, f"rows that match at other thresholds: {steps}"]


def preview_lines(facts: dict[str, Any]) -> list[str]:
    """Describe the nearest matches, and how many rows match at each threshold."""
    at = facts["threshold"]
    size, other = (counted(facts[side], "row") for side in ("left", "right"))
    lines = [f"{size} and {other}: {facts['matched']} matched at ≥ {at:g}"]
    for row in facts["nearest"]:
        verb = "matches" if row["matches"] else "does not match"
        lines += ["", f"{row['score']:.4f}  row {row['left']} {verb} row {row['right']}"]
        lines += [f"        {short_line(row[name])}" for name in ("text", "right_text")]
    steps = (
        f"at {step['threshold']:g}: {counted(step['matched'], 'row')} would match"
        for step in facts["thresholds"]
    )
    return [*lines, "", *steps]

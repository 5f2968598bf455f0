"""Classical Jaccard of the words themselves, as sets or as bags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from fuzzbow.encoding import Texts
from fuzzbow.measures.baselines.loops import LoopMeasure


@dataclass(frozen=True)
class CrispJaccard(LoopMeasure):
    """Shared words over all words; words without a vector are words too."""

    name: str
    bag: bool

    uses_vectors = False

    def scorer(self, texts: Texts) -> Callable[[int, int], float]:
        """Words with their counts, or with 1 for a set."""
        rows = (row.tolist() for row in texts.rows)
        bags = [Counter(row if self.bag else set(row)) for row in rows]
        return lambda a, b: _jaccard(bags[a], bags[b])


def _jaccard(a: Counter[int], b: Counter[int]) -> float:
    """Intersection over union of two multisets; 0 if both are empty."""
    shared = (a & b).total()
    whole = a.total() + b.total() - shared
    return shared / whole if whole else 0.0

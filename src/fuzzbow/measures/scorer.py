"""A measure as a function of two texts, as RapidFuzz and others take one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fuzzbow.encoding import is_missing

if TYPE_CHECKING:
    from fuzzbow.measures.text_measure import TextMeasure

# RapidFuzz's flags: scores are floats, and do not depend on the order of two texts
FLOAT_SCORES, SYMMETRIC = 1 << 5, 1 << 11


@dataclass(frozen=True)
class Scorer:
    """`scorer(a, b)`: the similarity from 0 to 1; `rapidfuzz.process` takes it as `scorer=`.

    A score below `score_cutoff` is 0, and so is that of a missing text, None or NaN.
    """

    model: TextMeasure

    def __call__(
        self,
        s1: Any,
        s2: Any,
        *,
        processor: Callable[[Any], str] | None = None,
        score_cutoff: float | None = None,
        score_hint: float | None = None,
    ) -> float:
        """The similarity of two texts, each by way of `processor`; a hint of it is not used."""
        if is_missing(s1) or is_missing(s2):
            return 0.0
        a, b = (s1, s2) if processor is None else (processor(s1), processor(s2))
        score = self.model.similarity(a, b)
        return score if score_cutoff is None or score >= score_cutoff else 0.0

    @property
    def _RF_ScorerPy(self) -> dict[str, Callable[..., dict[str, Any]]]:  # noqa: N802
        """Return the properties of a scorer of RapidFuzz: best and worst score, and flags."""
        order = SYMMETRIC if self.model.measure.symmetric else 0
        facts = {"optimal_score": 1.0, "worst_score": 0.0, "flags": FLOAT_SCORES | order}
        return {"get_scorer_flags": lambda **options: facts}

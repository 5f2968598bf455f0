"""Is one system better than another? BCa bootstrap intervals for differences (Efron 1987).

The paper's Appendix D: Δ = r_A - r_B on the same pairs, a 95 % BCa interval from 10,000
paired resamples; 0 inside the interval means not significant, else its side decides.
The same for a mean of such differences over subtasks, which are resampled independently.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats
from fuzzbow.errors import MissingExtraError
from fuzzbow.sts.correlation import Bootstrap

LEVEL = 0.95
NOISE = 1e-9  # points of correlation


class Decision(str, Enum):
    """Decision of an interval on the first system."""

    BETTER = "better"
    WORSE = "worse"
    NOT_SIGNIFICANT = "not significant"
    UNDEFINED = "undefined"


@dataclass(frozen=True)
class Difference:
    """Δ with its interval in points of correlation; all None where a correlation is undefined."""

    delta: float | None
    low: float | None
    high: float | None
    p_value: float | None
    decision: Decision


@dataclass(frozen=True)
class Counts:
    """Numbers of comparisons by decision."""

    better: int
    worse: int
    not_significant: int
    undefined: int

    @property
    def total(self) -> int:
        """All comparisons."""
        return self.better + self.worse + self.not_significant + self.undefined


UNDEFINED = Difference(None, None, None, None, Decision.UNDEFINED)


def difference(sample: Bootstrap, a: int, b: int, *, level: float = LEVEL) -> Difference:
    """System `a` less system `b` on one dataset."""
    return mean_difference([sample], a, b, [1.0], level=level)


def mean_difference(
    samples: Sequence[Bootstrap],
    a: int,
    b: int,
    weights: Sequence[float],
    *,
    level: float = LEVEL,
) -> Difference:
    """The weighted sum of the differences on several datasets, e.g. the mean over a year."""
    observed = np.array([sample.observed[a] - sample.observed[b] for sample in samples])
    if not np.isfinite(observed).all():
        return UNDEFINED
    weigh = np.asarray(weights, dtype=np.float64)
    resampled = sum(
        weight * (sample.resampled[:, a] - sample.resampled[:, b])
        for weight, sample in zip(weigh, samples, strict=True)
    )
    jackknives = [
        weight * (sample.jackknife[:, a] - sample.jackknife[:, b])
        for weight, sample in zip(weigh, samples, strict=True)
    ]
    return bca(
        float(_without_noise(weigh @ observed)),
        _without_noise(np.asarray(resampled)),
        jackknives,
        level=level,
    )


def _without_noise(values: Floats) -> Floats:
    """Differences that rounding alone makes are none: two names may mean one measure."""
    return np.where(np.abs(values) < NOISE, 0.0, values)


def bca(
    observed: float, resampled: Floats, jackknives: Sequence[Floats], *, level: float = LEVEL
) -> Difference:
    """BCa interval and two-sided p-value of a statistic: float, (r,), one (n_k,) per sample.

    Resamples in which a correlation is undefined (tiny data) are left out.
    """
    resampled = resampled[np.isfinite(resampled)]
    acceleration = _acceleration(jackknives)
    if len(resampled) < 2 or not np.isfinite(acceleration):
        return UNDEFINED
    if np.ptp(resampled) == 0.0 and resampled[0] == observed:  # the two systems are one
        return Difference(observed, observed, observed, 1.0, _decide(observed, observed))
    ndtr, ndtri = _normal()
    bias = float(ndtri(_share(resampled, observed)))
    tail = (1.0 - level) / 2.0
    shifted = bias + np.array([ndtri(tail), -ndtri(tail)])
    levels = ndtr(bias + shifted / (1.0 - acceleration * shifted))
    low, high = np.quantile(resampled, levels).tolist()
    # the p-value is the level at which the interval's end would reach 0
    beyond = float(ndtri(_share(resampled, 0.0))) - bias
    reached = float(ndtr(beyond / (1.0 + acceleration * beyond) - bias))
    p_value = min(2.0 * min(reached, 1.0 - reached), 1.0)
    return Difference(observed, low, high, p_value, _decide(low, high))


def _share(resampled: Floats, value: float) -> float:
    """Share of resamples below a value, those equal to it by half, kept off 0 and 1."""
    below = np.mean(resampled < value) + np.mean(resampled <= value)
    edge = 0.5 / (len(resampled) + 1)
    return float(np.clip(below / 2.0, edge, 1.0 - edge))


def _acceleration(jackknives: Sequence[Floats]) -> float:
    """Skewness of the influence of single pairs, over one or several samples."""
    cubes = squares = 0.0
    for values in jackknives:
        size = len(values)
        influence = (size - 1) * (values.mean() - values)
        cubes += float((influence**3).sum()) / size**3
        squares += float((influence**2).sum()) / size**2
    return cubes / (6.0 * squares**1.5) if squares != 0.0 else 0.0


def _decide(low: float, high: float) -> Decision:
    """The paper's rule."""
    if low > 0.0:
        return Decision.BETTER
    return Decision.WORSE if high < 0.0 else Decision.NOT_SIGNIFICANT


def _normal() -> tuple[np.ufunc, np.ufunc]:
    """The normal distribution function and its inverse."""
    try:
        from scipy.special import ndtr, ndtri
    except ImportError as error:
        raise MissingExtraError("scipy", "sts") from error
    return ndtr, ndtri


def holm(p_values: Sequence[float]) -> NDArray[np.float64]:
    """Holm's adjusted p-values, which bound the chance of any false find: (m,) -> (m,)."""
    values = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    scaled = values[order] * np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0) if len(values) else scaled
    return adjusted


def holm_decisions(found: Sequence[Difference], *, level: float = LEVEL) -> list[Decision]:
    """Decisions after Holm's correction for as many comparisons as are defined."""
    p_values = {place: item.p_value for place, item in enumerate(found) if item.p_value is not None}
    adjusted = dict(zip(p_values, holm(list(p_values.values())).tolist(), strict=True))
    return [_corrected(item, adjusted.get(place), 1.0 - level) for place, item in enumerate(found)]


def _corrected(item: Difference, p_value: float | None, alpha: float) -> Decision:
    if p_value is None or item.delta is None:
        return Decision.UNDEFINED
    if p_value >= alpha:
        return Decision.NOT_SIGNIFICANT
    return Decision.BETTER if item.delta > 0.0 else Decision.WORSE


def count_decisions(decisions: Iterable[Decision]) -> Counts:
    """Count the decisions of each kind."""
    found = list(decisions)
    return Counts(
        better=found.count(Decision.BETTER),
        worse=found.count(Decision.WORSE),
        not_significant=found.count(Decision.NOT_SIGNIFICANT),
        undefined=found.count(Decision.UNDEFINED),
    )

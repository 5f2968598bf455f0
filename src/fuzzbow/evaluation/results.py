"""Results of an evaluation, as values and as plain data for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fuzzbow.sts.results import difference_to_dict
from fuzzbow.sts.significance import Difference

SCALE_NOTE = "metrics are times 100"
FEW = 30  # a bootstrap of fewer queries or matches is too sure of itself


@dataclass(frozen=True)
class SystemResult:
    """One system on one set."""

    system: str  # the name of the model or baseline
    values: Mapping[str, float]  # metric -> value, times 100
    notes: tuple[str, ...] = ()  # the variant of a baseline; queries without an answer
    threshold: float | None = None  # at which a pair set has its best F1
    # baseline -> metric -> what the system has more, with its interval
    differences: Mapping[str, Mapping[str, Difference]] = field(default_factory=dict)


@dataclass(frozen=True)
class SetResult:
    """All systems on one set; baselines come last."""

    name: str
    kind: str
    sizes: Mapping[str, int]  # of queries, documents, candidates, pairs
    metrics: tuple[str, ...]  # the first one decides
    baselines: tuple[str, ...]
    systems: tuple[SystemResult, ...]

    @property
    def is_small(self) -> bool:
        """Return whether queries or matches are too few for reliable intervals."""
        return min(self.sizes.get(name, FEW) for name in ("queries", "matches")) < FEW

    def __getitem__(self, system: str) -> SystemResult:
        """The result of a system by its name."""
        return {item.system: item for item in self.systems}[system]


@dataclass(frozen=True)
class EvaluationResult:
    """Sets in the order in which they were given."""

    sets: tuple[SetResult, ...]
    resamples: int  # of the intervals
    seed: int  # of the resamples and of the order of equal scores

    def __getitem__(self, name: str) -> SetResult:
        """The results on a set by its name."""
        return {item.name: item for item in self.sets}[name]

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data for JSON."""
        return {
            "scale": SCALE_NOTE,
            "resamples": self.resamples,
            "seed": self.seed,
            "sets": [_set_to_dict(item) for item in self.sets],
        }


def _set_to_dict(found: SetResult) -> dict[str, Any]:
    return {
        "name": found.name,
        "kind": found.kind,
        "sizes": dict(found.sizes),
        "metrics": list(found.metrics),
        "small": found.is_small,
        "baselines": list(found.baselines),
        "systems": [_system_to_dict(item) for item in found.systems],
    }


def _system_to_dict(found: SystemResult) -> dict[str, Any]:
    return {
        "system": found.system,
        "values": dict(found.values),
        "notes": list(found.notes),
        "threshold": found.threshold,
        "differences": {
            baseline: {metric: difference_to_dict(item) for metric, item in items.items()}
            for baseline, items in found.differences.items()
        },
    }

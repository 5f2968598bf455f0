"""Results of an evaluation, as values, plain data for JSON, and tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.table import Table

from fuzzbow.plurals import counted, singular
from fuzzbow.research.bootstrap import LEVEL, Difference
from fuzzbow.research.tables import interval, number, results_dict, signed, terminal_table

FEW = 30  # a bootstrap of fewer queries or matches gives too narrow intervals


@dataclass(frozen=True)
class SystemResult:
    """Result of one system on one set."""

    system: str  # the name of the model or baseline
    values: Mapping[str, float | None]  # metric -> value, times 100
    notes: tuple[str, ...] = ()  # the variant of a baseline; queries without an answer
    threshold: float | None = None  # at which a pair set has its best F1
    # baseline -> metric -> what the system has more, with its interval
    differences: Mapping[str, Mapping[str, Difference]] = field(default_factory=dict)
    # resampled for intervals: values (n, metrics) of queries, or the order or scores (n,) of pairs;
    # None if the system failed
    sample: Any = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class SetResult:
    """Results of all systems on one set; baselines come last."""

    name: str
    kind: str
    sizes: Mapping[str, int]  # of queries, documents, candidates, pairs
    metrics: tuple[str, ...]  # the first one decides
    baselines: tuple[str, ...]
    systems: tuple[SystemResult, ...]

    @property
    def is_small(self) -> bool:
        """Return whether queries, matches or pairs are too few for reliable intervals."""
        return min(self.sizes.get(name, FEW) for name in ("queries", "matches", "pairs")) < FEW

    def __getitem__(self, system: str) -> SystemResult:
        """Return the result of a system by its name."""
        return {item.system: item for item in self.systems}[system]


@dataclass(frozen=True)
class EvaluationResult:
    """Results of all sets, in the order of the sets."""

    sets: tuple[SetResult, ...]
    resamples: int  # of the intervals
    seed: int  # of the resamples and of the order of equal scores

    def __getitem__(self, name: str) -> SetResult:
        """Return the results on a set by its name."""
        return {item.name: item for item in self.sets}[name]

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data for JSON."""
        sets = []
        for item in self.sets:
            plain = asdict(item)
            systems = plain.pop("systems")
            for system in systems:
                del system["sample"]
            sets.append({**plain, "small": item.is_small, "systems": systems})
        return results_dict(resamples=self.resamples, seed=self.seed, sets=sets)


def set_table(found: SetResult) -> Table:
    """Make a table with a row for each system: its metrics, and differences from baselines."""
    first, baselines = found.metrics[0], found.baselines
    has_thresholds = any(item.threshold is not None for item in found.systems)
    columns = ["system", *found.metrics, *(["from"] if has_thresholds else [])]
    caption = "times 100"
    if has_thresholds:
        caption += "; from: the threshold of the best F1"
    if baselines:
        caption += (
            f"; in brackets {100 * LEVEL:.0f} % intervals by paired bootstrap, * without 0 inside"
        )
    rows = []
    for item in found.systems:
        row = [item.system, *(number(item.values[metric]) for metric in found.metrics)]
        if has_thresholds:
            # rounded down, so that it lets the same pairs through
            threshold = item.threshold
            row.append("" if threshold is None else f"{math.floor(threshold * 1e4) / 1e4:.4f}")
        differences = (item.differences.get(name, {}).get(first) for name in baselines)
        rows.append([*row, *("" if one is None else show_difference(one) for one in differences)])
    sizes = ", ".join(_size(name, count) for name, count in found.sizes.items() if count)
    columns += [f"{first} less {name}" for name in baselines]
    return terminal_table(
        columns,
        rows,
        "l" + "r" * (len(columns) - 1),
        title=f"{found.name} ({found.kind}): {sizes}",
        caption=caption,
    )


def _size(name: str, count: int) -> str:
    """Write a size, such as 1 query left out for `queries_left_out`."""
    noun, _, rest = name.partition("_")
    return f"{counted(count, singular(noun))} {rest.replace('_', ' ')}".rstrip()


def show_difference(found: Difference) -> str:
    """Format a difference with its interval, such as `+1.50 [0.28, 2.84] *`."""
    if found.delta is None or found.low is None or found.high is None:
        return "undefined"
    star = " *" if found.low > 0.0 or found.high < 0.0 else ""
    return f"{signed(found.delta)} {interval(found.low, found.high)}{star}"

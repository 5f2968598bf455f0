"""Results as tables for a terminal."""

from __future__ import annotations

import math

from rich.table import Table
from rich.text import Text

from fuzzbow.evaluation.results import SetResult, SystemResult
from fuzzbow.sts.significance import LEVEL, Difference
from fuzzbow.text import visible_line


def set_table(found: SetResult) -> Table:
    """A row for each system: its metrics, and how far it is above each baseline."""
    sizes = ", ".join(
        f"{number} {name.replace('_', ' ')}" for name, number in found.sizes.items() if number
    )
    table = Table("system", title=_plain(f"{found.name} ({found.kind.value}): {sizes}"))
    for metric in found.metrics:
        table.add_column(metric, justify="right")
    has_thresholds = any(item.threshold is not None for item in found.systems)
    if has_thresholds:
        table.add_column("from", justify="right")
    for baseline in found.baselines:
        table.add_column(_plain(f"{found.metrics[0]} less {baseline}"), justify="right")
    for item in found.systems:
        values = (f"{item.values[metric]:.2f}" for metric in found.metrics)
        differences = (Text(_difference(item, name, found.metrics[0])) for name in found.baselines)
        thresholds = [_threshold(item)] if has_thresholds else []
        table.add_row(_plain(item.system), *values, *thresholds, *differences)
    caption = "times 100"
    if has_thresholds:
        caption += "; from: the threshold of the best F1"
    if found.baselines:
        caption += (
            f"; in brackets {100 * LEVEL:.0f} % intervals by paired bootstrap, * without 0 inside"
        )
    table.caption = caption
    return table


def _threshold(item: SystemResult) -> str:
    """The threshold of the best F1, rounded down so that it lets the same pairs through."""
    if item.threshold is None:
        return ""
    return f"{math.floor(item.threshold * 1e4) / 1e4:.4f}"


def _plain(text: str) -> Text:
    """A name of the user's in one line, without effect on a terminal."""
    return Text(visible_line(text))


def _difference(item: SystemResult, baseline: str, metric: str) -> str:
    found = item.differences.get(baseline, {}).get(metric)
    return "" if found is None else show_difference(found)


def show_difference(found: Difference) -> str:
    """For instance `+1.50 [0.28, 2.84] *`."""
    if found.delta is None or found.low is None or found.high is None:
        return "undefined"
    star = " *" if found.low > 0.0 or found.high < 0.0 else ""
    delta = round(found.delta, 2) + 0.0  # never -0.00
    return f"{delta:+.2f} [{found.low:.2f}, {found.high:.2f}]{star}"

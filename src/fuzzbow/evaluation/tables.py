"""Results as tables for a terminal."""

from __future__ import annotations

import math

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from fuzzbow.evaluation.results import SetResult, SystemResult
from fuzzbow.plurals import counted, singular
from fuzzbow.sts.significance import LEVEL, Difference
from fuzzbow.text import visible_line

NAME_CELLS = 24


def set_table(found: SetResult) -> Table:
    """A row for each system: its metrics, and how far it is above each baseline."""
    sizes = ", ".join(_size(name, number) for name, number in found.sizes.items() if number)
    table = Table(title=_plain(f"{found.name} ({found.kind}): {sizes}"))
    longest = max((cell_len(item.system) for item in found.systems), default=0)
    # a narrow terminal breaks the differences into lines, not the names
    table.add_column("system", min_width=min(longest, NAME_CELLS), overflow="fold")
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


def _size(name: str, number: int) -> str:
    """Write a size, such as 1 query left out for `queries_left_out`."""
    noun, _, rest = name.partition("_")
    return f"{counted(number, singular(noun))} {rest.replace('_', ' ')}".rstrip()


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

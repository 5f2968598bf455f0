"""Figures 1 and 2 of the paper: a panel for each set of vectors, a marker for each method.

Shapes and shades differ as well as colours, so that a grey print can be read.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from fuzzbow.errors import MissingExtraError
from fuzzbow.sts.reproduction import Reproduction
from fuzzbow.sts.sources import Source


@dataclass(frozen=True)
class Series:
    """How one method is drawn; `bold` marks what the paper or we propose."""

    system: str
    label: str
    colour: str
    marker: str
    filled: bool = True
    bold: bool = False


_DYNAMAX = Series("dynamax-jaccard", "DynaMax Jaccard", "#0b3c6f", "D", bold=True)
_MAX = Series("max-jaccard", "max Jaccard", "#2f7fbf", "s", bold=True)
_OURS = Series("weighted-jaccard", "weighted-jaccard (fuzzbow)", "#111111", "*", bold=True)
FIGURES: dict[str, tuple[str, tuple[Series, ...]]] = {
    "figure1": (
        "Pooling and similarity",
        (
            Series("avg-cosine", "avg cosine", "#9a9a9a", "o", filled=False),
            Series("max-cosine", "max cosine", "#e08a1e", "s", filled=False),
            Series("dynamax-cosine", "DynaMax cosine", "#c4661f", "D", filled=False),
            _MAX,
            _DYNAMAX,
            _OURS,
        ),
    ),
    "figure2": (
        "Other bag-of-words methods against fuzzy Jaccard",
        (
            Series("set-jaccard", "crisp Jaccard", "#9a9a9a", "v", filled=False),
            Series("wmd", "WMD", "#e08a1e", "^", filled=False),
            Series("soft-cardinality", "soft cardinality", "#c4661f", "P", filled=False),
            _MAX,
            _DYNAMAX,
            _OURS,
        ),
    ),
}
STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "text.parse_math": False,  # a dollar sign in a label is a dollar sign
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#555555",
    "svg.fonttype": "path",  # letters as shapes: the same everywhere, no fonts needed
    "svg.hashsalt": "fuzzbow",  # the same file for the same numbers
}
SPREAD = 0.66  # of the room of one task that its markers take
NO_DATE = {"Date": None}


def draw_figures(result: Reproduction) -> dict[str, dict[str, bytes]]:
    """Name -> format (svg, png) -> file."""
    return {name: _draw(result, title, series) for name, (title, series) in FIGURES.items()}


def _draw(result: Reproduction, title: str, series: Sequence[Series]) -> dict[str, bytes]:
    with _plotting() as (figure_class, context):
        columns = min(len(result.sources), 2)
        rows = -(-len(result.sources) // columns)
        with context:
            figure = figure_class(figsize=(5.6 * columns, 3.7 * rows + 0.9), layout="constrained")
            panels = figure.subplots(rows, columns, squeeze=False, sharey=True).ravel()
            for panel, source in zip(panels, result.sources, strict=False):
                _panel(panel, result, source, series)
            for panel in panels[len(result.sources) :]:
                panel.set_visible(False)
            _legend(figure, panels[0], title, columns)
            return {
                "svg": _saved(figure, "svg", {"metadata": NO_DATE}),
                "png": _saved(figure, "png", {"dpi": 160}),
            }


@contextmanager
def _plotting() -> Iterator[tuple[Any, Any]]:
    """matplotlib without a display and without its global state."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "sts") from error
    yield Figure, matplotlib.rc_context(STYLE)


def _panel(panel: Any, result: Reproduction, source: Source, series: Sequence[Series]) -> None:
    """One set of vectors: tasks from left to right, methods side by side within a task."""
    step = SPREAD / (len(series) - 1)
    for place, item in enumerate(series):
        evaluation = result.found[source.label, item.system]
        for column, name in enumerate(result.tasks):
            task = evaluation.task(name)
            if task is None or task.pearson.mean is None:
                continue
            x = column - SPREAD / 2 + place * step
            label = item.label if column == 0 else None
            interval = result.bootstraps.interval(evaluation, name)
            if interval is not None:
                panel.vlines(x, *interval, color=item.colour, linewidth=1.1, alpha=0.65)
            panel.plot(
                x, task.pearson.mean, item.marker, color=item.colour, label=label,
                markersize=9.5 if item.marker == "*" else 6,
                markerfacecolor=item.colour if item.filled else "white",
                markeredgewidth=1.3, linestyle="none",
            )  # fmt: skip
    for column in range(len(result.tasks) - 1):
        panel.axvline(column + 0.5, color="#dddddd", linewidth=0.8, zorder=0)
    panel.set_xticks(range(len(result.tasks)), result.tasks)
    panel.set_xlim(-0.5, len(result.tasks) - 0.5)
    panel.tick_params(axis="x", length=0)
    panel.yaxis.grid(True, color="#e8e8e8", linewidth=0.8)
    panel.yaxis.set_tick_params(labelleft=True)
    panel.set_axisbelow(True)
    panel.set_ylabel("mean Pearson × 100")
    panel.set_title(source.title, fontsize=10.5, loc="left", color="#222222")


def _legend(figure: Any, panel: Any, title: str, columns: int) -> None:
    handles, labels = panel.get_legend_handles_labels()
    bold = {item.label for _, series in FIGURES.values() for item in series if item.bold}
    legend = figure.legend(
        handles, labels, loc="outside upper left", ncols=3 if columns == 1 else 6, frameon=False,
        handletextpad=0.3, columnspacing=1.3, title=f"{title}; bars: 95 % bootstrap intervals",
        alignment="left",
    )  # fmt: skip
    legend.get_title().set_color("#444444")
    for text in legend.get_texts():
        if text.get_text() in bold:
            text.set_fontweight("bold")


def _saved(figure: Any, kind: str, options: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, facecolor="white", **options)
    return buffer.getvalue()

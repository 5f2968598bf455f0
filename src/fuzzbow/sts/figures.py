"""Figures 1 and 2 of the paper: a panel for each set of vectors, a marker for each method.

Shapes and shades differ as well as colours, so that a grey print can be read.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from fuzzbow import palette
from fuzzbow.errors import MissingExtraError
from fuzzbow.sts.reproduction import Reproduction
from fuzzbow.sts.sources import Source


@dataclass(frozen=True)
class Series:
    """Line of one method, its colour by name; `bold` marks proposals of the paper or ours."""

    system: str
    label: str
    colour: str
    marker: str
    filled: bool = True
    bold: bool = False


_DYNAMAX = Series("dynamax-jaccard", "DynaMax Jaccard", "accent", "D", bold=True)
_MAX = Series("max-jaccard", "max Jaccard", "accent-faint", "s", bold=True)
_OURS = Series("weighted-jaccard", "weighted-jaccard (fuzzbow)", "ink", "*", bold=True)
FIGURES: dict[str, tuple[str, tuple[Series, ...]]] = {
    "figure1": (
        "Pooling and similarity",
        (
            Series("avg-cosine", "avg cosine", "soft", "o", filled=False),
            Series("max-cosine", "max cosine", "warm-faint", "s", filled=False),
            Series("dynamax-cosine", "DynaMax cosine", "warm", "D", filled=False),
            _MAX,
            _DYNAMAX,
            _OURS,
        ),
    ),
    "figure2": (
        "Other bag-of-words methods against fuzzy Jaccard",
        (
            Series("set-jaccard", "crisp Jaccard", "soft", "v", filled=False),
            Series("wmd", "WMD", "warm-faint", "^", filled=False),
            Series("soft-cardinality", "soft cardinality", "warm", "P", filled=False),
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
    "axes.edgecolor": palette.light("soft"),
    "axes.facecolor": palette.light("card"),
    "axes.labelcolor": palette.light("ink"),
    "text.color": palette.light("ink"),
    "xtick.color": palette.light("ink"),
    "ytick.color": palette.light("ink"),
    "svg.fonttype": "path",  # letters as shapes: the same everywhere, no fonts needed
    "svg.hashsalt": "fuzzbow",  # the same file for the same numbers
}
SPREAD = 0.66  # of the room of one task that its markers take
NO_DATE = {"Date": None}


@dataclass(frozen=True)
class Drawn:
    """A figure as files, and in parts that a page can put beside or below each other."""

    files: dict[str, bytes]  # format (svg, png) -> file
    panels: tuple[bytes, ...]  # an SVG for each set of vectors


def draw_figures(result: Reproduction) -> dict[str, Drawn]:
    """Name -> figure."""
    return {name: _draw(result, title, series) for name, (title, series) in FIGURES.items()}


def _draw(result: Reproduction, title: str, series: Sequence[Series]) -> Drawn:
    with _plotting() as (figure_class, context), context:
        whole = _figure(figure_class, result, result.sources, title, series)
        limits = whole.axes[0].get_ylim()
        parts = [
            _figure(figure_class, result, [source], title, series) for source in result.sources
        ]
        for part in parts:
            part.axes[0].set_ylim(limits)  # so that they can be compared
        files = {"svg": _saved_svg(whole), "png": _saved(whole, "png", {"dpi": 160})}
        return Drawn(files, tuple(map(_saved_svg, parts)))


def _figure(
    figure_class: Any,
    result: Reproduction,
    sources: Sequence[Source],
    title: str,
    series: Sequence[Series],
) -> Any:
    """A panel for each set of vectors, two in a row, under one legend."""
    columns = min(len(sources), 2)
    rows = -(-len(sources) // columns)
    figure = figure_class(figsize=(5.6 * columns, 3.7 * rows + 0.9), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False, sharey=True).ravel()
    for panel, source in zip(panels, sources, strict=False):
        _panel(panel, result, source, series)
    for panel in panels[len(sources) :]:
        panel.set_visible(False)
    _legend(figure, panels[0], title, columns)
    return figure


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
        colour = palette.light(item.colour)
        for column, name in enumerate(result.tasks):
            task = evaluation.task(name)
            if task is None or task.pearson.mean is None:
                continue
            x = column - SPREAD / 2 + place * step
            label = item.label if column == 0 else None
            interval = result.bootstraps.interval(evaluation, name)
            if interval is not None:
                panel.vlines(x, *interval, color=colour, linewidth=1.1, alpha=0.65)
            panel.plot(
                x, task.pearson.mean, item.marker, color=colour, label=label,
                markersize=9.5 if item.marker == "*" else 6,
                markerfacecolor=colour if item.filled else palette.light("card"),
                markeredgewidth=1.3, linestyle="none",
            )  # fmt: skip
    for column in range(len(result.tasks) - 1):
        panel.axvline(column + 0.5, color=palette.light("line"), linewidth=0.8, zorder=0)
    panel.set_xticks(range(len(result.tasks)), result.tasks)
    panel.set_xlim(-0.5, len(result.tasks) - 0.5)
    panel.tick_params(axis="x", length=0)
    panel.yaxis.grid(True, color=palette.light("line"), linewidth=0.8)
    panel.yaxis.set_tick_params(labelleft=True)
    panel.set_axisbelow(True)
    panel.set_ylabel("mean Pearson × 100")
    panel.set_title(source.title, fontsize=10.5, loc="left")


def _legend(figure: Any, panel: Any, title: str, columns: int) -> None:
    handles, labels = panel.get_legend_handles_labels()
    bold = {item.label for _, series in FIGURES.values() for item in series if item.bold}
    legend = figure.legend(
        handles, labels, loc="outside upper left", ncols=3 if columns == 1 else 6, frameon=False,
        handletextpad=0.3, columnspacing=1.3, title=f"{title}; bars: 95 % bootstrap intervals",
        alignment="left",
    )  # fmt: skip
    legend.get_title().set_color(palette.light("soft"))
    for text in legend.get_texts():
        if text.get_text() in bold:
            text.set_fontweight("bold")


def _saved_svg(figure: Any) -> bytes:
    return _saved(figure, "svg", {"metadata": NO_DATE})


def _saved(figure: Any, kind: str, options: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, facecolor=palette.light("card"), **options)
    return buffer.getvalue()

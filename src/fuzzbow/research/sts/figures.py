"""Figures 1 and 2 of the paper: a panel for each set of vectors, a marker for each method.

Markers differ in shape and shade as well as colour, so that figures are readable in grey.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from fuzzbow import palette
from fuzzbow.errors import MissingExtraError
from fuzzbow.research.sts.paper import study
from fuzzbow.research.sts.reproduction import Reproduction
from fuzzbow.research.sts.systems import VectorSource

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


Figure = tuple[dict[str, bytes], list[bytes]]  # format -> file, an SVG for each set of vectors
# of one method: system, label, name of its colour, marker, and whether it is proposed (bold)
Series = tuple[str, str, str, str, bool]


def draw_figures(result: Reproduction) -> dict[str, Figure]:
    """Draw all figures: name -> figure."""
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtraError("matplotlib", "sts") from error
    drawn: dict[str, Figure] = {}
    with matplotlib.rc_context(STYLE):
        for name, figure in study()["figures"].items():
            title, series = figure["title"], figure["series"]
            whole = _figure(result, result.sources, title, series)
            parts = [_figure(result, [source], title, series) for source in result.sources]
            for part in parts:
                part.axes[0].set_ylim(whole.axes[0].get_ylim())  # so that they can be compared
            files = {"svg": _saved_svg(whole), "png": _saved(whole, "png", {"dpi": 160})}
            drawn[name] = files, list(map(_saved_svg, parts))
    return drawn


def _figure(
    result: Reproduction, sources: Sequence[VectorSource], title: str, series: Sequence[Series]
) -> Any:
    """Draw a panel for each set of vectors, two in a row, under one legend."""
    from matplotlib.figure import Figure as Canvas

    columns = min(len(sources), 2)
    rows = -(-len(sources) // columns)
    figure = Canvas(figsize=(5.6 * columns, 3.7 * rows + 0.9), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False, sharey=True).ravel()
    for panel, source in zip(panels, sources, strict=False):
        _panel(panel, result, source, series)
    for panel in panels[len(sources) :]:
        panel.set_visible(False)
    handles, labels = panels[0].get_legend_handles_labels()
    legend = figure.legend(
        handles, labels, loc="outside upper left", ncols=3 if columns == 1 else 6, frameon=False,
        handletextpad=0.3, columnspacing=1.3, title=f"{title}; bars: 95 % bootstrap intervals",
        alignment="left",
    )  # fmt: skip
    legend.get_title().set_color(palette.light("soft"))
    proposed = {label for _, label, _, _, bold in series if bold}
    for text in legend.get_texts():
        if text.get_text() in proposed:
            text.set_fontweight("bold")
    return figure


def _panel(
    panel: Any, result: Reproduction, source: VectorSource, series: Sequence[Series]
) -> None:
    """Draw one set of vectors: tasks from left to right, methods from left to right in a task."""
    step = SPREAD / (len(series) - 1)
    tasks = result.bootstraps.tasks
    for number, (system, name, shade, marker, proposed) in enumerate(series):
        evaluation = result.found[source.label, system]
        colour = palette.light(shade)
        for column, task_name in enumerate(tasks):
            mean = evaluation.tasks[task_name].pearson["mean"]
            if mean is None:
                continue
            x = column - SPREAD / 2 + number * step
            label = name if column == 0 else None
            interval = result.bootstraps.interval(evaluation, task_name)
            if interval is not None:
                panel.vlines(x, *interval, color=colour, linewidth=1.1, alpha=0.65)
            panel.plot(
                x, mean, marker, color=colour, label=label,
                markersize=9.5 if marker == "*" else 6,
                markerfacecolor=colour if proposed else palette.light("card"),
                markeredgewidth=1.3, linestyle="none",
            )  # fmt: skip
    for column in range(len(tasks) - 1):
        panel.axvline(column + 0.5, color=palette.light("line"), linewidth=0.8, zorder=0)
    panel.set_xticks(range(len(tasks)), tasks)
    panel.set_xlim(-0.5, len(tasks) - 0.5)
    panel.tick_params(axis="x", length=0)
    panel.yaxis.grid(True, color=palette.light("line"), linewidth=0.8)
    panel.yaxis.set_tick_params(labelleft=True)
    panel.set_axisbelow(True)
    panel.set_ylabel("mean Pearson × 100")
    panel.set_title(source.title, fontsize=10.5, loc="left")


def _saved_svg(figure: Any) -> bytes:
    return _saved(figure, "svg", {"metadata": {"Date": None}})


def _saved(figure: Any, kind: str, options: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, facecolor=palette.light("card"), **options)
    return buffer.getvalue()

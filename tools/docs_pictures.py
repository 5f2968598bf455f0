"""The pictures of the documentation, drawn from what the library computes.

`python tools/docs_pictures.py FOLDER` writes them to a folder to look at.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import fuzzbow
from fuzzbow.palette import dark, light

DUPLICATES = Path(__file__).parents[1] / "benchmarks" / "results" / "dedupe.json"
LEFT, RIGHT = "He has a cat", "She had one dog"
WORDS = ("cat", "kitten", "feline", "dog", "puppy", "animal", "mouse", "house", "airplane", "noon")


@dataclass(frozen=True)
class Palette:
    """Colours for a light or a dark page."""

    name: str
    ink: str
    faint: str
    left: str
    right: str
    paper: str


LIGHT = Palette("light", *map(light, ("ink", "line", "accent", "warm", "paper")))
DARK = Palette("dark", *map(dark, ("ink", "line", "accent", "warm", "paper")))


def pictures() -> Iterator[tuple[str, str]]:
    """Name and SVG of every picture, for light and for dark pages."""
    drawn: dict[str, Callable[[Palette], Figure]] = {
        "membership": membership_of_words,
        "dynamax": dynamax_of_a_pair,
        "weights": weights_by_rank,
        "join-growth": growth_of_joins,
    }
    matplotlib.rcParams["svg.hashsalt"] = "fuzzbow"  # the same picture is the same file
    for name, draw in drawn.items():
        for palette in (LIGHT, DARK):
            figure = draw(palette)
            file = io.StringIO()
            figure.savefig(
                file, format="svg", transparent=True, bbox_inches="tight", metadata={"Date": None}
            )
            plt.close(figure)
            yield f"pictures/{name}-{palette.name}.svg", file.getvalue()


def membership_of_words(palette: Palette) -> Figure:
    """To what degree words belong to the text "cat", and to "cat dog"."""
    model = fuzzbow.load("default", measure="dynamax-jaccard", normalise=True)
    unit = {word: _unit(model.vectors[word]) for word in WORDS}
    cat = [max(0.0, float(unit[word] @ unit["cat"])) for word in WORDS]
    dog = [max(0.0, float(unit[word] @ unit["dog"])) for word in WORDS]
    figure, (one, two) = plt.subplots(1, 2, figsize=(8.6, 3.6), sharey=True, sharex=True)
    rows = np.arange(len(WORDS))
    one.barh(rows, cat, color=palette.left, height=0.62)
    one.set_title("in the text “cat”", color=palette.ink, fontsize=11)
    both = np.maximum(cat, dog)
    colours = [palette.left if a >= b else palette.right for a, b in zip(cat, dog, strict=True)]
    two.barh(rows, both, color=colours, height=0.62)
    two.set_title("in the text “cat dog”: the larger of two", color=palette.ink, fontsize=11)
    for axes, values in ((one, cat), (two, both)):
        _plain_axes(axes, palette)
        axes.set_yticks(rows, WORDS)
        axes.invert_yaxis() if axes is one else None
        axes.set_xlim(0, 1.12)
        axes.set_xticks([])
        for row, value in zip(rows, values, strict=True):
            axes.text(
                value + 0.015, row, f"{value:.2f}", va="center", color=palette.ink, fontsize=9
            )
    figure.tight_layout()
    return figure


def dynamax_of_a_pair(palette: Palette) -> Figure:
    """The memberships of all words of a pair in both texts, with smaller and larger one."""
    model = fuzzbow.load("default", measure="dynamax-jaccard", normalise=True)
    found = model.explain(LEFT, RIGHT)
    words = (*found.left.words, *found.right.words)
    table = np.array([[word.membership_left, word.membership_right] for word in words], float)
    columns = np.column_stack([table, table.min(axis=1), table.max(axis=1)])
    figure, axes = plt.subplots(figsize=(6.6, 4.4))
    map_of = matplotlib.colors.LinearSegmentedColormap.from_list(
        "membership", [palette.paper, palette.left]
    )
    axes.imshow(columns, cmap=map_of, vmin=0, vmax=1.15, aspect="auto")
    for (row, column), value in np.ndenumerate(columns):
        dark = value > 0.62
        colour = palette.paper if dark else palette.ink
        axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=colour)
    axes.axhline(len(found.left.words) - 0.5, color=palette.ink, linewidth=1)
    axes.axvline(1.5, color=palette.ink, linewidth=1)
    labels = [f"“{LEFT}”", f"“{RIGHT}”", "smaller", "larger"]
    axes.set_xticks(range(4), labels, color=palette.ink)
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(words)), [word.word for word in words])
    _plain_axes(axes, palette)
    smaller, larger = columns[:, 2].sum(), columns[:, 3].sum()
    axes.set_xlabel(
        f"sum of the smaller {smaller:.2f} / sum of the larger {larger:.2f} = {found.score:.3f}",
        color=palette.ink,
        labelpad=10,
        fontsize=11,
    )
    figure.tight_layout()
    return figure


def weights_by_rank(palette: Palette) -> Figure:
    """What a word weighs under weighted-jaccard, over its rank in the vocabulary."""
    model = fuzzbow.load("default")
    shown = ("the", "of", "he", "has", "people", "company", "dog", "cat", "umbrella", "feline")
    words = [model.vectors.words[rank] for rank in np.geomspace(1, 30_000, 400).astype(int) - 1]
    figure, axes = plt.subplots(figsize=(8.0, 3.4))
    axes.scatter(*_ranks_and_weights(model, words), s=9, color=palette.faint)
    ranks, weights = _ranks_and_weights(model, shown)
    axes.scatter(ranks, weights, s=26, color=palette.right)
    for word, rank, weight in zip(shown, ranks, weights, strict=True):
        axes.annotate(
            word, (rank, weight), (5, 5), textcoords="offset points", color=palette.ink, fontsize=10
        )
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("rank of the word in the vocabulary", color=palette.ink)
    axes.set_ylabel("weight", color=palette.ink)
    _plain_axes(axes, palette)
    axes.tick_params(length=3)
    figure.tight_layout()
    return figure


def growth_of_joins(palette: Palette) -> Figure:
    """Seconds that duplicates takes over the number of texts."""
    found = json.loads(DUPLICATES.read_text(encoding="utf-8")) if DUPLICATES.exists() else {}
    figure, axes = plt.subplots(figsize=(6, 3.6))
    styles = {"0.8": (palette.right, "s"), "0.9": (palette.left, "^")}
    for threshold, line in sorted(found.get("growth", {}).items()):
        colour, marker = styles[threshold]
        sizes = [int(size) for size in line["runs"]]
        seconds = [run["seconds"] for run in line["runs"].values()]
        axes.plot(sizes, seconds, color=colour, marker=marker, markersize=4, label=threshold)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.grid(color=palette.faint, linewidth=0.5)
    axes.set_xlabel("texts", color=palette.ink)
    axes.set_ylabel("seconds", color=palette.ink)
    if found:
        axes.legend(frameon=False, labelcolor=palette.ink, fontsize=9)
    _plain_axes(axes, palette)
    figure.tight_layout()
    return figure


def _ranks_and_weights(model: fuzzbow.Model, words: tuple[str, ...] | list[str]) -> tuple:
    """Rank and weight of each word, as explanations tell it."""
    whole = fuzzbow.load("default", tokenizer="whitespace").explain(" ".join(words), "")
    weight = {word.word: word.weight for word in whole.left.words}
    return model.vectors.ids(words) + 1, [weight[word] for word in words]


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def _plain_axes(axes: plt.Axes, palette: Palette) -> None:
    """No frame, ink of the page."""
    for side in axes.spines.values():
        side.set_visible(False)
    axes.tick_params(colors=palette.ink, length=0)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for name, svg in pictures():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(svg, encoding="utf-8")

"""The section on single calls, from results/calls.json."""

from __future__ import annotations

from typing import Any

from benchmarks.markdown import number, table


def calls(data: dict[str, Any]) -> str:
    """Pairs and searches one at a time, and pairs of strings many at once."""
    return "\n\n".join([_similarity(data["similarity"]), _search(data["search"]), _pairs(data)])


def _similarity(data: dict[str, Any]) -> str:
    runs = {name: run for name, run in data.items() if isinstance(run, dict)}
    rows = [
        (name, number(run["microseconds"]), number(run.get("first"))) for name, run in runs.items()
    ]
    return (
        "## Single calls\n\n`model.similarity(a, b)`, two sentences of"
        f" {number(data['words_per_text'])} words, from strings; `first` is the time of a call with"
        " words that were not met before:\n\n" + table(("", "microseconds", "first"), rows)
    )


def _search(data: dict[str, Any]) -> str:
    rows = [
        (
            f"{int(size):,}",
            *(number(run[name][threads], 3) for name in run for threads in ("1", "2")),
        )
        for size, run in data["milliseconds_by_threads"].items()
    ]
    names = list(next(iter(data["milliseconds_by_threads"].values())))
    header = [f"{name.replace('_', ' ')}, {threads}" for name in names for threads in (1, 2)]
    return (
        f"`index.search(query, k={data['k']})`, one query at a time from strings, with 1 and 2"
        " threads; FAISS gets a ready vector. Milliseconds:\n\n" + table(("texts", *header), rows)
    )


def _pairs(data: dict[str, Any]) -> str:
    rows = [
        (f"d = {dimension}, {name}", number(run["pairs_per_second"], 0), number(run["times_numpy"]))
        for dimension, found in data["pairs"].items()
        for name, run in found.items()
        if isinstance(run, dict)
    ]
    return "Pairs of strings, many at once, beside NumPy pair by pair:\n\n" + table(
        ("", "pairs per second", "times NumPy"), rows
    )

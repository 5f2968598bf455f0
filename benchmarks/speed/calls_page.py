"""Single calls, from results/calls.json: a section of the page, and tables of docs/performance.md.

`python -m benchmarks.speed.calls_page` writes those tables into the document.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from benchmarks.markdown import number, table

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "performance.md"
BETWEEN = ("<!-- from calls.json -->\n\n", "\n\n<!-- so far -->")


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


def performance(data: dict[str, Any]) -> str:
    """The tables of docs/performance.md."""
    search = data["search"]["milliseconds_by_threads"]
    rows = [
        (
            f"{int(size):,}",
            *(number(run["weighted-jaccard"][key], 2) for key in ("1", "2", "first")),
            number(min(run["faiss_flat"].values()), 2),
        )
        for size, run in search.items()
    ]
    header = ("texts", "milliseconds, 1 thread", "2 threads", "new words", "FAISS flat")
    pairs = [
        (name, number(run["microseconds"]), number(run.get("first"), 0))
        for name, run in data["similarity"].items()
        if isinstance(run, dict)
    ]
    return "\n\n".join(
        [table(("`similarity`", "microseconds", "new words"), pairs), table(header, rows)]
    )


def main() -> None:
    """Write the tables into the document."""
    data = json.loads((ROOT / "benchmarks" / "results" / "calls.json").read_text("utf-8"))
    first, last = map(re.escape, BETWEEN)
    text = DOCUMENT.read_text("utf-8")
    found = re.sub(f"(?<={first}).*?(?={last})", lambda _: performance(data), text, flags=re.DOTALL)
    DOCUMENT.write_text(found, encoding="utf-8")


if __name__ == "__main__":
    main()

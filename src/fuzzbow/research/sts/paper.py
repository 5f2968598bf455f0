"""Published numbers of the paper, and the data of its reproduction: vectors, tables and claims.

`data/paper.json` has the published numbers, `data/study.json` what is run and tested again,
`data/sha256.json` the checksums of the official data. A set of `vectors` has a `pattern` that finds
its usual file names; vectors with subwords, or of another
size, of the same corpora are other vectors.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache, partial
from importlib.resources import files
from typing import Any

from fuzzbow.research.sts.datasets import YEARS

OURS = "weighted-jaccard"

# of a table of the paper: vectors (None for other literature), system, year -> mean, note
PublishedRow = tuple[str | None, str, dict[str, float], str | None]


@lru_cache(maxsize=4)
def _read_data(name: str) -> dict[str, Any]:
    text = files("fuzzbow.research.sts").joinpath(f"data/{name}.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


paper = partial(_read_data, "paper")  # published numbers
study = partial(_read_data, "study")  # vectors, tables, figures and claims of the reproduction
known_sums = partial(_read_data, "sha256")  # year -> file -> SHA-256 of the official data


def recognise(name: str) -> dict[str, Any] | None:
    """Return the paper's vectors of this name, or None."""
    known = (item for item in study()["vectors"] if re.search(item["pattern"], name.lower()))
    return next(known, None)


def needed_systems() -> list[str]:
    """List every system that is in a table, once."""
    rows = [row for table in study()["tables"].values() for row in table["rows"]]
    return list(dict.fromkeys(system for _, system in rows))


def published_rows(table: str, part: str = "rows") -> list[PublishedRow]:
    """Return the published rows of a table, or of another `part`; none for a table of our own."""
    return [
        (
            row.get("vectors"),
            row.get("system") or row["approach"],
            dict(zip(YEARS, row["values"], strict=True)),
            row.get("note"),
        )
        for row in paper()["tables"].get(table, {}).get(part, [])
    ]


def published_values(table: str, vectors: str | None, system: str) -> dict[str, float]:
    """Return published values by year; empty if the paper has none."""
    rows = {row[:2]: row[2] for row in published_rows(table)}
    return rows.get((vectors, system), {})


def published_interval(vectors: str | None, subtask: str) -> dict[str, float] | None:
    """Return system, baseline, low and high of a subtask in the table of significance."""
    found: dict[str, float] | None
    found = paper()["significance"]["vectors"].get(vectors, {}).get(subtask)
    return found

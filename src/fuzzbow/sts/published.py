"""The paper's numbers, as data with their source."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from fuzzbow.sts.datasets import YEARS


@dataclass(frozen=True)
class PublishedRow:
    """A row of a table of the paper: vectors (None for other literature), system, year means."""

    vectors: str | None
    system: str
    values: dict[str, float]
    note: str | None = None


@dataclass(frozen=True)
class PublishedInterval:
    """A cell of the paper's table of significance."""

    system: float
    baseline: float
    low: float
    high: float


@lru_cache(maxsize=1)
def paper() -> dict[str, Any]:
    """Read `data/paper.json`."""
    text = files("fuzzbow.sts").joinpath("data/paper.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def published_rows(table: str) -> list[PublishedRow]:
    """The rows of one of the paper's tables; none for a table of our own."""
    found = paper()["tables"].get(table, {"rows": []})
    return [
        PublishedRow(row["vectors"], row["system"], _by_year(row), row.get("note"))
        for row in found["rows"]
    ]


def literature() -> list[PublishedRow]:
    """Sentence encoders that the main table lists for context."""
    return [
        PublishedRow(None, row["approach"], _by_year(row), row.get("note"))
        for row in paper()["tables"]["main"]["literature"]
    ]


def published_values(table: str, vectors: str | None, system: str) -> dict[str, float]:
    """Year -> published value, empty where the paper has none."""
    for row in published_rows(table):
        if (row.vectors, row.system) == (vectors, system):
            return row.values
    return {}


def published_interval(vectors: str | None, subtask: str) -> PublishedInterval | None:
    """Return the entry of a subtask in the table of significance."""
    found = paper()["significance"]["vectors"].get(vectors, {}).get(subtask)
    return None if found is None else PublishedInterval(**found)


def _by_year(row: dict[str, Any]) -> dict[str, float]:
    return dict(zip(YEARS, row["values"], strict=True))

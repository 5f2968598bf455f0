"""The tables of measures by purpose, made of benchmarks/results/choose.json.

    python -m benchmarks.quality.choose_page

Writes the part between the marks of each page in PAGES.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.markdown import insert, table
from benchmarks.runner import read_results

ROOT = Path(__file__).parents[2]
NAME = "choose"  # of the results and of the marks
PAGES = (ROOT / "docs" / "how-to" / "choose.md",)
UP, DOWN = " ↑", " ↓"
KINDS = {  # kind of set -> what its table shows
    "retrieval": "Documents for a query",
    "candidates": "The candidates of a query in order",
    "pairs": "Records that are the same",
}


def render(results: dict[str, Any]) -> str:
    """A table for each kind of set, and how to read them."""
    parts = []
    for kind, title in KINDS.items():
        sets = [item for item in results["sets"] if item["kind"] == kind]
        if sets:
            metric = sets[0]["metrics"][0]
            parts += [f"{title}, {metric} × 100:", kind_table(sets, results["rows"])]
    parts.append(
        f"{UP.strip()} and {DOWN.strip()}: above or below the strongest baseline of the set,"
        f" and the 95 % interval of the difference ({results['resamples']:,} paired resamples)"
        " leaves out 0. `bm25-best` is the best on that very set of ten variants of BM25, stemmed."
        f" fuzzbow {results['fuzzbow']}."
    )
    return "\n\n".join(parts)


def kind_table(sets: list[dict[str, Any]], rows: list[dict[str, Any]]) -> str:
    """Rows of the guide, then baselines; a column for each set."""
    models = {row["name"]: model_of(row["spec"]) for row in rows}
    names = [*models, *sets[0]["baselines"]]
    lines = [
        [f"`{name}`", models.get(name, "baseline"), *(cell(item, name) for item in sets)]
        for name in names
    ]
    return table(["for", "model", *(item["name"] for item in sets)], lines)


def model_of(spec: dict[str, Any]) -> str:
    """The measure, and what else a purpose chooses."""
    rest = [f"{name} {value}" for name, value in spec.items() if name != "measure"]
    return ", ".join([spec["measure"], *rest])


def cell(item: dict[str, Any], name: str) -> str:
    """The value of a system on a set, and which way it differs from the strongest baseline."""
    metric = item["metrics"][0]
    systems = {system["system"]: system for system in item["systems"]}
    value = f"{systems[name]['values'][metric]:.1f}"
    strongest = max(item["baselines"], key=lambda other: systems[other]["values"][metric])
    difference = systems[name]["differences"].get(strongest)
    if difference is None:
        return value
    return value + {"better": UP, "worse": DOWN}.get(difference[metric]["decision"], "")


def main() -> None:
    """Write the tables into the docs."""
    text = render(read_results(NAME))
    for path in PAGES:
        insert(path, NAME, text)


if __name__ == "__main__":
    main()

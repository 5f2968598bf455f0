"""The page about quality, made of benchmarks/results/quality.json.

    python benchmarks/quality/sts_page.py

Writes the part between the marks of docs/reproduce-the-paper.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.markdown import insert
from benchmarks.runner import read_results

ROOT = Path(__file__).parents[2]
NAME = "quality"  # of the results and of the marks
PAGE = ROOT / "docs" / "reproduce-the-paper.md"
YEARS = ("STS12", "STS13", "STS14", "STS15", "STS16")


def render(results: dict[str, Any]) -> str:
    """The results as Markdown."""
    parts = [
        f"Protocol: {results['protocol']}; {results['pairs']:,} pairs."
        f" fuzzbow {results['fuzzbow']}, Python {results['python']}, NumPy {results['numpy']}.",
        _overview(results["vectors"]),
    ]
    for name, systems in results["vectors"].items():
        parts += [f"### {name}", _years(systems)]
    moses, intervals = results["moses"], results["intervals"]
    parts += [
        "Undefined, or with a star for what is left: on some subtasks the system gives every pair"
        " the same score, which has no correlation; the notes in the JSON name them.",
        f"Restricted: {results['restricted']}. Their one number stands in brackets.",
        f"Moses tokens of the raw data: {moses['agree']:,} of {moses['lines']:,} lines are those of"
        " the SentEval data.",
        f"DynaMax-Jaccard against averaged vectors with cosine on these vectors:"
        f" {intervals['intervals']} paired BCa intervals of {intervals['resamples']:,} resamples in"
        f" {intervals['seconds']} s; better in {intervals['better']}, worse in"
        f" {intervals['worse']}, not significant in {intervals['not_significant']}.",
    ]
    return "\n\n".join(parts)


def _overview(vectors: dict[str, Any]) -> str:
    """Mean Pearson over the years for each measure and set of vectors, best first."""
    first = next(iter(vectors.values()))
    names = [name for name in first if not _restricted(first[name])]
    names.sort(key=lambda name: -max(_value(systems[name]) for systems in vectors.values()))
    lines = [
        "Mean Pearson × 100 over STS12–16:",
        "",
        "| measure | " + " | ".join(vectors) + " |",
        "|---|" + "---:|" * len(vectors),
    ]
    for name in names:
        cells = [
            _number(systems[name]["mean_pearson"], partial=bool(systems[name]["notes"]))
            for systems in vectors.values()
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _years(systems: dict[str, Any]) -> str:
    lines = [
        "| measure | " + " | ".join(YEARS) + " | mean | mean Spearman |",
        "|---|" + "---:|" * (len(YEARS) + 2),
    ]
    for name, found in sorted(systems.items(), key=lambda item: -_value(item[1])):
        if _restricted(found):
            value = next(iter(found["pearson"].values()))
            cells = [f"({_number(value)})" if year in found["pearson"] else "" for year in YEARS]
            lines.append(f"| {name} | " + " | ".join(cells) + " | | |")
            continue
        partial = {note.partition(":")[0] for note in found["notes"]}
        cells = [_number(found["pearson"][year], partial=year in partial) for year in YEARS]
        means = found["mean_pearson"], found["mean_spearman"]
        cells += [_number(mean, partial=bool(partial)) for mean in means]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _restricted(found: dict[str, Any]) -> bool:
    return len(found["pearson"]) < len(YEARS)


def _value(found: dict[str, Any]) -> float:
    """For sorting: what is restricted or undefined comes last."""
    mean = found["mean_pearson"]
    return -1e9 if mean is None or _restricted(found) else mean


def _number(value: float | None, *, partial: bool = False) -> str:
    if value is None:
        return "undefined"
    return f"{value:.1f}*" if partial else f"{value:.1f}"


def main() -> None:
    """Write the tables into the docs."""
    text = render(read_results(NAME))
    insert(PAGE, NAME, text)


if __name__ == "__main__":
    main()

"""The part of the page about how joins grow, from results/join_growth.json."""

from __future__ import annotations

from typing import Any

from benchmarks.markdown import number, table


def join_growth(data: dict[str, Any]) -> str:
    """Seconds of the processor by corpus, threshold and size, and the exponents."""
    lines = {
        (kind, threshold): found
        for kind, thresholds in data["growth"].items()
        for threshold, found in sorted(thresholds.items())
    }
    sizes = sorted({int(size) for found in lines.values() for size in found["runs"]})
    loads = [run["load"] for found in lines.values() for run in found["runs"].values()]
    rows = (
        (
            kind,
            threshold,
            *(number(_seconds(found, size)) for size in sizes),
            number(found["exponent"], 2),
            number(found["pairs_exponent"], 2),
        )
        for (kind, threshold), found in lines.items()
    )
    header = ("corpus", "threshold", *(f"{size:,}" for size in sizes), "exponent", "of the pairs")
    return (
        f"## How near-duplicates grow\n\n`model.duplicates(texts)` with {data['measure']},"
        " tokenising included. Seconds of the processor, all threads together: on"
        f" {data['threads']} idle cores the clock shows somewhat more than 1/{data['threads']} of"
        f" them. The machine had other work to do (load {min(loads):.0f} to {max(loads):.0f}),"
        " which makes them larger too. The exponent is the slope of seconds over texts, in"
        " logarithms; the last column is that of the number of pairs that are found.\n\n"
        + table(header, rows)
    )


def _seconds(found: dict[str, Any], size: int) -> float | None:
    return found["runs"].get(str(size), {}).get("processor_seconds")

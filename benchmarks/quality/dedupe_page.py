"""The quality of deduplication, from results/dedupe_quality.json."""

from __future__ import annotations

from typing import Any

from benchmarks.markdown import number, table


def dedupe_quality(data: dict[str, Any]) -> str:
    """Precision and recall of what goes from the file of tickets."""
    runs = [("the default", data["default"])]
    runs += [("a higher threshold", run) for run in data["higher"]]
    runs += [("single linkage", data["single_linkage"]), ("any details", data["any_details"])]
    rows = (
        (
            name,
            f"{run['threshold']:g}",
            f"{run['removed']:,}",
            number(run["precision"], 3),
            number(run["recall"], 3),
            number(run["lowest_score"], 3),
            run["below_threshold"],
        )
        for name, run in runs
    )
    header = ("rule", "threshold", "rows that go", "precision", "recall", "lowest score", "below")
    return (
        f"## What dedupe removes\n\nA made-up file of {data['rows']:,} tickets from templates, in"
        f" which {data['copies']:,} rows are copies with up to {data['most_typos']} typos. A row that"
        " goes is right if it is a copy of the ticket that stays for it. The last columns: the lowest"
        " score of a row with what stays for it, and how many score below the threshold.\n\n"
        + table(header, rows)
    )

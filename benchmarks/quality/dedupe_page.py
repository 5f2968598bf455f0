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
    by_typos = (
        (row["typos"], f"{row['copies']:,}", number(row["recall"], 3)) for row in data["by_typos"]
    )
    seeds = (
        (
            row["seed"],
            number(row["precision"], 3),
            number(row["recall"], 3),
            row["below_threshold"],
        )
        for row in data["other_seeds"]
    )
    header = ("rule", "threshold", "rows that go", "precision", "recall", "lowest score", "below")
    what = (
        f"A made-up file of {data['rows']:,} tickets from templates, in which {data['copies']:,}"
        f" rows are copies with up to {data['most_typos']} typos, each number as often as another."
        " A row that goes is right if it is a copy of the ticket that stays for it. The last"
        " columns: the lowest score of a row with what stays for it, and how many score below the"
        " threshold."
    )
    parts = (
        "## What dedupe removes",
        what,
        table(header, rows),
        "The default by the number of typos, and on files from other seeds:",
        table(("typos", "copies", "recall"), by_typos),
        table(("seed", "precision", "recall", "below"), seeds),
    )
    return "\n\n".join(parts)

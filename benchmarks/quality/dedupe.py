"""How well the default of `fuzzbow dedupe` finds the copies in a made-up file of tickets.

    python -m benchmarks.quality.dedupe [--rows 50000] [--seed 0]

Writes benchmarks/results/dedupe_quality.json. A row that goes is right if it was made as a copy,
and of the ticket that stays for it; what the file holds is said in `tickets.py`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.quality.tickets import COPIES, TYPOS, Tickets, make_tickets
from benchmarks.runner import write_results
from fuzzbow import __version__, load
from fuzzbow.dedupe import Duplicates

NAME = "dedupe_quality"
THRESHOLDS = (0.9, 0.925, 0.95, 0.975)


def judged(tickets: Tickets, found: Duplicates, linkage: str) -> tuple[Any, Any, Any]:
    """Positions of the rows that go, their scores with what stays, and which of them are right."""
    removed = found.removed(linkage=linkage)
    position, kept = removed["position"].to_numpy(), removed["kept"].to_numpy()
    source = np.array(tickets.copy_of)
    ticket = np.where(source < 0, np.arange(len(source)), source)  # what each row is about
    right = (source[position] >= 0) & (ticket[position] == ticket[kept])
    return position, removed["score"].to_numpy(), right


def recall_by_typos(tickets: Tickets, found: Duplicates) -> list[dict[str, Any]]:
    """How many copies with each number of typos go."""
    position, _, right = judged(tickets, found, "leader")
    typos, copied = np.array(tickets.typos), np.array(tickets.copy_of) >= 0
    goes = np.zeros(len(typos), dtype=np.bool_)
    goes[position[right]] = True
    rows = []
    for count in range(TYPOS + 1):
        chosen = copied & (typos == count)
        rows.append(
            {"typos": count, "copies": int(chosen.sum()), "recall": float(goes[chosen].mean())}
        )
    return rows


def quality(tickets: Tickets, found: Duplicates, linkage: str = "leader") -> dict[str, Any]:
    """Precision and recall of the rows that go, and the lowest score of one with what stays."""
    position, scores, right = judged(tickets, found, linkage)
    copies = sum(source >= 0 for source in tickets.copy_of)
    return {
        "threshold": found.threshold,
        "linkage": linkage,
        "removed": len(position),
        "right": int(right.sum()),
        "precision": float(right.mean()) if len(right) else 1.0,
        "recall": float(right.sum() / copies) if copies else 1.0,
        "lowest_score": float(scores.min()) if len(scores) else 1.0,
        "below_threshold": int((scores.astype(np.float32) < np.float32(found.threshold)).sum()),
        "kept_apart": found.apart,
    }


def measure(rows: int, seed: int) -> dict[str, Any]:
    """The default, higher thresholds, chains, and the default without its rule for details."""
    tickets = make_tickets(rows, seed)
    model = load()
    found = model.duplicates(tickets.texts)
    anything = model.duplicates(tickets.texts, details=())
    return {
        "version": __version__,
        "rows": rows,
        "seed": seed,
        "copies": sum(source >= 0 for source in tickets.copy_of),
        "share_of_copies": COPIES,
        "most_typos": TYPOS,
        "default": quality(tickets, found),
        "higher": [quality(tickets, found.rethreshold(at)) for at in THRESHOLDS[1:]],
        "single_linkage": quality(tickets, found, "single"),
        "any_details": quality(tickets, anything),
        "by_typos": recall_by_typos(tickets, found),
        "other_seeds": [_with_seed(rows, other) for other in (seed + 1, seed + 2)],
    }


def _with_seed(rows: int, seed: int) -> dict[str, Any]:
    tickets = make_tickets(rows, seed)
    return {"seed": seed} | quality(tickets, load().duplicates(tickets.texts))


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    results = measure(options.rows, options.seed)
    write_results(NAME, results, options.output)


if __name__ == "__main__":
    main()

"""The tables of docs/how-to/scale.md, from results/cluster.json: python -m benchmarks.cluster.page.

A join in m shards compares every two of them. A tile of two shards costs as much as a join of
all their texts in one process, and a shard with itself half of that, so that n texts cost m
times what they cost at once: c · n · m, where c is the cost of a text.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.cluster.scale import RESULTS
from benchmarks.markdown import number, percent, table

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "scale.md"
BEGIN, END = "<!-- made by benchmarks.cluster.page -->", "<!-- end -->"
MILLION, BILLION = 10**6, 10**9
SHARD_TEXTS = (1, 4, 16)  # millions, in the plans for 10⁹ texts
CORES, MACHINES = 32, 100


def per_million(data: dict[str, Any]) -> str:
    """What a million texts cost in one process."""
    one, scale = data["one_process"], MILLION / data["texts"]
    rows = [
        (name, number(one[key]["processor_seconds"] * scale))
        for key, name in (
            ("encode", "encode"),
            ("score", "score pairs"),
            ("index", "build an index in memory"),
            ("join 0.9", "all pairs from 0.9 on"),
            ("join 0.8", "all pairs from 0.8 on"),
        )
    ]
    search = one["search"]
    seconds = search["processor_seconds"] / search["queries"] * 1000 * scale
    rows.append(("search for the best 10 of a query, in milliseconds", number(seconds)))
    return table(("a million texts", "processor seconds"), rows)


def in_shards(data: dict[str, Any]) -> str:
    """Measured cost in shards, beside one process and beside what the model says."""
    rows = []
    for shards, runs in data["in_shards"].items():
        for name, run in runs.items():
            alone = data["one_process"][name]["processor_seconds"]
            used = run["processor_seconds"]
            rows.append(
                (
                    shards,
                    name.removeprefix("join "),
                    run["tasks"],
                    number(alone),
                    number(used),
                    percent(used / alone - 1),
                    number(used / (alone * int(shards)), 2),
                    number(run["peak_bytes_of_a_worker"] / 1e9, 2),
                    number(run["written_bytes"] / 1e6),
                )
            )
    header = ("shards", "from", "tasks", "one process", "in shards", "more", "of the model")
    return table((*header, "GB a worker", "MB written"), rows)


def billion(data: dict[str, Any]) -> str:
    """What follows for 10⁹ texts."""
    texts, rows = data["texts"], []
    largest = data["in_shards"][max(data["in_shards"], key=int)]["join 0.9"]
    whole = data["in_shards"]["1"]["join 0.9"]["peak_bytes_of_a_worker"]
    quarter = largest["peak_bytes_of_a_worker"]
    held = texts - 2 * texts / int(max(data["in_shards"], key=int))
    per_text = max((whole - quarter) / held, 0.0)
    base = max(whole - per_text * texts, 0.0)
    one = data["one_process"]
    for millions in SHARD_TEXTS:
        shards = BILLION // (millions * MILLION)
        row = [f"{millions} million", shards, number(shards * (shards + 1) / 2, 0)]
        row.append(number((base + per_text * 2 * millions * MILLION) / 1e9, 1))
        row.append(number(shards * data["file_bytes"] / 2 / texts * BILLION / 1e12, 1))
        for threshold in (0.9, 0.8):
            seconds = one[f"join {threshold}"]["processor_seconds"] / texts * BILLION * shards
            row.append(number(seconds / 3600 / CORES / MACHINES, 1))
        rows.append(row)
    header = ("texts a shard", "shards", "tiles", "GB a worker", "TB read")
    return table((*header, "hours from 0.9 on", "hours from 0.8 on"), rows)


def section(data: dict[str, Any]) -> str:
    """All tables, with what they mean."""
    share = (
        data["score_in_shards"]["processor_seconds"]
        / (data["one_process"]["score"]["processor_seconds"])
    )
    linear = data["one_process"]["score"]["processor_seconds"] / data["texts"] * BILLION / 3600
    return f"""\
Measured on {data["texts"]:,} sentences of which a tenth are near copies, {data["cores"]} cores.

{per_million(data)}

The same duplicates in shards, by {data["cores"]} processes of one core each, beside one process of
{data["cores"]} threads; in processor seconds, those of all processes added up:

{in_shards(data)}

"Of the model" is the measured cost over that of one process times the number of shards. Scores of
pairs need no other shard: in shards they took {number(share, 2)} times the processor seconds of one
process.

For 10⁹ such texts on {MACHINES} machines of {CORES} cores that means for all pairs:

{billion(data)}

and {number(linear / CORES / MACHINES, 2)} hours to score 10⁹ pairs.
"""


def main() -> None:
    """Renew the tables of the page."""
    before, rest = PAGE.read_text("utf-8").split(BEGIN)
    after = rest.split(END)[1]
    made = section(json.loads(RESULTS.read_text("utf-8")))
    PAGE.write_text(f"{before}{BEGIN}\n{made}{END}{after}", "utf-8")


if __name__ == "__main__":
    main()

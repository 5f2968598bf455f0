"""The tables of docs/how-to/scale.md, from results/cluster.json.

The model: a tile of two shards costs as much as a join of all their texts without shards, and a
shard with itself as much as a join of its own. If J(n) is the cost of n texts without shards, m
shards of them cost m(m - 1)/2 · J(2n/m) + m · J(n/m). So with shards of a given size the cost grows
with the square of the number of texts.
"""

from __future__ import annotations

from typing import Any

from benchmarks.markdown import number, percent, table

BILLION = 10**9
CORES, MACHINES = 32, 100


def without_shards(data: dict[str, Any]) -> str:
    """Tabulate the cost of each job without shards."""
    one = data["whole"]
    rows = [
        (name, number((one[key].get("1") or one[key])["processor_seconds"]))
        for key, name in (
            ("encode", "encode"),
            ("score", "score pairs"),
            ("index", "build an index in memory"),
            ("join 0.9", "all pairs from 0.9 on"),
            ("join 0.8", "all pairs from 0.8 on"),
        )
    ]
    search = one["search"]
    seconds = search["processor_seconds"] / search["queries"] * 1000
    rows.append(("search for the best 10 of a query, in milliseconds", number(seconds)))
    return table((f"{data['texts']:,} texts", "processor seconds"), rows)


def modelled(alone: dict[str, Any], shards: int) -> float:
    """Return the processor seconds of shards by the model, from those of parts of the texts."""
    tiles = shards * (shards - 1) // 2
    own = shards * alone[str(shards)]["processor_seconds"]
    return own + (tiles * alone[str(shards // 2)]["processor_seconds"] if tiles else 0.0)


def in_shards(data: dict[str, Any]) -> str:
    """Tabulate the measured cost in shards, that without shards and that of the model."""
    rows = []
    for shards, runs in data["in_shards"].items():
        for name, run in runs.items():
            alone, used = data["whole"][name], run["processor_seconds"]
            rows.append(
                (
                    shards,
                    name.removeprefix("join "),
                    number(used),
                    number(modelled(alone, int(shards))),
                    percent(used / alone["1"]["processor_seconds"] - 1),
                    number(run["peak_bytes"] / 1e9, 2),
                    number(run["written_bytes"] / 1e6),
                )
            )
    header = (
        "shards",
        "pairs from",
        "processor seconds",
        "by the model",
        "more than without shards",
    )
    return table((*header, "GB of memory", "MB written"), rows)


def billion(data: dict[str, Any]) -> str:
    """Tabulate the cost of 10⁹ texts by shards of the measured sizes."""
    texts, rows = data["texts"], []
    for count, runs in data["in_shards"].items():
        if int(count) == 1:
            continue
        shards = BILLION * int(count) // texts
        row = [f"{texts // int(count):,}", f"{shards:,}", number(shards * (shards + 1) / 2, 0)]
        row.append(number(runs["join 0.9"]["peak_bytes"] / 1e9, 2))
        row.append(number(shards * data["file_bytes"] / 2 / texts * BILLION / 1e12, 1))
        for run in runs.values():
            seconds = run["processor_seconds"] * (BILLION / texts) ** 2
            row.append(number(seconds / 3600 / CORES / MACHINES, 1))
        rows.append(row)
    header = ("texts a shard", "shards", "tiles", "GB of memory", "TB read")
    return table((*header, "hours, pairs from 0.9", "hours, pairs from 0.8"), rows)


def section(data: dict[str, Any]) -> str:
    """Write all tables, with their explanation."""
    share = (
        data["score_in_shards"]["processor_seconds"] / (data["whole"]["score"]["processor_seconds"])
    )
    linear = data["whole"]["score"]["processor_seconds"] / data["texts"] * BILLION / 3600
    return f"""\
Measured on {data["texts"]:,} sentences, {data["cores"]} cores.

{without_shards(data)}

The same duplicates in shards, in one process, compared with the run without shards:

{in_shards(data)}

The model: a tile of two shards costs as much as a join of all their texts without shards, a shard
with itself as much as a join of its own. A first pass over the strings comes on top. Scores of
pairs need no other shard: in shards they took {number(share, 2)} times the processor seconds.

With shards of a given size all pairs cost the square of the number of texts. For 10⁹ texts on
{MACHINES} machines of {CORES} such cores:

{billion(data)}

To score 10⁹ pairs takes {number(linear)} hours of one core."""

"""Load on a server: python -m benchmarks.server.load [--seconds 20] [--clients 200].

Starts `fuzzbow serve` over an index of sentences of FUZZBOW_CORPUS on the disk, lets clients on
the same machine ask /v1/similarity and then /v1/search without pause, and writes
results/server_load.json: requests per second, latencies, statuses, wrong answers, memory, and
processor time of the server for each request. All clients are in one process, which checks every
answer, and each text is sent once if there are enough. Clients and server share the cores, so a
machine of its own for the clients would show more.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import uvloop

import fuzzbow
from benchmarks.corpus import read_corpus
from benchmarks.runner import origin, write_results
from benchmarks.server.clients import Question, Tally, load, pulse

NAME = "server_load"
COMMAND = Path(sys.executable).with_name("fuzzbow")
PAIRS, QUERIES = 200_000, 20_000  # each is asked once if they suffice
WARM_UP = 0.2  # share of them that is asked before


def similarity_questions(model: fuzzbow.Model, texts: Sequence[str]) -> list[Question]:
    """Pairs of texts, each with its score from the library."""
    half = len(texts) // 2
    lefts, rights = texts[:half], texts[half : 2 * half]
    return [
        Question({"a": a, "b": b}, lambda answer, score=score: answer["similarity"] == score)
        for a, b, score in zip(lefts, rights, model.pairs(lefts, rights).tolist(), strict=True)
    ]


def search_questions(index: Any, queries: list[str]) -> list[Question]:
    """Queries, each with its hits from the library."""

    def right(answer: Any, expected: list[tuple[Any, float]]) -> bool:
        return [(hit["id"], hit["score"]) for hit in answer["hits"]] == expected

    return [
        Question(
            {"query": query, "k": 10},
            lambda answer, expected=[(hit.id, hit.score) for hit in hits]: right(answer, expected),
        )
        for query, hits in zip(queries, index.search(queries, k=10), strict=True)
    ]


def resident_bytes(process: int) -> int:
    """Memory that a process holds."""
    text = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    line = next(line for line in text.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def processor_seconds(process: int) -> float:
    """Time that a process has spent on processors."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def watch_memory(process: int, until: float) -> list[int]:
    """Memory of a process, once a second."""
    found = []
    while time.monotonic() < until:
        found.append(resident_bytes(process))
        await asyncio.sleep(1)
    return found


async def run(
    server: subprocess.Popen[str], port: int, path: str, questions: list[Question], options: Any
) -> dict[str, Any]:
    """One path under load, after a while in which caches fill."""
    warm = time.monotonic() + options.warm_up
    before = int(WARM_UP * len(questions))
    await load(port, path, questions[:before], options.clients, warm)
    questions = questions[before:]
    used = processor_seconds(server.pid)
    until = time.monotonic() + options.seconds
    tally, beats, memory = await asyncio.gather(
        load(port, path, questions, options.clients, until),
        pulse(port, until),
        watch_memory(server.pid, until),
    )
    spent = processor_seconds(server.pid) - used
    return {
        **summary(tally, beats, memory, options.seconds),
        "times_asked": round(len(tally.seconds) / len(questions), 2),
        "server_processor_microseconds": round(1e6 * spent / len(tally.seconds), 1),
    }


def summary(tally: Tally, beats: list[float], memory: list[int], seconds: float) -> dict[str, Any]:
    """What a page can show."""
    p50, p99, most = np.quantile(tally.seconds, [0.5, 0.99, 1.0])
    third = max(1, len(memory) // 3)
    return {
        "requests": len(tally.seconds),
        "requests_per_second": round(len(tally.seconds) / seconds, 1),
        "milliseconds": {
            "p50": round(1e3 * p50, 2), "p99": round(1e3 * p99, 2), "most": round(1e3 * most, 2)
        },
        "statuses": {str(status): count for status, count in sorted(tally.statuses.items())},
        "checked": tally.checked,
        "wrong": tally.wrong,
        "broken_connections": tally.broken,
        "healthz_milliseconds_p99": round(1e3 * float(np.quantile(beats, 0.99)), 2),
        "memory_megabytes": {
            "first_third": round(float(np.mean(memory[:third])) / 2**20, 1),
            "last_third": round(float(np.mean(memory[-third:])) / 2**20, 1),
            "most": round(max(memory) / 2**20, 1),
        },
    }  # fmt: skip


def main() -> None:
    """Build the index, start the server, ask, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--warm-up", type=float, default=5, help="seconds, not counted")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    busy = os.getloadavg()[0]
    corpus = read_corpus()
    texts = corpus.documents[: options.documents]
    queries = corpus.documents[options.documents :][:QUERIES] or corpus.queries
    model = fuzzbow.load("default")
    results: dict[str, Any] = {key: getattr(options, key) for key in ("seconds", "clients")}
    results["client_processes"] = 1
    results["load_average_before"] = round(busy, 1)
    with tempfile.TemporaryDirectory() as folder:
        index = model.index(texts, path=Path(folder) / "index")
        results |= {"documents": len(index), **origin()}
        asked = {
            "/v1/similarity": similarity_questions(model, corpus.documents[: 2 * PAIRS]),
            "/v1/search": search_questions(index, queries),
        }
        command = [COMMAND, "serve", "--port", "0", "--index", str(index.path)]
        with open(Path(folder) / "log", "w+", encoding="utf-8") as log:
            server = subprocess.Popen(command, stderr=log, text=True)
            try:
                port = wait_for_port(Path(folder) / "log")
                for path, questions in asked.items():
                    results[path] = uvloop.run(run(server, port, path, questions, options))
                    print(path, json.dumps(results[path], indent=1), flush=True)
            finally:
                server.terminate()
                server.wait(60)
    write_results(NAME, results, options.output)


def wait_for_port(log: Path) -> int:
    """The port that the first line of a server's log names."""
    for _ in range(600):
        first = log.read_text("utf-8").partition("\n")[0]
        if first:
            return int(json.loads(first)["url"].rpartition(":")[2])
        time.sleep(0.1)
    raise RuntimeError("the server did not start within a minute")


if __name__ == "__main__":
    main()

"""The part of the benchmark page about a server under load."""

from __future__ import annotations

from typing import Any

from benchmarks.markdown import table

HEADER = (
    "",
    "per second",
    "p50 ms",
    "p99 ms",
    "asked",
    "answers",
    "wrong",
    "MB",
    "/healthz p99 ms",
    "server µs",
)


def server_load(data: dict[str, Any]) -> str:
    """Requests, latencies, answers and memory, by path."""
    rows = [(f"`{path}`", *_row(run)) for path, run in data.items() if path.startswith("/")]
    return (
        f"## A server under load\n\n{data['clients']} clients ask without pause for"
        f" {data['seconds']:.0f} s, over an index of {data['documents']:,} real sentences on disk;"
        f" `asked` is how often each text was. The clients are one process and share"
        f" {data['machine']['cores']} cores with the server, and with other work: the load average"
        f" before was {data['load_average_before']:.1f}. Every answer is compared with the"
        f" library's; MB is the server's memory in the first and in the last third, and µs the"
        f" processor time that it spends on a request.\n\n" + table(HEADER, rows)
    )


def _row(run: dict[str, Any]) -> tuple[str, ...]:
    milliseconds, memory = run["milliseconds"], run["memory_megabytes"]
    return (
        f"{run['requests_per_second']:,.0f}",
        f"{milliseconds['p50']:,.0f}",
        f"{milliseconds['p99']:,.0f}",
        f"{run['times_asked']:.2f}",
        ", ".join(f"{count:,} × {status}" for status, count in run["statuses"].items()),
        f"{run['wrong']} of {run['checked']:,}",
        f"{memory['first_third']:.0f} → {memory['last_third']:.0f}",
        f"{run['healthz_milliseconds_p99']:,.0f}",
        f"{run['server_processor_microseconds']:,.0f}",
    )

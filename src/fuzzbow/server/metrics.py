"""Counters for Prometheus, one registry for each server."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4 as CONTENT_TYPE

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

__all__ = ["CONTENT_TYPE", "Metrics"]


class Metrics:
    """The counters of a server; labels are names of routes, never parts of a request."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._requests = Counter(
            "fuzzbow_requests",
            "Requests answered.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "fuzzbow_request_seconds",
            "Time to answer a request.",
            ("route",),
            buckets=SECONDS,
            registry=self._registry,
        )
        self._refused = Counter(
            "fuzzbow_refused",
            "Requests refused before their work.",
            ("code",),
            registry=self._registry,
        )
        self._working = Gauge(
            "fuzzbow_requests_in_work", "Requests in work or waiting.", registry=self._registry
        )
        self._children: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self._documents = Gauge("fuzzbow_documents", "Texts in the index.", registry=self._registry)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answer."""
        labels = method, route, status
        if labels not in self._children:  # looked up once, since that costs more than counting
            requests = self._requests.labels(method, route, str(status))
            self._children[labels] = requests, self._seconds.labels(route)
        requests, times = self._children[labels]
        requests.inc()
        times.observe(seconds)

    def refused(self, code: str) -> None:
        """Count a request that did not reach its route."""
        self._refused.labels(code).inc()

    def count_working(self, count: Callable[[], int]) -> None:
        """Have `count` called for the number of requests in work when the counters are read."""
        self._working.set_function(count)

    def count_documents(self, count: Callable[[], int]) -> None:
        """Have `count` called for the number of texts whenever the counters are read."""
        self._documents.set_function(count)

    def render(self) -> bytes:
        """Write all metrics in the text format of Prometheus."""
        return generate_latest(self._registry)

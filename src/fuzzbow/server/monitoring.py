"""The log, one JSON line on stderr for each event, and the counters for Prometheus.

Neither holds a text of a request.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from queue import SimpleQueue
from typing import Any

import prometheus_client as prometheus

MOST_LINES = 10_000  # that wait to be written
FLUSH_SECONDS = 5
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class LogThread:
    """Writer of log lines in a separate thread, so that no request waits for a disk or pipe.

    If lines arrive faster than they can be written, some are dropped and counted.
    """

    def __init__(self) -> None:
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._dropped = 0

    def write(self, line: str) -> None:
        """Queue a line for writing."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="fuzzbow-log", daemon=True)
            self._thread.start()
        if self._lines.qsize() < MOST_LINES:
            self._lines.put(line)
        else:
            self._dropped += 1

    def flush(self) -> None:
        """Write the waiting lines; give up after some seconds if the log is not read."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._lines.put(None)
            thread.join(FLUSH_SECONDS)

    def _run(self) -> None:
        while (line := self._lines.get()) is not None:
            if self._dropped:
                line, self._dropped = line + _line("lines dropped", number=self._dropped), 0
            with suppress(OSError, ValueError):  # stderr was closed
                sys.stderr.write(line)
                sys.stderr.flush()


LOG = LogThread()


def log_line(event: str, **facts: Any) -> None:
    """Log one event."""
    LOG.write(_line(event, **facts))


def _line(event: str, **facts: Any) -> str:
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return json.dumps({"time": now, "event": event, **facts}) + "\n"


class JsonLines(logging.Handler):
    """Logging handler that writes records of libraries to this log."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        facts = {"level": record.levelname.lower(), "message": record.getMessage()}
        if record.exc_info:
            facts["trace"] = logging.Formatter().formatException(record.exc_info)
        log_line("log", **facts)


class Metrics:
    """Counters of a server; labels are names of routes, never parts of a request."""

    def __init__(self, documents: Callable[[], int]) -> None:
        self.open = 0  # requests that arrive, wait, are in work or are answered
        self._registry = prometheus.CollectorRegistry()
        prometheus.ProcessCollector(registry=self._registry)
        own: dict[str, Any] = {"namespace": "fuzzbow", "registry": self._registry}
        labels = ("method", "route", "status")
        requests = prometheus.Counter("requests", "Requests answered.", labels, **own)
        seconds = prometheus.Histogram(
            "request_seconds", "Time to answer a request.", ("route",), buckets=BUCKETS, **own
        )
        # looked up once, since that costs more than counting
        self._requests, self._seconds = cache(requests.labels), cache(seconds.labels)
        self.refused = prometheus.Counter(
            "refused", "Requests refused, by error.", ("code",), **own
        )
        working = prometheus.Gauge("requests_in_work", "Open requests, with this one.", **own)
        working.set_function(lambda: self.open)
        prometheus.Gauge("documents", "Texts in the index.", **own).set_function(documents)

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self._requests(method, route, status).inc()
        self._seconds(route).observe(seconds)

    def render(self) -> bytes:
        """Write all metrics in the text format of Prometheus."""
        return prometheus.generate_latest(self._registry)

"""One JSON line on stderr for each request and each event; never a text."""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fuzzbow.server.metrics import Metrics

LEFT = 499  # counted for a client that did not wait for its answer
LOGGED_PATH = 200  # characters
MOST_LINES = 10_000  # that wait to be written
FLUSH_SECONDS = 5
METHODS = ("GET", "POST", "DELETE", "HEAD", "PUT", "PATCH", "OPTIONS")
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
POLICY = (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'")


class LogThread:
    """Writes lines from a thread of its own: who logs never waits for a disk or a full pipe.

    Where lines come faster than they can be written, some are dropped and counted.
    """

    def __init__(self) -> None:
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._dropped = 0

    def write(self, line: str) -> None:
        """Have a line written soon."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="fuzzbow-log", daemon=True)
            self._thread.start()
        if self._lines.qsize() < MOST_LINES:
            self._lines.put(line)
        else:
            self._dropped += 1

    def flush(self) -> None:
        """Write what waits, unless nobody takes it."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._lines.put(None)
            thread.join(FLUSH_SECONDS)

    def _run(self) -> None:
        while (line := self._lines.get()) is not None:
            if self._dropped:
                line += _line("lines dropped", number=self._dropped)
                self._dropped = 0
            with suppress(OSError, ValueError):  # nobody reads the log any more
                sys.stderr.write(line)
                sys.stderr.flush()


LOG = LogThread()


def log_line(event: str, **facts: Any) -> None:
    """Log one event."""
    LOG.write(_line(event, **facts))


def _line(event: str, **facts: Any) -> str:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + "Z"
    return json.dumps({"time": stamp, "event": event, **facts}) + "\n"


class JsonLines(logging.Handler):
    """What libraries log, in the same form."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        facts = {"level": record.levelname.lower(), "message": record.getMessage()}
        if record.exc_info:
            facts["trace"] = logging.Formatter().formatException(record.exc_info)
        log_line("log", **facts)


class Observer:
    """Measures every request, logs and counts it, and adds the headers that all answers have."""

    def __init__(self, app: ASGIApp, metrics: Metrics, logged: bool) -> None:
        self._app, self._metrics, self._logged = app, metrics, logged

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start, status, size = time.perf_counter(), 0, 0

        async def watched(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": _with_headers(message.get("headers", ()))}
            size += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except BaseException:
            status = status or 500  # which is the answer further out
            raise
        finally:
            self._report(scope, status or LEFT, size, time.perf_counter() - start)

    def _report(self, scope: Scope, status: int, size: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "other")
        method = scope["method"] if scope["method"] in METHODS else "other"
        self._metrics.answered(method, route, status, seconds)
        if self._logged:
            log_line(
                "request",
                method=method,
                path=scope["path"][:LOGGED_PATH],
                status=status,
                ms=round(1000 * seconds, 2),
                bytes=size,
            )


def _with_headers(headers: Any) -> list[tuple[bytes, bytes]]:
    """The headers of an answer, and those of all."""
    given = list(headers)
    names = {name.lower() for name, _ in given}
    return given + [pair for pair in (*HEADERS, POLICY) if pair[0] not in names]

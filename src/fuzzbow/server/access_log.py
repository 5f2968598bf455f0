"""One JSON line on stderr for each request and each event; never a text."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fuzzbow.server.metrics import Metrics

LOGGED_PATH = 200  # characters
METHODS = ("GET", "POST", "DELETE", "HEAD", "PUT", "PATCH", "OPTIONS")
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
POLICY = (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'")


def log_line(event: str, **facts: Any) -> None:
    """Write one line."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + "Z"
    sys.stderr.write(json.dumps({"time": stamp, "event": event, **facts}) + "\n")
    sys.stderr.flush()


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
        finally:
            # an exception is answered by 500 further out
            self._report(scope, status or 500, size, time.perf_counter() - start)

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

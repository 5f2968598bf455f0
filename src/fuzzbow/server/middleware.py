"""What every request passes before its route: log, key and host, room, and a bounded body."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import anyio
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fuzzbow.server.errors import ApiError, error_response
from fuzzbow.server.event_log import log_line
from fuzzbow.server.metrics import Metrics
from fuzzbow.server.settings import Limits, is_loopback

CLIENT_LEFT = 499  # the status counted for a client that did not wait for its answer
LOGGED_PATH = 200  # characters
METHODS = ("GET", "POST", "DELETE", "HEAD", "PUT", "PATCH", "OPTIONS")
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)

# paths that need no key: what a browser loads before it can ask for the key, and the health check
OPEN_PATHS = ("/", "/docs", "/report", "/healthz")
OPEN_FOLDER = "/static/"

LIMITED_PATHS = "/v1/"  # requests to these take room and have a body
SLOW_SECONDS = 1.0  # after which a body that still arrives makes room for another request
WITH_BODY = ("POST", "PUT", "PATCH")


class RequestLog:
    """Logs, counts and times every request, and adds the headers that all answers have."""

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
            status = status or 500  # what the middleware around this one will answer
            raise
        finally:
            self._report(scope, status or CLIENT_LEFT, size, time.perf_counter() - start)

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


def _with_headers(given: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers of an answer, and those that all answers have unless it has its own."""
    headers = list(given)
    names = {name.lower() for name, _ in headers}
    return headers + [pair for pair in HEADERS if pair[0] not in names]


class RequestGate:
    """Passes a request on to its route with its body read, or answers why not."""

    def __init__(self, app: ASGIApp, limits: Limits, key: str | None, metrics: Metrics) -> None:
        self._app, self._limits, self._key, self._metrics = app, limits, key, metrics
        self._working = 0
        self._arriving: dict[anyio.CancelScope, float] = {}  # bodies that arrive -> since when

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            headers = Headers(scope=scope)
            check_access(scope["path"], headers, self._key)
            if not scope["path"].startswith(LIMITED_PATHS):
                await self._app(scope, receive, send)
                return
            with self._room():
                body = b""
                if scope["method"] in WITH_BODY:
                    try:
                        body = await self._body(headers, receive)
                    except asyncio.CancelledError:
                        raise _shutting_down() from None
                await self._answer(scope, body, receive, send)
        except ApiError as error:
            self._metrics.refused(error.code)
            await error_response(error)(scope, receive, send)

    @contextmanager
    def _room(self) -> Iterator[None]:
        """A place among the requests that may work at the same time."""
        most = self._limits.concurrent
        if self._working >= most and not self._drop_slowest_body():
            raise ApiError(
                429,
                f"at most {most} requests may be in work; try again in a moment",
                headers={"Retry-After": "1"},
            )
        self._working += 1
        self._metrics.working(self._working)
        try:
            yield
        finally:
            self._working -= 1
            self._metrics.working(self._working)

    def _drop_slowest_body(self) -> bool:
        """Give up the body that has been arriving for longest, if it takes over SLOW_SECONDS."""
        slowest = next(iter(self._arriving), None)
        if slowest is None or anyio.current_time() - self._arriving[slowest] < SLOW_SECONDS:
            return False
        del self._arriving[slowest]
        slowest.cancel()
        return True

    async def _answer(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Let the route answer; if the client leaves before that, cancel the work."""
        started = gone = False
        work = asyncio.current_task()
        assert work is not None  # every request has a task of its own

        async def watch() -> None:
            nonlocal gone
            while (await receive())["type"] != "http.disconnect":
                pass
            gone = True
            work.cancel()

        async def sent(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        watcher = asyncio.create_task(watch())
        try:
            await self._app(scope, _replay(body), sent)
        except asyncio.CancelledError:
            if gone:
                getattr(work, "uncancel", lambda: 0)()  # Python 3.10 has none and needs none
            elif started:
                raise
            else:
                raise _shutting_down() from None
        finally:
            watcher.cancel()

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        """The whole body of a request."""
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise ApiError(
                415, f"the body must be application/json; got {kind[:80] or 'no content type'!r}"
            )
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) > self._limits.body_bytes:
            raise self._too_large(length)
        with anyio.move_on_after(self._limits.body_seconds) as arriving:
            self._arriving[arriving] = anyio.current_time()
            try:
                return await self._read(receive)
            finally:
                self._arriving.pop(arriving, None)
        raise ApiError(
            408,
            f"the body must arrive within {self._limits.body_seconds} seconds, and sooner where"
            " others wait",
        )

    async def _read(self, receive: Receive) -> bytes:
        parts, size, more = [], 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ApiError(400, "the connection ended before the body")
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self._limits.body_bytes:
                raise self._too_large(f"more than {self._limits.body_bytes}")
            more = message.get("more_body", False)
        return b"".join(parts)

    def _too_large(self, came: str) -> ApiError:
        most = self._limits.body_bytes
        return ApiError(413, f"the body must be at most {most} bytes; got {came}")


def check_access(path: str, headers: Headers, key: str | None) -> None:
    """Refuse a request without the key, or, on a server without one, for another host.

    A foreign web page can make a browser call a server on this machine under a host name that
    the page's owner chose (DNS rebinding); the Host header shows that name.
    """
    hosts = headers.getlist("host")
    if len(hosts) > 1:  # a proxy in front may have checked another than we would
        raise ApiError(400, f"a request must have one Host header; got {len(hosts)}")
    if key is None:
        _check_host(hosts[0] if hosts else "")
    elif path not in OPEN_PATHS and not path.startswith(OPEN_FOLDER):
        _check_key(headers, key)


def _check_key(headers: Mapping[str, str], key: str) -> None:
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    given = bearer.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")
    if not hmac.compare_digest(given.encode("utf-8"), key.encode("utf-8")):
        came = "none came" if not given else "another came"
        raise ApiError(
            401,
            f"this server needs its key, as `Authorization: Bearer KEY` or as"
            f" `X-API-Key: KEY`; {came}",
            headers={"WWW-Authenticate": "Bearer"},
        )


def _check_host(host: str) -> None:
    name, colon, port = host.rpartition(":")
    if not colon or not port.isdigit():  # no port, or the end of an IPv6 address
        name = host
    if not is_loopback(name):
        raise ApiError(
            421,
            "a server without a key answers only to localhost and 127.0.0.1; the request was for"
            f" {host!r:.80}",
        )


def _shutting_down() -> ApiError:
    """The answer to requests that are unfinished when the time for shutting down is over."""
    return ApiError(503, "the server is shutting down; try again later")


def _replay(body: bytes) -> Receive:
    """The body that was read, and then nothing more: `_answer` watches for the client to leave."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        if not messages:
            await asyncio.Event().wait()
        return messages.pop()

    return replayed

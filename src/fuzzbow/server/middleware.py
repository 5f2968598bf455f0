"""Middleware before the routes: log, key and host, capacity, and a bounded body."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fuzzbow.errors import InputError
from fuzzbow.plurals import counted
from fuzzbow.server.access import RequestHeaders, check_access
from fuzzbow.server.errors import ApiError, api_error, error_response
from fuzzbow.server.event_log import log_line
from fuzzbow.server.metrics import Metrics
from fuzzbow.server.operations import Operation
from fuzzbow.server.settings import Limits
from fuzzbow.tasks.index import Place

CLIENT_LEFT = 499  # the status counted for a client that did not wait for its answer
LOGGED_PATH = 200  # characters
METHODS = ("GET", "POST", "DELETE", "HEAD", "PUT", "PATCH", "OPTIONS")
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)

LIMITED_PATHS = "/v1/"  # requests to these take room and have a body
SLOW_SECONDS = 1.0  # after which a body that still arrives makes room for another request
WITH_BODY = ("POST", "PUT", "PATCH")


class RequestLog:
    """Logs, counts and times every request, and adds the headers that all answers have."""

    def __init__(self, app: ASGIApp, metrics: Metrics, logged: bool) -> None:
        self._app, self._metrics, self._logged = app, metrics, logged

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start, status, size = time.perf_counter(), 0, 0

        async def open_progress(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": _with_headers(message.get("headers", ()))}
            size += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, open_progress)
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
    """Answers a request by its operation, or passes it on with its body read, or says why not."""

    def __init__(
        self,
        app: ASGIApp,
        operations: Mapping[str, Operation],
        *,
        limits: Limits,
        key: str | None,
        metrics: Metrics,
        folder: Place | None,  # of the index, which errors do not name
    ) -> None:
        self._app, self._operations, self._limits, self._key = app, operations, limits, key
        self._metrics, self._folder = metrics, folder
        self._working = 0
        self._arriving: dict[ArrivingBody, None] = {}  # the first has been arriving for longest
        metrics.count_working(lambda: self._working)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            headers = RequestHeaders(scope["headers"])
            check_access(scope["path"], headers, self._key)
            if not scope["path"].startswith(LIMITED_PATHS):
                await self._app(scope, receive, send)
                return
            with self._room():
                body = b""
                if scope["method"] in WITH_BODY:
                    body = await self._body(headers, receive)
                operation = self._operations.get(scope["path"])
                if operation is not None and scope["method"] == "POST":
                    await self._operate(operation, body, scope, receive, send)
                else:
                    await self._pass_on(body, scope, receive, send)
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
                f"at most {counted(most, 'request')} may be in work; try again in a moment",
                headers={"Retry-After": "1"},
            )
        self._working += 1
        try:
            yield
        finally:
            self._working -= 1

    def _drop_slowest_body(self) -> bool:
        """Give up the body that has been arriving for longest, if it takes over SLOW_SECONDS."""
        slowest = next(iter(self._arriving), None)
        if slowest is None or asyncio.get_running_loop().time() - slowest.since < SLOW_SECONDS:
            return False
        del self._arriving[slowest]
        slowest.give_up()
        return True

    async def _operate(
        self, operation: Operation, body: bytes, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Let an operation answer; if the client leaves before that, cancel the work."""
        scope["route"] = operation.route  # what log and metrics name
        try:
            request = operation.read(body)
            answer = operation.answer_at_once(request)
            if answer is None:
                answer = await _unless_gone(receive, operation.answer(request))
        except asyncio.CancelledError:
            answer = error_response(_shutting_down())
        except (ApiError, InputError) as error:
            answer = error_response(api_error(error, self._folder))
        if answer is not None:
            await answer(scope, receive, send)

    async def _pass_on(self, body: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the route answer; if the client leaves before that, cancel the work."""
        started = False

        async def sent(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await _unless_gone(receive, self._app(scope, _replay(body), sent))
        except asyncio.CancelledError:
            if started:
                raise
            raise _shutting_down() from None

    async def _body(self, headers: RequestHeaders, receive: Receive) -> bytes:
        """The whole body of a request."""
        kind = headers.get(b"content-type").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise ApiError(
                415, f"the body must be application/json; got {kind[:80] or 'no content type'!r}"
            )
        length = headers.get(b"content-length")
        if length.isdigit() and int(length) > self._limits.body_bytes:
            raise self._too_large(length)
        arriving, seconds = ArrivingBody(), self._limits.body_seconds
        self._arriving[arriving] = None
        timer = asyncio.get_running_loop().call_later(seconds, arriving.give_up)
        try:
            return await self._read(receive)
        except asyncio.CancelledError:
            if not arriving.given_up:
                raise _shutting_down() from None
            uncancel(arriving.task)
        finally:
            timer.cancel()
            self._arriving.pop(arriving, None)
        raise ApiError(
            408,
            f"the body must arrive within {counted(seconds, 'second')},"
            " and sooner where others wait",
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


class ArrivingBody:
    """A body that the current task waits for, until somebody gives it up."""

    def __init__(self) -> None:
        self.task, self.since = current_task(), asyncio.get_running_loop().time()
        self.given_up = False

    def give_up(self) -> None:
        """End the wait."""
        if not self.given_up:
            self.given_up = True
            self.task.cancel()


async def _unless_gone(receive: Receive, work: Awaitable[Any]) -> Any:
    """The result of work, which is cancelled when the client leaves; the result is then None."""
    gone, task = False, current_task()

    async def watch() -> None:
        nonlocal gone
        while (await receive())["type"] != "http.disconnect":
            pass
        gone = True
        task.cancel()

    watcher = asyncio.create_task(watch())
    try:
        return await work
    except asyncio.CancelledError:
        if not gone:
            raise
        uncancel(task)
        return None
    finally:
        watcher.cancel()


def current_task() -> asyncio.Task[Any]:
    """The task of a request."""
    task = asyncio.current_task()
    assert task is not None  # every request has one
    return task


def uncancel(task: asyncio.Task[Any]) -> None:
    """Forget a cancellation that was meant for what the task has stopped."""
    getattr(task, "uncancel", lambda: 0)()  # Python 3.10 has none and needs none


def _shutting_down() -> ApiError:
    """The answer to requests that are unfinished when the time for shutting down is over."""
    return ApiError(503, "the server is shutting down; try again later")


def _replay(body: bytes) -> Receive:
    """The body that was read, and then nothing more: the gate watches for the client to leave."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        if not messages:
            await asyncio.Event().wait()
        return messages.pop()

    return replayed

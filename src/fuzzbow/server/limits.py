"""What stands before the routes: access, room for the work, and a body of bounded size."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import anyio
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fuzzbow.server.auth import check_access
from fuzzbow.server.errors import ApiError, error_response
from fuzzbow.server.metrics import Metrics
from fuzzbow.server.settings import Limits

WORK = "/v1/"
SLOW_SECONDS = 1.0  # after which a body that still arrives makes room for another request
WITH_BODY = ("POST", "PUT", "PATCH")


class Gate:
    """Lets a request through to the routes, with its body read, or answers why not."""

    def __init__(self, app: ASGIApp, limits: Limits, key: str | None, metrics: Metrics) -> None:
        self._app, self._limits, self._key, self._metrics = app, limits, key, metrics
        self._working = 0
        self._arriving: dict[anyio.CancelScope, float] = {}  # bodies, and since when

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            headers = Headers(scope=scope)
            check_access(scope["path"], headers, self._key)
            if not scope["path"].startswith(WORK):
                await self._app(scope, receive, send)
                return
            with self._room():
                body = b""
                if scope["method"] in WITH_BODY:
                    try:
                        body = await self._body(headers, receive)
                    except asyncio.CancelledError:
                        raise _ending() from None
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
        """Give up the body that has been arriving for longest, if it is a slow one."""
        slowest = next(iter(self._arriving), None)
        if slowest is None or anyio.current_time() - self._arriving[slowest] < SLOW_SECONDS:
            return False
        del self._arriving[slowest]
        slowest.cancel()
        return True

    async def _answer(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Let the routes answer, while the one who asked is there."""
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
                getattr(work, "uncancel", lambda: 0)()  # before 3.11 tasks do not count
            elif started:
                raise
            else:
                raise _ending() from None
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


def _ending() -> ApiError:
    """For those who are still there when the time to finish is over."""
    return ApiError(503, "the server ends; try again when it is back")


def _replay(body: bytes) -> Receive:
    """The whole body, and then nothing more: who has left is noticed elsewhere."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        if not messages:
            await asyncio.Event().wait()
        return messages.pop()

    return replayed

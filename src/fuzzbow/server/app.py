"""ASGI application: access, limits, log and errors around the routes; and its process.

A search passes uvicorn's protocol and its request cycle, `Application`, Starlette's router and
route, `Endpoint`, the operation, the calls that requests share, and on a reader thread
`search_together`, which calls `Index.search`.
"""

from __future__ import annotations

import asyncio
import gc
import hmac
import logging
import signal
import socket
import sys
import time
import warnings
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cached_property
from typing import Any

import msgspec
import uvicorn
from starlette.datastructures import Headers, QueryParams
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fuzzbow.errors import LanguageWarning
from fuzzbow.index import Index
from fuzzbow.model import Model
from fuzzbow.plurals import counted
from fuzzbow.server import schemas
from fuzzbow.server.errors import ApiError, api_error, decoding_error, json_response
from fuzzbow.server.monitoring import LOG, JsonLines, log_line
from fuzzbow.server.operations import OPERATIONS, Operation, describe
from fuzzbow.server.pages import page_routes
from fuzzbow.server.service import Service
from fuzzbow.server.settings import Settings, is_loopback

# paths that need no key: what a browser loads before it can ask for the key, and the health check
OPEN_PATHS = ("/", "/docs", "/report", "/healthz")
OPEN_FOLDER = "/static/"
CLIENT_LEFT = 499  # the status counted for a client that did not wait for its answer
LOGGED_PATH = 200  # characters
BACKLOG = 2048  # connections that the system keeps until the server accepts them
METHODS = ("GET", "POST", "DELETE", "HEAD", "PUT", "PATCH", "OPTIONS")
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)


def create_app(
    model: Model,
    index: Index | None = None,
    settings: Settings | None = None,
    operations: Sequence[Operation] = OPERATIONS,
) -> Application:
    """Make an ASGI application that serves a model and, if there is one, an index."""
    return Application(Service(model, index, settings or Settings()), operations)


class Application:
    """ASGI application that checks, answers, logs and counts every request."""

    def __init__(self, service: Service, operations: Sequence[Operation]) -> None:
        self.service, self._operations = service, operations
        settings = service.settings
        self._router = Router(
            [Route(item.path, Endpoint(item, service), methods=[item.method], name=item.path)
             for item in operations]
            + [Route("/openapi.json", lambda request: json_response(self.openapi)),
               *page_routes(settings.report)],
            redirect_slashes=False,
            lifespan=self._lifespan,
        )  # fmt: skip
        self._inner: ASGIApp = self._answer
        if settings.origins:  # before the key, since a browser asks without it whether it may
            self._inner = CORSMiddleware(
                self._answer,
                allow_origins=settings.origins,
                allow_methods=("GET", "POST", "DELETE"),
                allow_headers=("Authorization", "Content-Type", "X-API-Key"),
                expose_headers=("Retry-After",),
            )

    @cached_property
    def openapi(self) -> Any:
        """Describe the API, with the limits of this server."""
        return describe(self._operations, self.service.limits)

    @asynccontextmanager
    async def _lifespan(self, app: object) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(self.service.workers.close)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, or the start or shutdown of the server."""
        if scope["type"] != "http":
            await self._router(scope, receive, send)
            return
        start, status, size, metrics = time.perf_counter(), 0, 0, self.service.metrics
        metrics.open += 1
        scope["app"] = self  # by which Starlette raises errors instead of answering by text

        async def send_counted(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
                names = {name.lower() for name, _ in message["headers"]}
                more = [pair for pair in HEADERS if pair[0] not in names]
                message = {**message, "headers": [*message["headers"], *more]}
            size += len(message.get("body", b""))
            try:
                await send(message)
            except RuntimeError as error:  # of uvloop, where the client has left
                raise ConnectionAbortedError from error

        try:
            with suppress(ConnectionAbortedError):
                await self._inner(scope, receive, send_counted)
        finally:
            seconds, status = time.perf_counter() - start, status or CLIENT_LEFT
            route = getattr(scope.get("route"), "name", "other")
            method = scope["method"] if scope["method"] in METHODS else "other"
            metrics.open -= 1
            metrics.count(method, route, status, seconds)
            if self.service.settings.access_log:
                path, ms = scope["path"][:LOGGED_PATH], round(1000 * seconds, 2)
                log_line("request", method=method, path=path, status=status, ms=ms, bytes=size)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request by its route, or by an error."""
        try:
            check_access(scope["path"], Headers(raw=scope["headers"]), self.service.settings.key)
            await self._router(scope, receive, send)
        except ConnectionAbortedError:
            raise
        except asyncio.CancelledError:  # the time for shutting down is over
            error = ApiError(503, "the server is shutting down; try again later")
            await error.response(scope, receive, send)
        except Exception as met:
            index = self.service.index
            error = api_error(met, scope["method"], None if index is None else index.path)
            self.service.metrics.refused.labels(error.code).inc()
            await error.response(scope, receive, send)
            if error.status == 500:
                raise  # for the log


class Endpoint:
    """Route of an operation: reads the request, waits for capacity, sends the answer."""

    def __init__(self, operation: Operation, service: Service) -> None:
        self._operation, self._service = operation, service
        self._kind = operation.request
        self._nested = schemas.NewDocument if self._kind is schemas.DocumentsRequest else None
        self._is_limited = operation.path.startswith("/v1/")
        has_body = operation.method == "POST"
        self._decode = msgspec.json.Decoder(self._kind).decode if has_body else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; if the client disconnects before that, cancel the work."""
        service, limits = self._service, self._service.limits
        request = await self._request(scope, receive)
        if self._is_limited and service.working >= limits.concurrent:
            raise _too_busy(f"at most {counted(limits.concurrent, 'request')} may be in progress")
        service.working += self._is_limited
        try:
            work = self._operation.call(service, request)
            answer = work if isinstance(work, Response) else await unless_gone(receive, work)
        finally:
            service.working -= self._is_limited
        if answer is not None:
            await answer(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive) -> Any:
        """Read the request from the body, the query or the path."""
        try:
            if self._decode is not None:
                return self._decode(await _body(scope, receive, self._service))
            if self._kind is str:
                return scope["path_params"]["id"]
            if self._kind is not type(None):
                return msgspec.convert(dict(QueryParams(scope["query_string"])), self._kind)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise decoding_error(error, self._kind, self._nested) from error


async def unless_gone(receive: Receive, work: Any) -> Response | None:
    """Wait for the work; if the client disconnects before that, cancel it and return None."""

    async def leave() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    task, gone = asyncio.ensure_future(work), asyncio.ensure_future(leave())
    try:
        await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        task.cancel()
        gone.cancel()


def _too_busy(message: str) -> ApiError:
    return ApiError(429, f"{message}; try again in a moment", Retry_After="1")


async def _body(scope: Scope, receive: Receive, service: Service) -> bytearray:
    """Read the whole body of a request, and limit the bytes of all bodies that are arriving."""
    headers = Headers(raw=scope["headers"])
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        shown = kind[:80] or "no content type"
        raise ApiError(415, f"the body must be application/json; got {shown!r}")
    limits, body, more = service.limits, bytearray(), True
    most, busy = limits.body_bytes, limits.body_bytes * limits.concurrent
    length = headers.get("content-length", "")
    came = length if length.isdigit() and int(length) > most else ""
    task, is_late = asyncio.current_task(), False

    def give_up() -> None:
        nonlocal is_late
        is_late = bool(task and task.cancel())

    # `anyio.fail_after` costs more than reading a short body
    timer = asyncio.get_running_loop().call_later(limits.body_seconds, give_up)
    try:
        while more and not came:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ApiError(400, "the connection ended before the body")
            part = message.get("body", b"")
            body += part
            service.arriving += len(part)
            if service.arriving > busy and len(body) <= most:
                raise _too_busy(f"at most {busy} bytes of bodies may arrive")
            more = message.get("more_body", False)
            came = f"more than {most}" if len(body) > most else ""
    except asyncio.CancelledError:
        if not is_late:
            raise
        within = counted(limits.body_seconds, "second")
        raise ApiError(408, f"the body must arrive within {within}") from None
    finally:
        timer.cancel()
        service.arriving -= len(body)
    if came:
        raise ApiError(413, f"the body must be at most {most} bytes; got {came}")
    return body


def check_access(path: str, headers: Headers, key: str | None) -> None:
    """Raise ApiError for a request without the key or, if the server has none, for another host.

    A foreign web page can make a browser call a server on this machine under a host name that
    the page's owner chose (DNS rebinding); the Host header shows that name.
    """
    hosts = headers.getlist("host")
    if len(hosts) > 1:  # a proxy in front may have checked another than we would
        raise ApiError(400, f"a request must have one Host header; got {len(hosts)}")
    if key is None:
        host = hosts[0] if hosts else ""
        name, colon, port = host.rpartition(":")
        if not colon or not port.isdigit():  # no port, or the end of an IPv6 address
            name = host
        if not is_loopback(name):
            raise ApiError(
                421,
                "a server without a key answers only to localhost and 127.0.0.1; the request"
                f" was for {host!r:.80}",
            )
    elif path not in OPEN_PATHS and not path.startswith(OPEN_FOLDER):
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        given = bearer.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")
        if not hmac.compare_digest(given.encode("utf-8"), key.encode("utf-8")):
            raise ApiError(
                401,
                "this server needs its key, as `Authorization: Bearer KEY` or as"
                f" `X-API-Key: KEY`; got {'another' if given else 'none'}",
                WWW_Authenticate="Bearer",
            )


def serve(model: Model, index: Index | None, settings: Settings) -> None:
    """Serve until SIGTERM or Ctrl-C; requests in flight are finished first."""
    warnings.simplefilter("ignore", LanguageWarning)  # requests may hold any text
    app = create_app(model, index, settings)
    app.service.warm_up()
    logger = logging.getLogger("uvicorn")  # its messages join the log, from warnings on
    logger.handlers, logger.propagate = [JsonLines()], False
    logger.setLevel(logging.WARNING)
    for ending in (signal.SIGTERM, signal.SIGINT):  # sent again by uvicorn when it is done
        signal.signal(ending, lambda number, frame: sys.exit(0))
    is_ipv6 = ":" in settings.host
    family = socket.AF_INET6 if is_ipv6 else socket.AF_INET
    address = (settings.host, settings.port)
    with socket.create_server(address, family=family, backlog=BACKLOG) as listener:
        host = f"[{settings.host}]" if is_ipv6 else settings.host
        log_line(
            "listening",
            url=f"http://{host}:{listener.getsockname()[1]}",
            documents=None if index is None else len(index),
        )
        config = uvicorn.Config(
            app,
            http="httptools",
            ws="none",
            backlog=BACKLOG,
            limit_concurrency=settings.limits.connections + 1,
            timeout_keep_alive=settings.limits.idle_seconds,
            timeout_graceful_shutdown=settings.limits.shutdown_seconds,
            proxy_headers=False,
            server_header=False,
            log_config=None,
            access_log=False,
            lifespan="on",
        )
        gc.freeze()  # loaded objects are permanent: exclude them from garbage collection
        gc.set_threshold(20_000)  # answers make many small objects, and none that hold each other
        try:
            uvicorn.Server(config).run(sockets=[listener])
        finally:
            LOG.flush()

"""HTTP connections with limits on their number, on time, and on bytes.

uvicorn's protocol for httptools has no limit on how long a client may take to send the head of
a request or to read its answer, on the size of a head, or on open connections. These have.
"""

from __future__ import annotations

import asyncio
import http
import sys
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from fuzzbow.plurals import counted
from fuzzbow.server.errors import ApiError, error_response
from fuzzbow.server.settings import Limits

LONGEST_HEAD = 64 * 1024  # bytes, give or take one read of the socket
MOST_PIPELINED = 64  # requests of one connection that wait for an earlier one
OTHER_FILES = 96  # open files besides connections: those of the index and of libraries
BACKLOG = 2048  # connections that the system keeps until the server accepts them


def open_files() -> int | None:
    """Return the limit of open files of this process, or None without one."""
    if sys.platform == "win32":
        return None
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if soft == resource.RLIM_INFINITY else soft


def backlog(files: int | None) -> int:
    """Connections that may wait to be accepted; they may all be accepted at once.

    >>> backlog(None), backlog(256)
    (2048, 32)
    """
    return BACKLOG if files is None else min(BACKLOG, files // 8)


def most_connections(limits: Limits, files: int | None) -> int:
    """The connections that may be open, so that files are left for everything else.

    >>> most_connections(Limits(), None), most_connections(Limits(), 256)
    (2000, 128)
    """
    if files is None:
        return limits.connections
    return max(1, min(limits.connections, files - OTHER_FILES - backlog(files)))


class Connection(HttpToolsProtocol):
    """One connection; a subclass by `connection_class` knows its limits."""

    limits: Limits
    most: int  # connections

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        now = self.loop.time()
        self._undecided = 0  # bytes since the parser last finished a head or a piece of a body
        self._in_message = False  # between the head of a request and its end
        self._cycles: list[Any] = []  # requests that are being answered, or wait for that
        self.waiting_since = now  # when the server last began to wait for the client
        self._arriving_since: float | None = now  # since when one arrives
        self._unsent_since: float | None = None

    # called by the transport

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a client; above the limit, end the connection that has been idle for longest."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            others = [item for item in self._open() if item.waits and item is not self]
            if others:
                min(others, key=lambda item: item.waiting_since).transport.abort()
            else:
                self._refuse(ApiError(503, f"at most {self.most} connections may be open"))

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the work on all pipelined requests; uvicorn stops only that on the last."""
        for cycle in self._cycles:
            if not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()
        super().connection_lost(exc)
        self._unset_keepalive_if_required()

    def data_received(self, data: bytes) -> None:
        """Parse what arrived, unless the head is too long already."""
        if self.transport.is_closing():
            return
        if self._undecided > LONGEST_HEAD:
            message = f"the head of a request must be at most {LONGEST_HEAD} bytes; got more"
            self._refuse(ApiError(431, message))
            return
        if self.waits and self._arriving_since is None:
            self._arriving_since = self.loop.time()
        self._undecided += len(data)
        super().data_received(data)

    def pause_writing(self) -> None:
        """Above the limit on unsent bytes, end connections that have read nothing for longest."""
        super().pause_writing()
        sizes = {item: item.transport.get_write_buffer_size() for item in self._open()}
        total = sum(sizes.values())
        stalled = [item for item, size in sizes.items() if size and item is not self]
        for item in sorted(stalled, key=lambda item: item.waiting_since):
            if total > self.limits.unsent_bytes:
                total -= sizes[item]
                item.transport.abort()

    # called by the parser

    def on_message_begin(self) -> None:
        """A request begins."""
        self._undecided = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The head of a request is complete."""
        self._undecided = 0
        if len(self.pipeline) >= MOST_PIPELINED:
            raise ValueError("too many pipelined requests")  # which the parser answers by 400
        self._in_message, self._arriving_since = True, None
        self.waiting_since = self.loop.time()
        super().on_headers_complete()
        self._cycles = [cycle for cycle in self._cycles if not cycle.response_complete]
        self._cycles.append(self.cycle)

    def on_body(self, body: bytes) -> None:
        """A part of the body has arrived."""
        self._undecided = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """A request is complete."""
        self._undecided = 0
        self._in_message, self._arriving_since = False, None
        self.waiting_since = self.loop.time()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """An answer was sent; if its request is still arriving, the time limit of heads applies."""
        self.waiting_since = self.loop.time()
        self._unsent_since = self.waiting_since
        if self._in_message:
            self._arriving_since = self.waiting_since
        super().on_response_complete()

    # called by the server

    @property
    def waits(self) -> bool:
        """Return whether no request is complete and unanswered."""
        working = [cycle for cycle in self._cycles if not cycle.response_complete]
        return not working or (self._in_message and len(working) == 1)

    def check(self, now: float) -> None:
        """End the connection if its client takes too long."""
        limits = self.limits
        if not self.transport.get_write_buffer_size():
            self._unsent_since = None
        elif self._unsent_since is None:
            self._unsent_since = now
        elif now - self._unsent_since > limits.write_seconds:
            self.transport.abort()
        if self.transport.is_closing() or any(not item.response_complete for item in self._cycles):
            return
        if self._arriving_since is not None:
            if now - self._arriving_since > limits.head_seconds:
                within = counted(limits.head_seconds, "second")
                message = f"the head of a request must arrive within {within}"
                self._refuse(ApiError(408, message, code="head_too_slow"))
        elif now - self.waiting_since > limits.idle_seconds:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP."""
        self._refuse(ApiError(400, "the request must be HTTP/1.1; it could not be understood"))

    def _refuse(self, error: ApiError) -> None:
        """Send an error that answers no particular request, and close the connection."""
        body = bytes(error_response(error).body)
        phrase = http.HTTPStatus(error.status).phrase
        head = (
            f"HTTP/1.1 {error.status} {phrase}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        self.transport.write(head.encode("ascii") + body)
        self.transport.close()

    def _open(self) -> list[Connection]:
        """All connections of the server that are not closing."""
        return [
            item
            for item in self.connections
            if isinstance(item, Connection) and not item.transport.is_closing()
        ]


def connection_class(limits: Limits, files: int | None) -> type[Connection]:
    """The class of connections with these limits, in a process that may open so many files."""

    class LimitedConnection(Connection):
        pass

    LimitedConnection.limits = limits
    LimitedConnection.most = most_connections(limits, files)
    return LimitedConnection


class Server(uvicorn.Server):
    """A uvicorn server that checks the time limits of its connections every second."""

    async def on_tick(self, counter: int) -> bool:
        """Called by uvicorn ten times a second."""
        if counter % 10 == 0:
            now = asyncio.get_running_loop().time()
            for item in list(self.server_state.connections):
                if isinstance(item, Connection):
                    item.check(now)
        return await super().on_tick(counter)

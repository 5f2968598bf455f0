"""HTTP with heads of bounded size, which the parser itself would read without end."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from fuzzbow.server.errors import ApiError, error_response

LONGEST_HEAD = 64 * 1024  # bytes, give or take one read of the socket


class BoundedHttp(HttpToolsProtocol):
    """Gives up a connection that sends only heads, chunk sizes or trailers for too long."""

    _undecided = 0  # bytes since the parser came to the end of something

    def data_received(self, data: bytes) -> None:
        """Read on, unless what was read before already is too long a head."""
        if self._undecided > LONGEST_HEAD:
            self.transport.write(_refusal())
            self.transport.close()
            return
        self._undecided += len(data)
        super().data_received(data)

    def on_message_begin(self) -> None:
        """A request begins."""
        self._undecided = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Its head has ended."""
        self._undecided = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A part of its body."""
        self._undecided = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Its end."""
        self._undecided = 0
        super().on_message_complete()


def _refusal() -> bytes:
    """The whole answer, since there is no request that could be answered."""
    message = f"the head of a request must be at most {LONGEST_HEAD} bytes; got more"
    body = bytes(error_response(ApiError(431, message)).body)
    head = (
        "HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode("ascii") + body

"""Access control by the key, or, without one, by the host name of this machine."""

from __future__ import annotations

import hmac
from collections.abc import Sequence

from fuzzbow.server.errors import ApiError
from fuzzbow.server.settings import is_loopback

# paths that need no key: what a browser loads before it can ask for the key, and the health check
OPEN_PATHS = ("/", "/docs", "/report", "/healthz")
OPEN_FOLDER = "/static/"


class RequestHeaders:
    """The headers of a request by their names in lower case; of a name that repeats, the first."""

    def __init__(self, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        self._pairs, self._first = pairs, dict(reversed(pairs))

    def get(self, name: bytes) -> str:
        """The value of a header, or an empty text."""
        return self._first.get(name, b"").decode("latin-1")

    def count(self, name: bytes) -> int:
        """Count the occurrences of a header."""
        return sum(given == name for given, _ in self._pairs)


def check_access(path: str, headers: RequestHeaders, key: str | None) -> None:
    """Refuse a request without the key, or, on a server without one, for another host.

    A foreign web page can make a browser call a server on this machine under a host name that
    the page's owner chose (DNS rebinding); the Host header shows that name.
    """
    hosts = headers.count(b"host")
    if hosts > 1:  # a proxy in front may have checked another than we would
        raise ApiError(400, f"a request must have one Host header; got {hosts}")
    if key is None:
        _check_host(headers.get(b"host"))
    elif path not in OPEN_PATHS and not path.startswith(OPEN_FOLDER):
        _check_key(headers, key)


def _check_key(headers: RequestHeaders, key: str) -> None:
    scheme, _, bearer = headers.get(b"authorization").partition(" ")
    given = bearer.strip() if scheme.lower() == "bearer" else headers.get(b"x-api-key")
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

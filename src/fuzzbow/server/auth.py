"""Who may ask: a key, compared in constant time, or a browser that means this machine."""

from __future__ import annotations

import hmac
from collections.abc import Mapping

from fuzzbow.server.errors import ApiError
from fuzzbow.server.settings import is_loopback

GUARDED = ("/v1/", "/metrics")


def check_access(path: str, headers: Mapping[str, str], key: str | None) -> None:
    """Refuse a request without the key, or, on a server without one, for another host.

    A page of elsewhere can make a browser call a server on this machine under a name of
    its own; the Host header gives that away.
    """
    if key is None:
        _check_host(headers.get("host", ""))
    elif path.startswith(GUARDED):
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

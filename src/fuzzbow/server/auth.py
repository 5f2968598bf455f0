"""Who may ask: a key, compared in constant time, or a browser that means this machine."""

from __future__ import annotations

import hmac
from collections.abc import Mapping

from starlette.datastructures import Headers

from fuzzbow.server.errors import ApiError
from fuzzbow.server.settings import is_loopback

# what a browser loads before it can ask for the key, and what watches the server
OPEN = ("/", "/docs", "/report", "/healthz")
STATIC = "/static/"


def check_access(path: str, headers: Headers, key: str | None) -> None:
    """Refuse a request without the key, or, on a server without one, for another host.

    A page of elsewhere can make a browser call a server on this machine under a name of
    its own; the Host header gives that away.
    """
    hosts = headers.getlist("host")
    if len(hosts) > 1:  # a proxy in front may have looked at the other one
        raise ApiError(400, f"a request must have one Host header; got {len(hosts)}")
    if key is None:
        _check_host(hosts[0] if hosts else "")
    elif path not in OPEN and not path.startswith(STATIC):
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

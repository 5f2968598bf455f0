"""The settings of a server, checked when they are made."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from fuzzbow.errors import InputError

KEY_VARIABLE = "FUZZBOW_API_KEY"
REPORT = "report.html"
SITE = re.compile(r"https?://[a-z0-9.:\[\]-]+")  # so that it is one word of a header


@dataclass(frozen=True)
class Limits:
    """The most that one request, or all of them together, may ask for."""

    body_bytes: int = 2 * 1024 * 1024
    texts: int = 10_000  # per request
    words: int = 2_000  # per text
    characters: int = 50_000  # per text
    comparisons: int = 40_000_000  # of words with words, per request
    query_words: int = 500  # per search
    hits: int = 1_000  # per query
    queries: int = 1_000  # per request
    answer_bytes: int = 8 * 1024 * 1024
    unsent_bytes: int = 256 * 1024 * 1024  # of all answers that their clients do not read
    concurrent: int = 512  # requests in work or waiting
    connections: int = 2_000  # and never more than the open files that the system allows
    head_seconds: int = 10  # for the head of a request to arrive
    body_seconds: int = 30  # for a body to arrive
    idle_seconds: int = 10  # between two requests of a connection
    write_seconds: int = 60  # for a client to read an answer
    lock_seconds: int = 30  # that a change waits for its turn

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{item.name} must be a whole number from 1 on; got {value!r}")


@dataclass(frozen=True)
class Settings:
    """Address, key, limits, report and allowed origins of a server.

    `origins` are the web sites, such as https://app.example, whose pages may call the server
    from a browser and show its explanations in a frame.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    key: str | None = field(default=None, repr=False)
    limits: Limits = field(default_factory=Limits)
    report: Path | None = None  # folder of `fuzzbow sts reproduce`
    access_log: bool = True
    shutdown_seconds: int = 30
    origins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65_535:
            raise InputError(f"port must be from 0 to 65535; got {self.port}")
        key = self.key
        if key is not None and not (
            key.strip() == key != "" and key.isascii() and key.isprintable()
        ):
            raise InputError(
                "the API key must be printable ASCII characters, at least one, without spaces"
                " around them; None for a server without a key"
            )
        if key is None and not is_loopback(self.host):
            raise InputError(
                f"a server that others can reach needs a key: set {KEY_VARIABLE}, or listen on"
                f" 127.0.0.1; got the host {self.host!r} and no key"
            )
        if self.report is not None and not (self.report / REPORT).is_file():
            raise InputError(
                f"the report must be a folder with {REPORT}, as `fuzzbow sts reproduce` writes it;"
                f" there is none in '{self.report}'"
            )

        for origin in self.origins:
            check_origin(origin)


def check_origin(origin: str) -> None:
    """A web site as browsers name it, scheme, host and port; never all of them at once."""
    try:
        parts = urlsplit(origin)
        site = f"{parts.scheme}://{parts.netloc}"
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, half of an IPv6 address
        usable = False
    if not (usable and site == origin.lower() == origin and SITE.fullmatch(origin)):
        raise InputError(
            "an origin must be the scheme, host and port of one web site, in lower case and with"
            f" nothing behind them, such as https://app.example; got {origin!r:.80}"
        )


def key_from_environment() -> str | None:
    """The key that FUZZBOW_API_KEY holds; an empty one is none."""
    return os.environ.get(KEY_VARIABLE, "").strip() or None


@lru_cache(maxsize=64)  # requests are for few names
def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host of that name.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "")]
    [True, True, True, False, False]
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False

"""The settings of a server, checked when they are created."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from fuzzbow.errors import InputError, check_count

KEY_VARIABLE = "FUZZBOW_API_KEY"
REPORT = "report.html"
SITE = re.compile(r"https?://([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?")


def _limit(default: int, option: str, meaning: str, answer: str) -> Any:
    """Declare a limit with its option, its meaning, and the answer to a request above it."""
    variable = f"FUZZBOW_{option.upper().replace('-', '_')}"
    metadata = {"option": f"--{option}", "variable": variable, "meaning": meaning, "answer": answer}
    return field(default=default, metadata=metadata)


INVALID = "422 `invalid_input`"
INDEX_BUSY = "503 `index_busy`, with `Retry-After`"


@dataclass(frozen=True)
class Limits:
    """Limits of one request, or of all requests together.

    Options, environment variables and documentation are made from the metadata of the fields.
    """

    body_bytes: int = _limit(2 << 20, "max-body", "bytes of a request", "413 `body_too_large`")
    texts: int = _limit(10_000, "max-texts", "texts of a request", INVALID)
    words: int = _limit(2_000, "max-words", "words of a text", INVALID)
    characters: int = _limit(50_000, "max-characters", "characters of a text", INVALID)
    comparisons: int = _limit(
        40_000_000, "max-comparisons", "words times words, over the rows of a request", INVALID
    )
    query_words: int = _limit(500, "max-query-words", "words of a query", INVALID)
    hits: int = _limit(1_000, "max-hits", "hits of a query", INVALID)
    queries: int = _limit(1_000, "max-queries", "queries of a request", INVALID)
    answer_bytes: int = _limit(
        8 << 20, "max-answer", "bytes of an answer", "422 `answer_too_large`"
    )
    concurrent: int = _limit(
        512,
        "max-concurrent",
        "requests in progress or waiting",
        "429 `too_busy`, with `Retry-After`",
    )
    connections: int = _limit(2_000, "max-connections", "open connections", "503")
    body_seconds: int = _limit(
        30, "body-seconds", "seconds for a body to arrive", "408 `body_too_slow`"
    )
    idle_seconds: int = _limit(
        10, "idle-seconds", "seconds between two requests of a connection", "the connection ends"
    )
    lock_seconds: int = _limit(
        30, "lock-seconds", "seconds that a change waits for its turn to write", INDEX_BUSY
    )
    shutdown_seconds: int = _limit(
        30, "shutdown-seconds", "seconds for requests to finish at the end", "503 `unavailable`"
    )

    def __post_init__(self) -> None:
        for item in fields(self):
            check_count(getattr(self, item.name), item.name)


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
    origins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65_535:
            raise InputError(f"port must be from 0 to 65535; got {self.port}")
        key = self.key
        if key is not None and not re.fullmatch(r"[!-~]([ -~]*[!-~])?", key):
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
            if not SITE.fullmatch(origin):
                raise InputError(
                    "an origin must be the scheme, host and port of one web site, in lower case and"
                    f" with nothing after them, such as https://app.example; got {origin!r:.80}"
                )


def key_from_environment() -> str | None:
    """Read the key from FUZZBOW_API_KEY; an empty value is no key."""
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

"""JSON files that begin with a digest of their content."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

from fuzzbow.errors import DataError


def checked_bytes(data: dict[str, Any]) -> bytes:
    """Return the bytes of a file that holds `data` after a line with its digest."""
    body = json.dumps(data, ensure_ascii=False, sort_keys=True)
    return f"{_digest(body)}\n{body}\n".encode()


def parse_checked(path: object, content: bytes) -> dict[str, Any]:
    """Parse the bytes of a checked file at `path`; raise DataError if a byte has changed."""
    try:
        digest, _, body = content.decode("utf-8").partition("\n")
    except UnicodeDecodeError as error:
        raise DataError(f"'{path}' is damaged: {error}") from error
    if digest != _digest(body.removesuffix("\n")):
        raise DataError(f"'{path}' is damaged: its content is not what was written")
    data: dict[str, Any] = json.loads(body)
    return data


def _digest(body: str) -> str:
    return blake2b(body.encode("utf-8"), digest_size=16).hexdigest()

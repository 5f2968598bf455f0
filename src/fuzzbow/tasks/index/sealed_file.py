"""Small JSON files of an index, each behind a digest of what it holds."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

from fuzzbow.errors import DataError
from fuzzbow.tasks.index.place import Place, write_whole


def write_sealed(path: Place, data: dict[str, Any], *, new: bool = False) -> None:
    """Write JSON behind a digest of it; the file appears complete or not at all.

    With `new` it must not be there, as far as its place can tell.
    """
    write_whole(path, sealed(data), new=new)


def sealed(data: dict[str, Any]) -> bytes:
    """The bytes of such a file."""
    body = json.dumps(data, ensure_ascii=False, sort_keys=True)
    return f"{_digest(body)}\n{body}\n".encode()


def read_sealed(path: Place) -> dict[str, Any]:
    """Read such a file; a changed byte is an error."""
    try:
        return unsealed(path, path.read_bytes())
    except FileNotFoundError:
        raise DataError(f"'{path}' is missing from the index") from None


def unsealed(path: Place, content: bytes) -> dict[str, Any]:
    """What the bytes of such a file at `path` hold."""
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

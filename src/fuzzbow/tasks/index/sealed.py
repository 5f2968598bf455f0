"""Files whose bytes are known: small JSON with its own digest, and digests of other files."""

from __future__ import annotations

import json
import os
from hashlib import blake2b
from pathlib import Path
from typing import Any

from fuzzbow.atomic import replacing
from fuzzbow.errors import InputError

CHUNK = 1 << 22


def write_sealed(path: Path, data: dict[str, Any]) -> None:
    """Write JSON together with the digest of it; the file appears whole."""
    body = json.dumps(data, ensure_ascii=False, sort_keys=True)
    with replacing(path) as beside:
        beside.write_text(_digest(body) + "\n" + body + "\n", encoding="utf-8")


def read_sealed(path: Path) -> dict[str, Any]:
    """Read it back; a byte that changed is an error."""
    try:
        digest, _, body = path.read_text(encoding="utf-8").partition("\n")
    except FileNotFoundError:
        raise InputError(f"'{path}' is missing from the index") from None
    except UnicodeDecodeError as error:
        raise InputError(f"'{path}' is damaged: {error}") from error
    if digest != _digest(body.removesuffix("\n")):
        raise InputError(f"'{path}' is damaged: its content is not what was written")
    data: dict[str, Any] = json.loads(body)
    return data


def _digest(body: str) -> str:
    return blake2b(body.encode("utf-8"), digest_size=16).hexdigest()


def digest_of(path: Path, *, sync: bool = False) -> str:
    """Digest of a file's bytes, which are on the disk when it returns if `sync` says so."""
    digest = blake2b(digest_size=16)
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
        if sync:
            os.fsync(file.fileno())
    return digest.hexdigest()


def check_digest(path: Path, wanted: str) -> None:
    """Refuse a file that is not there or not what was written."""
    try:
        found = digest_of(path)
    except (FileNotFoundError, IsADirectoryError):
        raise InputError(f"'{path}' is missing from the index") from None
    if found != wanted:
        raise InputError(f"'{path}' is damaged: its content is not what was written")

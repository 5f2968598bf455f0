"""Cache of results between runs: JSON files in a folder, with a hash of all inputs as key.

A cache without a folder (None) is empty. Entries that cannot be read or written are computed again.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.research.loading import write_file

VARIABLE = "FUZZBOW_CACHE"


def cache_folder() -> Path:
    """Return the folder of FUZZBOW_CACHE, or the system's cache folder."""
    given = os.environ.get(VARIABLE)
    if given:
        return Path(given)
    try:
        from platformdirs import user_cache_path
    except ImportError as error:
        raise MissingExtraError("platformdirs", "sts") from error
    # without platformdirs' own opinion, which on Windows would add another folder, "Cache"
    return user_cache_path("fuzzbow", appauthor=False, opinion=False)


def key_of(*parts: object) -> str:
    """Return a key for all parts that decide a result."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True).encode()).hexdigest()


def read_cached(folder: Path | None, key: str) -> Any:
    """Read the value of a key; None if there is none."""
    if folder is None:
        return None
    try:
        return json.loads(_path(folder, key).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, MemoryError):
        return None


def write_cached(folder: Path | None, key: str, value: Any) -> None:
    """Write the value of a key; failures are ignored."""
    if folder is not None:
        path = _path(folder, key)
        with suppress(OSError, InputError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, json.dumps(value, allow_nan=False))


def _path(folder: Path, key: str) -> Path:
    return folder / "sts" / key[:2] / f"{key}.json"

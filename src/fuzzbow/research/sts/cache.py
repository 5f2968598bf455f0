"""Cache of results between runs, with a hash of all inputs as key."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.io.atomic import replacing

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


@dataclass(frozen=True)
class Cache:
    """JSON files below a folder; entries that cannot be read or written are computed again."""

    folder: Path

    def read(self, kind: str, key: str) -> dict[str, Any] | None:
        """Read the entry of a key; None if there is none."""
        try:
            data = json.loads(self._path(kind, key).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError, MemoryError):
            return None
        return data if isinstance(data, dict) else None

    def write(self, kind: str, key: str, data: dict[str, Any]) -> None:
        """Write an entry; failures are ignored."""
        path = self._path(kind, key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as new:
                new.write_text(json.dumps(data, allow_nan=False), encoding="utf-8")
        except (OSError, InputError):
            return

    def _path(self, kind: str, key: str) -> Path:
        return self.folder / "sts" / kind / key[:2] / f"{key}.json"


def user_cache() -> Cache:
    """Return the cache of this user."""
    return Cache(cache_folder())

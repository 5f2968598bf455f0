"""How a file of vectors is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Progress = Callable[[int, int], None]  # how much is done, of how much


@dataclass(frozen=True)
class ReadOptions:
    """What a reader is told; `limit` counts entries of the file."""

    limit: int | None = None
    skip_bad: bool = False
    encoding: str = "utf-8"
    progress: Progress | None = None

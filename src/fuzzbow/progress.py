"""How far a long piece of work is, told to whoever asked."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int | None], None]  # how much is done, of how much if that is known


def unheard(done: int, total: int | None) -> None:
    """The progress of work that nobody watches: does nothing."""

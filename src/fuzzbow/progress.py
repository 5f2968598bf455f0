"""Progress of long work, as a bar or by calls of a function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from fuzzbow.errors import InputError

Progress = Callable[[int, int | None], None]  # how much is done, of how much if that is known


@dataclass(frozen=True)
class ProgressStages:
    """Progress of work in several stages: a function that opens the progress of a stage by name."""

    open: Callable[[str], AbstractContextManager[Progress]]


ProgressOption = Progress | ProgressStages | bool | None  # True for a bar on stderr


def no_progress(done: int, total: int | None) -> None:
    """Ignore progress."""


@contextmanager
def open_progress(progress: ProgressOption, task: str) -> Iterator[Progress]:
    """Open the progress of a task: a function, or for True a bar on stderr."""
    if progress is None or progress is False:
        yield no_progress
    elif progress is True:
        with progress_bar(task) as on_progress:
            yield on_progress
    elif isinstance(progress, ProgressStages):
        with progress.open(task) as on_progress:
            yield on_progress
    elif callable(progress):
        yield progress
    else:
        raise InputError(
            "progress must be True, for a bar, or a function of done and total;"
            f" got {progress!r:.40}"
        )


@contextmanager
def progress_bar(task: str, console: Any = None, *, hidden: bool = False) -> Iterator[Progress]:
    """Show a bar with the work done, the total, the rate and the time left.

    The bar is written to stderr unless another console is given, and only to terminals and
    notebooks.
    """
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    shown = Console(stderr=True) if console is None else console
    if hidden or not (shown.is_terminal or shown.is_jupyter):
        yield no_progress  # a disabled bar of older versions of Rich writes an empty line
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[counted]}"),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Bar(*columns, console=shown, transient=True) as bar:
        handle = bar.add_task(task, total=None, counted="")
        work = bar.tasks[0]

        def on_progress(done: int, total: int | None) -> None:
            counted = described(done, total, work.elapsed or 0.0)
            bar.update(handle, completed=done, total=total, counted=counted)

        yield on_progress


def described(done: int, total: int | None, seconds: float) -> str:
    """Describe progress: how much is done, of how much, and the rate.

    >>> described(1500, 60000, 2.0)
    '1,500 of 60,000, 750/s'
    """
    of = "" if total is None else f" of {total:,}"
    rate = f", {done / seconds:,.0f}/s" if seconds > 0 else ""
    return f"{done:,}{of}{rate}"

"""Output of every command: data on stdout, messages on stderr, exit codes."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from fuzzbow.errors import DataError, InputError, LockedError, MissingExtraError
from fuzzbow.io.atomic import full_disk
from fuzzbow.progress import Progress, ProgressStages, described, progress_bar

if TYPE_CHECKING:
    from rich.table import Table

FAILED = 1
WRONG_USAGE = 2
WIDEST = 400  # columns of a table where no terminal sets a limit

messages = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)
output = Console(highlight=False, soft_wrap=True, emoji=False)


# output on stderr: errors only, messages and progress, or details too
_verbosity = {"quiet": False, "verbose": False}


def set_verbosity(*, quiet: bool, verbose: bool) -> None:
    """Set the verbosity by the flags --quiet and --verbose."""
    if quiet and verbose:
        raise typer.BadParameter("--quiet and --verbose exclude each other; give one of them")
    _verbosity.update(quiet=quiet, verbose=verbose)


def raise_verbosity(*, quiet: bool, verbose: bool) -> None:
    """Apply --quiet and --verbose after a command, in addition to those before it."""
    set_verbosity(quiet=quiet or _verbosity["quiet"], verbose=verbose or _verbosity["verbose"])


def detail(text: str) -> None:
    """Print to stderr if --verbose is set."""
    if _verbosity["verbose"]:
        error(text)


def info(text: str) -> None:
    """Print a message to stderr unless --quiet is set; markup and control characters are inert."""
    if not _verbosity["quiet"]:
        error(text)


def error(text: str) -> None:
    """Print to stderr, even if --quiet is set."""
    from fuzzbow.text import visible

    messages.print(visible(text), markup=False)


def show(text: str) -> None:
    """Print text to stdout; markup and control characters are inert."""
    from fuzzbow.text import visible

    output.print(visible(text), markup=False)


def print_json(data: Mapping[str, Any] | list[Any]) -> None:
    """Print a JSON document to stdout, in ASCII if stdout cannot encode it.

    All control characters are escaped; JSON itself escapes only some of them.
    """
    from fuzzbow.text.unicode import UNSAFE, escaped_json

    text = json.dumps(data, ensure_ascii=False, allow_nan=False) + "\n"
    line = escaped_json(text, sys.stdout.encoding)
    sys.stdout.write(UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", line))


def print_table(table: Table) -> None:
    """Print a table as wide as the terminal, or at full width if stdout is not a terminal."""
    if output.is_terminal:
        output.print(table, soft_wrap=False)
        return
    needed = output.measure(table, options=output.options.update(width=WIDEST)).maximum
    wide = Console(width=max(needed, output.width), highlight=False, emoji=False)
    wide.print(table)


class Terminated(KeyboardInterrupt):
    """Exception for a signal other than Ctrl-C that ends the process after cleaning up."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def signal_of(stop: KeyboardInterrupt) -> int:
    """Return the number of the signal that ended the work."""
    return stop.number if isinstance(stop, Terminated) else int(signal.SIGINT)


def flush_output() -> None:
    """Flush the output; a closed pipe, such as to `head`, is not an error."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _terminate(number: int, frame: object) -> None:
    raise Terminated(number)


def end_like_ctrl_c() -> None:
    """Handle SIGTERM and SIGHUP like Ctrl-C, unless they are ignored or handled already."""
    if threading.current_thread() is not threading.main_thread():
        return
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _terminate)


@contextmanager
def reported_errors() -> Iterator[None]:
    """Print errors that a user can correct as one line on stderr.

    The exit code is 2 for wrong usage, such as a missing file, an unknown column or options that
    exclude each other, and 1 for failures: data that cannot be read, a lock, the system.
    """
    try:
        yield
    except (InputError, MissingExtraError) as failure:
        detail("".join(traceback.format_exception(failure)).rstrip())
        error(f"error: {failure}")
        failed = isinstance(failure, DataError | LockedError | MissingExtraError)
        raise typer.Exit(FAILED if failed else WRONG_USAGE) from failure
    except UnicodeEncodeError as failure:
        letters = failure.object[failure.start : failure.end]
        error(f"error: {failure.encoding} cannot hold {letters!r}; for stdout set PYTHONIOENCODING")
        raise typer.Exit(FAILED) from failure
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone
        raise typer.Exit(FAILED) from None
    except OSError as failure:
        reason = full_disk(failure) if failure.filename is None else None
        reason = reason or failure.strerror or str(failure)
        error(f"error: {reason}: {failure.filename or ''}".rstrip(": "))
        raise typer.Exit(FAILED) from failure
    except KeyboardInterrupt as stop:
        error(f"interrupted; {str(stop) or 'nothing was written'}")
        raise typer.Exit(128 + signal_of(stop)) from None


@contextmanager
def progress(task: str) -> Iterator[Progress]:
    """Show progress on stderr if it is a terminal; yield a function of done and total."""
    done, start = 0, time.perf_counter()
    with progress_bar(task, messages, hidden=_verbosity["quiet"]) as on_progress:

        def counted(now: int, total: int | None) -> None:
            nonlocal done
            done = now
            on_progress(now, total)

        yield counted
    seconds = time.perf_counter() - start
    detail(f"{task}: {described(done, None, seconds)}; {seconds:.2f} s")


progress_stages = ProgressStages(progress)

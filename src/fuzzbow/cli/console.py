"""Output of every command: data on stdout, messages on stderr, exit codes."""

from __future__ import annotations

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

from fuzzbow.atomic import full_disk
from fuzzbow.errors import DataError, InputError, LockedError, MissingExtraError
from fuzzbow.progress import Progress, described, progress_bar

if TYPE_CHECKING:
    from rich.table import Table

FAILED = 1
WRONG_USAGE = 2
WIDEST = 400  # columns of a table where no terminal sets a limit

messages = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)
output = Console(highlight=False, soft_wrap=True, emoji=False)


class Verbosity:
    """Levels of output on stderr: errors only, messages and progress, or details too."""

    quiet = False
    verbose = False


def set_loudness(*, quiet: bool, verbose: bool) -> None:
    """Show errors only, or messages too, or details besides."""
    if quiet and verbose:
        raise typer.BadParameter("--quiet and --verbose exclude each other; give one of them")
    Verbosity.quiet, Verbosity.verbose = quiet, verbose


def set_verbosity(*, quiet: bool, verbose: bool) -> None:
    """Set the level by options after a command; those before the command count too."""
    set_loudness(quiet=quiet or Verbosity.quiet, verbose=verbose or Verbosity.verbose)


def detail(text: str) -> None:
    """Print to stderr if --verbose is set."""
    if Verbosity.verbose:
        complain(text)


def say(text: str) -> None:
    """A message for a person, on stderr; markup and control characters have no effect."""
    if not Verbosity.quiet:
        complain(text)


def complain(text: str) -> None:
    """Print to stderr, even if --quiet is set."""
    from fuzzbow.text import visible

    messages.print(visible(text), markup=False)


def show(text: str) -> None:
    """Print text for a person on stdout; markup and control characters have no effect."""
    from fuzzbow.text import visible

    output.print(visible(text), markup=False)


def print_json(data: Mapping[str, Any] | list[Any]) -> None:
    """One JSON document on stdout; in ASCII where it holds what stdout cannot encode.

    JSON escapes only some of what a terminal obeys, so that the rest is escaped here.
    """
    from fuzzbow.tasks.formats import json_line
    from fuzzbow.text.unicode import UNSAFE

    line = json_line(data, sys.stdout.encoding, allow_nan=False)
    sys.stdout.write(UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", line))


def print_table(table: Table) -> None:
    """Print a table: as wide as the terminal, or at full width where output is no terminal."""
    if output.is_terminal:
        output.print(table, soft_wrap=False)
        return
    needed = output.measure(table, options=output.options.update(width=WIDEST)).maximum
    wide = Console(width=max(needed, output.width), highlight=False, emoji=False)
    wide.print(table)


class Terminated(KeyboardInterrupt):
    """Another signal than Ctrl-C asked the process to end; it cleans up first, as with Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def signal_of(stop: KeyboardInterrupt) -> int:
    """The signal that ended the work."""
    return stop.number if isinstance(stop, Terminated) else int(signal.SIGINT)


def flush_output() -> None:
    """Write what stdout still holds; a reader that has gone, such as `head`, is no error."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _terminate(number: int, frame: object) -> None:
    raise Terminated(number)


def end_like_ctrl_c() -> None:
    """Let SIGTERM and SIGHUP interrupt as Ctrl-C does, unless they are ignored or handled."""
    if threading.current_thread() is not threading.main_thread():
        return
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _terminate)


@contextmanager
def reported_errors() -> Iterator[None]:
    """Turn errors that a user can mend into one line on stderr.

    The exit code is 2 for wrong usage, such as a missing file, an unknown column or options that
    exclude each other, and 1 for failures: data that cannot be read, a lock, the system.
    """
    try:
        yield
    except (InputError, MissingExtraError) as error:
        detail("".join(traceback.format_exception(error)).rstrip())
        complain(f"error: {error}")
        failed = isinstance(error, DataError | LockedError | MissingExtraError)
        raise typer.Exit(FAILED if failed else WRONG_USAGE) from error
    except UnicodeEncodeError as error:
        letters = error.object[error.start : error.end]
        complain(
            f"error: {error.encoding} cannot hold {letters!r}; for stdout set PYTHONIOENCODING"
        )
        raise typer.Exit(FAILED) from error
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone; nothing more can be told
        raise typer.Exit(FAILED) from None
    except OSError as error:
        reason = full_disk(error) if error.filename is None else None
        reason = reason or error.strerror or str(error)
        complain(f"error: {reason}: {error.filename or ''}".rstrip(": "))
        raise typer.Exit(FAILED) from error
    except KeyboardInterrupt as stop:
        complain(f"interrupted; {str(stop) or 'nothing was written'}")
        raise typer.Exit(128 + signal_of(stop)) from None


@contextmanager
def progress(task: str) -> Iterator[Progress]:
    """A progress bar on stderr, where that is a terminal; call it with done, of how many."""
    done, start = 0, time.perf_counter()
    with progress_bar(task, messages, hidden=Verbosity.quiet) as on_progress:

        def counted(now: int, total: int | None) -> None:
            nonlocal done
            done = now
            on_progress(now, total)

        yield counted
    seconds = time.perf_counter() - start
    detail(f"{task}: {described(done, None, seconds)}; {seconds:.2f} s")

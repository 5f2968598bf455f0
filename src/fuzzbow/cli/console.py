"""What every command shares: data on stdout, messages on stderr, exit codes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.tasks.writing import json_line

FAILED = 1
WRONG_USAGE = 2

messages = Console(stderr=True, highlight=False, soft_wrap=True)
output = Console(highlight=False, soft_wrap=True)


def say(text: str) -> None:
    """A message for a person, on stderr, never read as markup."""
    messages.print(text, markup=False)


def print_json(data: Mapping[str, Any] | list[Any]) -> None:
    """One JSON document on stdout; in ASCII where it holds what stdout cannot encode."""
    sys.stdout.write(json_line(data, sys.stdout.encoding, allow_nan=False))


@contextmanager
def reported_errors() -> Iterator[None]:
    """Turn the errors that a user can mend into one line on stderr and exit code 1."""
    try:
        yield
    except (InputError, MissingExtraError) as error:
        say(f"error: {error}")
        raise typer.Exit(FAILED) from error
    except UnicodeEncodeError as error:
        letters = error.object[error.start : error.end]
        say(f"error: {error.encoding} cannot hold {letters!r}; for stdout set PYTHONIOENCODING")
        raise typer.Exit(FAILED) from error
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone; nothing more can be told
        raise typer.Exit(FAILED) from None
    except OSError as error:
        say(f"error: {error.strerror or error}: {error.filename or ''}".rstrip(": "))
        raise typer.Exit(FAILED) from error
    except KeyboardInterrupt as error:
        say(f"interrupted; {str(error) or 'nothing was written'}")
        raise typer.Exit(130) from None


@contextmanager
def progress(task: str) -> Iterator[Callable[[int, int | None], None]]:
    """A progress bar on stderr, where that is a terminal; call it with done, of how many."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    hidden = not messages.is_terminal
    with Progress(*columns, console=messages, transient=True, disable=hidden) as bar:
        handle = bar.add_task(task, total=None)
        yield lambda done, total: bar.update(handle, completed=done, total=total)

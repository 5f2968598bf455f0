"""The command `fuzzbow` as a person runs it, in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

COMMAND = Path(sys.executable).with_name("fuzzbow")


def fuzzbow_command(
    *arguments: Any, check: int = 0, timeout: float = 120, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run a command, which must end with the exit code `check`."""
    done = subprocess.run(
        [COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=timeout, **options
    )
    assert done.returncode == check, done.stderr
    return done


def start_child(command: Sequence[object], **options: Any) -> subprocess.Popen[str]:
    """A process that takes Ctrl-C; whoever starts it ends it, with `end_child` in any case.

    Under nohup, in the background of a script and on many build machines SIGINT is ignored,
    and a child inherits that. What is handled, however, is at its default in a child.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen([str(part) for part in command], text=True, **options)
    finally:
        signal.signal(signal.SIGINT, before)


def end_child(process: subprocess.Popen[str]) -> None:
    """Kill a process, if it has not ended, and close its pipes."""
    if process.poll() is None:
        process.kill()
    process.wait(60)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


@contextmanager
def child(command: Sequence[object], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A process that takes Ctrl-C, and has ended when the block is left, whatever happens in it."""
    process = start_child(command, **options)
    try:
        yield process
    finally:
        end_child(process)


def interrupted_command(*arguments: Any, begun: Callable[[], object]) -> str:
    """What a command says that gets Ctrl-C as soon as it has begun, and ends by it."""
    with child([COMMAND, *arguments], stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 60
        while not begun() and time.monotonic() < until:
            time.sleep(0.02)
        seen = begun()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert seen, f"writing never began: {said}"
    assert process.returncode == 130, said
    return str(said)

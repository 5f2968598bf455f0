"""The command `fuzzbow` as a person runs it, in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
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


def interrupted_command(*arguments: Any, begun: Callable[[], object]) -> str:
    """What a command says that gets Ctrl-C as soon as it has begun, and ends by it."""
    command = [COMMAND, *map(str, arguments)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while not begun() and time.monotonic() < until:
        time.sleep(0.02)
    seen = begun()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert seen, f"writing never began: {said}"
    assert process.returncode == 130, said
    return str(said)

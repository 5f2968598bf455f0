"""The command `fuzzbow` as a person runs it, in a process of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import Any

from typer import Typer
from typer.testing import CliRunner, Result

COMMAND = Path(sys.executable).with_name("fuzzbow")
# What commands import, but for fuzzbow.cli, whose consoles look at the environment, and for
# lance, which must not be forked.
IMPORTED = [
    "fuzzbow.research.sts",
    "fuzzbow.research.evaluation",
    "fuzzbow.pipeline",
]
IMPORTED += ["pyarrow.dataset", "pyarrow.parquet", "rich.progress", "sqlglot", "typer.rich_utils"]
FORKS = "forkserver" in multiprocessing.get_all_start_methods()


def fuzzbow_command(
    *arguments: Any,
    check: int = 0,
    timeout: float = 120,
    variables: Mapping[str, str] | None = None,
    **options: Any,
) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, which must end with the exit code `check`.

    It sees these variables besides those of the environment. The process is forked, since to
    import the package takes longer than most commands do; with `options` of `subprocess.run`
    it is the installed command.
    """
    words = [str(argument) for argument in arguments]
    if FORKS and not options:
        done = forked_command(words, timeout=timeout, variables=variables)
    else:
        environment = {"env": {**os.environ, **variables}} if variables else {}
        done = subprocess.run(
            [COMMAND, *words],
            capture_output=True, text=True, timeout=timeout, **environment, **options,
        )  # fmt: skip
    assert done.returncode == check, done.stderr
    return done


def invoked(*arguments: Any, check: int = 0, app: Typer | None = None, **options: Any) -> Result:
    """Run a command, one of `fuzzbow` or of another `app`, in this process.

    Click before 8.2 must be told to keep messages apart from data.
    """
    from fuzzbow.cli.main import app as commands

    apart = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}
    words = [str(argument) for argument in arguments]
    done = CliRunner(**apart).invoke(app or commands, words, **options)
    assert done.exit_code == check, done.stderr
    return done


def forked_command(
    words: Sequence[str],
    *,
    timeout: float = 120,
    variables: Mapping[str, str] | None = None,
    together: bool = False,
) -> subprocess.CompletedProcess[str]:
    """The command in a process that was forked from one that has imported the package.

    Its messages are in `stderr`, or together with its data in `stdout`.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(IMPORTED)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "stdout")
        messages = data if together else Path(folder, "stderr")
        given = (list(words), {**os.environ, **(variables or {})}, (str(data), str(messages)))
        process = context.Process(target=_run_command, args=given)
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            raise subprocess.TimeoutExpired(list(words), timeout)
        stdout, stderr = data.read_text(), "" if together else messages.read_text()
    return subprocess.CompletedProcess(words, process.exitcode, stdout, stderr)


def _run_command(words: list[str], environment: dict[str, str], outputs: tuple[str, str]) -> None:
    """The entry point of the command, in the process that was forked."""
    for number, path in enumerate(outputs, start=1):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(file, number)
        os.close(file)
    sys.stdout.reconfigure(line_buffering=True)  # so that messages are between the right lines
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [str(COMMAND), *words]
    from fuzzbow.cli.main import run

    run()


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


def commands(table: Path, out: Path) -> dict[str, list[object]]:
    """Return arguments of the commands that work in shards, for a table of `text` and `other`."""
    return {
        "score": ["score", table, "-l", "text", "-r", "other", "-o", out],
        "dedupe": ["dedupe", table, "--text", "text", "-s", 0.8, "-o", out],
        "join": ["join", table, table, "--left-on", "text", "--right-on", "other", "-o", out],
    }

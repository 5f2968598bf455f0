"""What signals leave behind, in a process that runs the real entry point."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from fuzzbow.io.atomic import STALE_SECONDS, replacing

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

# a command that writes half of a file, says so, and waits for what happens
CHILD = """
import pathlib, signal
from fuzzbow.io.atomic import replacing
from fuzzbow.cli import main
from fuzzbow.cli.console import reported_errors

@main.app.command()
def wait(path: pathlib.Path) -> None:
    with reported_errors(), replacing(path) as beside:
        beside.write_text("half")
        print("writing", flush=True)
        while True:
            signal.pause()

main.run()
"""


@contextmanager
def writing(path, *, ignored=()):
    """A process that is in the middle of writing; it is ended in every case."""

    def set_signals():
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)

    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, "wait", path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=set_signals,
    )
    try:
        assert process.stdout.readline() == "writing\n"
        yield process
    finally:
        process.kill()
        process.communicate(timeout=60)


def names(folder):
    return sorted(item.name for item in folder.iterdir())


@pytest.mark.parametrize(("how", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_process_that_is_asked_to_end_cleans_up(tmp_path, how, code):
    path = tmp_path / "out"
    path.write_text("before")
    with writing(path) as process:
        assert len(names(tmp_path)) == 2
        process.send_signal(how)
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (code, "interrupted; nothing was written\n")
    assert (names(tmp_path), path.read_text()) == (["out"], "before")


def test_a_signal_that_is_ignored_stays_ignored(tmp_path):
    with writing(tmp_path / "out", ignored=[signal.SIGHUP]) as process:
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    assert process.returncode == 143


def test_what_kill_9_leaves_goes_with_the_next_write(tmp_path):
    path = tmp_path / "out"
    with writing(path) as process:
        process.kill()
        process.wait(timeout=60)
    (left,) = tmp_path.iterdir()
    then = time.time() - STALE_SECONDS - 60
    os.utime(left, (then, then))
    with replacing(path) as beside:
        beside.write_text("whole")
    assert (names(tmp_path), path.read_text()) == (["out"], "whole")

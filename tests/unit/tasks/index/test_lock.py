"""The lock of a writer: dropped however its process ends, waited for as long as one likes."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from fuzzbow.errors import LockedError
from fuzzbow.tasks.index import writer_patience
from fuzzbow.tasks.index.lock import try_lock, writer_lock

HOLD = """
import sys, time
from pathlib import Path
from fuzzbow.tasks.index.lock import writer_lock
with writer_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the lock."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_killed_process_holds_no_lock(holder, tmp_path):
    assert try_lock(tmp_path / "lock") is None
    holder.kill()
    holder.wait()
    with writer_lock(tmp_path / "lock"):
        assert try_lock(tmp_path / "lock") is None
    lock = try_lock(tmp_path / "lock")
    assert lock is not None
    lock.release()


def test_a_writer_waits_while_its_patience_lasts(holder, tmp_path):
    asked = []

    def lasts():
        asked.append(time.monotonic())
        return len(asked) < 4

    with (
        pytest.raises(LockedError, match="another process"),
        writer_patience(lasts),
        writer_lock(tmp_path / "lock"),
    ):
        pass
    assert len(asked) == 4


def test_a_writer_goes_on_once_the_other_ends(holder, tmp_path):
    threading.Timer(0.2, holder.kill).start()
    with writer_lock(tmp_path / "lock"):
        pass


def test_a_folder_that_is_gone_is_not_made_again(tmp_path):
    with pytest.raises(FileNotFoundError), writer_lock(tmp_path / "gone" / "lock"):
        pass
    assert not (tmp_path / "gone").exists()

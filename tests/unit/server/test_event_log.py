"""Lines reach the log in order, those that wait together."""

from __future__ import annotations

import sys
import threading

from fuzzbow.server.event_log import LogThread

SECONDS = 60  # no test waits so long unless it fails


class Slow:
    """A stream whose first write waits."""

    def __init__(self) -> None:
        self.begun, self.free, self.written = threading.Event(), threading.Event(), []

    def write(self, text: str) -> None:
        self.begun.set()
        self.free.wait(SECONDS)
        self.written.append(text)

    def flush(self) -> None:
        """As a stream has it."""


def test_lines_that_wait_are_written_at_once_and_in_order(monkeypatch):
    stream, log = Slow(), LogThread()
    monkeypatch.setattr(sys, "stderr", stream)
    log.write("0\n")
    stream.begun.wait(SECONDS)
    for number in range(1, 50):
        log.write(f"{number}\n")
    stream.free.set()
    log.flush()
    assert stream.written[0] == "0\n"
    assert "".join(stream.written).split() == [str(number) for number in range(50)]
    assert len(stream.written) < 10

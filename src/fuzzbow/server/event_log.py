"""The log: one JSON line on stderr for each event. It never holds a text of a request."""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from contextlib import suppress
from functools import lru_cache
from queue import SimpleQueue
from typing import Any

MOST_LINES = 10_000  # that wait to be written
LINES_AT_ONCE = 1_000
FLUSH_SECONDS = 5


class LogThread:
    """Writes lines from a thread of its own, so that no request waits for a disk or a full pipe.

    Where lines come faster than they can be written, some are dropped and counted.
    """

    def __init__(self) -> None:
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._dropped = 0

    def write(self, line: str) -> None:
        """Have a line written soon."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="fuzzbow-log", daemon=True)
            self._thread.start()
        if self._lines.qsize() < MOST_LINES:
            self._lines.put(line)
        else:
            self._dropped += 1

    def flush(self) -> None:
        """Write the lines that wait; give up after some seconds if nobody reads them."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._lines.put(None)
            thread.join(FLUSH_SECONDS)

    def _run(self) -> None:
        ended = False
        while not ended:
            lines = [self._lines.get()]
            while not self._lines.empty() and len(lines) < LINES_AT_ONCE:
                lines.append(self._lines.get())
            ended = None in lines
            written = [line for line in lines if line is not None]
            if self._dropped:
                written.append(_line("lines dropped", number=self._dropped))
                self._dropped = 0
            with suppress(OSError, ValueError):  # nobody reads the log any more
                sys.stderr.write("".join(written))
                sys.stderr.flush()


LOG = LogThread()


def log_line(event: str, **facts: Any) -> None:
    """Log one event."""
    LOG.write(_line(event, **facts))


def _line(event: str, **facts: Any) -> str:
    return json.dumps({"time": _stamp(int(time.time())), "event": event, **facts}) + "\n"


@lru_cache(maxsize=1)
def _stamp(second: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(second))


class JsonLines(logging.Handler):
    """Writes what libraries log in the same form."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        facts = {"level": record.levelname.lower(), "message": record.getMessage()}
        if record.exc_info:
            facts["trace"] = logging.Formatter().formatException(record.exc_info)
        log_line("log", **facts)

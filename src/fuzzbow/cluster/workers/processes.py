"""Processes of this machine, the embedded default.

Each has a pipe of its own, so that a process that is lost takes its own task with it and no
other. (A pool of `concurrent.futures` breaks as a whole, with all that its processes do.)
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from multiprocessing.connection import Connection, wait
from multiprocessing.process import parent_process
from threading import Thread
from typing import Any

from fuzzbow.cluster.workers.interface import RETRIES, Result, Task, Workers, lost, perform
from fuzzbow.errors import check_count


class LostProcessError(Exception):
    """A process ended before it answered."""


class WorkerProcess:
    """A process that is sent calls and answers each of them."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_answer_calls, args=(theirs,), daemon=True)
        with _interrupts_held():
            self._process.start()
        theirs.close()  # the pipe then ends with the process

    @property
    def pid(self) -> int | None:
        """The number of the process."""
        return self._process.pid

    def send(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Ask for a call; nothing is sent before the last answer was received."""
        try:
            self.connection.send((function, arguments))
        except (BrokenPipeError, ConnectionError) as error:
            raise LostProcessError from error

    def receive(self) -> Any:
        """The result of the call, waited for; what it raised is raised here."""
        try:
            result, error, where = self.connection.recv()
        except (EOFError, ConnectionError) as ended:
            raise LostProcessError from ended
        if error is not None:
            raise error from RuntimeError(f"in process {self.pid}:\n{where}")
        return result

    def end(self) -> None:
        """Kill the process; nothing that it writes can be left half."""
        self.connection.close()
        self._process.kill()
        self._process.join()


class ProcessWorkers(Workers):
    """So many processes of this machine, each with its share of the cores unless `threads` says.

    They are started when first needed, and import the main module of the program: a script
    has to keep what it does under `if __name__ == "__main__":`.
    """

    def __init__(
        self, count: int | None = None, *, threads: int | None = None, retries: int = RETRIES
    ) -> None:
        cores = os.cpu_count() or 1
        self.count = cores if count is None else check_count(count, "workers")
        self.threads = max(cores // self.count, 1) if threads is None else threads
        self.retries = retries
        self._idle: list[WorkerProcess] = []
        self._busy: dict[Connection, WorkerProcess] = {}

    @property
    def pids(self) -> list[int]:
        """The processes that there are now."""
        return [worker.pid for worker in (*self._idle, *self._busy.values()) if worker.pid]

    def run(
        self, function: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Iterator[tuple[Task, Result]]:
        """Do all tasks; one whose process is lost is done again by a new one."""
        unseen = ((task, 1) for task in tasks)
        again: deque[tuple[Task, int]] = deque()
        given: dict[Connection, tuple[Task, int]] = {}
        try:
            while True:
                while len(given) < self.count:
                    attempt = again.popleft() if again else next(unseen, None)
                    if attempt is None:
                        break
                    given[self._start(function, attempt[0])] = attempt
                if not given:
                    return
                ready: list[Any] = wait(list(given))
                for connection in ready:
                    task, times = given.pop(connection)
                    try:
                        result = self._finish(connection)
                    except LostProcessError as error:
                        if times > self.retries:
                            raise lost(task, times) from error
                        again.append((task, times + 1))
                    else:
                        yield task, result
        finally:
            for connection in given:
                self._busy.pop(connection).end()

    def _start(self, function: Callable[[Task], Result], task: Task) -> Connection:
        """Give a task to a process that has none; one that was lost meanwhile is replaced."""
        while True:
            worker = self._idle.pop() if self._idle else WorkerProcess()
            try:
                worker.send(perform, function, task, self.threads)
            except LostProcessError:
                worker.end()
                continue
            self._busy[worker.connection] = worker
            return worker.connection

    def _finish(self, connection: Connection) -> Any:
        worker = self._busy.pop(connection)
        try:
            result = worker.receive()
        except LostProcessError:
            worker.end()
            raise
        except BaseException:
            self._idle.append(worker)
            raise
        self._idle.append(worker)
        return result

    def close(self) -> None:
        """End the processes."""
        for worker in (*self._idle, *self._busy.values()):
            worker.end()
        self._idle.clear()
        self._busy.clear()


def _answer_calls(connection: Connection) -> None:
    """What a process does: calls until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the driver's, who ends the workers
    Thread(target=_end_with_driver, daemon=True).start()
    while True:
        try:
            function, arguments = connection.recv()
            answer: tuple[Any, Exception | None, str] = (function(*arguments), None, "")
        except EOFError:
            return
        except Exception as error:
            answer = (None, error, traceback.format_exc())
        try:
            _send(connection, *answer)
        except ConnectionError:
            return


def _send(connection: Connection, result: Any, error: Exception | None, where: str) -> None:
    """Answer; what cannot be sent, or not be made again on the other side, is told in words."""
    try:
        copy(error)
        connection.send((result, error, where))
    except ConnectionError:
        raise
    except Exception as trouble:
        told = RuntimeError(f"a worker could not send its answer: {error or trouble!r}")
        connection.send((None, told, where))


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C waits inside, and never reaches a process that is started inside."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_driver() -> None:
    """A driver that is killed leaves no process that works for nobody."""
    driver = parent_process()
    if driver is not None:
        wait([driver.sentinel])
        os._exit(1)

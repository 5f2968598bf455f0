"""The executor that options describe."""

from __future__ import annotations

from fuzzbow.cluster.executors.executor import Executor
from fuzzbow.cluster.executors.this_process import ThisProcess


def open_executor(ray: str | None = None, *, threads: int | None = None) -> Executor:
    """Return this process, or connect to the Ray cluster at the address `ray`.

    `ray` "local" starts a cluster on this machine. `threads` is the number of threads of a task:
    in this process all cores, on Ray 1, unless given.
    """
    if ray is None:
        return ThisProcess(threads)
    from fuzzbow.cluster.executors.ray import RayExecutor

    return RayExecutor(ray, threads=threads or 1)

"""The workers that somebody asked for."""

from __future__ import annotations

from fuzzbow.cluster.workers.interface import Workers
from fuzzbow.cluster.workers.processes import ProcessWorkers


def open_workers(
    count: int | None = None, *, ray: str | None = None, threads: int | None = None
) -> Workers:
    """So many processes of this machine, or with `ray` those of a cluster at that address.

    `ray` "local" starts a cluster of `count` cores on this machine. `threads` are those of
    each worker: of a process its share of the cores, of a task of Ray one, unless given.
    """
    if ray is None:
        return ProcessWorkers(count, threads=threads)
    from fuzzbow.cluster.workers.ray import RayWorkers

    return RayWorkers(ray, count=count, threads=threads or 1)

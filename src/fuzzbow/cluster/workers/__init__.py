"""Who does the work: processes of this machine, or those of a Ray cluster."""

from fuzzbow.cluster.workers.choice import open_workers
from fuzzbow.cluster.workers.interface import Workers
from fuzzbow.cluster.workers.processes import ProcessWorkers

__all__ = ["ProcessWorkers", "Workers", "open_workers"]

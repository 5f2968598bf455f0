"""Work on data sets that one process cannot hold: many processes, here or on other machines."""

from fuzzbow.cluster.workers import ProcessWorkers, Workers, open_workers

__all__ = ["ProcessWorkers", "Workers", "open_workers"]

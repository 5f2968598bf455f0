"""Work on data sets that one process cannot hold: many processes, here or on other machines."""

from fuzzbow.cluster.dedupe import dedupe
from fuzzbow.cluster.workers import ProcessWorkers, Workers, open_workers

__all__ = ["ProcessWorkers", "Workers", "dedupe", "open_workers"]

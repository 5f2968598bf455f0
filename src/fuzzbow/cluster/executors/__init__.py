"""Executors of the tasks of a run: this process, or a Ray cluster."""

from fuzzbow.cluster.executors.choice import open_executor
from fuzzbow.cluster.executors.executor import Executor
from fuzzbow.cluster.executors.this_process import THIS_PROCESS, ThisProcess

__all__ = ["THIS_PROCESS", "Executor", "ThisProcess", "open_executor"]

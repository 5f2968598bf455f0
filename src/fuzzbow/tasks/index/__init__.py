"""Exact search over texts, in memory and durable on disk."""

from fuzzbow.tasks.index.building import Given
from fuzzbow.tasks.index.guard import writer_patience
from fuzzbow.tasks.index.hits import Hit, Hits
from fuzzbow.tasks.index.index import Index
from fuzzbow.tasks.index.opening import build_index, index_batches, open_index
from fuzzbow.tasks.index.store import Version

__all__ = [
    "Given",
    "Hit",
    "Hits",
    "Index",
    "Version",
    "build_index",
    "index_batches",
    "open_index",
    "writer_patience",
]

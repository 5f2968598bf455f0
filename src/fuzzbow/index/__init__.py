"""Exact search over texts, in memory and durable on disk."""

from fuzzbow.index.condition import Where
from fuzzbow.index.hits import Hit, Hits, SearchOptions
from fuzzbow.index.index import Index, build_index, open_folder, read_model
from fuzzbow.index.location import Location, LocationLike, location_of
from fuzzbow.index.lock import writer_patience
from fuzzbow.index.store import Version

__all__ = [
    "Hit",
    "Hits",
    "Index",
    "Location",
    "LocationLike",
    "SearchOptions",
    "Version",
    "Where",
    "build_index",
    "location_of",
    "open_folder",
    "read_model",
    "writer_patience",
]

"""Exact search over texts, in memory and durable on disk."""

from fuzzbow.tasks.index.condition import Where
from fuzzbow.tasks.index.construction import build_index, index_batches, open_folder, rebuild_index
from fuzzbow.tasks.index.documents import NewDocuments
from fuzzbow.tasks.index.folder import read_card
from fuzzbow.tasks.index.hits import Hit, Hits
from fuzzbow.tasks.index.index import Index
from fuzzbow.tasks.index.lock import writer_patience
from fuzzbow.tasks.index.place import Place, PlaceLike, place_of
from fuzzbow.tasks.index.protocol import TextIndex
from fuzzbow.tasks.index.store import Version

__all__ = [
    "Hit",
    "Hits",
    "Index",
    "NewDocuments",
    "Place",
    "PlaceLike",
    "TextIndex",
    "Version",
    "Where",
    "build_index",
    "index_batches",
    "open_folder",
    "place_of",
    "read_card",
    "rebuild_index",
    "writer_patience",
]

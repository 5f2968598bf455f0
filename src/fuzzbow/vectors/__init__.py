"""Word vectors in all common formats, and in fuzzbow's own, which opens in milliseconds."""

from fuzzbow.vectors.formats.native import save_vectors
from fuzzbow.vectors.opening import VectorSource, convert, open_vectors
from fuzzbow.vectors.sources import NamedSource, named_sources
from fuzzbow.vectors.word_vectors import LoadReport, WordVectors

__all__ = [
    "LoadReport",
    "NamedSource",
    "VectorSource",
    "WordVectors",
    "convert",
    "named_sources",
    "open_vectors",
    "save_vectors",
]

"""Word vectors in all common formats, and in fuzzbow's own, which opens in milliseconds."""

from fuzzbow.vectors.formats.native import save_vectors
from fuzzbow.vectors.sources import (
    NamedSource,
    VectorSource,
    convert,
    named_sources,
    open_vectors,
)
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

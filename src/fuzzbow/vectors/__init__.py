"""Word vectors: reading every usual format, and one of our own that opens at once."""

from fuzzbow.vectors.formats.native_writer import save_vectors
from fuzzbow.vectors.opening import convert, open_vectors
from fuzzbow.vectors.sources import NamedSource, named_sources
from fuzzbow.vectors.word_vectors import LoadReport, WordVectors

__all__ = [
    "LoadReport",
    "NamedSource",
    "WordVectors",
    "convert",
    "named_sources",
    "open_vectors",
    "save_vectors",
]

"""Compare texts as fuzzy sets of word vectors."""

from fuzzbow import measures
from fuzzbow.engine import engine_info
from fuzzbow.errors import FuzzbowWarning, InputError, MissingExtraError
from fuzzbow.fuzzy import set_similarity
from fuzzbow.model import Model, load, similarity
from fuzzbow.tasks.index import open_index
from fuzzbow.vectors import WordVectors

__version__ = "0.1.0"

__all__ = [
    "FuzzbowWarning",
    "InputError",
    "MissingExtraError",
    "Model",
    "WordVectors",
    "__version__",
    "engine_info",
    "load",
    "measures",
    "open_index",
    "set_similarity",
    "similarity",
]

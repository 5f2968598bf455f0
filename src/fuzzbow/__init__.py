"""Compare texts as fuzzy sets of word vectors."""

from fuzzbow import measures
from fuzzbow.distillation import distil
from fuzzbow.engine import engine_info
from fuzzbow.errors import FuzzbowWarning, InputError, LanguageWarning, MissingExtraError
from fuzzbow.fuzzy import set_similarity
from fuzzbow.model import Model, ModelSpec, contextual, load, open_index, similarity
from fuzzbow.tasks.dedupe import Duplicates
from fuzzbow.tasks.explain import Explanation
from fuzzbow.tasks.index import Hit, Hits, Index
from fuzzbow.vectors import WordVectors

__version__ = "0.2.0"

__all__ = [
    "Duplicates",
    "Explanation",
    "FuzzbowWarning",
    "Hit",
    "Hits",
    "Index",
    "InputError",
    "LanguageWarning",
    "MissingExtraError",
    "Model",
    "ModelSpec",
    "WordVectors",
    "__version__",
    "contextual",
    "distil",
    "engine_info",
    "load",
    "measures",
    "open_index",
    "set_similarity",
    "similarity",
]

"""Compare texts as fuzzy sets of word vectors.

Names are imported when they are first used, so that `import fuzzbow` and the command line load
only what they need.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING
from typing import Any as _Any

from fuzzbow import fork as _fork  # noqa: F401 - a fork must find its handlers in place

if TYPE_CHECKING:
    from fuzzbow import measures
    from fuzzbow.distillation.distil import distil
    from fuzzbow.engine import engine_info
    from fuzzbow.errors import FuzzbowWarning, InputError, LanguageWarning, MissingExtraError
    from fuzzbow.fuzzy import set_similarity
    from fuzzbow.model import Model, ModelSpec, load, open_index, similarity
    from fuzzbow.model.contextual import contextual
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

# public name -> module that defines it; the same imports as above, at first use
_HOMES = {
    "Duplicates": "fuzzbow.tasks.dedupe",
    "Explanation": "fuzzbow.tasks.explain",
    "FuzzbowWarning": "fuzzbow.errors",
    "Hit": "fuzzbow.tasks.index",
    "Hits": "fuzzbow.tasks.index",
    "Index": "fuzzbow.tasks.index",
    "InputError": "fuzzbow.errors",
    "LanguageWarning": "fuzzbow.errors",
    "MissingExtraError": "fuzzbow.errors",
    "Model": "fuzzbow.model",
    "ModelSpec": "fuzzbow.model",
    "WordVectors": "fuzzbow.vectors",
    "contextual": "fuzzbow.model.contextual",
    "distil": "fuzzbow.distillation.distil",
    "engine_info": "fuzzbow.engine",
    "load": "fuzzbow.model",
    "open_index": "fuzzbow.model",
    "set_similarity": "fuzzbow.fuzzy",
    "similarity": "fuzzbow.model",
}
# packages that are attributes without an import of their own: `fuzzbow.text.TOKENIZERS`
_PACKAGES = frozenset(
    ["encoding", "engine", "errors", "fuzzy", "measures", "model", "tasks", "text", "vectors"]
)


def __getattr__(name: str) -> _Any:
    """Import a public name or package at its first use."""
    if name in _PACKAGES:
        return _import_module(f"fuzzbow.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'fuzzbow' has no attribute {name!r}")
    value = globals()[name] = getattr(_import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted({*globals(), *__all__, *_PACKAGES})

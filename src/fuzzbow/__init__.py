"""Compare texts as fuzzy sets of word vectors.

Names and packages are imported at their first use, so that `import fuzzbow` and the command line
load only what they need.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING
from typing import Any as _Any

from fuzzbow import fork as _fork  # noqa: F401 - a fork must find its handlers in place

if TYPE_CHECKING:
    from fuzzbow.dedupe import Duplicates
    from fuzzbow.errors import InputError
    from fuzzbow.explain import Explanation
    from fuzzbow.fuzzy import set_similarity
    from fuzzbow.index import Hits, Index
    from fuzzbow.model import Model, ModelSpec, load, open_index, similarity
    from fuzzbow.vectors import WordVectors

__version__ = "0.2.0"

__all__ = [
    "Duplicates",
    "Explanation",
    "Hits",
    "Index",
    "InputError",
    "Model",
    "ModelSpec",
    "WordVectors",
    "__version__",
    "load",
    "open_index",
    "set_similarity",
    "similarity",
]

# package -> its public names here; the same imports as above, at first use
_HOMES = {
    "dedupe": ["Duplicates"],
    "errors": ["InputError"],
    "explain": ["Explanation"],
    "fuzzy": ["set_similarity"],
    "index": ["Hits", "Index"],
    "model": ["Model", "ModelSpec", "load", "open_index", "similarity"],
    "vectors": ["WordVectors"],
}
# packages that are attributes without an import of their own: `fuzzbow.text.TOKENIZERS`
_PACKAGES = {*_HOMES, "encoding", "engine", "io", "join", "measures", "pipeline", "text"}


def __getattr__(name: str) -> _Any:
    """Import a public name or package at its first use."""
    for package, names in _HOMES.items():
        if name in names:
            value = globals()[name] = getattr(_import_module(f"fuzzbow.{package}"), name)
            return value
    if name in _PACKAGES:
        return _import_module(f"fuzzbow.{name}")
    raise AttributeError(f"module 'fuzzbow' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted({*globals(), *__all__, *_PACKAGES})

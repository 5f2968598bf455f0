"""HTTP server for a model and an index, with an interactive page."""

from typing import Any

from fuzzbow.errors import MissingExtraError
from fuzzbow.server.settings import Limits, Settings

__all__ = ["Limits", "Settings", "create_app", "serve"]


def __getattr__(name: str) -> Any:
    """Import the server when it is used, since it needs the extra `server`."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from fuzzbow.server import app
    except ImportError as error:
        raise MissingExtraError(str(error.name), "server") from error
    return getattr(app, name)

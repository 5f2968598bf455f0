"""An HTTP server over a model and an index, and a page to play with."""

from fuzzbow.errors import MissingExtraError

try:
    import fastapi  # noqa: F401
    import prometheus_client  # noqa: F401
    import uvicorn  # noqa: F401
except ImportError as error:
    raise MissingExtraError(str(error.name), "server") from error

from fuzzbow.server.app import create_app
from fuzzbow.server.serve import serve
from fuzzbow.server.settings import Limits, Settings

__all__ = ["Limits", "Settings", "create_app", "serve"]

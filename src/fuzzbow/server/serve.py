"""Start the server, listen, and stop when a signal says so."""

from __future__ import annotations

import gc
import logging
import signal
import socket
import sys
import warnings

import uvicorn

from fuzzbow.errors import LanguageWarning
from fuzzbow.model import Model
from fuzzbow.server.app import create_app
from fuzzbow.server.connections import Server, backlog, connection_class, open_files
from fuzzbow.server.event_log import LOG, JsonLines, log_line
from fuzzbow.server.settings import Settings
from fuzzbow.tasks.index import TextIndex


def serve(model: Model, index: TextIndex | None, settings: Settings) -> None:
    """Serve until SIGTERM or Ctrl-C; requests in flight are finished first."""
    warnings.simplefilter("ignore", LanguageWarning)  # requests may hold any text
    app = create_app(model, index, settings)
    app.state.service.warm_up()
    _log_as_json()
    for ending in (signal.SIGTERM, signal.SIGINT):  # sent again by uvicorn when it is done
        signal.signal(ending, lambda number, frame: sys.exit(0))
    files = open_files()
    with _listening(settings, backlog(files)) as sock:
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        log_line(
            "listening",
            url=f"http://{host}:{sock.getsockname()[1]}",
            documents=None if index is None else len(index),
        )
        config = uvicorn.Config(
            app,
            http=connection_class(settings.limits, files),
            ws="none",
            backlog=backlog(files),
            timeout_keep_alive=settings.limits.idle_seconds,
            log_config=None,
            access_log=False,
            server_header=False,
            lifespan="on",
            timeout_graceful_shutdown=settings.shutdown_seconds,
        )
        gc.freeze()  # what is loaded stays: no collection has to look at it again
        gc.set_threshold(20_000)  # answers make many small objects, and none that hold each other
        try:
            Server(config).run(sockets=[sock])
        finally:
            LOG.flush()


def _listening(settings: Settings, waiting: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    return socket.create_server((settings.host, settings.port), family=family, backlog=waiting)


def _log_as_json() -> None:
    """Let the HTTP library's messages join the log, from warnings on."""
    logger = logging.getLogger("uvicorn")
    logger.handlers, logger.propagate = [JsonLines()], False
    logger.setLevel(logging.WARNING)

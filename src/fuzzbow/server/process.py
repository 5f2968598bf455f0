"""Start the server, listen, and stop on a signal."""

from __future__ import annotations

import gc
import logging
import signal
import socket
import sys
import warnings

import uvicorn

from fuzzbow.errors import LanguageWarning
from fuzzbow.index import Index
from fuzzbow.model import Model
from fuzzbow.server.app import create_app
from fuzzbow.server.monitoring import LOG, JsonLines, log_line
from fuzzbow.server.settings import Settings

BACKLOG = 2048  # connections that the system keeps until the server accepts them


def serve(model: Model, index: Index | None, settings: Settings) -> None:
    """Serve until SIGTERM or Ctrl-C; requests in flight are finished first."""
    warnings.simplefilter("ignore", LanguageWarning)  # requests may hold any text
    app = create_app(model, index, settings)
    app.service.warm_up()
    logger = logging.getLogger("uvicorn")  # its messages join the log, from warnings on
    logger.handlers, logger.propagate = [JsonLines()], False
    logger.setLevel(logging.WARNING)
    for ending in (signal.SIGTERM, signal.SIGINT):  # sent again by uvicorn when it is done
        signal.signal(ending, lambda number, frame: sys.exit(0))
    is_ipv6 = ":" in settings.host
    family = socket.AF_INET6 if is_ipv6 else socket.AF_INET
    address = (settings.host, settings.port)
    with socket.create_server(address, family=family, backlog=BACKLOG) as listener:
        host = f"[{settings.host}]" if is_ipv6 else settings.host
        log_line(
            "listening",
            url=f"http://{host}:{listener.getsockname()[1]}",
            documents=None if index is None else len(index),
        )
        config = uvicorn.Config(
            app,
            http="httptools",
            ws="none",
            backlog=BACKLOG,
            limit_concurrency=settings.limits.connections + 1,
            timeout_keep_alive=settings.limits.idle_seconds,
            timeout_graceful_shutdown=settings.limits.shutdown_seconds,
            proxy_headers=False,
            server_header=False,
            log_config=None,
            access_log=False,
            lifespan="on",
        )
        gc.freeze()  # loaded objects are permanent: exclude them from garbage collection
        gc.set_threshold(20_000)  # answers make many small objects, and none that hold each other
        try:
            uvicorn.Server(config).run(sockets=[listener])
        finally:
            LOG.flush()

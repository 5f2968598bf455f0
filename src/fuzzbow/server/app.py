"""The application: routes, what stands before them, and what is watched."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Response

from fuzzbow import __version__
from fuzzbow.model import Model
from fuzzbow.server.access_log import Observer
from fuzzbow.server.errors import SafeJson, documented, install_error_handlers
from fuzzbow.server.limits import Gate
from fuzzbow.server.metrics import CONTENT_TYPE, Metrics
from fuzzbow.server.pages import page_router
from fuzzbow.server.routes import router
from fuzzbow.server.schemas import HealthAnswer
from fuzzbow.server.service import Service
from fuzzbow.server.settings import REPORT, Settings
from fuzzbow.tasks.index import Index


def create_app(
    model: Model, index: Index | None = None, settings: Settings | None = None
) -> FastAPI:
    """An ASGI application that serves a model and, if there is one, an index."""
    settings = settings or Settings()
    service, metrics = Service(model, index, settings.limits), Metrics()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(service.workers.close)

    app = FastAPI(
        title="fuzzbow",
        version=__version__,
        description="Compare texts as fuzzy sets of word vectors: exact scores, with reasons.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.service, app.state.report = service, settings.report is not None
    install_error_handlers(app, None if index is None else index.path)
    app.include_router(router)
    report = settings.report / REPORT if settings.report else None
    app.include_router(page_router(report.read_bytes() if report else None))
    _add_watching(app, metrics)
    searching = service.index
    if searching is not None:
        metrics.count_documents(lambda: searching.documents)
    app.add_middleware(Gate, settings.limits, settings.key, metrics)
    app.add_middleware(Observer, metrics, settings.access_log)
    return app


def _add_watching(app: FastAPI, metrics: Metrics) -> None:
    """Routes for those who watch the server."""

    @app.get("/healthz", response_model=HealthAnswer, responses=documented(), tags=["server"])
    async def health() -> SafeJson:
        """Whether the server is there; it answers under load."""
        return SafeJson({"status": "ok"})

    @app.get(
        "/metrics",
        response_class=Response,
        responses={**documented(), 200: {"content": {"text/plain": {}}}},
        tags=["server"],
    )
    async def measured() -> Response:
        """Counters in the text format of Prometheus."""
        return Response(metrics.render(), media_type=CONTENT_TYPE)

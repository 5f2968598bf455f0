"""The application: the routes and the middleware around them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI, Response
from fastapi.middleware.cors import CORSMiddleware

from fuzzbow import __version__
from fuzzbow.model import Model
from fuzzbow.server.errors import SafeJson, documented, install_error_handlers
from fuzzbow.server.metrics import CONTENT_TYPE, Metrics
from fuzzbow.server.middleware import RequestGate, RequestLog
from fuzzbow.server.pages import page_router
from fuzzbow.server.routes import router
from fuzzbow.server.schemas import HealthAnswer
from fuzzbow.server.service import Service
from fuzzbow.server.settings import Settings
from fuzzbow.tasks.index import TextIndex


def create_app(
    model: Model, index: TextIndex | None = None, settings: Settings | None = None
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
    app.state.origins = settings.origins
    install_error_handlers(app, None if index is None else index.path)
    app.include_router(router)
    app.include_router(page_router(settings.report))
    app.include_router(_monitoring_router(metrics))
    if (searched := service.index) is not None:
        metrics.count_documents(lambda: searched.documents)
    app.add_middleware(RequestGate, settings.limits, settings.key, metrics)
    if settings.origins:  # before the gate, since a browser asks without the key whether it may
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.origins,
            allow_methods=("GET", "POST", "DELETE"),
            allow_headers=("Authorization", "Content-Type", "X-API-Key"),
            expose_headers=("Retry-After",),
        )
    app.add_middleware(RequestLog, metrics, settings.access_log)  # added last, it comes first
    return app


def _monitoring_router(metrics: Metrics) -> APIRouter:
    """Routes for programs that watch the server."""
    router = APIRouter(tags=["server"])

    @router.get("/healthz", response_model=HealthAnswer, responses=documented())
    async def health() -> SafeJson:
        """Whether the server runs; it answers under load too."""
        return SafeJson({"status": "ok"})

    @router.get(
        "/metrics",
        response_class=Response,
        responses={**documented(), 200: {"content": {"text/plain": {}}}},
    )
    async def measured() -> Response:
        """Counters in the text format of Prometheus."""
        return Response(metrics.render(), media_type=CONTENT_TYPE)

    return router

"""The application: the routes and the middleware around them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from fastapi import APIRouter, FastAPI, Response
from fastapi.middleware.cors import CORSMiddleware
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from fuzzbow import __version__
from fuzzbow.model import Model
from fuzzbow.server.errors import SafeJson, documented, install_error_handlers, internal_error
from fuzzbow.server.metrics import CONTENT_TYPE, Metrics
from fuzzbow.server.middleware import RequestGate, RequestLog
from fuzzbow.server.operations import operations_of
from fuzzbow.server.pages import page_router
from fuzzbow.server.routes import AT_ONCE, router
from fuzzbow.server.schemas import HealthAnswer, stated_limits
from fuzzbow.server.service import Service
from fuzzbow.server.settings import Limits, Settings
from fuzzbow.tasks.index import TextIndex


class Application(FastAPI):
    """FastAPI's application, behind what every request passes before it."""

    entrance: ASGIApp
    limits: Limits

    def openapi(self) -> dict[str, Any]:
        """Describe the API, with the limits of this server."""
        if self.openapi_schema is None:
            self.openapi_schema = stated_limits(super().openapi(), self.limits)
        return self.openapi_schema

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or the start and the end of the server."""
        if scope["type"] == "http":
            await self.entrance(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


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

    app = Application(
        title="fuzzbow",
        version=__version__,
        description="Compare texts as fuzzy sets of word vectors: exact scores, with reasons.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.limits = settings.limits
    app.state.service, app.state.report = service, settings.report is not None
    app.state.origins = settings.origins
    folder = None if index is None else index.path
    install_error_handlers(app, folder)
    app.include_router(router)
    app.include_router(page_router(settings.report))
    app.include_router(_monitoring_router(metrics))
    if (searched := service.index) is not None:
        metrics.count_documents(lambda: searched.documents)
    entrance: ASGIApp = RequestGate(
        partial(FastAPI.__call__, app),
        operations_of(router, service, AT_ONCE),
        limits=settings.limits,
        key=settings.key,
        metrics=metrics,
        folder=folder,
    )
    if settings.origins:  # before the gate, since a browser asks without the key whether it may
        entrance = CORSMiddleware(
            entrance,
            allow_origins=settings.origins,
            allow_methods=("GET", "POST", "DELETE"),
            allow_headers=("Authorization", "Content-Type", "X-API-Key"),
            expose_headers=("Retry-After",),
        )
    entrance = RequestLog(entrance, metrics, settings.access_log)
    app.entrance = ServerErrorMiddleware(entrance, internal_error)
    return app


def _monitoring_router(metrics: Metrics) -> APIRouter:
    """Routes for programs that watch the server."""
    router = APIRouter(tags=["server"])

    @router.get("/healthz", response_model=HealthAnswer, responses=documented())
    async def health() -> SafeJson:
        """Report that the server runs, even under load."""
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

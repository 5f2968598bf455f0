"""The routes of version 1 of the API: each asks the service one thing."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import HTMLResponse

from fuzzbow import __version__
from fuzzbow.measures import Ability
from fuzzbow.server import schemas
from fuzzbow.server.errors import SafeJson, documented, json_answer, json_bytes
from fuzzbow.server.service import Service
from fuzzbow.tasks.explain import html_page

router = APIRouter(prefix="/v1")

HTML = {**documented(), 200: {"content": {"text/html": {}}}}
# {} are those who may show it
FRAME_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors {}"
)


async def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


AppService = Annotated[Service, Depends(_service)]


@router.post(
    "/similarity", response_model=schemas.SimilarityAnswer, responses=documented(), tags=["compare"]
)
async def similarity(body: schemas.SimilarityRequest, service: AppService) -> SafeJson:
    """Similarity of two texts, from 0 to 1."""
    return _similarity_answer(*await service.comparisons.similarity(body))


def similarity_at_once(body: schemas.SimilarityRequest, service: Service) -> Response | None:
    """Compare two short texts whose words are cached; None for other texts."""
    found = service.comparisons.similarity_at_once(body)
    return None if found is None else _similarity_answer(*found)


def _similarity_answer(score: float, measure: str) -> SafeJson:
    return SafeJson({"similarity": score, "measure": measure})


@router.post("/pairs", response_model=schemas.PairsAnswer, responses=documented(), tags=["compare"])
async def pairs(body: schemas.PairsRequest, service: AppService) -> SafeJson:
    """Similarity row by row."""
    scores, measure = await service.comparisons.pairs(body.lefts, body.rights, body.measure)
    return SafeJson({"scores": scores, "measure": measure})


@router.post(
    "/explain", response_model=schemas.ExplanationAnswer, responses=documented(), tags=["compare"]
)
async def explain(body: schemas.SimilarityRequest, service: AppService) -> Response:
    """The similarity of two texts as exact shares of their words."""
    return json_answer(
        await service.comparisons.explain(body, lambda found: json_bytes(found.to_dict()))
    )


@router.post("/explain.html", response_class=Response, responses=HTML, tags=["compare"])
async def fragment(body: schemas.SimilarityRequest, service: AppService) -> Response:
    """Explain a score as a self-contained fragment of HTML."""
    return HTMLResponse(
        await service.comparisons.explain(body, lambda found: found.to_html().encode())
    )


@router.get("/explain.html", response_class=Response, responses=HTML, tags=["compare"])
async def framed(
    request: Request, query: Annotated[schemas.SimilarityRequest, Query()], service: AppService
) -> Response:
    """Explain a score as a page for a frame of this server or an allowed origin."""
    page = await service.comparisons.explain(query, lambda found: html_page([found]).encode())
    policy = FRAME_POLICY.format(" ".join(("'self'", *request.app.state.origins)))
    return HTMLResponse(page, headers={"Content-Security-Policy": policy})


@router.post(
    "/search", response_model=schemas.SearchAnswer, responses=documented(404), tags=["index"]
)
async def search(body: schemas.SearchRequest, service: AppService) -> Response:
    """The most similar texts of the index, exactly."""
    return json_answer(await service.need_index().search(body))


@router.post(
    "/search/batch",
    response_model=schemas.BatchSearchAnswer,
    responses=documented(404),
    tags=["index"],
)
async def search_batch(body: schemas.BatchSearchRequest, service: AppService) -> Response:
    """The most similar texts of the index for each of many queries, exactly."""
    return json_answer(await service.need_index().search_batch(body))


@router.post(
    "/documents",
    status_code=201,
    response_model=schemas.AddedAnswer,
    responses=documented(404, 409, 503),
    tags=["index"],
)
async def add(body: schemas.DocumentsRequest, service: AppService) -> SafeJson:
    """Store texts. The answer comes when they are on the disk."""
    return SafeJson({"ids": await service.need_index().add(body)}, 201)


@router.delete(
    "/documents/{id:path}",
    response_model=schemas.DeletedAnswer,
    responses=documented(404, 503),
    tags=["index"],
)
async def delete(id: Annotated[str, Path(min_length=1)], service: AppService) -> SafeJson:
    """Remove a text for good."""
    return SafeJson({"deleted": await service.need_index().delete(id)})


@router.get("/info", response_model=schemas.InfoAnswer, responses=documented(), tags=["server"])
async def info(request: Request, service: AppService) -> SafeJson:
    """Describe this server: measures, vectors, the index and its limits."""
    models, index = service.models, service.index
    return SafeJson(
        {
            "version": __version__,
            "vectors": models.default.vectors.name,
            "measure": models.default.measure.name,
            "measures": [
                {
                    "name": name,
                    "meaning": meaning,
                    "explains": Ability.EXPLAIN in models.get(name).measure.abilities,
                }
                for name, meaning in models.meanings.items()
            ],
            "index_measure": None if index is None else index.measure.name,
            "documents": None if index is None else index.documents,
            "writable": index is not None and index.writable,
            "report": request.app.state.report,
            "limits": asdict(service.limits),
        }
    )


AT_ONCE = {"/v1/similarity": similarity_at_once}  # what may be answered without a wait, by path

"""Operations that compare texts and explain their scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import cache

from starlette.responses import HTMLResponse, Response

from fuzzbow.errors import InputError
from fuzzbow.explain import Explanation, explain, html_page
from fuzzbow.server import schemas
from fuzzbow.server.batching import IsWanted, stop_if_unwanted
from fuzzbow.server.errors import json_bytes, json_response
from fuzzbow.server.service import SHORT, Service, TextLimits

# comparisons of words between two looks at whether a call is wanted: some tenths of a second
CHUNK = 2_000_000
# characters of two texts that are compared on the event loop: a tenth of a millisecond at most
INLINE_CHARACTERS = 500
# {} are the sites that may show it
FRAME_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors {}"
)


def similarity(
    service: Service, request: schemas.SimilarityRequest
) -> Response | Awaitable[Response]:
    """Compare two texts: their similarity, from 0 to 1."""
    model, size = service.model_of(request.measure), len(request.a) + len(request.b)
    name = model.measure.name
    if size <= INLINE_CHARACTERS:
        _check_pair(service.checks(model), request)
        score = model.cached_similarity(request.a, request.b)
        if score is not None:
            return json_response({"similarity": score, "measure": name})

    async def wait() -> Response:
        if size <= SHORT and not model.measure.depends_on_batch:
            score = await service.shared(score_together).result(request)
        else:
            (score,) = await _scores(service, [request.a], [request.b], request.measure)
        return json_response({"similarity": score, "measure": name})

    return wait()


async def pairs(service: Service, request: schemas.PairsRequest) -> Response:
    """Compare texts row by row."""
    scores = await _scores(service, request.lefts, request.rights, request.measure)
    name = service.model_of(request.measure).measure.name
    return json_response({"scores": scores, "measure": name})


async def _scores(
    service: Service, lefts: list[str], rights: list[str], measure: str | None
) -> list[float]:
    """Score row by row, as long as the scores are wanted."""
    model = service.model_of(measure)

    def score(is_wanted: IsWanted) -> list[float]:
        checks = service.checks(model)
        checks.check_texts([*lefts, *rights])
        comparisons = checks.check_comparisons(lefts, rights)
        chunk = sum(comparisons) if model.measure.depends_on_batch else CHUNK
        scoring = service.scoring_model(measure)
        scores: list[float] = []
        for part in _parts(comparisons, chunk):
            stop_if_unwanted(is_wanted)
            scores += scoring.pairs(lefts[part], rights[part]).tolist()
        return scores

    return await service.workers.read(score)


async def explanation(service: Service, request: schemas.SimilarityRequest) -> Response:
    """Explain the similarity of two texts as exact shares of their words."""
    body = await _explained(service, request, lambda found: json_bytes(found.to_dict()))
    return json_response(body)


async def fragment(service: Service, request: schemas.SimilarityRequest) -> Response:
    """Explain a score as a self-contained fragment of HTML."""
    return HTMLResponse(await _explained(service, request, lambda found: found.to_html().encode()))


async def frame(service: Service, request: schemas.SimilarityRequest) -> Response:
    """Explain a score as a page for a frame of this server or an allowed origin."""
    page = await _explained(service, request, lambda found: html_page([found]).encode())
    policy = FRAME_POLICY.format(" ".join(("'self'", *service.settings.origins)))
    return HTMLResponse(page, headers={"Content-Security-Policy": policy})


async def _explained(
    service: Service, request: schemas.SimilarityRequest, write: Callable[[Explanation], bytes]
) -> bytes:
    """Explain the score of two texts, and write the explanation."""
    model = service.model_of(request.measure)

    def explained(is_wanted: IsWanted) -> bytes:
        checks = service.checks(model)
        _check_pair(checks, request)
        body = write(explain(service.scoring_model(request.measure), request.a, request.b))
        checks.check_answer(len(body), "shorter texts")
        return body

    return await service.workers.read(explained)


def _check_pair(checks: TextLimits, request: schemas.SimilarityRequest) -> None:
    checks.check_texts([request.a, request.b])
    checks.check_comparisons([request.a], [request.b])


def score_together(
    service: Service, requests: Sequence[schemas.SimilarityRequest], is_wanted: IsWanted
) -> list[float | Exception]:
    """Score the pairs of requests by one call for each measure among them."""
    results: list[float | Exception] = [0.0] * len(requests)
    checks_of = cache(lambda name: service.checks(service.model_of(name)))
    groups: dict[str | None, list[int]] = defaultdict(list)
    for position, request in enumerate(requests):
        try:
            _check_pair(checks_of(request.measure), request)
            groups[request.measure].append(position)
        except InputError as error:
            results[position] = error
    for measure, positions in groups.items():
        stop_if_unwanted(is_wanted)
        lefts, rights = [requests[n].a for n in positions], [requests[n].b for n in positions]
        scores = service.model_of(measure).pairs(lefts, rights).tolist()
        for position, score in zip(positions, scores, strict=True):
            results[position] = score
    return results


def _parts(sizes: Sequence[int], most: int) -> Iterator[slice]:
    """Cut rows into runs whose sizes add up to `most` at most; a larger row is a run of its own.

    >>> list(_parts([1, 1, 5, 1], 2))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    start = total = 0
    for position, size in enumerate(sizes):
        if total + size > most and position > start:
            yield slice(start, position)
            start, total = position, 0
        total += size
    if start < len(sizes):
        yield slice(start, len(sizes))

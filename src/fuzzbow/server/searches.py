"""Operations on an index: search and changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, TypeVar

from starlette.responses import Response

from fuzzbow.arrays import blocks
from fuzzbow.errors import InputError, KnownIdError, UnknownIdError
from fuzzbow.explain import explain
from fuzzbow.index import Hits
from fuzzbow.index.ids import parse_number
from fuzzbow.measures import Ability
from fuzzbow.plurals import counted
from fuzzbow.server import schemas
from fuzzbow.server.batching import IsWanted, stop_if_unwanted
from fuzzbow.server.errors import ApiError, json_bytes, json_response
from fuzzbow.server.service import SHORT, Service

Result = TypeVar("Result")
Options = tuple[int, float, str | None]  # k, min_score and where, as `Index.search` takes them


async def search(service: Service, request: schemas.SearchRequest) -> Response:
    """Find the most similar texts of the index, exactly."""
    _check_options(service, request)
    if len(request.query) <= SHORT and not request.explain:
        return json_response(await service.shared(search_together).result(request))
    return json_response((await _search(service, [request.query], request))[0])


async def search_batch(service: Service, request: schemas.BatchSearchRequest) -> Response:
    """Find the most similar texts of the index for each of many queries, exactly."""
    _check_options(service, request)
    most, number = service.limits.queries, len(request.queries)
    if number > most:
        raise InputError(f"a request may hold at most {counted(most, 'query')}; got {number}")
    answers = await _search(service, request.queries, request)
    return json_response(b'{"results":[' + b",".join(answers) + b"]}")


def _check_options(service: Service, request: schemas.SearchOptions) -> None:
    index, most = service.need_index(), service.limits.hits
    if request.k > most:
        raise InputError(f"k must be at most {most}; got {request.k}")
    if request.explain:
        index.model.measure.require(Ability.EXPLAIN)


def _options(request: schemas.SearchOptions) -> Options:
    return request.k, request.min_score, request.where


async def _search(
    service: Service, queries: list[str], request: schemas.SearchOptions
) -> list[bytes]:
    """Search for the queries of one request, without sharing a call."""

    def found(is_wanted: IsWanted) -> list[bytes]:
        checks = service.checks(service.need_index().model)
        for query in queries:
            checks.check_query(query)
        results = _hits(service, queries, _options(request), is_wanted)
        return list(write_hits(service, results, is_wanted, explained=request.explain))

    return await service.workers.read(found)


def _hits(
    service: Service, queries: list[str], options: Options, is_wanted: IsWanted
) -> Iterator[Hits]:
    """Search for queries in blocks, since the texts of all hits of a block are in memory."""
    index = service.need_index()
    for block in blocks(len(queries), max(1, service.limits.hits // options[0])):
        stop_if_unwanted(is_wanted)
        yield from index.search(queries[block], *options)
    service.documents = len(index)


def search_together(
    service: Service, requests: Sequence[schemas.SearchRequest], is_wanted: IsWanted
) -> list[bytes | Exception]:
    """Search for the queries of requests, by one call for requests with equal options."""
    results: list[bytes | Exception] = [b""] * len(requests)
    checks = service.checks(service.need_index().model)
    groups: dict[Options, list[int]] = defaultdict(list)
    for position, request in enumerate(requests):
        try:
            checks.check_query(request.query)
            groups[_options(request)].append(position)
        except InputError as error:
            results[position] = error
    for options, positions in groups.items():
        queries = [requests[position].query for position in positions]
        try:
            found = _hits(service, queries, options, is_wanted)
            for position, hits in zip(positions, found, strict=True):
                try:
                    (results[position],) = write_hits(service, [hits], is_wanted)
                except ApiError as error:  # the answer is too large
                    results[position] = error
        except InputError as error:  # about `where`, which they share
            results = [error if n in positions else old for n, old in enumerate(results)]
    return results


def write_hits(
    service: Service, results: Iterable[Hits], is_wanted: IsWanted, *, explained: bool = False
) -> Iterator[bytes]:
    """Write the hits of the queries of a request as JSON, query by query, within the limits.

    If requested, each hit is explained by the model of the index, with the query on the left.
    """
    index = service.need_index()
    checks = service.checks(index.model)
    model = cache(index.fitted_model)  # called for a hit: an index without texts cannot explain
    size = comparisons = 0  # of the request until now
    for hits in results:
        checks.check_answer(size + hits.nbytes, "fewer hits")
        if explained:
            sides = [hits.query] * len(hits), [hit.text for hit in hits]
            comparisons += sum(checks.check_comparisons(*sides, before=comparisons))
        parts = []
        for hit in hits:
            part = json_bytes(hit)
            if explained:
                stop_if_unwanted(is_wanted)
                shares = explain(model(), hits.query, hit.text).to_dict()
                part = part[:-1] + b',"explanation":' + json_bytes(shares) + b"}"
            parts.append(part)
            size += len(part)
            checks.check_answer(size, "fewer hits")
        yield b'{"hits":[' + b",".join(parts) + b"]}"


async def add(service: Service, request: schemas.DocumentsRequest) -> Response:
    """Store texts; the response is sent after they are on the disk."""
    index, documents = service.need_index(), request.documents
    texts = [document.text for document in documents]
    ids = [document.id for document in documents if document.id is not None]
    if ids and len(ids) < len(texts):
        raise InputError(f"either all documents have an id or none; got {len(ids)} with one")
    checks = service.checks(index.model)
    await service.workers.read(lambda is_wanted: checks.check_texts(texts))
    metadata = [document.metadata or {} for document in documents]
    try:
        added = await _change(service, lambda: index.add(texts, ids=ids or None, metadata=metadata))
    except KnownIdError as error:
        raise ApiError(409, str(error), code="known_id") from error
    return json_response({"ids": added}, 201)


async def delete(service: Service, request: str) -> Response:
    """Delete a text permanently."""
    index = service.need_index()
    name: Any = parse_number(request) if service.has_numbers else request
    if name is None:
        raise ApiError(404, "ids are numbers in this index", code="unknown_id")
    try:
        await _change(service, lambda: index.delete([name]))
    except UnknownIdError as error:
        raise ApiError(404, str(error), code="unknown_id") from error
    return json_response({"deleted": name})


async def _change(service: Service, call: Callable[[], Result]) -> Result:
    """Change the index, and count its texts."""

    def change() -> Result:
        result = call()
        service.documents = len(service.need_index())
        return result

    return await service.workers.write(change, service.limits.lock_seconds)

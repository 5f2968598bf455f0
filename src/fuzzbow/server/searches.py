"""Operations on an index: search and changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, TypeVar

from starlette.responses import Response

from fuzzbow.errors import InputError, KnownIdError, UnknownIdError
from fuzzbow.explain import explain
from fuzzbow.index import Hits, Index
from fuzzbow.index.ids import parse_number
from fuzzbow.measures import Ability
from fuzzbow.plurals import counted
from fuzzbow.server import schemas
from fuzzbow.server.batching import IsWanted, stop_if_unwanted
from fuzzbow.server.errors import ApiError, json_bytes, json_response
from fuzzbow.server.service import SHORT, Service

Item = TypeVar("Item")
Result = TypeVar("Result")


async def search(service: Service, request: schemas.SearchRequest) -> Response:
    """Find the most similar texts of the index, exactly."""
    _check_options(service, request)
    if len(request.query) <= SHORT and not request.explain:
        return json_response(await service.shared(search_together).result(request))
    return json_response((await _search(service, [request.query], request))[0])


async def search_batch(service: Service, request: schemas.BatchSearchRequest) -> Response:
    """Find the most similar texts of the index for each of many queries, exactly."""
    _check_options(service, request)
    most = service.limits.queries
    if len(request.queries) > most:
        raise InputError(
            f"a request may hold at most {counted(most, 'query')}; got {len(request.queries)}"
        )
    answers = await _search(service, request.queries, request)
    return json_response(b'{"results":[' + b",".join(answers) + b"]}")


def _check_options(service: Service, request: schemas.SearchOptions) -> None:
    index, most = service.need_index(), service.limits.hits
    if request.k > most:
        raise InputError(f"k must be at most {most}; got {request.k}")
    if request.explain:
        index.model.measure.require(Ability.EXPLAIN)


async def _search(
    service: Service, queries: list[str], options: schemas.SearchOptions
) -> list[bytes]:
    """Search for the queries of one request, without sharing a call."""
    index, limits = service.need_index(), service.limits

    def found(is_wanted: IsWanted) -> list[bytes]:
        writer = HitWriter(service, index, is_wanted, explained=options.explain)
        for query in queries:
            writer.checks.check_query(query)
        written: list[bytes] = []
        for block in _blocks(queries, limits.hits // options.k):
            stop_if_unwanted(is_wanted)
            results = index.search(block, options.k, options.min_score, options.where)
            written += map(writer.write, results)
        service.documents = len(index)
        return written

    return await service.workers.read(found)


def search_together(
    service: Service, requests: Sequence[schemas.SearchRequest], is_wanted: IsWanted
) -> list[bytes | Exception]:
    """Search for the queries of requests, by one call for requests with equal options."""
    index, limits = service.need_index(), service.limits
    results: list[bytes | Exception] = [b""] * len(requests)
    checks = service.checks(index.model)
    groups: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for position, request in enumerate(requests):
        try:
            checks.check_query(request.query)
            groups[request.k, request.min_score, request.where].append(position)
        except InputError as error:
            results[position] = error
    for options, group in groups.items():
        for positions in _blocks(group, limits.hits // options[0]):
            stop_if_unwanted(is_wanted)
            try:
                found = index.search([requests[n].query for n in positions], *options)
            except InputError as error:  # about `where`, which they share
                results = [error if n in positions else old for n, old in enumerate(results)]
                continue
            for position, hits in zip(positions, found, strict=True):
                try:
                    results[position] = HitWriter(service, index, is_wanted).write(hits)
                except ApiError as error:
                    results[position] = error
    service.documents = len(index)
    return results


def _blocks(items: list[Item], size: int) -> Iterator[list[Item]]:
    """Cut a list into blocks, since the texts of all hits of a block are in memory."""
    size = max(1, size)
    return (items[start : start + size] for start in range(0, len(items), size))


class HitWriter:
    """Writer of the hits of one request as JSON, query by query, within the limits.

    If requested, each hit is explained by the model of the index, with the query on the left.
    """

    def __init__(
        self, service: Service, index: Index, is_wanted: IsWanted, *, explained: bool = False
    ) -> None:
        self._is_wanted = is_wanted
        self.checks = service.checks(index.model)
        # called once there is a hit: an index without texts has no model that could explain
        self._model = cache(index.fitted_model) if explained else None
        self._bytes = self._comparisons = 0  # of the request until now

    def write(self, hits: Hits) -> bytes:
        """Write the hits of a query; raise an error where the answer becomes too large."""
        self._check_size(hits.nbytes)
        if self._model is not None:
            texts = [hit.text for hit in hits]
            queries = [hits.query] * len(texts)
            compared = self.checks.check_comparisons(queries, texts, before=self._comparisons)
            self._comparisons += sum(compared)
        parts = []
        for hit in hits:
            found = schemas.FoundHit(hit.rank, hit.id, hit.score, hit.text, hit.metadata)
            if self._model is not None:
                stop_if_unwanted(self._is_wanted)
                shares: Any = explain(self._model(), hits.query, hit.text).to_dict()
                found.explanation = shares
            parts.append(json_bytes(found))
            self._bytes += len(parts[-1])
            self._check_size(0)
        return b'{"hits":[' + b",".join(parts) + b"]}"

    def _check_size(self, more: int) -> None:
        self.checks.check_answer(self._bytes + more, "fewer hits")


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
    return json_response(schemas.AddedAnswer(added), 201)


async def delete(service: Service, request: str) -> Response:
    """Remove a text for good."""
    index = service.need_index()
    number = parse_number(request) if service.has_numbers else None
    if service.has_numbers and number is None:
        raise ApiError(404, "ids are numbers in this index", code="unknown_id")
    named = request if number is None else number
    try:
        await _change(service, lambda: index.delete([named]))
    except UnknownIdError as error:
        raise ApiError(404, str(error), code="unknown_id") from error
    return json_response(schemas.DeletedAnswer(named))


async def _change(service: Service, call: Callable[[], Result]) -> Result:
    """Change the index, and count its texts."""

    def change() -> Result:
        result = call()
        service.documents = len(service.need_index())
        return result

    return await service.workers.write(change, service.limits.lock_seconds)

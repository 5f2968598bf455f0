"""Search, and changes of the index."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Any

from fuzzbow.errors import InputError, KnownIdError, UnknownIdError
from fuzzbow.server.checks import SHORT, CheckedWork
from fuzzbow.server.errors import ApiError
from fuzzbow.server.schemas import DocumentsRequest, SearchRequest
from fuzzbow.server.work import Together
from fuzzbow.tasks.index import Hits, Index
from fuzzbow.tasks.index.columns import parse_number

Found = list[dict[str, Any]]


class Searching:
    """What reads and changes an index."""

    def __init__(self, index: Index, work: CheckedWork) -> None:
        self._index, self._work = index, work
        self._numbered = index.info()["ids"] == "numbers"
        self._searches = Together(work.workers, self._search_together)

    @property
    def documents(self) -> int:
        """How many texts there are."""
        return len(self._index)

    @property
    def writable(self) -> bool:
        """Whether texts can be added."""
        return not self._index.read_only

    async def search(self, request: SearchRequest) -> Found:
        """The hits of one query."""
        most = self._work.limits.hits
        if request.k > most:
            raise InputError(f"k must be at most {most}; got {request.k}")
        if len(request.query) <= SHORT:
            return await self._searches.result(request)
        return await self._work.read([request.query], lambda: self._search([request])[0])

    async def add(self, request: DocumentsRequest) -> list[int | str]:
        """Store texts; their ids, once they are on the disk."""
        documents = request.documents
        texts = [document.text for document in documents]
        ids = [document.id for document in documents if document.id is not None]
        if ids and len(ids) < len(texts):
            raise InputError(f"either all documents have an id or none; got {len(ids)} with one")
        await self._work.read(texts, lambda: None)
        metadata = [document.metadata or {} for document in documents]
        call = partial(self._index.add, texts, ids=ids or None, metadata=metadata)
        try:
            return await self._work.workers.write(call)
        except KnownIdError as error:
            raise ApiError(409, str(error), code="known_id") from error

    async def delete(self, name: str) -> int | str:
        """Remove the text of the id that a path names."""
        wanted: int | str = name
        if self._numbered:
            number = parse_number(name)
            if number is None:
                raise ApiError(404, "ids are numbers in this index", code="unknown_id")
            wanted = number
        try:
            await self._work.workers.write(lambda: self._index.delete([wanted]))
        except UnknownIdError as error:
            raise ApiError(404, str(error), code="unknown_id") from error
        return wanted

    def _search_together(self, requests: Sequence[SearchRequest]) -> list[Found | Exception]:
        """Hits of requests, one call for those that differ in their query only."""
        results: list[Found | Exception] = [[]] * len(requests)
        groups: dict[tuple[Any, ...], list[int]] = defaultdict(list)
        for place, request in enumerate(requests):
            try:
                self._work.check_lengths([request.query])
                groups[request.k, request.min_score, request.where].append(place)
            except InputError as error:
                results[place] = error
        for places in groups.values():
            try:
                found: Sequence[Found | Exception] = self._search([requests[n] for n in places])
            except InputError as error:  # of the condition, which they share
                found = [error] * len(places)
            for place, hits in zip(places, found, strict=True):
                results[place] = hits
        return results

    def _search(self, requests: Sequence[SearchRequest]) -> list[Found]:
        """Hits of requests that differ in their query only."""
        first = requests[0]
        queries = [request.query for request in requests]
        found = self._index.search(queries, first.k, first.min_score, first.where)
        return [_plain_hits(hits) for hits in found]


def _plain_hits(hits: Hits) -> Found:
    return [
        {
            "id": hit.id,
            "score": hit.score,
            "text": hit.text,
            "rank": hit.rank,
            "metadata": {name: _plain(value) for name, value in hit.metadata.items()},
        }
        for hit in hits
    ]


def _plain(value: Any) -> Any:
    """What JSON can hold: a date becomes text, and what is not a number nothing."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (str, int)) else str(value)

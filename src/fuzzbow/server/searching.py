"""Search, and changes of the index."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from fuzzbow.errors import InputError, KnownIdError, UnknownIdError
from fuzzbow.server.checks import SHORT, CheckedWork
from fuzzbow.server.errors import ApiError
from fuzzbow.server.schemas import DocumentsRequest, SearchRequest
from fuzzbow.server.work import Result, Together, Wanted, go_on
from fuzzbow.tasks.index import Hits, Index
from fuzzbow.tasks.index.columns import parse_number

FEWER = "fewer hits"


class Searching:
    """What reads and changes an index."""

    def __init__(self, index: Index, work: CheckedWork) -> None:
        self._index, self._work = index, work
        self._numbered = index.info()["ids"] == "numbers"
        self._searches = Together(work.workers, self._search_together)
        # as the last search or change saw it: to count them may take waiting for a change
        self.documents = len(index)

    @property
    def writable(self) -> bool:
        """Whether texts can be added."""
        return not self._index.read_only

    async def search(self, request: SearchRequest) -> bytes:
        """The hits of one query, as JSON."""
        most = self._work.limits.hits
        if request.k > most:
            raise InputError(f"k must be at most {most}; got {request.k}")
        if len(request.query) <= SHORT:
            return await self._searches.result(request)

        def search(wanted: Wanted) -> bytes | Exception:
            self._work.check_query(request.query)
            return self._search([request])[0]

        found = await self._work.read([request.query], search)
        if isinstance(found, Exception):
            raise found
        return found

    async def add(self, request: DocumentsRequest) -> list[int | str]:
        """Store texts; their ids, once they are on the disk."""
        documents = request.documents
        texts = [document.text for document in documents]
        ids = [document.id for document in documents if document.id is not None]
        if ids and len(ids) < len(texts):
            raise InputError(f"either all documents have an id or none; got {len(ids)} with one")
        await self._work.read(texts, lambda wanted: None)
        metadata = [document.metadata or {} for document in documents]
        call = partial(self._index.add, texts, ids=ids or None, metadata=metadata)
        try:
            return await self._change(call)
        except KnownIdError as error:
            raise ApiError(409, str(error), code="known_id") from error

    async def delete(self, name: str) -> int | str:
        """Remove the text of the id that a path names."""
        named: int | str = name
        if self._numbered:
            number = parse_number(name)
            if number is None:
                raise ApiError(404, "ids are numbers in this index", code="unknown_id")
            named = number
        try:
            await self._change(lambda: self._index.delete([named]))
        except UnknownIdError as error:
            raise ApiError(404, str(error), code="unknown_id") from error
        return named

    async def _change(self, call: Callable[[], Result]) -> Result:
        """Change the index, and count its texts."""

        def change() -> Result:
            result = call()
            self.documents = len(self._index)
            return result

        return await self._work.workers.write(change, self._work.limits.lock_seconds)

    def _search_together(
        self, requests: Sequence[SearchRequest], wanted: Wanted
    ) -> list[bytes | Exception]:
        """Hits of requests, one call for those that differ in their query only."""
        results: list[bytes | Exception] = [b""] * len(requests)
        groups: dict[tuple[Any, ...], list[int]] = defaultdict(list)
        for place, request in enumerate(requests):
            try:
                self._work.check_query(request.query)
                groups[request.k, request.min_score, request.where].append(place)
            except InputError as error:
                results[place] = error
        for (k, _, _), group in groups.items():
            for places in blocks_of(group, max(1, self._work.limits.hits // k)):
                go_on(wanted)
                found = self._search([requests[n] for n in places])
                for place, hits in zip(places, found, strict=True):
                    results[place] = hits
        return results

    def _search(self, requests: Sequence[SearchRequest]) -> list[bytes | Exception]:
        """Hits of requests that differ in their query only."""
        first = requests[0]
        queries = [request.query for request in requests]
        self.documents = len(self._index)
        try:
            found = self._index.search(queries, first.k, first.min_score, first.where)
            return [self._answer(hits) for hits in found]
        except InputError as error:  # of the condition, which they share
            return [error] * len(requests)

    def _answer(self, hits: Hits) -> bytes | Exception:
        try:
            self._work.check_answer(hits.to_arrow().nbytes, FEWER)
            return self._work.answer({"hits": _plain_hits(hits)}, FEWER)
        except ApiError as error:
            return error


def blocks_of(places: list[int], size: int) -> Iterator[list[int]]:
    """At most so many at a time: the texts of their hits are in memory together."""
    return (places[start : start + size] for start in range(0, len(places), size))


def _plain_hits(hits: Hits) -> list[dict[str, Any]]:
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

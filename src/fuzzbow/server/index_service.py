"""Operations of the routes on an index: search and changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from fuzzbow.errors import InputError, KnownIdError, UnknownIdError
from fuzzbow.measures import Ability, Measure
from fuzzbow.plurals import counted
from fuzzbow.server.batching import IsWanted, Result, SharedCalls, stop_if_unwanted
from fuzzbow.server.errors import ApiError
from fuzzbow.server.hit_answers import HitAnswers
from fuzzbow.server.schemas import (
    BatchSearchRequest,
    DocumentsRequest,
    SearchOptions,
    SearchRequest,
)
from fuzzbow.server.text_limits import SHORT, CheckedWork
from fuzzbow.tasks.index import Hits, TextIndex
from fuzzbow.tasks.index.ids import parse_number

Item = TypeVar("Item")


class IndexService:
    """Searches and changes an index."""

    def __init__(self, index: TextIndex, work: CheckedWork) -> None:
        self._index, self._work = index, work
        self._numbered = index.info()["ids"] == "numbers"
        self._searches = SharedCalls(work.workers, self._share_search)
        # counted by the last search or change: counting now might have to wait for a change
        self.documents = len(index)

    @property
    def measure(self) -> Measure:
        """Return the measure of the index."""
        return self._index.model.measure

    @property
    def writable(self) -> bool:
        """Return whether texts can be added."""
        return not self._index.read_only

    async def search(self, request: SearchRequest) -> bytes:
        """The hits of one query, as JSON."""
        self._check_hits(request)
        if len(request.query) <= SHORT and not request.explain:
            return await self._searches.result(request)
        return (await self._search_alone([request.query], request))[0]

    async def search_batch(self, request: BatchSearchRequest) -> bytes:
        """The hits of each query, as JSON."""
        self._check_hits(request)
        most = self._work.limits.queries
        if len(request.queries) > most:
            raise InputError(
                f"a request may hold at most {counted(most, 'query')}; got {len(request.queries)}"
            )
        answers = await self._search_alone(request.queries, request)
        return b'{"results":[' + b",".join(answers) + b"]}"

    def _check_hits(self, request: SearchOptions) -> None:
        most = self._work.limits.hits
        if request.k > most:
            raise InputError(f"k must be at most {most}; got {request.k}")
        if request.explain:
            self.measure.require(Ability.EXPLAIN)

    async def _search_alone(self, queries: list[str], request: SearchOptions) -> list[bytes]:
        """The hits of each query of a request, which shares no call with others."""
        checks = self._work.checks()

        def search(is_wanted: IsWanted) -> list[bytes]:
            for query in queries:
                checks.check_query(query)
            explaining = self._index.fitted_model if request.explain else None
            answers = HitAnswers(self._work, checks, explaining)
            written: list[bytes] = []
            for block in _blocks(queries, max(1, self._work.limits.hits // request.k)):
                stop_if_unwanted(is_wanted)
                written += [answers.written(hits, is_wanted) for hits in self._find(block, request)]
            return written

        return await self._work.read(queries, search, checks)

    async def add(self, request: DocumentsRequest) -> list[int | str]:
        """Store texts; their ids, once they are on the disk."""
        documents = request.documents
        texts = [document.text for document in documents]
        ids = [document.id for document in documents if document.id is not None]
        if ids and len(ids) < len(texts):
            raise InputError(f"either all documents have an id or none; got {len(ids)} with one")
        await self._work.read(texts, lambda is_wanted: None)
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

    def _share_search(
        self, requests: Sequence[SearchRequest], is_wanted: IsWanted
    ) -> list[bytes | Exception]:
        """Hits of requests; those that differ in their query only are searched together."""
        results: list[bytes | Exception] = [b""] * len(requests)
        checks = self._work.checks()
        groups: dict[tuple[Any, ...], list[int]] = defaultdict(list)
        for place, request in enumerate(requests):
            try:
                checks.check_query(request.query)
                groups[request.k, request.min_score, request.where].append(place)
            except InputError as error:
                results[place] = error
        for (k, _, _), group in groups.items():
            for places in _blocks(group, max(1, self._work.limits.hits // k)):
                stop_if_unwanted(is_wanted)
                found = self._answers([requests[n] for n in places], is_wanted)
                for place, answer in zip(places, found, strict=True):
                    results[place] = answer
        return results

    def _answers(
        self, requests: Sequence[SearchRequest], is_wanted: IsWanted
    ) -> list[bytes | Exception]:
        """The answers to requests that differ in their query only."""
        answers: list[bytes | Exception] = []
        try:
            found = self._find([request.query for request in requests], requests[0])
        except InputError as error:  # about `where`, which they share
            return [error] * len(requests)
        for hits in found:
            try:
                writer = HitAnswers(self._work, self._work.checks())
                answers.append(writer.written(hits, is_wanted))
            except ApiError as error:
                answers.append(error)
        return answers

    def _find(self, queries: list[str], request: SearchOptions) -> list[Hits]:
        """The hits of queries that a request, or some that share a call, ask for."""
        self.documents = len(self._index)
        return self._index.search(queries, request.k, request.min_score, request.where)


def _blocks(items: list[Item], size: int) -> Iterator[list[Item]]:
    """At most `size` at a time, since the texts of all their hits are in memory."""
    return (items[start : start + size] for start in range(0, len(items), size))

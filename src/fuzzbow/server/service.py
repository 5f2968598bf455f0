"""What the routes ask: to compare texts, and to search and change the index."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from fuzzbow.errors import InputError, KnownIdError, UnknownIdError
from fuzzbow.model import Model
from fuzzbow.server.batching import IsWanted, Result, SharedCalls, Workers, stop_if_unwanted
from fuzzbow.server.errors import ApiError
from fuzzbow.server.models import OfferedModels
from fuzzbow.server.schemas import DocumentsRequest, SearchRequest, SimilarityRequest
from fuzzbow.server.settings import Limits
from fuzzbow.server.text_limits import CheckedWork, RememberedWords
from fuzzbow.tasks.index import Hits, Index
from fuzzbow.tasks.index.ids import parse_number

# characters up to which requests share a call: nobody waits for the long text of another
SHORT = 2_000
# comparisons of words after which a call asks whether it is wanted: some tenths of a second
CHUNK = 2_000_000
FEWER_HITS = "fewer hits"
WARM_UP = [f"a cat and {number} dogs" for number in range(100)]


class Service:
    """Everything that a server works with: models, perhaps an index, and threads."""

    def __init__(self, model: Model, index: Index | None, limits: Limits) -> None:
        self.models, self.limits, self.workers = OfferedModels(model, index), limits, Workers()
        work = CheckedWork(self.workers, limits, model.tokenizer)
        self.comparisons = Comparisons(self.models, work)
        self.index = None if index is None else IndexService(index, work)

    def need_index(self) -> IndexService:
        """The index, or an error that says how to start the server with one."""
        if self.index is None:
            raise ApiError(
                404, "there is no index; start the server with --index DIR", code="no_index"
            )
        return self.index

    def warm_up(self) -> None:
        """Load and compute in advance what the first request would wait for."""
        for name in self.models.meanings:
            with suppress(InputError):  # an index without texts weighs no words
                self.models.scoring(name).pairs(WARM_UP, WARM_UP[::-1])


class Comparisons:
    """Compares the texts of requests, and explains their scores."""

    def __init__(self, models: OfferedModels, work: CheckedWork) -> None:
        self._models, self._work = models, work
        self._similarities = SharedCalls(work.workers, self._score_batch)

    async def similarity(self, request: SimilarityRequest) -> tuple[float, str]:
        """The score of two texts, and by which measure."""
        model = self._models.get(request.measure)
        name = model.measure.name
        if len(request.a) + len(request.b) <= SHORT and not model.measure.by_call:
            return await self._similarities.result(request), name
        scores, _ = await self.pairs([request.a], [request.b], request.measure)
        return scores[0], name

    async def pairs(
        self, lefts: list[str], rights: list[str], measure: str | None
    ) -> tuple[list[float], str]:
        """Scores row by row, and by which measure."""
        model, checks = self._models.get(measure), self._work.checks()

        def score(is_wanted: IsWanted) -> list[float]:
            comparisons = checks.check_comparisons(lefts, rights)
            chunk = sum(comparisons) if model.measure.by_call else CHUNK
            scoring = self._models.scoring(measure)
            scores: list[float] = []
            for part in _parts(comparisons, chunk):
                stop_if_unwanted(is_wanted)
                scores += scoring.pairs(lefts[part], rights[part]).tolist()
            return scores

        scores = await self._work.read([*lefts, *rights], score, checks)
        return scores, model.measure.name

    async def explain(self, a: str, b: str, measure: str | None) -> bytes:
        """The shares of the words of two texts, as JSON."""
        model = self._models.get(measure)
        tokenizer = RememberedWords(model.tokenizer)
        checks = self._work.checks(tokenizer)

        def explained(is_wanted: IsWanted) -> bytes:
            checks.check_comparisons([a], [b])
            scoring = self._models.scoring(measure)
            explanation = replace(scoring, tokenizer=tokenizer).explain(a, b)
            return self._work.answer(explanation.to_dict(), "shorter texts")

        return await self._work.read([a, b], explained, checks)

    def _score_batch(
        self, requests: Sequence[SimilarityRequest], is_wanted: IsWanted
    ) -> list[float | Exception]:
        """Scores of requests, one call for each measure among them."""
        results: list[float | Exception] = [0.0] * len(requests)
        checks = self._work.checks()
        groups: dict[str | None, list[int]] = defaultdict(list)
        for place, request in enumerate(requests):
            try:
                checks.check_lengths([request.a, request.b])
                checks.check_comparisons([request.a], [request.b])
                groups[request.measure].append(place)
            except InputError as error:
                results[place] = error
        for measure, places in groups.items():
            stop_if_unwanted(is_wanted)
            model = self._models.get(measure)
            lefts, rights = [requests[n].a for n in places], [requests[n].b for n in places]
            for place, score in zip(places, model.pairs(lefts, rights).tolist(), strict=True):
                results[place] = score
        return results


class IndexService:
    """Searches and changes an index."""

    def __init__(self, index: Index, work: CheckedWork) -> None:
        self._index, self._work = index, work
        self._numbered = index.info()["ids"] == "numbers"
        self._searches = SharedCalls(work.workers, self._search_batch)
        # counted by the last search or change: counting now might have to wait for a change
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
        checks = self._work.checks()

        def search(is_wanted: IsWanted) -> bytes | Exception:
            checks.check_query(request.query)
            return self._search([request])[0]

        found = await self._work.read([request.query], search, checks)
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

    def _search_batch(
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
        except InputError as error:  # about `where`, which they share
            return [error] * len(requests)

    def _answer(self, hits: Hits) -> bytes | Exception:
        try:
            self._work.check_answer(hits.to_arrow().nbytes, FEWER_HITS)
            return self._work.answer({"hits": _plain_hits(hits)}, FEWER_HITS)
        except ApiError as error:
            return error


def _parts(sizes: Sequence[int], most: int) -> Iterator[slice]:
    """Runs of rows whose sizes add up to `most` at most; a larger row is a run of its own.

    >>> list(_parts([1, 1, 5, 1], 2))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    start = total = 0
    for place, size in enumerate(sizes):
        if total + size > most and place > start:
            yield slice(start, place)
            start, total = place, 0
        total += size
    if start < len(sizes):
        yield slice(start, len(sizes))


def _blocks(places: list[int], size: int) -> Iterator[list[int]]:
    """At most `size` places at a time, since the texts of all their hits are in memory."""
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
    """A value that JSON can hold: a date becomes text; NaN and infinity become None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (str, int)) else str(value)

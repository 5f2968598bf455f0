"""What the routes ask for: texts within the limits in, plain values out, off the event loop."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Protocol

from fuzzbow.errors import InputError
from fuzzbow.model import Model
from fuzzbow.server.errors import ApiError
from fuzzbow.server.offered import Models
from fuzzbow.server.schemas import DocumentsRequest, SearchRequest, SimilarityRequest
from fuzzbow.server.settings import Limits
from fuzzbow.server.work import Result, Together, Workers

# characters up to which requests may share a call: a long text keeps nobody waiting but itself
SHORT = 2_000
# its score depends on all the texts of a call
ALONE = ("sif-pca",)


class UnknownIdError(InputError):
    pass


class Index(Protocol):
    def __len__(self) -> int: ...
    def search(
        self, query: str, k: int = 10, min_score: float = 0.0, where: str | None = None
    ) -> Any: ...
    def add(
        self, texts: Sequence[str], ids: Sequence[Any] | None = None, metadata: Any = None
    ) -> Sequence[Any]: ...
    def delete(self, ids: Sequence[Any]) -> Any: ...


class Service:
    """A model, perhaps an index, and the threads that work on them."""

    def __init__(self, model: Model, index: Index | None, limits: Limits) -> None:
        self.models, self.index, self.limits = Models(model), index, limits
        self.workers = Workers()
        self._similarities = Together(self.workers, self._score_together)
        self._searches = Together(self.workers, self._search_together)

    def warm_up(self) -> None:
        """Do once what the first request would wait for."""
        for name in self.models.meanings:
            self.models.get(name).pairs(["a cat"] * 64, [f"a dog {n}" for n in range(64)])

    async def similarity(self, request: SimilarityRequest) -> tuple[float, str]:
        """The score of two texts, and by which measure."""
        model = self.models.get(request.measure)
        name = model.measure.name
        if len(request.a) + len(request.b) <= SHORT and name not in ALONE:
            return await self._similarities.result(request), name
        return await self._read(
            [request.a, request.b], lambda: model.similarity(request.a, request.b)
        ), name

    async def pairs(
        self, lefts: list[str], rights: list[str], measure: str | None
    ) -> tuple[list[float], str]:
        """Scores row by row, and by which measure."""
        model = self.models.get(measure)
        scores = await self._read([*lefts, *rights], lambda: model.pairs(lefts, rights).tolist())
        return scores, model.measure.name

    async def explain(self, a: str, b: str, measure: str | None) -> dict[str, Any]:
        """The shares of the words of two texts."""
        model = self.models.get(measure)
        return await self._read([a, b], lambda: model.explain(a, b).to_dict())

    async def search(self, request: SearchRequest) -> list[dict[str, Any]]:
        """The hits of one query."""
        self._indexed()
        if request.k > self.limits.hits:
            raise InputError(f"k must be at most {self.limits.hits}; got {request.k}")
        if len(request.query) <= SHORT:
            return await self._searches.result(request)
        return await self._read([request.query], partial(self._search, request))

    async def add(self, request: DocumentsRequest) -> list[Any]:
        """Store texts; their ids, once they are on the disk."""
        index, documents = self._indexed(), request.documents
        texts = [document.text for document in documents]
        await self._read(texts, lambda: None)
        ids = [document.id for document in documents]
        given = sum(item is not None for item in ids)
        if 0 < given < len(ids):
            raise InputError(f"either all documents have an id or none; got {given} of {len(ids)}")
        metadata = [document.metadata or {} for document in documents]
        call = partial(index.add, texts, ids=ids if given else None, metadata=metadata)
        return list(await self.workers.write(call))

    async def delete(self, identifier: str) -> None:
        """Remove one text."""
        index = self._indexed()
        try:
            await self.workers.write(lambda: index.delete([identifier]))
        except UnknownIdError as error:
            raise ApiError(404, str(error), code="unknown_id") from error

    def _indexed(self) -> Index:
        if self.index is None:
            raise ApiError(
                404, "there is no index; start the server with --index DIR", code="no_index"
            )
        return self.index

    async def _read(self, texts: Sequence[str], call: Callable[[], Result]) -> Result:
        """Check texts against the limits, and do the work, all off the event loop."""
        if len(texts) > self.limits.texts:
            raise InputError(
                f"a request may hold at most {self.limits.texts} texts; got {len(texts)}"
            )

        def checked() -> Result:
            self._check_lengths(texts)
            return call()

        return await self.workers.read(checked)

    def _check_lengths(self, texts: Iterable[str]) -> None:
        limits, split = self.limits, self.models.default.tokenizer.words
        for place, text in enumerate(texts):
            if len(text) > limits.characters:
                raise InputError(
                    f"a text may have at most {limits.characters} characters;"
                    f" text {place} has {len(text)}"
                )
            # no text has more words than characters
            if len(text) > limits.words and (words := len(split(text))) > limits.words:
                raise InputError(
                    f"a text may have at most {limits.words} words; text {place} has {words}"
                )

    def _score_together(self, requests: Sequence[SimilarityRequest]) -> list[float | Exception]:
        """Scores of requests, one call for each measure among them."""
        results: list[float | Exception] = [0.0] * len(requests)
        groups: dict[str | None, list[int]] = defaultdict(list)
        for place, request in enumerate(requests):
            try:
                self._check_lengths([request.a, request.b])
                groups[request.measure].append(place)
            except InputError as error:
                results[place] = error
        for measure, places in groups.items():
            model = self.models.get(measure)
            lefts, rights = [requests[n].a for n in places], [requests[n].b for n in places]
            for place, score in zip(places, model.pairs(lefts, rights).tolist(), strict=True):
                results[place] = score
        return results

    def _search_together(
        self, requests: Sequence[SearchRequest]
    ) -> list[list[dict[str, Any]] | Exception]:
        """Hits of requests; what one of them does wrong is its own."""
        results: list[list[dict[str, Any]] | Exception] = []
        for request in requests:
            try:
                self._check_lengths([request.query])
                results.append(self._search(request))
            except InputError as error:
                results.append(error)
        return results

    def _search(self, request: SearchRequest) -> list[dict[str, Any]]:
        hits = self._indexed().search(
            request.query, k=request.k, min_score=request.min_score, where=request.where
        )
        return list(hits.to_dicts())

"""Operations of the routes: comparison of texts, explanation of scores, the index."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache

from fuzzbow.errors import InputError
from fuzzbow.model import Model
from fuzzbow.server.batching import IsWanted, SharedCalls, Workers, stop_if_unwanted
from fuzzbow.server.errors import ApiError
from fuzzbow.server.index_service import IndexService
from fuzzbow.server.models import OfferedModels
from fuzzbow.server.schemas import SimilarityRequest
from fuzzbow.server.settings import Limits
from fuzzbow.server.text_limits import SHORT, CheckedWork, RememberedWords, TextLimits
from fuzzbow.tasks.explain import Explanation, explain
from fuzzbow.tasks.index import TextIndex

# comparisons of words after which a call asks whether it is wanted: some tenths of a second
CHUNK = 2_000_000
# characters of two texts that are compared on the event loop: a tenth of a millisecond at most
AT_ONCE = 500
WARM_UP = [f"a cat and {number} dogs" for number in range(100)]


class Service:
    """Models, index if there is one, and threads of a server."""

    def __init__(self, model: Model, index: TextIndex | None, limits: Limits) -> None:
        self.models, self.limits, self.workers = OfferedModels(model, index), limits, Workers()
        work = CheckedWork(self.workers, limits, model.encoder.words)
        self.comparisons = Comparisons(self.models, work)
        self.index = None
        if index is not None:
            searching = replace(work, words=index.model.encoder.words)
            self.index = IndexService(index, searching)

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
        if len(request.a) + len(request.b) <= SHORT and not model.measure.depends_on_batch:
            return await self._similarities.result(request), name
        scores, _ = await self.pairs([request.a], [request.b], request.measure)
        return scores[0], name

    def similarity_at_once(self, request: SimilarityRequest) -> tuple[float, str] | None:
        """Compare two short texts whose words are cached, without a wait; None for others."""
        if len(request.a) + len(request.b) > AT_ONCE:
            return None
        model = self._models.get(request.measure)
        self._check_pair(self._work.checks(model.encoder.words), request)
        score = model.similarity_at_once(request.a, request.b)
        return None if score is None else (score, model.measure.name)

    async def pairs(
        self, lefts: list[str], rights: list[str], measure: str | None
    ) -> tuple[list[float], str]:
        """Scores row by row, and by which measure."""
        model = self._models.get(measure)
        checks = self._work.checks(model.encoder.words)

        def score(is_wanted: IsWanted) -> list[float]:
            comparisons = checks.check_comparisons(lefts, rights)
            chunk = sum(comparisons) if model.measure.depends_on_batch else CHUNK
            scoring = self._models.scoring(measure)
            scores: list[float] = []
            for part in _parts(comparisons, chunk):
                stop_if_unwanted(is_wanted)
                scores += scoring.pairs(lefts[part], rights[part]).tolist()
            return scores

        scores = await self._work.read([*lefts, *rights], score, checks)
        return scores, model.measure.name

    async def explain(
        self, request: SimilarityRequest, written: Callable[[Explanation], bytes]
    ) -> bytes:
        """The shares of the words of two texts, as JSON or HTML."""
        a, b, measure = request.a, request.b, request.measure
        model = self._models.get(measure)
        tokenizer = RememberedWords(model.tokenizer)
        checks = self._work.checks(replace(model, tokenizer=tokenizer).encoder.words)

        def explained(is_wanted: IsWanted) -> bytes:
            checks.check_comparisons([a], [b])
            scoring = self._models.scoring(measure)
            explanation = explain(replace(scoring, tokenizer=tokenizer), a, b)
            return self._work.checked_answer(written(explanation), "shorter texts")

        return await self._work.read([a, b], explained, checks)

    @staticmethod
    def _check_pair(checks: TextLimits, request: SimilarityRequest) -> None:
        checks.check_lengths([request.a, request.b])
        checks.check_comparisons([request.a], [request.b])

    def _score_batch(
        self, requests: Sequence[SimilarityRequest], is_wanted: IsWanted
    ) -> list[float | Exception]:
        """Scores of requests, one call for each measure among them."""
        results: list[float | Exception] = [0.0] * len(requests)
        checks_of = cache(lambda name: self._work.checks(self._models.get(name).encoder.words))
        groups: dict[str | None, list[int]] = defaultdict(list)
        for place, request in enumerate(requests):
            try:
                self._check_pair(checks_of(request.measure), request)
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

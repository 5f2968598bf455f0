"""Scores and explanations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from fuzzbow.errors import InputError
from fuzzbow.server.checks import SHORT, CheckedWork
from fuzzbow.server.offered import Models
from fuzzbow.server.schemas import SimilarityRequest
from fuzzbow.server.work import Together

# its score depends on all the texts of a call
ALONE = ("sif-pca",)


class Comparing:
    """What compares texts that a request brings."""

    def __init__(self, models: Models, work: CheckedWork) -> None:
        self._models, self._work = models, work
        self._similarities = Together(work.workers, self._score_together)

    async def similarity(self, request: SimilarityRequest) -> tuple[float, str]:
        """The score of two texts, and by which measure."""
        model, texts = self._models.get(request.measure), [request.a, request.b]
        name = model.measure.name
        if len(request.a) + len(request.b) <= SHORT and name not in ALONE:
            return await self._similarities.result(request), name
        return await self._work.read(texts, lambda: model.similarity(*texts)), name

    async def pairs(
        self, lefts: list[str], rights: list[str], measure: str | None
    ) -> tuple[list[float], str]:
        """Scores row by row, and by which measure."""
        model = self._models.get(measure)
        scores = await self._work.read(
            [*lefts, *rights], lambda: model.pairs(lefts, rights).tolist()
        )
        return scores, model.measure.name

    async def explain(self, a: str, b: str, measure: str | None) -> dict[str, Any]:
        """The shares of the words of two texts."""
        model = self._models.get(measure)
        return await self._work.read([a, b], lambda: model.explain(a, b).to_dict())

    def _score_together(self, requests: Sequence[SimilarityRequest]) -> list[float | Exception]:
        """Scores of requests, one call for each measure among them."""
        results: list[float | Exception] = [0.0] * len(requests)
        groups: dict[str | None, list[int]] = defaultdict(list)
        for place, request in enumerate(requests):
            try:
                self._work.check_lengths([request.a, request.b])
                groups[request.measure].append(place)
            except InputError as error:
                results[place] = error
        for measure, places in groups.items():
            model = self._models.get(measure)
            lefts, rights = [requests[n].a for n in places], [requests[n].b for n in places]
            for place, score in zip(places, model.pairs(lefts, rights).tolist(), strict=True):
                results[place] = score
        return results

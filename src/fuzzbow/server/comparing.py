"""Scores and explanations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from fuzzbow.errors import InputError
from fuzzbow.server.checks import SHORT, CheckedWork
from fuzzbow.server.offered import Models
from fuzzbow.server.schemas import SimilarityRequest
from fuzzbow.server.work import Together, Wanted, go_on

# its score depends on all the texts of a call
ALONE = ("sif-pca",)
# comparisons of words between two looks whether anybody still waits: some tenths of a second
CHUNK = 2_000_000


class Comparing:
    """What compares texts that a request brings."""

    def __init__(self, models: Models, work: CheckedWork) -> None:
        self._models, self._work = models, work
        self._similarities = Together(work.workers, self._score_together)

    async def similarity(self, request: SimilarityRequest) -> tuple[float, str]:
        """The score of two texts, and by which measure."""
        name = self._models.get(request.measure).measure.name
        if len(request.a) + len(request.b) <= SHORT and name not in ALONE:
            return await self._similarities.result(request), name
        scores, _ = await self.pairs([request.a], [request.b], request.measure)
        return scores[0], name

    async def pairs(
        self, lefts: list[str], rights: list[str], measure: str | None
    ) -> tuple[list[float], str]:
        """Scores row by row, and by which measure."""
        model = self._models.get(measure)

        def score(wanted: Wanted) -> list[float]:
            comparisons = self._work.check_comparisons(lefts, rights)
            chunk = sum(comparisons) if model.measure.name in ALONE else CHUNK
            scores: list[float] = []
            for part in _parts(comparisons, chunk):
                go_on(wanted)
                scores += model.pairs(lefts[part], rights[part]).tolist()
            return scores

        return await self._work.read([*lefts, *rights], score), model.measure.name

    async def explain(self, a: str, b: str, measure: str | None) -> bytes:
        """The shares of the words of two texts, as JSON."""
        model = self._models.get(measure)

        def explained(wanted: Wanted) -> bytes:
            self._work.check_comparisons([a], [b])
            return self._work.answer(model.explain(a, b).to_dict(), "shorter texts")

        return await self._work.read([a, b], explained)

    def _score_together(
        self, requests: Sequence[SimilarityRequest], wanted: Wanted
    ) -> list[float | Exception]:
        """Scores of requests, one call for each measure among them."""
        results: list[float | Exception] = [0.0] * len(requests)
        groups: dict[str | None, list[int]] = defaultdict(list)
        for place, request in enumerate(requests):
            try:
                self._work.check_lengths([request.a, request.b])
                self._work.check_comparisons([request.a], [request.b])
                groups[request.measure].append(place)
            except InputError as error:
                results[place] = error
        for measure, places in groups.items():
            go_on(wanted)
            model = self._models.get(measure)
            lefts, rights = [requests[n].a for n in places], [requests[n].b for n in places]
            for place, score in zip(places, model.pairs(lefts, rights).tolist(), strict=True):
                results[place] = score
        return results


def _parts(sizes: Sequence[int], most: int) -> Iterator[slice]:
    """Runs of rows whose sizes add up to about `most`; a larger row goes alone.

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

"""Hits as JSON, explained where that is asked for, within the limits of one request."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from fuzzbow.measures import TextMeasure
from fuzzbow.server.batching import IsWanted, stop_if_unwanted
from fuzzbow.server.errors import json_bytes
from fuzzbow.server.text_limits import CheckedWork, TextLimits
from fuzzbow.tasks.explain import explain
from fuzzbow.tasks.index import Hit, Hits

FEWER_HITS = "fewer hits"


class HitAnswers:
    """Writes the hits of one request, of one query after the other.

    Where there is a way to a model, every hit is explained by that, the query as the left text.
    """

    def __init__(
        self,
        work: CheckedWork,
        checks: TextLimits,
        explaining: Callable[[], TextMeasure] | None = None,
    ) -> None:
        self._work, self._checks = work, checks
        # asked for once there is a hit: an index without texts has none that could explain
        self._model = None if explaining is None else cache(explaining)
        self._bytes = self._comparisons = 0  # of the request so far

    def written(self, hits: Hits, is_wanted: IsWanted) -> bytes:
        """The hits of a query as JSON; an error where the answer becomes too large."""
        self._work.check_answer(self._bytes + hits.nbytes, FEWER_HITS)
        return b'{"hits":[' + b",".join(self._parts(hits, is_wanted)) + b"]}"

    def _parts(self, hits: Hits, is_wanted: IsWanted) -> Iterator[bytes]:
        if self._model is not None:
            texts = [hit.text for hit in hits]
            queries = [hits.query] * len(texts)
            compared = self._checks.check_comparisons(queries, texts, before=self._comparisons)
            self._comparisons += sum(compared)
        for hit in hits:
            record = _plain_hit(hit)
            if self._model is not None:
                stop_if_unwanted(is_wanted)
                record["explanation"] = explain(self._model(), hits.query, hit.text).to_dict()
            part = json_bytes(record)
            self._bytes += len(part)
            self._work.check_answer(self._bytes, FEWER_HITS)
            yield part


def _plain_hit(hit: Hit) -> dict[str, Any]:
    return {
        "id": hit.id,
        "score": hit.score,
        "text": hit.text,
        "rank": hit.rank,
        "metadata": {name: _plain(value) for name, value in hit.metadata.items()},
    }


def _plain(value: Any) -> Any:
    """A value that JSON can hold: a date becomes text; NaN and infinity become None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (str, int)) else str(value)

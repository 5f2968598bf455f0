"""What can be done with a frame of any library: join it with another, and dedupe it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

from fuzzbow.arrays import Integers
from fuzzbow.defaults import ALL_DETAILS, DEFAULT_THRESHOLD
from fuzzbow.encoding import column_of
from fuzzbow.integrations.columns import rows_to_keep
from fuzzbow.integrations.given_model import given_model


class FrameVerbs(ABC):
    """The verbs of one frame; libraries differ in how they are applied and rows are taken."""

    def __init__(self, frame: Any, model: Any = None) -> None:
        self._frame, self._model = frame, model

    @staticmethod
    @abstractmethod
    def _rows(frame: Any, positions: Integers) -> Any:
        """Some rows of a frame, by position."""

    def _apply(self, verb: Callable[..., Any], *others: Any) -> Any:
        """What a verb makes of the frame and others; a lazy frame defers it."""
        return verb(self._frame, *others)

    def join(
        self,
        right: Any,
        *,
        on: str | None = None,
        left_on: str | None = None,
        right_on: str | None = None,
        k: int = 1,
        threshold: float | None = None,
        how: str = "inner",
        one_to_one: bool = False,
        score: str = "score",
        reasons: bool = False,
        threads: int | None = None,
        model: Any = None,
    ) -> Any:
        """Each row with the rows of `right` that are most similar, as `Model.join` has them.

        Texts are in the columns `left_on` and `right_on`, or `on` if these are called the same. A
        row has up to `k` matches that score at least `threshold` (that of the purpose unless
        given), with `one_to_one` no row is matched twice; `how` is "inner", "left" or "anti".
        `score` names the column of the scores, `reasons` adds the words that match. `model` is the
        embedded one of the purpose "records" unless given. A missing text is taken as empty, with
        a warning, and matches nothing.
        """
        chosen = given_model(self._model if model is None else model, "records")

        def joined(left: Any, other: Any) -> Any:
            return chosen.join(
                left,
                other,
                on=on,
                left_on=left_on,
                right_on=right_on,
                k=k,
                threshold=threshold,
                how=how,
                one_to_one=one_to_one,
                score=score,
                reasons=reasons,
                threads=threads,
            )

        return self._apply(joined, right)

    def dedupe(
        self,
        column: str,
        *,
        threshold: float = DEFAULT_THRESHOLD,
        keep: str = "first",
        linkage: str = "leader",
        details: Iterable[str] = ALL_DETAILS,
        ignore_details: str | None = None,
        drop_empty: bool = False,
        threads: int | None = None,
        model: Any = None,
    ) -> Any:
        """The rows that stay when near-duplicates go, in their order, by the texts of `column`.

        Two texts are duplicates that score at least `threshold`, and agree in the `details` that
        `Model.duplicates` describes. `model` is the embedded one unless given.
        A row whose text is missing or blank stays, unless `drop_empty` is True.
        """
        chosen = given_model(self._model if model is None else model)

        def deduped(frame: Any) -> Any:
            positions = rows_to_keep(
                chosen,
                column_of(frame, column, "frame"),
                threshold=threshold,
                keep=keep,
                linkage=linkage,
                details=details,
                ignore_details=ignore_details,
                drop_empty=drop_empty,
                threads=threads,
            )
            return self._rows(frame, positions)

        return self._apply(deduped)

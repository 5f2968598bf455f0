"""Score the pairs of a file, a batch at a time."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from fuzzbow.arrays import Floats
from fuzzbow.encoding import TextList, check_texts, column_names, column_of, is_frame
from fuzzbow.errors import InputError
from fuzzbow.measures import Measure
from fuzzbow.progress import Progress, no_progress
from fuzzbow.tasks.added_column import RowReport, add_column, check_added
from fuzzbow.tasks.formats import Table, Write
from fuzzbow.tasks.text_columns import TextColumns

Side = TypeVar("Side")


def collection_sides(measure: Measure, *sides: Side) -> list[Side]:
    """The sides whose texts weigh words: all, the last one where there are queries, or none."""
    if not (measure.uses_collection and measure.depends_on_batch):
        return []
    return list(sides) if measure.symmetric else [sides[-1]]


def frame_texts(frame: Any, left: str, right: str, score: str) -> list[TextList]:
    """The texts of two columns of a frame that has no column called like the score."""
    if not is_frame(frame):
        raise InputError(
            f"frame must be one of pandas, Polars or Arrow; got {type(frame).__name__}:"
            " pairs(lefts, rights) scores lists"
        )
    check_added(column_names(frame), score, "frame")
    return [check_texts(column_of(frame, name, "frame"), name) for name in (left, right)]


class PairScores(Protocol):
    """Whoever knows the scores of pairs: a model, or one that has them already."""

    def pairs(self, lefts: list[str], rights: list[str], *, threads: int | None = None) -> Floats:
        """Similarity of `lefts` and `rights`, row by row: n texts, n texts -> (n,)."""
        ...


def score_table(
    model: PairScores,
    table: Table,
    write: Write,
    *,
    left: TextColumns,
    right: TextColumns,
    score: str = "score",
    threads: int | None = None,
    progress: Progress = no_progress,
) -> RowReport:
    """Score every row's two texts and write the row with its score; `progress` gets rows done."""

    def values(lefts: list[str], rights: list[str]) -> list[float]:
        scores: list[float] = model.pairs(lefts, rights, threads=threads).tolist()
        return scores

    return add_column(table, write, [left, right], score, values, progress=progress)

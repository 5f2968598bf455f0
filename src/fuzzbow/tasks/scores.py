"""Score the pairs of a file, a batch at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from fuzzbow.arrays import Floats
from fuzzbow.encoding import TextList, check_texts, column_names, column_of, is_frame
from fuzzbow.errors import InputError
from fuzzbow.measures import Measure
from fuzzbow.progress import Progress, unheard
from fuzzbow.tasks.formats import Records, Table, Write
from fuzzbow.tasks.text_columns import TextColumns

Side = TypeVar("Side")


@dataclass(frozen=True)
class ScoreReport:
    """What a run did: rows scored, and rows with no text on one side, which scored 0."""

    rows: int
    without_text: int


def check_added(columns: Sequence[str], added: str, place: str) -> None:
    """The column that is added must not be there."""
    if added in columns:
        raise InputError(f"{place}: has a column {added!r} already; name the score another way")


def collection_sides(measure: Measure, left: Side, right: Side) -> list[Side]:
    """The sides of pairs whose texts weigh words: both, the right one of queries, or none."""
    if not (measure.takes_collection and measure.by_call):
        return []
    return [left, right] if measure.symmetric else [right]


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
    progress: Progress = unheard,
) -> ScoreReport:
    """Score every row's two texts and write the row with its score; `progress` gets rows done."""
    rows = without_text = 0
    for records in table.batches:
        lefts, rights = left.texts(records, rows), right.texts(records, rows)
        scores = model.pairs(lefts, rights, threads=threads).tolist()
        write(_with_scores(records, score, scores))
        without_text += sum(
            not (a.strip() and b.strip()) for a, b in zip(lefts, rights, strict=True)
        )
        rows += len(records)
        progress(rows, table.total(rows))
    return ScoreReport(rows, without_text)


def _with_scores(records: Records, name: str, scores: list[float]) -> Records:
    return [record | {name: value} for record, value in zip(records, scores, strict=True)]

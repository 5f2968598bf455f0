"""Score the pairs of a file, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fuzzbow.errors import InputError, nearest
from fuzzbow.measures import TextMeasure
from fuzzbow.progress import Progress, unheard
from fuzzbow.tasks.formats import Record, Records, Table, Write


@dataclass(frozen=True)
class ScoreReport:
    """What a run did: rows scored, and rows with no text on one side, which scored 0."""

    rows: int
    without_text: int


def check_columns(table: Table, wanted: list[str], added: str, place: str) -> None:
    """The wanted columns must be there, and the added one must not."""
    check_text_columns(table.columns, wanted, place)
    if added in table.columns:
        raise InputError(f"{place}: has a column {added!r} already; name the score another way")


def check_text_columns(columns: list[str], wanted: list[str], place: str) -> None:
    """The wanted columns must be there."""
    for column in wanted:
        if column not in columns:
            raise InputError(
                f"{place}: column {column!r} is not there; there are"
                f" {', '.join(columns)}{nearest(column, columns)}"
            )


def collection_of(table: Table, columns: list[str]) -> Iterator[str]:
    """The texts of some columns of a file, row by row."""
    rows = 0
    for records in table.batches:
        for place, record in enumerate(records):
            for column in columns:
                yield text_of(record, column, rows + place)
        rows += len(records)


def score_table(
    model: TextMeasure,
    table: Table,
    write: Write,
    *,
    left: str,
    right: str,
    score: str = "score",
    threads: int | None = None,
    progress: Progress = unheard,
) -> ScoreReport:
    """Score every row's two texts and write the row with its score; `progress` gets rows done."""
    rows = without_text = 0
    for records in table.batches:
        lefts = [text_of(record, left, rows + place) for place, record in enumerate(records)]
        rights = [text_of(record, right, rows + place) for place, record in enumerate(records)]
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


def text_of(record: Record, column: str, row: int) -> str:
    """The text of a row; a missing one is empty."""
    value = record.get(column)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(
            f"column {column!r} must hold text; row {row + 1} has"
            f" {type(value).__name__}: {value!r:.40}"
        )
    return value

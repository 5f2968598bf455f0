"""The join of two files: the right one is held in memory, the left one streams by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fuzzbow.engine import limited_threads
from fuzzbow.errors import InputError
from fuzzbow.measures import TextMeasure
from fuzzbow.progress import Progress
from fuzzbow.tasks.formats import Record, Records, Table, Write
from fuzzbow.tasks.index import Index
from fuzzbow.tasks.join.best_scores import BestScores
from fuzzbow.tasks.join.frames import (
    REASON,
    check_join,
    check_reach,
    pair_reasons,
    right_names,
)
from fuzzbow.tasks.join.matches import (
    NOTHING,
    How,
    Matches,
    index_to_match,
    match_batches,
    match_one_to_one,
)
from fuzzbow.tasks.text_columns import TextColumns
from fuzzbow.text import whole_value


@dataclass(frozen=True)
class RightSide:
    """The rows of the file that is looked in, and the text of each."""

    columns: list[str]
    records: Records
    texts: list[str]
    without_text: int
    schema: Any = None

    def type_of(self, name: str) -> Any:
        """The Arrow type of a column, by all its values."""
        import pyarrow as pa

        if self.schema is not None:
            return self.schema.field(name).type
        try:
            kind = pa.array([whole_value(record.get(name)) for record in self.records]).type
        except (pa.ArrowException, TypeError, OverflowError) as error:
            raise InputError(f"column {name!r} must hold values of one type; {error}") from error
        return pa.string() if pa.types.is_null(kind) else kind


def read_right(table: Table, columns: TextColumns, progress: Progress) -> RightSide:
    """All rows of the file that is looked in."""
    records: Records = []
    texts: list[str] = []
    for batch in table.batches:
        texts += columns.texts(batch, len(texts))
        records += batch
        progress(len(records), table.total(len(records)))
    return RightSide(table.columns, records, texts, columns.missing, table.schema)


class FileJoin:
    """One join of two files; everything is checked before any row is read."""

    def __init__(
        self,
        model: TextMeasure,
        table: Table,
        right: RightSide,
        *,
        left_on: TextColumns,
        k: int,
        threshold: float,
        how: How,
        one_to_one: bool,
        score: str,
        reasons: bool,
        find: Callable[[list[str]], Matches] | None = None,
    ) -> None:
        """With `find`, the matches of the next texts come from there; else by a search.

        They may be below the threshold, down to the floor of `BestScores`.
        """
        check_join(k, one_to_one)
        self._find = find
        self.model, self.table, self.right = model, table, right
        self.left_on, self.k, self.threshold = left_on, k, check_reach(model.measure, threshold)
        self.best = BestScores(self.threshold)
        self.how, self.one_to_one, self.score = how, one_to_one, score
        self.reasons = reasons and how is not How.ANTI
        self._names = {} if how is How.ANTI else self._named()

    def _named(self) -> dict[str, str]:
        extra = [self.score, *([REASON] if self.reasons else [])]
        return right_names(self.table.columns, self.right.columns, extra)

    @cached_property
    def added(self) -> dict[str, Any]:
        """Columns behind those of the left side, with their types."""
        if self.how is How.ANTI:
            return {}
        beside = {new: self.right.type_of(name) for name, new in self._names.items()}
        return beside | {self.score: "double"} | ({REASON: "string"} if self.reasons else {})

    def write(
        self, write: Write | None, *, threads: int | None, progress: Progress
    ) -> dict[str, Any]:
        """Write the rows of the join, if there is a writer, and return what was found.

        Keys: rows of each kind, `threshold`, and `thresholds`, the left rows with a match at each.
        """
        counts: dict[str, Any] = {
            "left": 0,
            "right": len(self.right.records),
            "matched": 0,
            "rows": 0,
        }
        with limited_threads(threads):
            index = index_to_match(self.model, self.right.texts if self._find is None else [])
            for records, texts, found in self._parts(index):
                chosen = found.rows(self.how)
                if write is not None and len(chosen):
                    write(list(self._rows(index, records, texts, chosen)))
                counts["left"] += len(records)
                counts["matched"] += found.matched
                counts["rows"] += len(chosen)
                progress(counts["left"], self.table.total(counts["left"]))
        return counts | {
            "without_text": self.left_on.missing + self.right.without_text,
            "threshold": self.threshold,
            "thresholds": [
                {"threshold": at, "matched": matched} for at, matched in self.best.counts()
            ],
        }

    def _parts(self, index: Index) -> Iterator[tuple[Records, list[str], Matches]]:
        """Rows of the left side with their texts and matches."""
        batches = self.table.batches
        if self.one_to_one:  # which no row can decide alone
            batches = iter([[record for batch in batches for record in batch]])
        done = 0
        for records in batches:
            texts = self.left_on.texts(records, done)
            if self._find is not None:
                found = self._find(texts)
            elif self.one_to_one:
                found = match_one_to_one(index, texts, threshold=self.best.floor)
            else:
                found = next(match_batches(index, [texts], k=self.k, threshold=self.best.floor))
            self.best.add(found, texts, self.right.texts, done)
            yield records, texts, found.at_least(self.threshold)
            done += len(records)

    def _rows(
        self, index: Index, records: Records, texts: list[str], found: Matches
    ) -> Iterator[Record]:
        why = pair_reasons(index, texts, self.right.texts, found) if self.reasons else None
        columns = (found.left.tolist(), found.right.tolist(), found.score.tolist())
        for row, (a, b, score) in enumerate(zip(*columns, strict=True)):
            record = dict(records[a])
            if self.how is not How.ANTI:
                match = self.right.records[b] if b != NOTHING else {}
                record |= {new: match.get(name) for name, new in self._names.items()}
                record[self.score] = score if b != NOTHING else None
            if why is not None:
                record[REASON] = why[row]
            yield record

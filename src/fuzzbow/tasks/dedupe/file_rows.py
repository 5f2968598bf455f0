"""Dedupe the rows of a file: those that stay, and beside them those that go, with the reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, blocks
from fuzzbow.atomic import replacing_all
from fuzzbow.errors import InputError
from fuzzbow.paths import check_paths
from fuzzbow.plurals import counted
from fuzzbow.progress import Progress, no_progress
from fuzzbow.streams import WRITERS
from fuzzbow.tasks.dedupe.duplicates import Duplicates
from fuzzbow.tasks.dedupe.groups import Linkage
from fuzzbow.tasks.dedupe.removal import Keep
from fuzzbow.tasks.files import BATCH_ROWS, part_writer, read_table
from fuzzbow.tasks.formats import AS_IT_IS, Reading, Record, Records, Table, format_of
from fuzzbow.tasks.text_columns import TextColumns, check_text_columns

TEXT = "text"  # the column that holds the texts, unless it is named or the only one
# columns of a removed row: the row that stays for it, its text, their score, and why
DUPLICATE_OF = "duplicate_of"  # the id of the row, or its number from 1 on
ADDED = (DUPLICATE_OF, "duplicate_text", "duplicate_score", "duplicate_reason")
WITHOUT_TEXT = dict(zip(ADDED, (None, None, None, "no text"), strict=True))
TEXTS_AT_ONCE = 8 * BATCH_ROWS  # of rows that stay; those in shards are fetched together


class Column:
    """The texts of a file: one column, or several joined; read from one opening with its header.

    A missing value is an empty text.
    """

    def __init__(
        self,
        path: Path,
        given: TextColumns,
        table: Table,
        *,
        id_name: str | None = None,
        reading: Reading = AS_IT_IS,
    ) -> None:
        self.path, self.given, self.id_name = path, given, id_name
        self.columns, self.delimiter, self.reading = table.columns, table.delimiter, reading
        self.ids: list[Any] | None = None  # where they have a column, once the texts are read
        self.bad = table.bad
        self._unread: Table | None = table

    def table(self) -> Table:
        """The file at its first row; after the first time, opened again."""
        table, self._unread = self._unread, None
        return table or read_table(self.path, batch_rows=BATCH_ROWS, reading=self.reading)

    def texts(self, progress: Progress, *, keep: bool = True) -> list[str]:
        """All the texts; none of them where they are only to be counted and checked."""
        texts: list[str] = []
        rows = 0
        ids: list[Any] = []
        table = self.table()
        self.bad = table.bad
        for records in table.batches:
            some = self.given.texts(records, rows)
            rows += len(records)
            if keep:
                texts += some
            if self.id_name is not None:
                ids += [record.get(self.id_name) for record in records]
            progress(rows, table.total(rows))
        self.ids = None if self.id_name is None else ids
        return texts

    def id_of(self, row: int) -> Any:
        """What a row is called: its id, or its number from 1 on."""
        return row + 1 if self.ids is None else self.ids[row]

    @property
    def id_type(self) -> str:
        """The Arrow type of what rows are called."""
        numbers = self.ids is None or all(type(value) is int for value in self.ids)
        return "int64" if numbers else "string"


def find_column(
    path: Path,
    name: str | Sequence[str] | None = None,
    *,
    id_name: str | None = None,
    reading: Reading = AS_IT_IS,
) -> Column:
    """The named column or columns, the only one, or the one called `text`."""
    table = read_table(path, batch_rows=BATCH_ROWS, reading=reading)
    columns = table.columns
    given = [name] if isinstance(name, str) else list(name or [])
    only = [column for column in columns if column != id_name]
    chosen = given or [only[0] if len(only) == 1 else TEXT]
    if not given and chosen[0] not in columns:
        raise InputError(f"{path}: name the column of texts; there are {', '.join(columns)}")
    texts = TextColumns(chosen, columns, str(path))
    check_text_columns(columns, [] if id_name is None else [id_name], str(path))
    return Column(path, texts, table, id_name=id_name, reading=reading)


def removed_path(out: Path) -> Path:
    """Where the removed rows go: kept.csv.gz -> kept.removed.csv.gz."""
    compressed = out.suffix if out.suffix in WRITERS else ""
    base = Path(out.name[: len(out.name) - len(compressed)])
    return out.with_name(f"{base.stem}.removed{base.suffix}{compressed}")


def check_outputs(out: Path, column: Column) -> None:
    """The output must have a known format, and the input no column named like an added one."""
    format_of(out, writing=True)
    clash = [name for name in ADDED if name in column.columns]
    if clash:
        raise InputError(f"{column.path}: has columns {', '.join(clash)} already; rename them")


def write_rows(
    column: Column,
    found: Duplicates,
    out: Path,
    *,
    other: Column | None = None,
    keep: str | Keep = "first",
    linkage: str | Linkage = "leader",
    drop_empty: bool = False,
    progress: Progress = no_progress,
) -> int:
    """Write the rows that stay to `out`, and those that go to `removed_path(out)`; how many go.

    With `drop_empty` rows without a text go, too. Both files appear when both are complete; until
    then what was there stays. `other` is the column of the other data set, where there is one.
    """
    check_paths(
        inputs={"the input": column.path},
        outputs={"the kept rows": out, "the removed rows": removed_path(out)},
    )
    removed = found.removed(keep=keep, linkage=linkage)
    kept_of = other or column
    goes = _goes(found, keep, linkage, drop_empty)
    near = _notes(found, removed, kept_of, one_line=format_of(out).one_line)
    blank = found.collection.blank
    notes = (WITHOUT_TEXT if blank[row] else next(near) for row in np.flatnonzero(goes).tolist())
    kinds = (kept_of.id_type, "string", "double", "string")
    paths = [removed_path(out), out]
    source, rows = column.table(), 0
    with (
        replacing_all(paths) as written,
        part_writer(
            written[0], paths[0], source, dict(zip(ADDED, kinds, strict=True))
        ) as write_removed,
        part_writer(written[1], paths[1], source, {}) as write_kept,
    ):
        for records, gone in _marked(column.path, source, goes):
            # a file takes its types from its first rows, so never write an empty list
            if not all(gone):
                write_kept([record for record, goes in zip(records, gone, strict=True) if not goes])
            if any(gone):
                chosen = (record for record, goes in zip(records, gone, strict=True) if goes)
                write_removed([record | next(notes) for record in chosen])
            rows += len(records)
            progress(rows, len(found.texts))
    return int(np.count_nonzero(goes))


def kept_rows(
    column: Column,
    found: Duplicates,
    *,
    keep: str | Keep = "first",
    linkage: str | Linkage = "leader",
    drop_empty: bool = False,
) -> Iterator[Records]:
    """The rows that stay, in batches."""
    goes = _goes(found, keep, linkage, drop_empty)
    for records, gone in _marked(column.path, column.table(), goes):
        yield [record for record, goes in zip(records, gone, strict=True) if not goes]


def _goes(
    found: Duplicates, keep: str | Keep, linkage: str | Linkage, drop_empty: bool
) -> Booleans:
    """Which rows go: (rows,)."""
    goes = np.ones(len(found.texts), dtype=np.bool_)
    goes[found.kept(keep=keep, linkage=linkage, drop_empty=drop_empty)] = False
    return goes


def _marked(path: Path, source: Table, goes: Booleans) -> Iterator[tuple[Records, list[bool]]]:
    """Each batch of rows, and which of them go."""
    expected = len(goes)
    rows = 0
    for records in source.batches:
        rows += len(records)
        if rows > expected:
            break
        yield records, goes[rows - len(records) : rows].tolist()
    if rows != expected:
        raise InputError(f"{path}: changed while it was read; it had {counted(expected, 'row')}")


def _notes(found: Duplicates, removed: Any, column: Column, *, one_line: bool) -> Iterator[Record]:
    """The added columns of each removed row that is a duplicate."""
    kept = removed["kept"].to_numpy()
    reasons = found.sentences(removed["position"].to_numpy(), kept)
    scores = removed["score"].to_numpy().tolist()
    as_text = column.id_type == "string"
    places = kept + found.collection.shift
    texts = chain.from_iterable(
        found.collection.texts_at(places[part]) for part in blocks(len(kept), TEXTS_AT_ONCE)
    )
    for row, text, score, reason in zip(kept.tolist(), texts, scores, reasons, strict=True):
        name = column.id_of(row)
        name = str(name) if as_text and name is not None else name
        line = " ".join(text.split()) if one_line else text
        yield dict(zip(ADDED, (name, line, score, reason), strict=True))

"""Dedupe the rows of a file: those that stay, and beside them those that go, with the reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow.atomic import replacing_all
from fuzzbow.errors import InputError
from fuzzbow.paths import check_paths
from fuzzbow.progress import Progress, unheard
from fuzzbow.streams import WRITERS
from fuzzbow.tasks.dedupe.duplicates import Duplicates
from fuzzbow.tasks.dedupe.groups import Linkage
from fuzzbow.tasks.dedupe.removal import Keep
from fuzzbow.tasks.files import BATCH_ROWS, part_writer, read_table
from fuzzbow.tasks.formats import Record, Records, Table, format_of
from fuzzbow.tasks.scores import check_text_columns, text_of

TEXT = "text"  # the column that holds the texts, unless it is named or the only one
# columns of a removed row: the row that stays for it (from 1 on), its text, their score, and why
ADDED = {
    "duplicate_of": "int64",
    "duplicate_text": "string",
    "duplicate_score": "double",
    "duplicate_reason": "string",
}


class Column:
    """A column of texts in a file; its header and its texts are read from one opening."""

    def __init__(self, path: Path, name: str, table: Table) -> None:
        self.path, self.name, self.columns = path, name, table.columns
        self._unread: Table | None = table

    def table(self) -> Table:
        """The file at its first row; after the first time, opened again."""
        table, self._unread = self._unread, None
        return table or read_table(self.path, batch_rows=BATCH_ROWS)

    def texts(self, progress: Progress) -> list[str]:
        """All the texts; a missing one is empty."""
        texts: list[str] = []
        table = self.table()
        for records in table.batches:
            rows = enumerate(records, start=len(texts))
            texts += [text_of(record, self.name, row) for row, record in rows]
            progress(len(texts), table.rows)
        return texts


def find_column(path: Path, name: str | None) -> Column:
    """The named column, the only one, or the one called `text`."""
    table = read_table(path, batch_rows=BATCH_ROWS)
    columns = table.columns
    chosen = name or (columns[0] if len(columns) == 1 else TEXT)
    if name is None and chosen not in columns:
        raise InputError(f"{path}: name the column of texts; there are {', '.join(columns)}")
    check_text_columns(columns, [chosen], str(path))
    return Column(path, chosen, table)


def removed_path(out: Path) -> Path:
    """Where the removed rows go: kept.csv.gz -> kept.removed.csv.gz."""
    compressed = out.suffix if out.suffix in WRITERS else ""
    base = Path(out.name[: len(out.name) - len(compressed)])
    return out.with_name(f"{base.stem}.removed{base.suffix}{compressed}")


def check_outputs(out: Path, column: Column) -> None:
    """The output must have a known format, and the input no column named like an added one."""
    format_of(out)
    clash = [name for name in ADDED if name in column.columns]
    if clash:
        raise InputError(f"{column.path}: has columns {', '.join(clash)} already; rename them")


def write_rows(
    column: Column,
    found: Duplicates,
    out: Path,
    *,
    keep: str | Keep = "first",
    linkage: str | Linkage = "single",
    progress: Progress = unheard,
) -> int:
    """Write the rows that stay to `out`, and those that go to `removed_path(out)`; how many go.

    Both files appear when both are complete; until then what was there stays.
    """
    check_paths(
        inputs={"the input": column.path},
        outputs={"the kept rows": out, "the removed rows": removed_path(out)},
    )
    removed = found.removed(keep=keep, linkage=linkage)
    notes = _notes(found, removed, one_line=format_of(out).one_line)
    paths = [removed_path(out), out]
    source, rows = column.table(), 0
    with (
        replacing_all(paths) as written,
        part_writer(written[0], paths[0], source, ADDED) as write_removed,
        part_writer(written[1], paths[1], source, {}) as write_kept,
    ):
        for records, gone in _marked(column.path, source, removed["position"], len(found.texts)):
            # a file takes its types from its first rows, so never write an empty list
            if not all(gone):
                write_kept([record for record, goes in zip(records, gone, strict=True) if not goes])
            if any(gone):
                chosen = (record for record, goes in zip(records, gone, strict=True) if goes)
                write_removed([record | next(notes) for record in chosen])
            rows += len(records)
            progress(rows, len(found.texts))
    return len(removed)


def _marked(
    path: Path, source: Table, removed: Any, expected: int
) -> Iterator[tuple[Records, list[bool]]]:
    """Each batch of rows, and which of them go."""
    gone = np.zeros(expected, dtype=np.bool_)
    gone[removed.to_numpy()] = True
    rows = 0
    for records in source.batches:
        rows += len(records)
        if rows > expected:
            break
        yield records, gone[rows - len(records) : rows].tolist()
    if rows != expected:
        raise InputError(f"{path}: changed while it was read; it had {expected} rows")


def _notes(found: Duplicates, removed: Any, *, one_line: bool) -> Iterator[Record]:
    """The added columns of each removed row."""
    texts = found.texts if found.others is None else found.others
    kept = removed["kept"].to_numpy()
    reasons = found.sentences(removed["position"].to_numpy(), kept)
    scores = removed["score"].to_numpy().tolist()
    for row, score, reason in zip(kept.tolist(), scores, reasons, strict=True):
        text = " ".join(texts[row].split()) if one_line else texts[row]
        yield dict(zip(ADDED, (row + 1, text, score, reason), strict=True))

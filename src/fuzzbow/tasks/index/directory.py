"""The folder of an index: what it was made with, its rows, and how it comes to be."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fuzzbow.errors import InputError
from fuzzbow.model import Model
from fuzzbow.tasks.files import BATCH_ROWS
from fuzzbow.tasks.index import tokens
from fuzzbow.tasks.index.columns import check_distinct
from fuzzbow.tasks.index.fingerprint import fingerprint, recipe
from fuzzbow.tasks.index.rows import import_lance
from fuzzbow.tasks.index.sealed import read_sealed, write_sealed
from fuzzbow.tasks.index.seals import DATA, Seals
from fuzzbow.tasks.index.store import write_fragments

CARD = "index.json"  # says what the folder is
FORMAT = 1
FILE_ROWS = 8 * BATCH_ROWS  # rows of one file; so many are in memory while an index is written


def read_card(folder: Path) -> dict[str, Any]:
    """What an index was made with."""
    if not folder.is_dir():
        raise InputError(f"'{folder}' must be the folder of an index; there is none")
    if not (folder / CARD).exists():
        raise InputError(f"'{folder}' must be the folder of an index; it has no {CARD}")
    card = read_sealed(folder / CARD)
    if card.get("format") != FORMAT:
        raise InputError(
            f"'{folder / CARD}': the format must be {FORMAT}, which this version of fuzzbow reads;"
            f" got {card.get('format')!r}"
        )
    return card


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder beside `path` to fill, which takes its place at the end, or disappears."""
    if os.path.lexists(path) and (not path.is_dir() or any(path.iterdir())):
        raise InputError(f"'{path}' is there already; an index needs a new folder")
    if not path.parent.is_dir():
        raise InputError(f"output must be in an existing folder; there is no '{path.parent}'")
    beside = path.with_name(f".{path.name}.{os.getpid()}.partial")
    shutil.rmtree(beside, ignore_errors=True)
    try:
        beside.mkdir()
        yield beside
        beside.replace(path)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def write_index(
    path: Path,
    model: Model,
    schema: Any,
    tables: Iterable[tuple[Any, int]],
    *,
    source: str | None = None,
) -> None:
    """Write rows with tokens into a new index, which appears when it is complete.

    With each table comes the first id that is free after it.
    """
    import pyarrow as pa

    lance = import_lance()
    full = pa.schema([*schema, *tokens.fields()])
    with new_folder(path) as folder:
        place = str(folder / DATA)
        fragments: list[Any] = []
        ids: list[Any] = []
        next_id = 0
        for table, next_id in _gathered(tables, FILE_ROWS):  # noqa: B007
            fragments += write_fragments(place, table, new=True)
            ids += table.column("id").chunks
        check_distinct(pa.chunked_array(ids, schema.field("id").type))
        lance.LanceDataset.commit(place, lance.LanceOperation.Overwrite(full, fragments))
        lance.dataset(place)  # which fails where the disk was full
        write_sealed(
            folder / CARD,
            {
                "format": FORMAT,
                "fingerprint": fingerprint(model),
                "model": recipe(model, source),
            },
        )
        Seals(folder).seal(1, next_id)


def _gathered(tables: Iterable[tuple[Any, int]], rows: int) -> Iterator[tuple[Any, int]]:
    """Tables of about so many rows, out of smaller ones; empty ones are left out."""
    import pyarrow as pa

    waiting: list[Any] = []
    next_id = 0
    for table, next_id in tables:
        waiting += [table] if table.num_rows else []
        if sum(part.num_rows for part in waiting) >= rows:
            yield pa.concat_tables(waiting), next_id
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting), next_id

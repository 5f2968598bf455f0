"""The folder of an index: its files of rows, and the description of its model."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow.errors import InputError
from fuzzbow.index.documents import DocumentStream, token_fields
from fuzzbow.index.ids import first_free_id
from fuzzbow.index.location import Location, lance_options, redacting_errors
from fuzzbow.index.new_folder import new_folder
from fuzzbow.index.store import import_lance, own_fields
from fuzzbow.index.versions import (
    DATA,
    Checksums,
    apply,
    facts_of,
    files_of,
    newest_version,
    open_newest,
    open_version,
    versions_at,
    with_facts,
)
from fuzzbow.io.tables import BATCH_ROWS
from fuzzbow.measures import CLEANING, SPLITTING, TextMeasure
from fuzzbow.progress import Progress

FORMAT = 2
OLD_MANIFEST = "index.json"  # of format 1
STORAGE = "2.1"  # of the Lance file format
FILE_ROWS = 8 * BATCH_ROWS  # rows of one file; they are in memory while they are written
TOLERANCE = 1e-4  # axes and centroids differ in the last digits between machines
RULES = (SPLITTING, CLEANING, "constants")  # parts of a model's identity that fuzzbow decides


def is_index(folder: Location) -> bool:
    """Return whether a folder holds the rows of an index."""
    return bool(versions_at(folder))


def read_facts(folder: Location, *, older: bool = False) -> dict[str, Any]:
    """Read the format of an index, and the fingerprint and recipe of its model.

    With `older` the manifest of an older format is read, too.
    """
    if not is_index(folder):
        lack = f"it has no {DATA}" if folder.is_dir() else "there is none"
        raise InputError(f"'{folder}' must be the folder of an index; {lack}")
    if older and (folder / OLD_MANIFEST).is_file():
        found: dict[str, Any] = json.loads((folder / OLD_MANIFEST).read_bytes().splitlines()[1])
        return found
    _, facts = open_newest(folder, Checksums(folder))
    if facts["format"] != FORMAT:
        raise InputError(
            f"'{folder}': the format must be {FORMAT}, which this version of fuzzbow reads;"
            f" got {facts['format']!r}"
        )
    return facts


def write_index(
    path: Location,
    model: TextMeasure,
    schema: Any,
    tables: Iterable[Any],
    next_id: Callable[[], int],
) -> int:
    """Write rows with tokens into a new index, which appears when it is complete.

    `next_id` returns the first free id, after all tables have been read. Return the number of rows.
    """
    import pyarrow as pa

    lance = import_lance()
    facts = {"format": FORMAT, "fingerprint": model.identity(), "model": model.recipe()}
    with new_folder(path) as folder:
        fragments = write_fragments(folder / DATA, tables, new=True)
        full = pa.schema([*schema, *token_fields()])
        full = with_facts(full, facts, 1, fragments, next_id())
        apply(folder, lance.LanceOperation.Overwrite(full, fragments), 0)
        with redacting_errors(folder):
            dataset = open_version(folder, 1)  # which fails where the disk was full
        Checksums(folder).write(1, files_of(dataset))
    return sum(fragment.num_rows for fragment in fragments)


def write_batches(
    model: TextMeasure,
    batches: Iterator[Any],
    total: int | None = None,
    *,
    path: Location,
    progress: Progress | None = None,
    next_id: int = 0,
) -> None:
    """Write an index of texts that come in batches to a new folder, without opening it.

    Texts without ids are numbered from `next_id`.
    """
    model.measure.searcher(model.encoder)  # refuses a measure before any work is done
    new = DocumentStream(batches, model.encoder, next_id=next_id, progress=progress, total=total)
    write_index(path, model, new.schema, new.tables(), lambda: new.next_id)


def write_fragments(location: Location, tables: Iterable[Any], *, new: bool = False) -> list[Any]:
    """Write tables into files of a bounded size; `new` if the dataset has no version yet.

    If anything fails, the files are removed.
    """
    from lance.fragment import write_fragments as write

    options = lance_options(location) | {"mode": "create" if new else "append"}
    found: list[Any] = []
    try:
        for table in _merge_small(tables):
            with redacting_errors(location):
                fragments = write(table, str(location), data_storage_version=STORAGE, **options)
            found += fragments
            check_sizes(location, fragments)
    except BaseException:
        for fragment in found:
            for file in fragment.files:
                with suppress(OSError, InputError):
                    (location / "data" / file.path).unlink()
        raise
    return found


def _merge_small(tables: Iterable[Any]) -> Iterator[Any]:
    """Yield tables of about `FILE_ROWS` rows, joined from smaller ones."""
    import pyarrow as pa

    waiting: list[Any] = []
    for table in tables:
        waiting += [table] if table.num_rows else []
        if sum(part.num_rows for part in waiting) >= FILE_ROWS:
            yield pa.concat_tables(waiting)
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting)


def check_sizes(location: Location, fragments: Iterable[Any]) -> None:
    """Raise an OSError if a full disk cut a file of fragments short."""
    if isinstance(location, Path):
        for file in (file for fragment in fragments for file in fragment.files):
            path = location / "data" / file.path
            if path.stat().st_size != file.file_size_bytes:
                raise OSError(errno.ENOSPC, "the disk is full: a file was cut short", str(path))


def check_fingerprint(stored: dict[str, Any], model: TextMeasure, path: str) -> None:
    """Refuse a model that is not the one that made the index, and say what differs."""
    for part, value in model.identity().items():
        wanted = stored.get(part)
        if part == "universe" and wanted and value and wanted["shape"] == value["shape"]:
            if np.allclose(wanted["sample"], value["sample"], atol=TOLERANCE):
                continue
        elif wanted == value:
            continue
        if part in RULES:
            raise InputError(
                f"{path}: the index was built by other rules ({part}: {_format_part(wanted)}; now"
                f" {_format_part(value)}). Build it again from its own texts:"
                f" fuzzbow index rebuild {path}"
            )
        raise InputError(
            f"{path}: the index was made with other {part}; it needs"
            f" {_format_part(wanted)}, the model has {_format_part(value)}"
        )


def _format_part(value: Any) -> str:
    """Format a part of a fingerprint for a message."""
    if not isinstance(value, dict):
        return str(value)
    if "shape" in value:
        return f"one of shape {tuple(value['shape'])}"
    return ", ".join(f"{key} {item}" for key, item in value.items())


def stored_documents(
    folder: Location, version: int | None = None
) -> tuple[Iterator[Any], int, int]:
    """Read the rows of an index, also of one in an older layout.

    Return all rows in batches, of which the first is empty; the first free id; the number of rows.
    """
    import pyarrow as pa

    number = newest_version(folder) if version is None else version
    number = number or versions_at(folder)[-1]
    checksums = Checksums(folder)
    dataset = open_version(folder, number)
    facts = facts_of(dataset)
    if facts is not None:
        checksums.check(number, files_of(dataset))
    schema = own_fields(dataset.schema)
    ids = dataset.to_table(columns=["id"]).column(0)

    def batches() -> Iterator[Any]:
        yield schema.empty_table()  # it has the columns
        for batch in dataset.to_batches(columns=schema.names, batch_size=BATCH_ROWS):
            yield pa.Table.from_batches([batch], schema)

    return batches(), facts["next_id"] if facts else first_free_id(ids), dataset.count_rows()

"""The folder of an index: its card, which says what it was made with, and its files of rows."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from fuzzbow.errors import InputError
from fuzzbow.measures import CLEANING, SPLITTING, TextMeasure
from fuzzbow.tasks.files import BATCH_ROWS
from fuzzbow.tasks.index.commit import committing
from fuzzbow.tasks.index.encoded import token_fields
from fuzzbow.tasks.index.integrity import DATA
from fuzzbow.tasks.index.new_folder import new_folder
from fuzzbow.tasks.index.object_seals import seals_of
from fuzzbow.tasks.index.place import Place, lance_options, redacting_errors, sizes
from fuzzbow.tasks.index.rows import import_lance
from fuzzbow.tasks.index.sealed_file import read_sealed, write_sealed

CARD = "index.json"  # says what the folder is
FORMAT = 1
STORAGE = "2.1"  # of the Lance file format
FILE_ROWS = 8 * BATCH_ROWS  # rows of one file; so many are in memory while they are written
TOLERANCE = 1e-4  # axes and centroids are computed, and not to the last digit on every machine
RULES = (SPLITTING, CLEANING, "constants")  # parts of a model's identity that fuzzbow decides


def read_card(folder: Place) -> dict[str, Any]:
    """The card of an index: its format, and the model it was made with."""
    if not (folder / CARD).exists():
        lack = f"it has no {CARD}" if folder.is_dir() else "there is none"
        raise InputError(f"'{folder}' must be the folder of an index; {lack}")
    card = read_sealed(folder / CARD)
    if card.get("format") != FORMAT:
        raise InputError(
            f"'{folder / CARD}': the format must be {FORMAT}, which this version of fuzzbow reads;"
            f" got {card.get('format')!r}"
        )
    return card


def is_index(folder: Place) -> bool:
    """Whether a folder is an index, by its card."""
    return (folder / CARD).is_file()


def write_index(
    path: Place,
    model: TextMeasure,
    schema: Any,
    tables: Iterable[Any],
    *,
    next_id: Callable[[], int],
) -> None:
    """Write rows with tokens into a new index, which appears when it is complete.

    `next_id` gives the first id that is free, once all tables were taken.
    """
    import pyarrow as pa

    lance = import_lance()
    full = pa.schema([*schema, *token_fields()])
    with new_folder(path) as folder:
        place, options, seals = folder / DATA, lance_options(path), seals_of(folder)
        fragments = write_fragments(place, tables, new=True)
        with committing(folder):
            first = lance.LanceOperation.Overwrite(full, fragments)
            lance.LanceDataset.commit(str(place), first, **options)
        with redacting_errors(folder):
            dataset = lance.dataset(str(place), **options)  # which fails where the disk was full
        seals.seal(dataset, next_id())
        card = {"format": FORMAT, "fingerprint": model.identity(), "model": model.recipe()}
        write_sealed(folder / CARD, card, new=True)


def write_fragments(place: Place, tables: Iterable[Any], *, new: bool = False) -> list[Any]:
    """Write tables into files of a bounded size; `new` where there is no version at all."""
    from lance.fragment import write_fragments as write

    options = lance_options(place) | {"mode": "create" if new else "append"}
    found: list[Any] = []
    for table in _gathered(tables):
        with redacting_errors(place):
            fragments = write(table, str(place), data_storage_version=STORAGE, **options)
        check_sizes(place, fragments)
        found += fragments
    return found


def _gathered(tables: Iterable[Any]) -> Iterator[Any]:
    """Tables of about `FILE_ROWS` rows, out of smaller ones; empty ones are left out."""
    import pyarrow as pa

    waiting: list[Any] = []
    for table in tables:
        waiting += [table] if table.num_rows else []
        if sum(part.num_rows for part in waiting) >= FILE_ROWS:
            yield pa.concat_tables(waiting)
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting)


def check_sizes(place: Place, fragments: Iterable[Any]) -> None:
    """The files of fragments must be as long as they were meant to be."""
    files = (file for fragment in fragments for file in fragment.files)
    wanted = {f"data/{file.path}": file.file_size_bytes for file in files}
    for name, size in sizes(place, wanted).items():
        if size != wanted[name]:
            raise OSError(errno.ENOSPC, "the disk is full: a file was cut short", str(place / name))


def check_fingerprint(stored: dict[str, Any], model: TextMeasure, place: str) -> None:
    """Refuse a model that is not the one that made the index, and say what differs."""
    for part, value in model.identity().items():
        wanted = stored.get(part)
        if _close(wanted, value) if part == "universe" else wanted == value:
            continue
        if part in RULES:
            raise InputError(
                f"{place}: the index was built by other rules ({part}: {_shown(wanted)}; now"
                f" {_shown(value)}). Build it again from its own texts:"
                f" fuzzbow index rebuild {place}"
            )
        raise InputError(
            f"{place}: the index was made with other {part}; it needs"
            f" {_shown(wanted)}, the model has {_shown(value)}"
        )


def _close(a: Any, b: Any) -> bool:
    """Whether two universes are the same but for rounding."""
    if a is None or b is None or a["shape"] != b["shape"]:
        return a is b
    return bool(np.allclose(a["sample"], b["sample"], atol=TOLERANCE))


def _shown(value: Any) -> str:
    """A part of a fingerprint for a message."""
    if isinstance(value, dict) and "shape" in value:
        return f"one of shape {tuple(value['shape'])}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {item}" for key, item in value.items())
    return str(value)

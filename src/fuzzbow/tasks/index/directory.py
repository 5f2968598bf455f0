"""The folder of an index: what it was made with, its rows, and how it comes to be."""

from __future__ import annotations

import glob
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from fuzzbow.errors import InputError
from fuzzbow.model import Model
from fuzzbow.tasks.index import tokens
from fuzzbow.tasks.index.fingerprint import fingerprint, recipe
from fuzzbow.tasks.index.fragments import write_fragments
from fuzzbow.tasks.index.guard import try_lock
from fuzzbow.tasks.index.rows import import_lance
from fuzzbow.tasks.index.sealed import read_sealed, write_sealed
from fuzzbow.tasks.index.seals import DATA, Seals
from fuzzbow.tasks.index.store import LOCK

CARD = "index.json"  # says what the folder is
FORMAT = 1


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


def is_index(folder: Path) -> bool:
    """Whether a folder is an index, by its card."""
    return (folder / CARD).is_file()


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder beside `path` to fill, which takes its place at the end, or disappears."""
    if os.path.lexists(path) and (not path.is_dir() or any(path.iterdir())):
        raise InputError(f"'{path}' is there already; an index needs a new folder")
    if not path.parent.is_dir():
        raise InputError(f"output must be in an existing folder; there is no '{path.parent}'")
    remove_abandoned(path)
    beside, handle = _begun(path)
    try:
        yield beside
        beside.replace(path)
    finally:
        os.close(handle)
        shutil.rmtree(beside, ignore_errors=True)


def remove_abandoned(path: Path) -> None:
    """Remove folders beside `path` whose writers died: nobody holds their locks any more."""
    for beside in path.parent.glob(f".{glob.escape(path.name)}.*.partial"):
        if not beside.is_dir() or beside.is_symlink():
            continue
        with suppress(OSError):
            handle = os.open(beside / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                if try_lock(handle):
                    shutil.rmtree(beside, ignore_errors=True)
            finally:
                os.close(handle)


def _begun(path: Path) -> tuple[Path, int]:
    """A new folder beside `path`, and the handle of its lock, which is held."""
    while True:
        beside = path.with_name(f".{path.name}.{secrets.token_hex(8)}.partial")
        beside.mkdir()
        with suppress(FileNotFoundError):  # taken for an abandoned one before it was locked
            handle = os.open(beside / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
            if try_lock(handle) and (beside / LOCK).exists():
                return beside, handle
            os.close(handle)


def write_index(
    path: Path,
    model: Model,
    schema: Any,
    tables: Iterable[Any],
    *,
    next_id: Callable[[], int],
    source: str | None = None,
) -> None:
    """Write rows with tokens into a new index, which appears when it is complete.

    `next_id` gives the first id that is free, once all tables were taken.
    """
    import pyarrow as pa

    lance = import_lance()
    full = pa.schema([*schema, *tokens.fields()])
    with new_folder(path) as folder:
        place = str(folder / DATA)
        fragments = write_fragments(place, tables, new=True)
        lance.LanceDataset.commit(place, lance.LanceOperation.Overwrite(full, fragments))
        dataset = lance.dataset(place)  # which fails where the disk was full
        write_sealed(
            folder / CARD,
            {
                "format": FORMAT,
                "fingerprint": fingerprint(model),
                "model": recipe(model, source),
            },
        )
        Seals(folder).seal(dataset, next_id())

"""The folder of an index: its card, which says what it was made with, and its files of rows."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from fuzzbow.errors import InputError
from fuzzbow.measures import SPLITTING, TextMeasure
from fuzzbow.tasks.files import BATCH_ROWS
from fuzzbow.tasks.index.commit import committing
from fuzzbow.tasks.index.encoded import token_fields
from fuzzbow.tasks.index.integrity import DATA
from fuzzbow.tasks.index.new_folder import new_folder
from fuzzbow.tasks.index.object_seals import seals_of
from fuzzbow.tasks.index.place import Place, lance_options, sizes, told_without_secrets
from fuzzbow.tasks.index.rows import import_lance
from fuzzbow.tasks.index.sealed_file import read_sealed, write_sealed
from fuzzbow.text import FIRST_RULES

CARD = "index.json"  # says what the folder is
FORMAT = 1
STORAGE = "2.1"  # of the Lance file format
FILE_ROWS = 8 * BATCH_ROWS  # rows of one file; so many are in memory while they are written
TOLERANCE = 1e-4  # axes and centroids are computed, and not to the last digit on every machine

# versions of the rules of splitting, older and newer: what a text must have to be split differently
CHANGED_BY_RULES = {
    (FIRST_RULES, 2): (r"[\p{M}\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
}

# what version 0.1 had, whose indexes do not say it
FIRST_CONSTANTS = {
    "sif a": 1e-3,
    "usif length": 11,
    "whitening": 1,
    "smallest weight": 1e-9,
    "letters": 1,
}


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
        with told_without_secrets(folder):
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
        with told_without_secrets(place):
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
        if part == SPLITTING:  # by check_splitting: it may make no difference to the texts
            continue
        if part == "constants" and part not in stored:
            wanted = {name: FIRST_CONSTANTS.get(name) for name in value}
        if not _same(part, wanted, value, old="constants" not in stored):
            raise InputError(
                f"{place}: the index was made with other {part}; it needs"
                f" {_shown(wanted)}, the model has {_shown(value)}"
            )


def check_splitting(
    stored: dict[str, Any], model: TextMeasure, texts: Callable[[], Iterator[Any]], place: str
) -> None:
    """Refuse an index whose texts other rules split into words than the model's.

    Where both are known, and the newer differ only in some scripts, `texts`, Arrow arrays, may be
    without these: then the words are the same.
    """
    made_by, now = stored.get(SPLITTING, FIRST_RULES), model.identity()[SPLITTING]
    if made_by == now:
        return
    changed = CHANGED_BY_RULES.get((made_by, now))
    if changed is None or any(_matches(part, changed) for part in texts()):
        raise InputError(
            f"{place}: its texts were split into words by rules of version {made_by}, and the model"
            f" has version {now}: build the index again from its texts"
        )


def _matches(texts: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(texts, pattern)).as_py())


def _same(part: str, wanted: Any, value: Any, *, old: bool) -> bool:
    if part == "universe":
        return _close(wanted, value)
    if part == "measure" and old and isinstance(wanted, dict):  # which named fewer options
        return all(value.get(option) == choice for option, choice in wanted.items())
    return bool(wanted == value)


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

"""Versions of the rows of an index: each is a Lance commit on top of the version before it.

Lance would rebase a commit on top of what another writer committed meanwhile, so that ids could
be given twice. But its `Merge` operation conflicts with every other commit, on a disk and in an
object store. So each change ends with a `Merge`, whose schema metadata hold the facts of the index
and the number of the version. `Merge` can neither drop nor reorder fragments: where a change does,
another commit prepares it. A prepared version has the facts of another one, so it is never opened,
and it is removed at the end. If its writer dies, the next writer restores the version before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fuzzbow.errors import DataError, InputError, LockedError
from fuzzbow.index.location import Location, lance_options, reason_of, redacting_errors
from fuzzbow.index.lock import uninterrupted
from fuzzbow.index.store import import_lance

DATA = "rows.lance"
VERSIONS = f"{DATA}/_versions"
FACTS = b"fuzzbow"  # key of the facts in the metadata of the schema
LAST_MANIFEST = 2**64 - 1  # Lance counts the names of manifests down from here


def manifest(version: int) -> str:
    """Return the name of the file that lists what a version consists of."""
    return f"{VERSIONS}/{LAST_MANIFEST - version:020d}.manifest"


def versions_at(folder: Location) -> list[int]:
    """Return the numbers of all versions whose manifests exist, also of prepared ones."""
    names = (path.name.partition(".")[0] for path in (folder / VERSIONS).glob("*.manifest"))
    return sorted(LAST_MANIFEST - int(name) for name in names if name.isdigit())


def open_version(folder: Location, version: int) -> Any:
    """Open a version as a Lance dataset."""
    path = folder / DATA
    try:
        return import_lance().dataset(str(path), version=version, **lance_options(path))
    except (ValueError, OSError) as error:
        reason = reason_of(path, error)
        raise DataError(f"'{folder / manifest(version)}' is damaged: {reason}") from error


def facts_of(dataset: Any) -> dict[str, Any] | None:
    """Return the facts of a version; None if it was only prepared or is of another layout."""
    try:
        facts: dict[str, Any] = json.loads((dataset.schema.metadata or {}).get(FACTS, b"{}"))
    except ValueError as error:
        path = f"{dataset.uri}{manifest(dataset.version).removeprefix(DATA)}"
        raise DataError(f"'{path}' is damaged: {error}") from error
    return facts if facts.get("version") == dataset.version else None


def newest_version(folder: Location) -> int:
    """Return the number of the newest complete version; 0 if there is none."""
    found = (version for version in reversed(versions_at(folder)) if _facts_at(folder, version))
    return next(found, 0)


def _facts_at(folder: Location, version: int) -> dict[str, Any] | None:
    """Return the facts of a version; None also if it was removed meanwhile."""
    try:
        return facts_of(open_version(folder, version))
    except DataError:
        if version in versions_at(folder):
            raise
        return None


def with_facts(schema: Any, facts: dict[str, Any]) -> Any:
    """Return the Lance schema with the facts of the new version as metadata."""
    from lance.schema import LanceSchema

    return LanceSchema.from_pyarrow(schema.with_metadata({FACTS: json.dumps(facts)}))


def apply(folder: Location, operation: Any, before: int) -> Any:
    """Commit an operation as the version after `before`, or raise a LockedError."""
    path = folder / DATA
    with committing(folder):
        dataset = import_lance().LanceDataset.commit(
            str(path), operation, read_version=before or None, max_retries=1, **lance_options(path)
        )
        if dataset.version != before + 1:
            raise conflict_error(folder)
    return dataset


def check_followed(folder: Location, version: int, identity: str) -> None:
    """Raise a LockedError if a version is not the newest one, nor the one before the next.

    In an object store a slow writer may reuse the number of a version that another writer committed
    and removed since. Newer versions then exist that do not contain its change.
    """
    there = versions_at(folder)
    if isinstance(folder, Path) or version not in there:
        return
    for number in there[there.index(version) + 1 :]:
        later = _facts_at(folder, number)
        if later is not None:
            if later["after"] != identity:
                (folder / manifest(version)).unlink()
                raise conflict_error(folder)
            return


def conflict_error(folder: Location) -> LockedError:
    """Return the error for a commit that another writer preceded."""
    return LockedError(f"'{folder}' was written by another process meanwhile; nothing was changed")


def older_layout(folder: Location) -> InputError:
    """Return the error for an index in an unsupported older layout."""
    return InputError(
        f"'{folder}' was built by an older version of fuzzbow. Build it again from its own texts:"
        f" fuzzbow index rebuild {folder}"
    )


@contextmanager
def committing(folder: Location) -> Iterator[None]:
    """Delay interruptions until Lance has committed, and convert its errors."""
    from lance.commit import CommitConflictError

    with uninterrupted(), redacting_errors(folder):
        try:
            yield
        except CommitConflictError as error:
            raise conflict_error(folder) from error

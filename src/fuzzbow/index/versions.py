"""Versions of the rows of an index: their commits, and digests of their files on a disk.

Each version is a Lance commit on top of the one before it. Lance would rebase a commit on top of
what another writer committed meanwhile, so that ids could be given twice. But its `Merge` operation
conflicts with every other commit, on a disk and in an object store. So each change ends with a
`Merge`, whose schema metadata hold the facts of the index and the number of the version. `Merge`
can neither drop nor reorder fragments: where a change does, another commit prepares it. A prepared
version has the facts of another one, so it is never opened, and it is removed at the end. If its
writer dies, the next writer restores the version before it.

Lance does not check content. So on a disk the digests of all files of a version are written to a
list after its commit, and compared when the version is opened, that of the manifest before Lance
reads it. A process that dies between commit and list leaves a version without a list, whose new
files are accepted; the next writer writes the list. Object stores check their content themselves.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fuzzbow.errors import DataError, InputError, LockedError
from fuzzbow.index.location import (
    Location,
    digest_of,
    lance_options,
    read_checked,
    reason_of,
    redacting_errors,
    write_checked,
)
from fuzzbow.index.lock import uninterrupted
from fuzzbow.index.store import import_lance

DATA = "rows.lance"
VERSIONS = f"{DATA}/_versions"
CHECKS = "checks"  # folder of the lists of digests
FACTS = b"fuzzbow"  # key of the facts in the metadata of the schema
LAST_MANIFEST = 2**64 - 1  # Lance counts the names of manifests down from here


def manifest(version: int) -> str:
    """Return the file name of the manifest of a version."""
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
    return next((n for n in reversed(versions_at(folder)) if _facts_at(folder, n)), 0)


def _facts_at(folder: Location, version: int) -> dict[str, Any] | None:
    """Return the facts of a version; None also if it was removed meanwhile."""
    try:
        return facts_of(open_version(folder, version))
    except DataError:
        if version in versions_at(folder):
            raise
        return None


def with_facts(
    schema: Any, facts: dict[str, Any], version: int, fragments: list[Any], next_id: int
) -> Any:
    """Return the Lance schema with the facts of a new version as metadata.

    They are those of the previous version, updated.
    """
    from lance.schema import LanceSchema

    changed = {
        "version": version,
        "id": secrets.token_hex(8),
        "after": facts.get("id"),  # of the version before it
        "created": time.time(),
        "texts": sum(fragment.num_rows for fragment in fragments),
        "next_id": next_id,
    }
    return LanceSchema.from_pyarrow(schema.with_metadata({FACTS: json.dumps(facts | changed)}))


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


def check_followed(folder: Location, dataset: Any) -> None:
    """Raise a LockedError if the next version does not follow this one.

    In an object store a slow writer may reuse the number of a version that another writer committed
    and removed since. Newer versions then exist that do not contain its change.
    """
    version, facts = dataset.version, facts_of(dataset) or {}
    there = versions_at(folder)
    if isinstance(folder, Path) or version not in there:
        return
    for number in there[there.index(version) + 1 :]:
        later = _facts_at(folder, number)
        if later is not None:
            if later["after"] != facts.get("id"):
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


class Checksums:
    """Digests of the files of an index on a disk, with a list for each version."""

    def __init__(self, folder: Location) -> None:
        self._folder = folder if isinstance(folder, Path) else None
        self._lists: dict[int, dict[str, str]] = {}  # the last one that was read or written

    def versions(self) -> list[int]:
        """Return the versions that have a list of digests, in order."""
        found = self._folder.glob(f"{CHECKS}/*.json") if self._folder else []
        return sorted(int(path.stem) for path in found if path.stem.isdigit())

    def check(self, version: int, names: Iterable[str]) -> None:
        """Raise DataError if files of a version are missing or changed."""
        if self._folder is None:
            return
        listed, known = self._of(version)
        for name, digest in _digests(self._folder, names).items():
            path = self._folder / name
            if listed == version and name not in known:
                raise DataError(f"'{path}' is not in '{self._list(version)}'")
            if digest is None:
                raise DataError(f"'{path}' is missing from the index")
            if digest != known.get(name, digest):
                raise DataError(f"'{path}' is damaged: its content is not what was written")

    def write(self, version: int, names: Iterable[str]) -> None:
        """Write the list of a version, and flush its new files to the disk."""
        if self._folder is None:
            return
        listed, known = self._of(version)
        if listed == version:
            return
        wanted = {*names}
        digests = {name: digest for name, digest in known.items() if name in wanted}
        for name, digest in _digests(self._folder, wanted - {*known}, sync=True).items():
            if digest is None:
                raise FileNotFoundError(f"'{self._folder / name}' is missing from the index")
            digests[name] = digest
        (self._folder / CHECKS).mkdir(exist_ok=True)
        write_checked(self._list(version), {"files": digests})
        self._lists = {version: digests}

    def remove(self, version: int) -> None:
        """Remove the list of a version."""
        if self._folder is not None:
            self._list(version).unlink(missing_ok=True)

    def _list(self, version: int) -> Path:
        return Path(str(self._folder), CHECKS, f"{version}.json")

    def _of(self, version: int) -> tuple[int, dict[str, str]]:
        """Return the last list up to a version: the version of the list, and its digests."""
        if version not in self._lists:
            version = max((number for number in self.versions() if number <= version), default=0)
        if version and version not in self._lists:
            self._lists = {version: read_checked(self._list(version))["files"]}
        return version, self._lists.get(version, {})


def _digests(folder: Path, names: Iterable[str], *, sync: bool = False) -> dict[str, str | None]:
    """Return digests of files; None for one that is missing."""

    def digest(name: str) -> tuple[str, str | None]:
        try:
            return name, digest_of(folder / name, sync=sync)
        except (FileNotFoundError, IsADirectoryError):
            return name, None

    with ThreadPoolExecutor() as pool:
        return dict(pool.map(digest, names))


def checked_version(folder: Location, version: int, checksums: Checksums) -> Any:
    """Open a version after checking its manifest; Lance reads no other."""
    checksums.check(version, [manifest(version)])
    return open_version(folder, version)


def open_newest(folder: Location, checksums: Checksums) -> tuple[Any, dict[str, Any]]:
    """Open the newest version that was not only prepared; return it and its facts."""
    listed, there = checksums.versions(), versions_at(folder)
    if not there or (listed and listed[-1] > there[-1]):
        missing = folder / manifest(listed[-1] if listed else 1)
        raise DataError(f"'{missing}' is missing from the index")
    for version in reversed(there):
        try:
            dataset = checked_version(folder, version, checksums)
        except DataError:
            if version not in versions_at(folder):  # was only prepared, and removed meanwhile
                continue
            raise
        if (facts := facts_of(dataset)) is not None:
            return dataset, facts
    raise older_layout(folder)


def files_of(dataset: Any) -> list[str]:
    """Return the names of the manifest, data and deletion files of a version."""
    found = [manifest(dataset.version)]
    for fragment in dataset.get_fragments():
        facts = fragment.metadata
        found += [f"{DATA}/data/{file.path}" for file in facts.files]
        if facts.deletion_file is not None:
            found.append(f"{DATA}/{facts.deletion_file.path(facts.id)}")
    return found

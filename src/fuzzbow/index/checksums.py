"""Checksums of the files of an index on a local disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from fuzzbow.errors import DataError
from fuzzbow.index.commit import (
    DATA,
    facts_of,
    manifest,
    older_layout,
    open_version,
    versions_at,
)
from fuzzbow.index.location import Location, digest_of, read_checked, write_checked

CHECKS = "checks"  # folder of the lists


class Checksums:
    """Digests of the files of an index: one list for each version.

    Lance does not check content. So the digests of all files of a version are written after its
    commit, and compared when the version is opened, that of the manifest before Lance reads it. A
    process that dies between commit and list leaves a version without a list, whose new files are
    accepted; the next writer writes the list. Object stores check their content themselves, so
    there are no lists in them.
    """

    def __init__(self, folder: Location) -> None:
        self._folder = folder
        self._read: dict[int, dict[str, str]] = {}

    def versions(self) -> list[int]:
        """Return the versions that have a list of digests, in order."""
        if not isinstance(self._folder, Path):
            return []
        names = (path.name.partition(".")[0] for path in (self._folder / CHECKS).glob("*.json"))
        return sorted(int(name) for name in names if name.isdigit())

    def check(self, version: int, names: Iterable[str]) -> None:
        """Raise DataError if files of a version are missing or changed."""
        if not isinstance(self._folder, Path):
            return
        listed, digests = self._of(version)
        wanted = list(names)
        for name in wanted:
            if listed == version and name not in digests:
                raise DataError(f"'{self._folder / name}' is not in '{self._list(version)}'")
        known = [name for name in wanted if name in digests]
        for name, digest in _digests(self._folder, known).items():
            if digest is None:
                raise DataError(f"'{self._folder / name}' is missing from the index")
            if digest != digests[name]:
                raise DataError(
                    f"'{self._folder / name}' is damaged: its content is not what was written"
                )

    def write(self, version: int, names: Iterable[str]) -> None:
        """Write the list of a version, and flush its new files to the disk."""
        if not isinstance(self._folder, Path):
            return
        listed, known = self._of(version)
        if listed == version:
            return
        wanted = set(names)
        found = _digests(self._folder, sorted(wanted - {*known}), sync=True)
        digests = {name: known[name] for name in wanted & {*known}}
        for name, digest in found.items():
            if digest is None:
                raise FileNotFoundError(f"'{self._folder / name}' is missing from the index")
            digests[name] = digest
        (self._folder / CHECKS).mkdir(exist_ok=True)
        write_checked(self._list(version), {"files": digests})
        self._read = {version: digests}

    def remove(self, version: int) -> None:
        """Remove the list of a version."""
        if isinstance(self._folder, Path):
            self._list(version).unlink(missing_ok=True)

    def _list(self, version: int) -> Path:
        return Path(str(self._folder), CHECKS, f"{version}.json")

    def _of(self, version: int) -> tuple[int, dict[str, str]]:
        """Return the last list up to a version: the version of the list, and its digests."""
        if version in self._read:
            return version, self._read[version]
        listed = [number for number in self.versions() if number <= version]
        if not listed:
            return 0, {}
        if listed[-1] not in self._read:
            files = read_checked(self._list(listed[-1]))["files"]
            self._read = {listed[-1]: files}
        return listed[-1], self._read[listed[-1]]


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


def _digests(folder: Path, names: list[str], *, sync: bool = False) -> dict[str, str | None]:
    """Return digests of files; None for one that is missing."""
    digest: Callable[[Path], str | None] = partial(_digest_or_none, sync=sync)
    with ThreadPoolExecutor() as pool:
        return dict(zip(names, pool.map(digest, (folder / name for name in names)), strict=True))


def _digest_or_none(path: Path, sync: bool) -> str | None:
    try:
        return digest_of(path, sync=sync)
    except (FileNotFoundError, IsADirectoryError):
        return None

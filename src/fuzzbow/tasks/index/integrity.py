"""Which files an index has, whether they are what was written, and which nobody needs.

Lance checks no content. So after each commit the digests of the new files are written down, one
list for each version. Whoever opens a version compares its manifest, before Lance reads it, and
the files that it refers to. A process that dies between commit and list leaves files without a
digest; these are taken as they are, and the next writer seals them.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from fuzzbow.errors import DataError
from fuzzbow.tasks.index.ids import LARGEST_COUNTED
from fuzzbow.tasks.index.place import Place, digests_of, lance_options, redacting_errors
from fuzzbow.tasks.index.rows import import_lance
from fuzzbow.tasks.index.sealed_file import read_sealed, write_sealed

DATA = "rows.lance"
CHECKS = "checks"  # folder of the lists
VERSIONS = f"{DATA}/_versions"
FILES = (f"{DATA}/data", f"{DATA}/_deletions", VERSIONS)
KINDS = (".lance", ".manifest", ".arrow", ".bin")  # of files that are never written twice
LAST_VERSION = 2**64 - 1  # Lance counts the names of manifests down from here
HINT = "latest_version_hint.json"  # Lance believes it unchecked, and does without


class Checksums:
    """The lists of digests of one index, which are read once and then added to."""

    def __init__(self, folder: Place) -> None:
        self._folder = folder
        self._lists = folder / CHECKS
        self.next_id = 0
        self.lost_count = False  # an old list holds a next id too large to go on from
        self.oldest = 0  # versions before it are removed, or about to be
        self.removing = False  # somebody began to remove them, and may not have ended
        self._digests: dict[str, str] = {}
        self.versions: list[int] = []  # that have a list, oldest first
        self.void: set[int] = set()  # versions that were given up; nobody reads them
        self._take_new()

    def _take_new(self) -> None:
        """Read the lists that were not read before."""
        new = sorted({*self._numbers_of_lists()} - {*self.versions, *self.void})
        with ThreadPoolExecutor() as pool:
            seals = pool.map(lambda version: read_sealed(self._list(version)), new)
            for version, seal in zip(new, seals, strict=True):
                self._take(version, seal)
        self.versions.sort()

    def _numbers_of_lists(self) -> list[int]:
        """The versions that have a list, of whichever kind."""
        return numbers(path.name for path in self._lists.glob("*.json"))

    def _take(self, version: int, seal: dict[str, Any]) -> None:
        if seal.get("void"):
            self.void.add(version)
            return
        self.versions.append(version)
        self._digests.update(seal["files"])
        if seal["next_id"] <= LARGEST_COUNTED:
            self.next_id = max(self.next_id, seal["next_id"])
        else:
            self.lost_count = True
        self.oldest = max(self.oldest, seal.get("oldest", 0))
        self.removing = self.removing or seal.get("removing", False)

    def _list(self, version: int) -> Place:
        return self._lists / f"{version}.json"

    def there(self) -> list[int]:
        """The versions that were committed and are still there."""
        return [version for version in manifests(self._folder) if version not in self.void]

    def newest(self) -> int:
        """The newest version, which must not be older than what was committed."""
        if not self.versions:
            raise DataError(f"'{self._lists}' is missing from the index")
        there = self.there()
        if not there or max(there) < self.versions[-1]:
            missing = self._folder / manifest(self.versions[-1])
            raise DataError(f"'{missing}' is missing from the index")
        return max(there)

    def check_manifest(self, version: int) -> None:
        """Refuse a version whose manifest is missing or changed, before Lance reads it."""
        name = manifest(version)
        given_up = version in self.void
        if given_up or (name not in self._digests and not (self._folder / name).exists()):
            raise DataError(f"'{self._folder}' has no version {version}")
        if version < self.oldest:
            raise DataError(f"'{self._folder}' has no version {version} any more")
        if name in self._digests:
            self._compare([name])
        elif not self.versions or version <= self.versions[-1]:
            raise self._unlisted(name)

    def check_versions(self) -> list[int]:
        """All versions from the oldest kept one on; each must have its undamaged manifest."""
        listed = {version_of(name) for name in self._digests if name.startswith(f"{VERSIONS}/")}
        there = {*listed, *self.there()}
        found = sorted(version for version in there if version >= self.oldest)
        for version in found:
            self.check_manifest(version)
        return found

    def check(self, dataset: Any) -> None:
        """Refuse a version if any file that it refers to is missing or changed."""
        found = referred(dataset)
        for name in found:
            if name not in self._digests and dataset.version in self.versions:
                raise self._unlisted(name)
        self._compare(name for name in found if name in self._digests)

    def _compare(self, names: Iterable[str]) -> None:
        """Refuse files that are not there or not what was written."""
        for name, digest in digests_of(self._folder, names).items():
            if digest is None:
                raise DataError(f"'{self._folder / name}' is missing from the index")
            if digest != self._digests[name]:
                raise DataError(
                    f"'{self._folder / name}' is damaged: its content is not what was written"
                )

    def _unlisted(self, name: str) -> DataError:
        return DataError(
            f"'{self._folder / name}' is in no list of '{self._lists}'; one is missing"
        )

    def seal(self, dataset: Any, next_id: int) -> None:
        """Write the digests of the new files of a version, unless its list exists already."""
        version = dataset.version
        if version in self.versions:
            return
        there = [manifest(number) for number in self.there() if number <= version]
        fresh = self._fresh((*referred(dataset), *there))
        self._lists.mkdir(exist_ok=True)
        write_sealed(self._list(version), {**self._listed(fresh), "next_id": next_id})
        self._add(version, fresh, next_id)

    def _listed(self, digests: dict[str, str]) -> dict[str, dict[str, str]]:
        """What a list says of files."""
        return {"files": digests}

    def _fresh(self, names: Iterable[str]) -> dict[str, str]:
        """Digests of those files that are in no list."""
        found = digests_of(self._folder, sorted({*names} - {*self._digests}), sync=True)
        for name, digest in found.items():
            if digest is None:
                raise FileNotFoundError(f"'{self._folder / name}' is missing from the index")
        return {name: digest for name, digest in found.items() if digest is not None}

    def _add(self, version: int, fresh: dict[str, str], next_id: int) -> None:
        self._digests |= fresh
        self.next_id = next_id
        self.versions = sorted({*self.versions, version})

    def finish(self, dataset: Any, next_id: int) -> None:
        """Seal a version that was just committed; the next writer does it where this fails."""
        with suppress(OSError):
            self.seal(dataset, next_id)

    def give_up(self, version: int, error: Exception) -> Exception:
        """Remove what was committed after a version and cannot be read; what to say of it.

        Lance does not notice a write that a full disk cuts short.
        """
        for number in manifests(self._folder):
            if number > version:
                (self._folder / manifest(number)).unlink()
        return OSError(errno.ENOSPC, f"the disk is full: {error}", str(self._folder))

    def tidy(self, dataset: Any, next_id: int) -> Any:
        """Seal the newest version, `dataset`, and remove what writers left that died.

        The lock is held. The same rows are given back, as they are to be changed.
        """
        self.seal(dataset, next_id)
        remove_strays(self._folder, self, dataset)
        return dataset

    def begin_removal(self, oldest: int) -> None:
        """Record that versions before `oldest` are removed, before their files are."""
        self.oldest, self.removing = oldest, True
        self._rewrite(self._digests)

    def merge(self) -> None:
        """Replace all lists by one, of the files that still exist."""
        there = files(self._folder)
        kept = {name: digest for name, digest in self._digests.items() if name in there}
        self.removing = False
        self._rewrite(kept)
        given_up = (version for version in self.void if version < self.oldest)
        for version in (*self.versions[:-1], *given_up):
            self._list(version).unlink(missing_ok=True)
        self._digests, self.versions = kept, self.versions[-1:]

    def _rewrite(self, digests: dict[str, str]) -> None:
        """Write the newest list again, with these digests."""
        facts = {"next_id": self.next_id, "oldest": self.oldest, "removing": self.removing}
        write_sealed(self._list(self.versions[-1]), {**self._listed(digests), **facts})

    def unused(self, used: set[str]) -> list[str]:
        """Files that no version that is kept needs."""
        return [name for name in files(self._folder) if name not in used]

    def strays(self, dataset: Any) -> list[str]:
        """Files left by a writer that died before its commit; `dataset` is the newest version.

        The lock must be held. Where a list is missing nothing is a stray: the file may be in it.
        """
        there = manifests(self._folder)
        known = {*self._digests, *referred(dataset), *map(manifest, there)}
        if any(manifest(version) not in self._digests for version in there):
            return []
        return [name for name in files(self._folder) if name not in known]


def files(folder: Place) -> set[str]:
    """Names of all files that are never written twice."""
    found = (f"{part}/{path.name}" for part in FILES for path in (folder / part).glob("*"))
    return {name for name in found if name.endswith(KINDS)}


def names(folder: Place) -> list[str]:
    """Names of all lists and manifests; every change of the index changes them."""
    found = (path.name for part in (CHECKS, VERSIONS) for path in (folder / part).glob("*.*"))
    return sorted(name for name in found if not name.startswith("."))


def manifest(version: int) -> str:
    """The name of the file that says what a version consists of."""
    return f"{VERSIONS}/{LAST_VERSION - version:020d}.manifest"


def version_of(name: str) -> int:
    """The version that the name of a manifest tells."""
    return versions_of([name])[0]


def manifests(folder: Place) -> list[int]:
    """The versions whose manifests are there."""
    return versions_of(path.name for path in (folder / VERSIONS).glob("*.manifest"))


def versions_of(names: Iterable[str]) -> list[int]:
    """The versions that names of manifests tell."""
    return [LAST_VERSION - number for number in numbers(names)]


def numbers(names: Iterable[str]) -> list[int]:
    """The numbers that files are named by, those that are named by one."""
    found = (name.rpartition("/")[2].partition(".")[0] for name in names)
    return [int(name) for name in found if name.isdigit()]


def referred(dataset: Any) -> list[str]:
    """Names of the data and deletion files of a version."""
    found = []
    for fragment in dataset.get_fragments():
        facts = fragment.metadata
        found += [f"{DATA}/data/{file.path}" for file in facts.files]
        if facts.deletion_file is not None:
            found.append(f"{DATA}/{facts.deletion_file.path(facts.id)}")
    return found


def remove_strays(folder: Place, seals: Checksums, dataset: Any) -> None:
    """Remove files left by a writer that died; the caller holds the lock, so no other writes.

    `dataset` is the newest version, and sealed.
    """
    if seals.removing:
        remove_unused(folder, seals)
    _remove(folder / name for name in seals.strays(dataset))
    for part in (folder, folder / CHECKS, folder / VERSIONS):
        for path in part.glob(".*.partial"):
            path.unlink(missing_ok=True)
    for path in (folder / VERSIONS).glob("*"):
        if not path.name.endswith(".manifest") and path.name != HINT:  # an unfinished manifest
            path.unlink(missing_ok=True)
    (folder / VERSIONS / HINT).unlink(missing_ok=True)


def keep_newest(folder: Place, seals: Checksums, count: int) -> None:
    """Remove all versions but the newest `count`, which must be undamaged."""
    kept = sorted(seals.there())[-count:]
    for version in kept:
        seals.check_manifest(version)
    seals.begin_removal(kept[0])
    remove_unused(folder, seals)


def remove_unused(folder: Place, seals: Checksums) -> None:
    """Remove versions before the oldest that is kept, and what only they need.

    Manifests go first: a reader that misses a file then sees that its version is gone.
    """
    lance = import_lance()
    kept = [version for version in seals.there() if version >= seals.oldest]
    used = {manifest(version) for version in kept}
    for version in kept:
        seals.check_manifest(version)
        place = folder / DATA
        with redacting_errors(folder):
            dataset = lance.dataset(str(place), version=version, **lance_options(place))
        used.update(referred(dataset))
    gone = (version for version in manifests(folder) if version < seals.oldest)
    _remove(folder / manifest(version) for version in gone)
    _remove(folder / name for name in seals.unused(used))
    # their names begin with the version that they were made from
    plans = (folder / DATA / "_transactions").glob("*.txn")
    _remove(path for path in plans if int(path.name.partition("-")[0]) + 1 < seals.oldest)
    seals.merge()


def _remove(paths: Iterable[Place]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)

"""Digests of all files of an index, one list for each version that was committed.

Lance checks no content. So after each commit the digests of the new files are written down, and
whoever opens a version compares its manifest, before Lance reads it, and the files that it refers
to. A process that dies between the two leaves files without a digest; these are taken as they
are, and the next writer seals them.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from fuzzbow.errors import InputError
from fuzzbow.tasks.index.building import LARGEST_COUNTED
from fuzzbow.tasks.index.sealed import check_digest, digest_of, read_sealed, write_sealed

DATA = "rows.lance"
VERSIONS = f"{DATA}/_versions"
FILES = (f"{DATA}/data", f"{DATA}/_deletions", VERSIONS)
KINDS = (".lance", ".manifest", ".arrow", ".bin")  # of files that are never written twice
LAST_VERSION = 2**64 - 1  # Lance counts the names of manifests down from here


class Seals:
    """The lists of one index, read once and added to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lists = folder / "checks"
        self.next_id = 0
        self.lost_count = False  # a list has a next id that no number can be
        self.oldest = 0  # versions before it are removed, or about to be
        self.removing = False  # somebody began to remove them, and may not have ended
        self._digests: dict[str, str] = {}
        self.versions = sorted(
            int(path.stem) for path in self._lists.glob("*.json") if path.stem.isdigit()
        )
        for version in self.versions:
            self._take(read_sealed(self._list(version)))

    def _take(self, seal: dict[str, Any]) -> None:
        self._digests.update(seal["files"])
        if seal["next_id"] <= LARGEST_COUNTED:
            self.next_id = max(self.next_id, seal["next_id"])
        else:
            self.lost_count = True
        self.oldest = max(self.oldest, seal.get("oldest", 0))
        self.removing = self.removing or seal.get("removing", False)

    def _list(self, version: int) -> Path:
        return self._lists / f"{version}.json"

    def newest(self) -> int:
        """The newest version, which must not be older than what was committed."""
        if not self.versions:
            raise InputError(f"'{self._lists}' is missing from the index")
        there = manifests(self._folder)
        if not there or max(there) < self.versions[-1]:
            missing = self._folder / manifest(self.versions[-1])
            raise InputError(f"'{missing}' is missing from the index")
        return max(there)

    def check_manifest(self, version: int) -> None:
        """The manifest of a version must be what it was; Lance must not read another one."""
        name = manifest(version)
        if not (self._folder / name).exists() and name not in self._digests:
            raise InputError(f"'{self._folder}' has no version {version}")
        if version < self.oldest:
            raise InputError(f"'{self._folder}' has no version {version} any more")
        if name in self._digests:
            check_digest(self._folder / name, self._digests[name])
        elif not self.versions or version <= self.versions[-1]:
            raise self._unlisted(name)

    def check_versions(self) -> list[int]:
        """All versions that are there, and there must be all, each with its own manifest."""
        listed = {version_of(name) for name in self._digests if name.startswith(f"{VERSIONS}/")}
        there = {*listed, *manifests(self._folder)}
        found = sorted(version for version in there if version >= self.oldest)
        for version in found:
            self.check_manifest(version)
        return found

    def check(self, dataset: Any) -> None:
        """Every file that a version refers to must be what it was when it was written."""
        found = referred(dataset)
        for name in found:
            if name not in self._digests and dataset.version in self.versions:
                raise self._unlisted(name)
        with ThreadPoolExecutor() as pool:
            known = [name for name in found if name in self._digests]
            paths = (self._folder / name for name in known)
            list(pool.map(check_digest, paths, map(self._digests.__getitem__, known)))

    def _unlisted(self, name: str) -> InputError:
        return InputError(
            f"'{self._folder / name}' is in no list of '{self._lists}'; one is missing"
        )

    def seal(self, dataset: Any, next_id: int) -> None:
        """Write down the digests of the files that are new; a list that is there stays."""
        version = dataset.version
        if version in self.versions:
            return
        there = [manifest(number) for number in manifests(self._folder) if number <= version]
        new = {name for name in (*referred(dataset), *there) if name not in self._digests}
        fresh = {name: digest_of(self._folder / name, sync=True) for name in sorted(new)}
        self._lists.mkdir(exist_ok=True)
        write_sealed(self._list(version), {"files": fresh, "next_id": next_id})
        self._digests |= fresh
        self.next_id = next_id
        self.versions = sorted({*self.versions, version})

    def begin_removal(self, oldest: int) -> None:
        """Write down that versions before `oldest` are no more, before their files go."""
        self.oldest, self.removing = oldest, True
        self._rewrite(self._digests)

    def merge(self) -> None:
        """One list of the files that are still there, in place of all, once old ones are gone."""
        there = files(self._folder)
        kept = {name: digest for name, digest in self._digests.items() if name in there}
        self.removing = False
        self._rewrite(kept)
        for version in self.versions[:-1]:
            self._list(version).unlink(missing_ok=True)
        self._digests, self.versions = kept, self.versions[-1:]

    def _rewrite(self, digests: dict[str, str]) -> None:
        """The newest list anew, with these digests."""
        facts = {"files": digests, "next_id": self.next_id, "oldest": self.oldest}
        write_sealed(self._list(self.versions[-1]), facts | {"removing": self.removing})

    def strays(self, dataset: Any) -> list[Path]:
        """Files that a writer left which died before its commit; `dataset` is the newest version.

        The lock must be held. Where a list is missing nothing is a stray: the file may be in it.
        """
        there = manifests(self._folder)
        known = {*self._digests, *referred(dataset), *map(manifest, there)}
        if any(manifest(version) not in self._digests for version in there):
            return []
        return [self._folder / name for name in files(self._folder) if name not in known]


def files(folder: Path) -> set[str]:
    """Names of all files that are never written twice."""
    found = (path for part in FILES for path in (folder / part).glob("*"))
    return {path.relative_to(folder).as_posix() for path in found if path.suffix in KINDS}


def names(folder: Path) -> list[str]:
    """Names of all lists and manifests, which differ once a writer has been there."""
    found = (path.name for part in ("checks", VERSIONS) for path in (folder / part).glob("*.*"))
    return sorted(name for name in found if not name.startswith("."))


def manifest(version: int) -> str:
    """The name of the file that says what a version consists of."""
    return f"{VERSIONS}/{LAST_VERSION - version:020d}.manifest"


def version_of(name: str) -> int:
    """The version of such a name."""
    return LAST_VERSION - int(Path(name).stem)


def manifests(folder: Path) -> list[int]:
    """The versions whose manifests are there."""
    paths = (folder / VERSIONS).glob("*.manifest")
    return [version_of(path.name) for path in paths if path.stem.isdigit()]


def referred(dataset: Any) -> list[str]:
    """Names of the data and deletion files of a version."""
    found = []
    for fragment in dataset.get_fragments():
        facts = fragment.metadata
        found += [f"{DATA}/data/{file.path}" for file in facts.files]
        if facts.deletion_file is not None:
            found.append(f"{DATA}/{facts.deletion_file.path(facts.id)}")
    return found

"""Digests of all files of an index, one list for each version that was committed.

Lance checks no content. So after each commit the digests of the new files are written down, and
whoever opens a version compares the files that it refers to. A process that dies between the
two leaves files without a digest; these are taken as they are, and the next writer seals them.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from fuzzbow.errors import InputError
from fuzzbow.tasks.index.sealed import check_digest, digest_of, read_sealed, write_sealed

DATA = "rows.lance"
WATCHED = ("data", "_deletions", "_versions")


class Seals:
    """The lists of one index, read once and added to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lists = folder / "checks"
        self.next_id = 0
        self.versions: list[int] = []
        self._digests: dict[str, str] = {}
        for path in self._lists.glob("*.json"):
            if path.stem.isdigit():
                self.versions.append(int(path.stem))
        self.versions.sort()
        for version in self.versions:
            seal = read_sealed(self._list(version))
            self._digests.update(seal["files"])
            self.next_id = max(self.next_id, seal["next_id"])

    def _list(self, version: int) -> Path:
        return self._lists / f"{version}.json"

    def check_manifest(self) -> None:
        """The manifest of the newest version that has a list must be what it was."""
        if not self.versions:
            raise InputError(f"'{self._lists}' is missing from the index")
        names = read_sealed(self._list(self.versions[-1]))["files"]
        manifests = [name for name in names if name.startswith(f"{DATA}/_versions/")]
        if manifests:  # Lance numbers them downwards
            check_digest(self._folder / min(manifests), self._digests[min(manifests)])

    def check(self, dataset: Any, *, latest: bool) -> None:
        """Every file that a version refers to must be what it was when it was written."""
        if latest and dataset.version < self.versions[-1]:
            raise InputError(
                f"'{self._folder / DATA / '_versions'}' is damaged: version {self.versions[-1]} was"
                f" committed, and the newest there is {dataset.version}"
            )
        names = referred(dataset)
        for name in names:
            if name not in self._digests and dataset.version in self.versions:
                raise InputError(
                    f"'{self._folder / name}' is in no list of '{self._lists}'; one is missing"
                )
        with ThreadPoolExecutor() as pool:
            known = [name for name in names if name in self._digests]
            paths = (self._folder / name for name in known)
            list(pool.map(check_digest, paths, map(self._digests.__getitem__, known)))

    def seal(self, version: int, next_id: int) -> None:
        """Write down the digests of the files that are new; a list that is there stays."""
        if version in self.versions:
            return
        names = {name for name in self._files() if name not in self._digests}
        fresh = {name: digest_of(self._folder / name, sync=True) for name in sorted(names)}
        self._lists.mkdir(exist_ok=True)
        write_sealed(self._list(version), {"files": fresh, "next_id": next_id})
        self._digests |= fresh
        self.next_id = next_id
        self.versions = sorted({*self.versions, version})

    def merge(self) -> None:
        """One list of the files that are still there, in place of all, once old ones are gone."""
        there = self._files()
        kept = {name: digest for name, digest in self._digests.items() if name in there}
        newest = self.versions[-1]
        write_sealed(self._list(newest), {"files": kept, "next_id": self.next_id})
        for version in self.versions[:-1]:
            self._list(version).unlink(missing_ok=True)
        self._digests, self.versions = kept, [newest]

    def _files(self) -> set[str]:
        """Names of all files that are never written twice."""
        found = set()
        for part in WATCHED:
            for path in (self._folder / DATA / part).glob("*"):
                if path.suffix in (".lance", ".manifest", ".arrow", ".bin"):
                    found.add(f"{DATA}/{part}/{path.name}")
        return found


def referred(dataset: Any) -> list[str]:
    """Names of the data and deletion files of a version."""
    names = []
    for fragment in dataset.get_fragments():
        facts = fragment.metadata
        names += [f"{DATA}/data/{file.path}" for file in facts.files]
        if facts.deletion_file is not None:
            names.append(f"{DATA}/{facts.deletion_file.path(facts.id)}")
    return names

"""Which files an index has, whether they are what was written, and which nobody needs.

Lance checks no content. So after each commit the digests of the new files are written down, one
list for each version. Whoever opens a version compares its manifest, before Lance reads it, and
the files that it refers to. A process that dies between commit and list leaves files without a
digest; these are taken as they are, and the next writer seals them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from pathlib import Path
from typing import Any

from fuzzbow.atomic import replacing
from fuzzbow.errors import InputError
from fuzzbow.tasks.index.ids import LARGEST_COUNTED
from fuzzbow.tasks.index.rows import import_lance

DATA = "rows.lance"
VERSIONS = f"{DATA}/_versions"
FILES = (f"{DATA}/data", f"{DATA}/_deletions", VERSIONS)
KINDS = (".lance", ".manifest", ".arrow", ".bin")  # of files that are never written twice
LAST_VERSION = 2**64 - 1  # Lance counts the names of manifests down from here
HINT = "latest_version_hint.json"  # Lance believes it unchecked, and does without
CHUNK = 1 << 22


class Seals:
    """The lists of digests of one index, which are read once and then added to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lists = folder / "checks"
        self.next_id = 0
        self.lost_count = False  # an old list holds a next id too large to go on from
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
        """Refuse a version whose manifest is missing or changed, before Lance reads it."""
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
        """All versions from the oldest kept one on; each must have its undamaged manifest."""
        listed = {version_of(name) for name in self._digests if name.startswith(f"{VERSIONS}/")}
        there = {*listed, *manifests(self._folder)}
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
        with ThreadPoolExecutor() as pool:
            known = [name for name in found if name in self._digests]
            paths = (self._folder / name for name in known)
            list(pool.map(check_digest, paths, map(self._digests.__getitem__, known)))

    def _unlisted(self, name: str) -> InputError:
        return InputError(
            f"'{self._folder / name}' is in no list of '{self._lists}'; one is missing"
        )

    def seal(self, dataset: Any, next_id: int) -> None:
        """Write the digests of the new files of a version, unless its list exists already."""
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
        """Record that versions before `oldest` are removed, before their files are."""
        self.oldest, self.removing = oldest, True
        self._rewrite(self._digests)

    def merge(self) -> None:
        """Replace all lists by one, of the files that still exist."""
        there = files(self._folder)
        kept = {name: digest for name, digest in self._digests.items() if name in there}
        self.removing = False
        self._rewrite(kept)
        for version in self.versions[:-1]:
            self._list(version).unlink(missing_ok=True)
        self._digests, self.versions = kept, self.versions[-1:]

    def _rewrite(self, digests: dict[str, str]) -> None:
        """Write the newest list again, with these digests."""
        facts = {"files": digests, "next_id": self.next_id, "oldest": self.oldest}
        write_sealed(self._list(self.versions[-1]), facts | {"removing": self.removing})

    def strays(self, dataset: Any) -> list[Path]:
        """Files left by a writer that died before its commit; `dataset` is the newest version.

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
    """Names of all lists and manifests; every change of the index changes them."""
    found = (path.name for part in ("checks", VERSIONS) for path in (folder / part).glob("*.*"))
    return sorted(name for name in found if not name.startswith("."))


def manifest(version: int) -> str:
    """The name of the file that says what a version consists of."""
    return f"{VERSIONS}/{LAST_VERSION - version:020d}.manifest"


def version_of(name: str) -> int:
    """The version that the name of a manifest tells."""
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


def remove_strays(folder: Path, seals: Seals, dataset: Any) -> None:
    """Remove files left by a writer that died; the caller holds the lock, so no other writes.

    `dataset` is the newest version, and sealed.
    """
    if seals.removing:
        remove_unused(folder, seals)
    for path in seals.strays(dataset):
        path.unlink(missing_ok=True)
    for part in (folder, folder / "checks", folder / VERSIONS):
        for path in part.glob(".*.partial"):
            path.unlink(missing_ok=True)
    for path in (folder / VERSIONS).glob("*"):
        if path.suffix != ".manifest" and path.name != HINT:  # an unfinished manifest
            path.unlink(missing_ok=True)
    (folder / VERSIONS / HINT).unlink(missing_ok=True)


def keep_newest(folder: Path, seals: Seals, count: int) -> None:
    """Remove all versions but the newest `count`, which must be undamaged."""
    kept = sorted(manifests(folder))[-count:]
    for version in kept:
        seals.check_manifest(version)
    seals.begin_removal(kept[0])
    remove_unused(folder, seals)


def remove_unused(folder: Path, seals: Seals) -> None:
    """Remove versions before the oldest that is kept, and what only they need.

    Manifests go first: a reader that misses a file then sees that its version is gone.
    """
    lance = import_lance()
    there = manifests(folder)
    used = {manifest(version) for version in there if version >= seals.oldest}
    for version in there:
        if version >= seals.oldest:
            seals.check_manifest(version)
            used.update(referred(lance.dataset(str(folder / DATA), version=version)))
    _remove(folder / manifest(version) for version in there if version < seals.oldest)
    _remove(folder / name for name in files(folder) if name not in used)
    # their names begin with the version that they were made from
    plans = (folder / DATA / "_transactions").glob("*.txn")
    _remove(path for path in plans if int(path.name.partition("-")[0]) + 1 < seals.oldest)
    seals.merge()


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def write_sealed(path: Path, data: dict[str, Any]) -> None:
    """Write JSON behind a digest of it; the file appears complete or not at all."""
    body = json.dumps(data, ensure_ascii=False, sort_keys=True)
    with replacing(path) as beside:
        beside.write_text(_digest(body) + "\n" + body + "\n", encoding="utf-8")


def read_sealed(path: Path) -> dict[str, Any]:
    """Read such a file; a changed byte is an error."""
    try:
        digest, _, body = path.read_text(encoding="utf-8").partition("\n")
    except FileNotFoundError:
        raise InputError(f"'{path}' is missing from the index") from None
    except UnicodeDecodeError as error:
        raise InputError(f"'{path}' is damaged: {error}") from error
    if digest != _digest(body.removesuffix("\n")):
        raise InputError(f"'{path}' is damaged: its content is not what was written")
    data: dict[str, Any] = json.loads(body)
    return data


def _digest(body: str) -> str:
    return blake2b(body.encode("utf-8"), digest_size=16).hexdigest()


def digest_of(path: Path, *, sync: bool = False) -> str:
    """Digest of a file's bytes; with `sync` they are safely on the disk when it returns."""
    digest = blake2b(digest_size=16)
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
        if sync:
            os.fsync(file.fileno())
    return digest.hexdigest()


def check_digest(path: Path, wanted: str) -> None:
    """Refuse a file that is not there or not what was written."""
    try:
        found = digest_of(path)
    except (FileNotFoundError, IsADirectoryError):
        raise InputError(f"'{path}' is missing from the index") from None
    if found != wanted:
        raise InputError(f"'{path}' is damaged: its content is not what was written")

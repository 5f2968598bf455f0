"""The lists of an index in an object store: a version is there when its list is.

Lance would put a commit on top of whatever another writer committed meanwhile. So the commit that
counts is the list of a version, which is written only if there is none, after a look at what is
between the version that the writer knew and its own. A list may also say that a version is void:
then its writer, should it still live, cannot commit it any more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from fuzzbow.errors import DataError
from fuzzbow.tasks.index.commit import committing, conflict_error
from fuzzbow.tasks.index.integrity import (
    CHECKS,
    DATA,
    KINDS,
    Checksums,
    manifest,
    manifests,
    numbers,
    referred,
    remove_unused,
    versions_of,
)
from fuzzbow.tasks.index.object_path import ObjectPath
from fuzzbow.tasks.index.place import Place, lance_options, reason_of
from fuzzbow.tasks.index.rows import import_lance
from fuzzbow.tasks.index.sealed_file import read_sealed, write_sealed


def seals_of(folder: Place) -> Checksums:
    """The lists of an index, wherever it is."""
    return ObjectChecksums(folder) if isinstance(folder, ObjectPath) else Checksums(folder)


def newest_version(folder: Place) -> int:
    """The newest version of an index; 0 where there is none."""
    if not isinstance(folder, ObjectPath):
        return max(manifests(folder), default=0)
    lists = folder / CHECKS
    for version in sorted(numbers(path.name for path in lists.glob("*.json")), reverse=True):
        if not read_sealed(lists / f"{version}.json").get("void"):
            return version
    return 0


class ObjectChecksums(Checksums):
    """Lists that decide which versions there are, with tags of objects beside digests."""

    _folder: ObjectPath

    def __init__(self, folder: ObjectPath) -> None:
        self._tags: dict[str, str] = {}  # name -> size and tag of the object that was written
        self._manifests: list[int] = []  # that were there when lists were last looked for
        super().__init__(folder)

    def _numbers_of_lists(self) -> list[int]:
        """The versions that have a list; the same listing tells which have a manifest."""
        there = self._folder.objects()
        self._manifests = versions_of(name for name in there if name.endswith(".manifest"))
        return numbers(name for name in there if name.startswith(f"{CHECKS}/"))

    def _take(self, version: int, seal: dict[str, Any]) -> None:
        super()._take(version, seal)
        self._tags.update(seal.get("objects", {}))

    def there(self) -> list[int]:
        """The versions that were committed and are still there."""
        self._take_new()
        return [number for number in self._manifests if manifest(number) in self._digests]

    def check_manifest(self, version: int) -> None:
        """Refuse a version that was not committed, or whose manifest is missing or changed."""
        if manifest(version) not in self._digests:
            raise DataError(f"'{self._folder}' has no version {version}")
        super().check_manifest(version)

    def _compare(self, names: Iterable[str]) -> None:
        """By the tags that a listing gives; by content only where an object was copied."""
        wanted = list(names)
        there = self._tags_of(wanted)
        for name in wanted:
            if name not in there:
                raise DataError(f"'{self._folder / name}' is missing from the index")
        super()._compare(name for name in wanted if there[name] != self._tags.get(name))

    def _tags_of(self, names: Collection[str]) -> dict[str, str]:
        return {name: str(stats) for name, stats in self._folder.stats_of(names).items()}

    def seal(self, dataset: Any, next_id: int) -> None:
        """Commit a version, unless another writer has committed one since the lists were read."""
        version = dataset.version
        if version in self.versions:
            return
        newest = max(self.versions, default=0)
        between = [number for number in manifests(self._folder) if newest < number < version]
        if not _is_restoration(dataset) and not all(_is_reservation(dataset, n) for n in between):
            raise conflict_error(self._folder)  # whose rows are among those of this version
        for number in between:
            self._make_void(number)
        fresh = self._fresh((*referred(dataset), manifest(version)))
        self._tags |= self._tags_of(fresh)
        self._create(version, {**self._listed(fresh), "next_id": next_id})
        self._add(version, fresh, next_id)

    def _listed(self, digests: dict[str, str]) -> dict[str, dict[str, str]]:
        """What a list says of files."""
        tags = {name: self._tags[name] for name in digests if name in self._tags}
        return {"files": digests, "objects": tags}

    def _create(self, version: int, facts: dict[str, Any]) -> None:
        try:
            write_sealed(self._list(version), facts, new=True)
        except FileExistsError:
            raise conflict_error(self._folder) from None

    def _make_void(self, version: int) -> None:
        """See to it that a version, which has no list, is never committed."""
        if version in self.void:
            return
        self._create(version, {"files": {}, "next_id": self.next_id, "void": True})
        self.void.add(version)

    finish = seal

    def give_up(self, version: int, error: Exception) -> Exception:
        """Nothing is to be taken back: what has no list is not there."""
        reason = reason_of(self._folder, error)
        return DataError(f"what was written to '{self._folder}' cannot be read: {reason}")

    def tidy(self, dataset: Any, next_id: int) -> Any:
        """Make sure that no other writer can still commit, if one left anything; then remove it.

        The rows are committed once more as a new version, which whoever began before comes after.
        """
        if self.removing:
            remove_unused(self._folder, self)
        there = {name for name in self._folder.objects() if name.endswith(KINDS)}
        versions = versions_of(name for name in there if name.endswith(".manifest"))
        left = [number for number in versions if number > dataset.version]
        before = (manifest(number) for number in self.void if number < dataset.version)
        known = {*self._digests, *referred(dataset), *before}
        strays = [name for name in there if name not in known]  # those manifests among them
        if not strays:
            return dataset
        for version in left:
            self._make_void(version)
        lance, place = import_lance(), self._folder / DATA
        with committing(self._folder):
            dataset = lance.LanceDataset.commit(
                str(place),
                lance.LanceOperation.Restore(dataset.version),
                read_version=max(left, default=dataset.version),
                **lance_options(place),
            )
            self.seal(dataset, next_id)
        self._folder.remove(strays)
        return dataset

    def unused(self, used: set[str]) -> list[str]:
        """Files that a list has and no version that is kept needs; others may be somebody's."""
        return [name for name in super().unused(used) if name in self._digests]


def _is_restoration(dataset: Any) -> bool:
    """Whether a version is as an older one was, whatever came between."""
    transaction = dataset.read_transaction(dataset.version)
    return isinstance(transaction.operation, import_lance().LanceOperation.Restore)


def _is_reservation(dataset: Any, version: int) -> bool:
    """Whether a version only reserves numbers, as compacting does before it rewrites files."""
    transaction = dataset.read_transaction(version)
    reserving = import_lance().LanceOperation.BaseOperation  # of which Python knows no more
    return transaction is not None and type(transaction.operation) is reserving

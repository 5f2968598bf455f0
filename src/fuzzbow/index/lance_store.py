"""Rows of an index in a Lance dataset, on a disk or in an object store."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from fuzzbow.arrays import Booleans, Integers
from fuzzbow.encoding import Encoder, TokenIds
from fuzzbow.errors import DataError, InputError
from fuzzbow.index.checksums import CHECKS, Checksums, checked_version, files_of, open_newest
from fuzzbow.index.commit import (
    DATA,
    VERSIONS,
    apply,
    check_followed,
    committing,
    conflict_error,
    facts_of,
    manifest,
    newest_version,
    open_version,
    versions_at,
    with_facts,
)
from fuzzbow.index.condition import matching
from fuzzbow.index.documents import TOKENS, UNKNOWN, words_of_columns
from fuzzbow.index.folder import (
    check_fingerprint,
    check_sizes,
    new_facts,
    read_facts,
    write_fragments,
)
from fuzzbow.index.ids import among
from fuzzbow.index.location import Location, reason_of, redacting_errors, tree_bytes, write_checked
from fuzzbow.index.lock import LOCK, writer_lock
from fuzzbow.index.store import Read, RowsRemovedError, Store, Version, import_lance
from fuzzbow.io.checked_json import parse_checked
from fuzzbow.measures import TextMeasure

OLDEST = "oldest.json"  # names the oldest version that is kept
WRITING = "writing"  # file that exists while files are written that no version refers to
HINT = f"{VERSIONS}/latest_version_hint.json"  # Lance believes it unchecked, and works without it
ALL = 2**31  # more versions than there are
Result = TypeVar("Result")


class LanceStore(Store):
    """Rows of one version of a Lance dataset; only a writer moves on to the next.

    Parameters
    ----------
    folder : Location
        Folder or address of the index.
    version : int, optional
        Version to open, instead of the newest; it cannot be changed.
    checked : bool
        Whether to compare the digests of all files of the version, not only of its manifest.
    """

    def __init__(
        self, folder: Location, *, version: int | None = None, checked: bool = True
    ) -> None:
        self.folder, self.pinned = folder, version is not None
        self.commits = 0
        self._checksums, self._checked = Checksums(folder), checked
        self._load(version)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the folder, and the version if one was requested."""
        version = self.version if self.pinned else None
        return _reopened, (self.folder.resolve(), version)

    @property
    def path(self) -> Location:
        """Folder, or address in an object store."""
        return self.folder

    @property
    def schema(self) -> Any:
        return self._schema

    def check_process(self) -> None:
        import_lance()

    def check_model(self, model: TextMeasure) -> None:
        check_fingerprint(read_facts(self.folder)["fingerprint"], model, str(self.folder))

    def _load(self, version: int | None = None) -> None:
        """Open a version, the newest if not given, after checking its files."""
        dataset = self._steady(lambda: self._opened(version))
        self._documents = int(dataset.count_rows())
        self._deleted = np.zeros(0, dtype=np.int64)  # document numbers, sorted
        self._use(dataset)

    def reload(self) -> None:
        """Load the newest version, or reload the requested one."""
        self._load(self.version if self.pinned else None)

    def _steady(self, work: Callable[[], Result]) -> Result:
        """Return the result of work on the files, repeated if they changed meanwhile.

        A writer may remove old files, which looks like damage to a reader.
        """
        while True:
            before = self._checksums.versions(), versions_at(self.folder)
            try:
                return work()
            except InputError:
                if (self._checksums.versions(), versions_at(self.folder)) == before:
                    raise

    def _opened(self, version: int | None) -> Any:
        """Open a version after checking its files against their digests."""
        newest, facts = open_newest(self.folder, self._checksums)
        oldest = self._read_oldest()
        dataset = newest if version is None else self._older(version, oldest)
        if self._checked:
            self._checksums.check(dataset.version, files_of(dataset))
        self._oldest, self._next_id = oldest, facts["next_id"]
        return dataset

    def _read_oldest(self) -> int:
        """Read the number of the oldest kept version; older ones are removed or being removed."""
        path = self.folder / OLDEST
        try:
            return int(parse_checked(path, path.read_bytes())["oldest"])
        except FileNotFoundError:
            return 1

    def _older(self, version: int, oldest: int) -> Any:
        there = versions_at(self.folder)
        if version in there and version >= oldest:
            dataset = checked_version(self.folder, version, self._checksums)
            if facts_of(dataset) is not None:
                return dataset
        if version in self._checksums.versions() and version >= oldest:
            raise DataError(f"'{self.folder / manifest(version)}' is missing from the index")
        raise DataError(f"'{self.folder}' has no version {version}")

    def _use(self, dataset: Any) -> None:
        import pyarrow as pa

        self._dataset = dataset
        self._schema = pa.schema([field for field in dataset.schema if field.name[0] != "_"])
        self._matching = lru_cache(maxsize=8)(self._evaluate)

    @property
    def version(self) -> int:
        """Number of the version that is open."""
        return int(self._dataset.version)

    @property
    def removed(self) -> bool:
        return self._removed(self.version)

    def _removed(self, version: int) -> bool:
        if version not in versions_at(self.folder):
            return True
        return self._read_oldest() > version

    @property
    def next_id(self) -> int:
        return int(self._next_id)

    def __len__(self) -> int:
        return self._documents - len(self._deleted)

    def writing(self) -> AbstractContextManager[object]:
        """Exclude writers of other processes on this machine; may wait for one of them."""
        return writer_lock(self.folder / LOCK)

    def catch_up(self) -> bool:
        before = self.version
        if isinstance(self.folder, Path):
            (self.folder / HINT).unlink(missing_ok=True)
        head = max(versions_at(self.folder), default=0)
        if head == before:
            self._checksums.check(before, [manifest(before)])
        else:
            self._load()
        moved = self.version != before
        if head > self.version:  # only prepared, by a writer that died
            with self._committing():
                operation = import_lance().LanceOperation.Restore(self.version)
                prepared = apply(self.folder, operation, head)
                self._commit(self._fragments(), self.next_id, prepared, cleaned=False)
                self.commits -= 1
        self._checksums.write(self.version, files_of(self._dataset))
        if isinstance(self.folder, Path) and (self.folder / WRITING).exists():
            self._clean()
        return moved

    def _fragments(self) -> list[Any]:
        return [fragment.metadata for fragment in self._dataset.get_fragments()]

    def stage(self, tables: Iterable[Any]) -> Any:
        """Write rows, table by table, that no reader sees before they are appended."""
        self._begin()
        try:
            return write_fragments(self.folder / DATA, tables)
        except BaseException:
            self.discard()
            raise

    def discard(self) -> None:
        """Remove staged rows that will not be appended, or leave them to the next writer."""
        with suppress(OSError, InputError):
            self._clean()

    def _begin(self) -> None:
        """Record that files are written that no version refers to."""
        if isinstance(self.folder, Path):
            (self.folder / WRITING).touch()

    def replace(self, staged: Any, next_id: int, ids: Any, documents: Integers) -> None:
        kept = self._without(ids) if len(documents) else self._fragments()
        self._commit([*kept, *self._numbered(staged)], next_id)
        self._documents += sum(fragment.physical_rows for fragment in staged)
        self._deleted = np.union1d(self._deleted, documents)

    def delete(self, ids: Any, documents: Integers) -> None:
        self._commit(self._without(ids), self.next_id)
        self._deleted = np.union1d(self._deleted, documents)

    def _numbered(self, staged: list[Any]) -> list[Any]:
        """Number new fragments after those that exist."""
        first = max((fragment.id for fragment in self._fragments()), default=-1) + 1
        for number, fragment in enumerate(staged, first):
            fragment.id = number
        return staged

    def _without(self, ids: Any) -> list[Any]:
        """Return the fragments without the rows of some ids."""
        self._begin()
        found = []
        for fragment in open_version(self.folder, self.version).get_fragments():
            held = fragment.to_table(columns=["id"]).column(0)
            removed = held.filter(among(held, ids)).to_pylist()
            with redacting_errors(self.folder):
                left = fragment.delete(_one_of(removed)) if removed else fragment.metadata
            found += [] if left is None else [left]  # no row of it is left
        return found

    def _commit(
        self, fragments: list[Any], next_id: int, prepared: Any = None, *, cleaned: bool = True
    ) -> None:
        """Commit fragments as the version after the open one, or after `prepared`.

        With `cleaned` False, files without a version may be left, which the caller removes.
        """
        self._begin()
        operations = import_lance().LanceOperation
        before = self._dataset if prepared is None else prepared
        dropped = {part.fragment_id for part in before.get_fragments()}
        dropped -= {fragment.id for fragment in fragments}
        with self._committing():
            if dropped:
                operation = operations.Delete([], sorted(dropped), "true")
                before = apply(self.folder, operation, before.version)
            facts = facts_of(self._dataset) or {}
            facts = new_facts(facts, before.version + 1, fragments, next_id)
            operation = operations.Merge(fragments, with_facts(self._dataset.schema, facts))
            dataset = apply(self.folder, operation, before.version)
            check_followed(self.folder, dataset.version, facts["id"])
            dataset = self._settled(dataset)
            with suppress(OSError, InputError):  # the next writer does it
                self._checksums.write(dataset.version, files_of(dataset))
                for version in range(self.version + 1, dataset.version):  # prepared ones
                    (self.folder / manifest(version)).unlink(missing_ok=True)
                if cleaned and isinstance(self.folder, Path):
                    (self.folder / WRITING).unlink(missing_ok=True)
            self.commits += 1
            self._next_id = next_id
            self._use(dataset)

    @contextmanager
    def _committing(self) -> Iterator[None]:
        """Commit without an interruption from the first commit to the last; on a disk, all or none.

        Lance does not notice a write that a full disk cuts short.
        """
        with committing(self.folder):
            try:
                yield
            except Exception as error:
                if isinstance(self.folder, Path):
                    for version in versions_at(self.folder):
                        if version > self.version:
                            (self.folder / manifest(version)).unlink()
                elif newest_version(self.folder) > self.version:  # whatever Lance says of it
                    raise conflict_error(self.folder) from error
                raise

    def _settled(self, dataset: Any) -> Any:
        """Return a new version; on a disk, reopen it and check that its files are complete."""
        if not isinstance(self.folder, Path):
            return dataset
        try:
            dataset = open_version(self.folder, dataset.version)
            fragments = dataset.get_fragments()
            check_sizes(self.folder / DATA, [fragment.metadata for fragment in fragments])
            for fragment in fragments:
                if fragment.metadata.deletion_file is not None:
                    fragment.to_table(columns=["id"])
        except (OSError, ValueError) as error:
            raise OSError(errno.ENOSPC, f"the disk is full: {error}", str(self.folder)) from error
        return dataset

    def compact(self, keep_versions: int | None) -> None:
        """Rewrite small files and those with many deleted rows; remove old versions if asked."""
        from lance.optimize import Compaction

        self._checksums.check(self.version, files_of(self._dataset))  # damage is not copied
        dataset = open_version(self.folder, self.version)
        self._begin()
        with redacting_errors(self.folder):
            plan = Compaction.plan(dataset, {})
            written = [task.execute(dataset) for task in plan.tasks]
        if written:
            with self._committing():
                Compaction.commit(dataset, written)  # reserves numbers of fragments, then commits
                prepared = open_version(self.folder, self.version + 2)
                if versions_at(self.folder)[-1] != prepared.version:
                    raise conflict_error(self.folder)
                fragments = [fragment.metadata for fragment in prepared.get_fragments()]
                self._commit(fragments, self.next_id, prepared, cleaned=False)
        if keep_versions is not None:
            kept = [item.number for item in self._listed(damaged=True)][-keep_versions:]
            self._oldest = max(self._oldest, kept[0])
            write_checked(self.folder / OLDEST, {"oldest": self._oldest})
        self._clean()
        self._load()

    def _clean(self) -> None:
        """Remove versions before the oldest one that is kept, and files without a version.

        In an object store another writer may be at work: files without a version are kept there
        for 7 days.
        """
        there = versions_at(self.folder)
        old = {version for version in there if version < self._oldest}
        dataset = open_version(self.folder, self.version)
        with redacting_errors(self.folder):
            if not isinstance(self.folder, Path):
                if old:
                    dataset.cleanup_old_versions(versions=sorted(old))
                dataset.cleanup_old_versions(retain_versions=ALL)
                return
            for version in there:
                if version >= self._oldest:  # Lance reads which files it refers to
                    self._checksums.check(version, [manifest(version)])
            old |= {version for version in self._checksums.versions() if version < self._oldest}
            for version in old:
                (self.folder / manifest(version)).unlink(missing_ok=True)
                self._checksums.remove(version)
            dataset.cleanup_old_versions(retain_versions=ALL, delete_unverified=True)
            deletions = list((self.folder / DATA / "_deletions").glob("*"))
            if deletions:  # Lance keeps new ones that no version refers to
                versions = (
                    open_version(self.folder, number) for number in versions_at(self.folder)
                )
                used = {name for version in versions for name in files_of(version)}
                for path in deletions:
                    if path.relative_to(self.folder).as_posix() not in used:
                        path.unlink()
            for path in (self.folder / VERSIONS).glob("*"):
                if not path.name.endswith(".manifest"):  # an unfinished one
                    path.unlink()
            for part in (self.folder, self.folder / CHECKS):
                for path in part.glob(".*.partial"):
                    path.unlink(missing_ok=True)
            (self.folder / WRITING).unlink(missing_ok=True)

    def restore(self, version: int) -> None:
        self._steady(lambda: self._opened(version))
        with self._committing():
            operation = import_lance().LanceOperation.Restore(version)
            prepared = apply(self.folder, operation, self.version)
            fragments = [fragment.metadata for fragment in prepared.get_fragments()]
            self._commit(fragments, self.next_id, prepared)
        self._load()

    def versions(self) -> list[Version]:
        """Return all versions that are kept, oldest first."""
        return self._steady(self._listed)

    def _listed(self, *, damaged: bool = False) -> list[Version]:
        """Return all versions, whose manifests must be undamaged unless `damaged` is allowed."""
        oldest = self._read_oldest()
        listed, there = self._checksums.versions(), versions_at(self.folder)

        def version_at(number: int) -> Version | None:
            try:
                facts = facts_of(checked_version(self.folder, number, self._checksums))
            except DataError:
                if damaged:
                    return None
                raise
            if facts is None:
                return None
            return Version(number, datetime.fromtimestamp(facts["created"]), facts["texts"])

        numbers = sorted({*listed, *there})
        with ThreadPoolExecutor() as pool:
            found = pool.map(version_at, (n for n in numbers if n >= oldest))
            return [version for version in found if version is not None]

    def facts(self) -> dict[str, Any]:
        """Return path, version, number of versions and bytes of all of them."""
        return {
            "path": str(self.folder),
            "version": self.version,
            "versions": len(self.versions()),
            "disk_bytes": tree_bytes(self.folder),
        }

    @contextmanager
    def _reading(self, dataset: Any = None) -> Iterator[Any]:
        """Yield a version, by default the open one; raise an error if it was removed."""
        import_lance()  # refuses a process in which Lance cannot be used
        dataset = self._dataset if dataset is None else dataset
        try:
            yield dataset
        except (ValueError, OSError) as error:
            if self._removed(dataset.version):
                raise RowsRemovedError(
                    f"version {dataset.version} of '{self.folder}' was removed"
                ) from error
            if isinstance(error, InputError):
                raise
            reason = reason_of(self.folder, error)
            raise InputError(f"the rows of '{self.folder}' cannot be read: {reason}") from error

    def ids(self) -> Any:
        with self._reading() as dataset:
            return dataset.to_table(columns=["id"]).column(0).combine_chunks()

    def documents(self) -> Integers:
        alive = np.ones(self._documents, dtype=np.bool_)
        alive[self._deleted] = False
        return np.flatnonzero(alive)

    def words(self, encoder: Encoder) -> Iterator[TokenIds]:
        with self._reading() as dataset:
            table = dataset.to_table(columns=[TOKENS, UNKNOWN])
        columns = table.column(TOKENS), table.column(UNKNOWN)
        yield words_of_columns(*columns, known=len(encoder.vectors))

    def renumber(self) -> None:
        """Number the rows of this version from 0 again."""
        if len(self._deleted):
            self._documents, self._deleted = len(self), np.zeros(0, dtype=np.int64)
            self._use(self._dataset)

    def positions(self, documents: Integers) -> Integers:
        """Return the positions of the rows of documents in this version: (n,) -> (n,)."""
        return documents - np.searchsorted(self._deleted, documents)

    def reader(self, documents: Integers) -> Read:
        columns, own = self.schema.names, self._dataset
        positions = self.positions(documents).tolist()

        def read() -> Any:
            with self._reading(own) as dataset:
                return dataset.take(positions, columns=columns)

        return read

    def batches(self, encoder: Encoder) -> Iterator[Any]:
        import pyarrow as pa

        with self._reading() as dataset:
            self._checksums.check(dataset.version, files_of(dataset))  # damage is not copied
            for batch in dataset.to_batches():
                yield pa.Table.from_batches([batch])

    def allowed(self, where: str) -> Booleans:
        return self._matching(where)

    def _evaluate(self, where: str) -> Booleans:
        allowed = np.zeros(self._documents, dtype=np.bool_)
        with self._reading() as dataset:
            allowed[self.documents()] = matching(dataset, where, self.schema.names)
        return allowed


def _reopened(folder: Location, version: int | None) -> LanceStore:
    return LanceStore(folder, version=version)


def _one_of(ids: list[int | str]) -> str:
    """Write the condition that is true of rows with these ids."""
    return f"id IN ({', '.join(map(_quoted, ids))})"


def _quoted(value: int | str) -> str:
    """Write an id in SQL."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value) if value > -(2**63) else f"({value + 1} - 1)"

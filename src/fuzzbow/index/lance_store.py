"""Rows of an index in a Lance dataset, on a disk or in an object store."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from fuzzbow.arrays import Booleans, Integers
from fuzzbow.encoding import Encoder, TokenIds
from fuzzbow.errors import DataError, InputError
from fuzzbow.index.condition import matching
from fuzzbow.index.documents import TOKENS, UNKNOWN, words_of_columns
from fuzzbow.index.folder import (
    check_fingerprint,
    check_sizes,
    read_facts,
    write_fragments,
)
from fuzzbow.index.ids import among
from fuzzbow.index.location import Location, reason_of, redacting_errors, tree_bytes
from fuzzbow.index.lock import LOCK, writer_lock
from fuzzbow.index.store import Read, RowsRemovedError, Store, Version, import_lance, own_fields
from fuzzbow.index.versions import (
    CHECKS,
    DATA,
    VERSIONS,
    Checksums,
    apply,
    check_followed,
    checked_version,
    committing,
    conflict_error,
    facts_of,
    files_of,
    manifest,
    newest_version,
    open_newest,
    open_version,
    versions_at,
    with_facts,
)
from fuzzbow.measures import TextMeasure

WRITING = "writing"  # file that exists while files are written that no version refers to
HINT = f"{VERSIONS}/latest_version_hint.json"  # Lance believes it unchecked, and works without it
ALL = 2**31  # more versions than there are
Result = TypeVar("Result")


class LanceStore(Store):
    """Rows of one version of a Lance dataset; after a change, those of the new version.

    With a `version`, the store is read-only. If `checked` is False, only the digest of the
    manifest is compared when a version is opened, not those of all files.
    """

    _dataset: Any  # version that is open

    def __init__(
        self, folder: Location, version: int | None = None, *, checked: bool = True
    ) -> None:
        self.path: Location = folder
        self.pinned = version is not None
        self._checksums, self._checked = Checksums(folder), checked
        self._load(version)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the folder, and the version if one was requested."""
        return LanceStore, (self.path.resolve(), self.version if self.pinned else None)

    def check_model(self, model: TextMeasure) -> None:
        check_fingerprint(read_facts(self.path)["fingerprint"], model, str(self.path))

    def _load(self, version: int | None = None) -> None:
        """Open a version, the newest if not given, after checking its files."""
        dataset = self._steady(lambda: self._open_checked(version))
        self.schema = own_fields(dataset.schema)
        self._set(dataset.count_rows(), _dataset=dataset)

    def reload(self) -> None:
        """Load the newest version, or reload the requested one."""
        self._load(self.version if self.pinned else None)

    def _steady(self, work: Callable[[], Result]) -> Result:
        """Call a function that reads files; repeat it if they changed meanwhile.

        A writer may remove old files, which looks like damage to a reader.
        """
        while True:
            before = self._checksums.versions(), versions_at(self.path)
            try:
                return work()
            except InputError:
                if (self._checksums.versions(), versions_at(self.path)) == before:
                    raise

    def _open_checked(self, version: int | None) -> Any:
        """Open a version after checking its files against their digests."""
        dataset, facts = open_newest(self.path, self._checksums)
        if version is not None and version != dataset.version:
            if version in versions_at(self.path):
                dataset = checked_version(self.path, version, self._checksums)
            elif version in self._checksums.versions():
                raise DataError(f"'{self.path / manifest(version)}' is missing from the index")
            if dataset.version != version or facts_of(dataset) is None:
                raise DataError(f"'{self.path}' has no version {version}")
        if self._checked:
            self._checksums.check(dataset.version, files_of(dataset))
        self.next_id = int(facts["next_id"])
        return dataset

    @property
    def version(self) -> int:
        """Number of the version that is open."""
        return int(self._dataset.version)

    def is_removed(self) -> bool:
        return self.version not in versions_at(self.path)

    def writing(self) -> AbstractContextManager[object]:
        """Exclude writers of other processes on this machine; may wait for one of them."""
        return writer_lock(self.path / LOCK)

    def catch_up(self) -> bool:
        before = self.version
        if isinstance(self.path, Path):
            (self.path / HINT).unlink(missing_ok=True)
        head = max(versions_at(self.path), default=0)
        if head == before:
            self._checksums.check(before, [manifest(before)])
        else:
            self._load()
        moved = self.version != before
        if head > self.version:  # only prepared, by a writer that died
            with self._committing():
                operation = import_lance().LanceOperation.Restore(self.version)
                prepared = apply(self.path, operation, head)
                self._commit(self._fragments(), self.next_id, prepared, cleaned=False)
                self.commits -= 1
        self._checksums.write(self.version, files_of(self._dataset))
        if isinstance(self.path, Path) and (self.path / WRITING).exists():
            self._clean()
        return moved

    def _fragments(self) -> list[Any]:
        return [fragment.metadata for fragment in self._dataset.get_fragments()]

    def stage(self, tables: Iterable[Any]) -> Any:
        """Write rows, table by table; readers do not see them until they are appended."""
        self._begin()
        try:
            return write_fragments(self.path / DATA, tables)
        except BaseException:
            self.discard()
            raise

    def discard(self) -> None:
        """Remove staged rows that will not be appended, or leave them to the next writer."""
        with suppress(OSError, InputError):
            self._clean()

    def _begin(self) -> None:
        """Record that files are being written to which no version refers."""
        if isinstance(self.path, Path):
            (self.path / WRITING).touch()

    def replace(self, staged: Any, next_id: int, ids: Any, documents: Integers) -> None:
        kept = self._without(ids) if len(documents) else self._fragments()
        first = max((fragment.id for fragment in self._fragments()), default=-1) + 1
        for number, fragment in enumerate(staged or [], first):
            fragment.id = number
        self._commit([*kept, *(staged or [])], next_id)
        self._change(sum(fragment.physical_rows for fragment in staged or []), documents)

    def _without(self, ids: Any) -> list[Any]:
        """Return the fragments without the rows of some ids."""
        self._begin()
        found = []
        for fragment in open_version(self.path, self.version).get_fragments():
            held = fragment.to_table(columns=["id"]).column(0)
            removed = held.filter(among(held, ids)).to_pylist()
            condition = f"id IN ({', '.join(map(_quote, removed))})"
            with redacting_errors(self.path):
                left = fragment.delete(condition) if removed else fragment.metadata
            found += [] if left is None else [left]  # no row of it is left
        return found

    def _commit(
        self, fragments: list[Any], next_id: int, prepared: Any = None, *, cleaned: bool = True
    ) -> None:
        """Commit fragments as the version after the open one, or after `prepared`.

        With `cleaned` False, the caller removes files that may be left without a version.
        """
        self._begin()
        operations = import_lance().LanceOperation
        before = self._dataset if prepared is None else prepared
        dropped = {part.fragment_id for part in before.get_fragments()}
        dropped -= {fragment.id for fragment in fragments}
        with self._committing():
            if dropped:
                operation = operations.Delete([], sorted(dropped), "true")
                before = apply(self.path, operation, before.version)
            facts, version = facts_of(self._dataset) or {}, before.version + 1
            schema = with_facts(self._dataset.schema, facts, version, fragments, next_id)
            dataset = apply(self.path, operations.Merge(fragments, schema), before.version)
            check_followed(self.path, dataset)
            dataset = self._settled(dataset)
            with suppress(OSError, InputError):  # the next writer does it
                self._checksums.write(dataset.version, files_of(dataset))
                for version in range(self.version + 1, dataset.version):  # prepared ones
                    (self.path / manifest(version)).unlink(missing_ok=True)
                if cleaned and isinstance(self.path, Path):
                    (self.path / WRITING).unlink(missing_ok=True)
            self.commits += 1
            self.__dict__.update(next_id=next_id, _dataset=dataset)

    @contextmanager
    def _committing(self) -> Iterator[None]:
        """Delay interruptions from the first commit to the last; on a disk, make all or none.

        Lance does not notice a write that a full disk cuts short.
        """
        with committing(self.path):
            try:
                yield
            except Exception as error:
                if isinstance(self.path, Path):
                    for version in versions_at(self.path):
                        if version > self.version:
                            (self.path / manifest(version)).unlink()
                elif newest_version(self.path) > self.version:  # whatever Lance says of it
                    raise conflict_error(self.path) from error
                raise

    def _settled(self, dataset: Any) -> Any:
        """Return a new version; on a disk, reopen it and check that its files are complete."""
        if not isinstance(self.path, Path):
            return dataset
        try:
            dataset = open_version(self.path, dataset.version)
            fragments = dataset.get_fragments()
            check_sizes(self.path / DATA, [fragment.metadata for fragment in fragments])
            for fragment in fragments:
                if fragment.metadata.deletion_file is not None:
                    fragment.to_table(columns=["id"])
        except (OSError, ValueError) as error:
            raise OSError(errno.ENOSPC, f"the disk is full: {error}", str(self.path)) from error
        return dataset

    def compact(self, keep_versions: int | None) -> None:
        """Rewrite small files and those with many deleted rows; optionally remove old versions."""
        from lance.optimize import Compaction

        self._checksums.check(self.version, files_of(self._dataset))  # damage is not copied
        dataset = open_version(self.path, self.version)
        self._begin()
        with redacting_errors(self.path):
            plan = Compaction.plan(dataset, {})
            written = [task.execute(dataset) for task in plan.tasks]
        if written:
            with self._committing():
                Compaction.commit(dataset, written)  # reserves numbers of fragments, then commits
                prepared = open_version(self.path, self.version + 2)
                if versions_at(self.path)[-1] != prepared.version:
                    raise conflict_error(self.path)
                fragments = [fragment.metadata for fragment in prepared.get_fragments()]
                self._commit(fragments, self.next_id, prepared, cleaned=False)
        if keep_versions is not None:
            kept = [item.number for item in self._listed(damaged=True)][-keep_versions:]
            self._remove_before(kept[0])
        self._clean()
        self._load()

    def _remove_before(self, oldest: int) -> None:
        """Remove older versions; a version counts as removed once its manifest is."""
        unused = set[str]()
        if not isinstance(self.path, Path):  # on a disk `_clean` removes their files
            for version in versions_at(self.path):  # oldest first
                names = {*files_of(open_version(self.path, version))}
                unused = unused | names if version < oldest else unused - names
        for version in sorted({*self._checksums.versions(), *versions_at(self.path)}):
            if version < oldest:
                self._checksums.remove(version)
                (self.path / manifest(version)).unlink(missing_ok=True)
        if not isinstance(self.path, Path):
            self.path.remove(unused)

    def _clean(self) -> None:
        """Remove files that no version refers to.

        In an object store another writer may be active: such files are kept there for 7 days.
        """
        there = versions_at(self.path)
        dataset = open_version(self.path, self.version)
        with redacting_errors(self.path):
            if not isinstance(self.path, Path):
                dataset.cleanup_old_versions(retain_versions=ALL)
                return
            for version in there:  # Lance reads which files they refer to
                self._checksums.check(version, [manifest(version)])
            dataset.cleanup_old_versions(retain_versions=ALL, delete_unverified=True)
            deletions = list((self.path / DATA / "_deletions").glob("*"))
            if deletions:  # Lance keeps new ones that no version refers to
                versions = (open_version(self.path, number) for number in there)
                used = {name for version in versions for name in files_of(version)}
                for path in deletions:
                    if path.relative_to(self.path).as_posix() not in used:
                        path.unlink()
            for path in (self.path / VERSIONS).glob("*"):
                if not path.name.endswith(".manifest"):  # an unfinished one
                    path.unlink()
            for part in (self.path, self.path / CHECKS):
                for path in part.glob(".*.partial"):
                    path.unlink(missing_ok=True)
            (self.path / WRITING).unlink(missing_ok=True)

    def restore(self, version: int) -> None:
        self._steady(lambda: self._open_checked(version))
        with self._committing():
            operation = import_lance().LanceOperation.Restore(version)
            prepared = apply(self.path, operation, self.version)
            fragments = [fragment.metadata for fragment in prepared.get_fragments()]
            self._commit(fragments, self.next_id, prepared)
        self._load()

    def versions(self) -> list[Version]:
        """Return all versions that are kept, oldest first."""
        return self._steady(self._listed)

    def _listed(self, *, damaged: bool = False) -> list[Version]:
        """Return all versions, whose manifests must be undamaged unless `damaged` is allowed."""

        def version_at(number: int) -> Version | None:
            try:
                facts = facts_of(checked_version(self.path, number, self._checksums))
            except DataError:
                if damaged:
                    return None
                raise
            if facts is None:
                return None
            return Version(number, datetime.fromtimestamp(facts["created"]), facts["texts"])

        numbers = sorted({*self._checksums.versions(), *versions_at(self.path)})
        with ThreadPoolExecutor() as pool:
            found = pool.map(version_at, numbers)
            return [version for version in found if version is not None]

    def facts(self) -> dict[str, Any]:
        """Return path, version, number of versions and bytes of all of them."""
        return {
            "path": str(self.path),
            "version": self.version,
            "versions": len(self.versions()),
            "disk_bytes": tree_bytes(self.path),
        }

    @contextmanager
    def _reading(self, dataset: Any = None) -> Iterator[Any]:
        """Yield a version, by default the open one; raise an error if it was removed."""
        import_lance()  # refuses a process in which Lance cannot be used
        dataset = self._dataset if dataset is None else dataset
        try:
            yield dataset
        except (ValueError, OSError) as error:
            if dataset.version not in versions_at(self.path):
                raise RowsRemovedError(
                    f"version {dataset.version} of '{self.path}' was removed"
                ) from error
            if isinstance(error, InputError):
                raise
            reason = reason_of(self.path, error)
            raise InputError(f"the rows of '{self.path}' cannot be read: {reason}") from error

    def ids(self) -> Any:
        with self._reading() as dataset:
            return dataset.to_table(columns=["id"]).column(0).combine_chunks()

    def words(self, encoder: Encoder) -> Iterator[TokenIds]:
        with self._reading() as dataset:
            table = dataset.to_table(columns=[TOKENS, UNKNOWN])
        yield words_of_columns(table, known=len(encoder.vectors))

    def renumber(self) -> None:
        """Number the rows of this version from 0 again."""
        self._set(len(self))

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

    def matching(self, where: str) -> Booleans:
        with self._reading() as dataset:
            return matching(dataset, where, self.schema.names)


def _quote(value: int | str) -> str:
    """Write an id in SQL."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value) if value > -(2**63) else f"({value + 1} - 1)"

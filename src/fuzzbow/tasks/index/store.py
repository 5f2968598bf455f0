"""Rows on disk, in a Lance dataset: every change is one commit, older versions stay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from fuzzbow.arrays import Booleans, Integers
from fuzzbow.encoding import Encoder, TokenIds, check_texts
from fuzzbow.errors import InputError, check_count
from fuzzbow.tasks.files import BATCH_ROWS
from fuzzbow.tasks.index.commit import committing
from fuzzbow.tasks.index.documents import NewDocuments
from fuzzbow.tasks.index.encoded import TOKENS, UNKNOWN, words_of_columns
from fuzzbow.tasks.index.folder import check_sizes, write_fragments
from fuzzbow.tasks.index.ids import among, first_free_id
from fuzzbow.tasks.index.integrity import (
    DATA,
    Checksums,
    keep_newest,
    manifest,
    manifests,
    names,
    remove_strays,
)
from fuzzbow.tasks.index.lock import LOCK, writer_lock
from fuzzbow.tasks.index.object_seals import seals_of
from fuzzbow.tasks.index.place import (
    Place,
    lance_options,
    reason_of,
    redacting_errors,
    tree_bytes,
)
from fuzzbow.tasks.index.rows import Read, RowsRemovedError, import_lance, matching

LAST_VERSION = 2**63 - 1  # the largest number that Lance counts to
Result = TypeVar("Result")


@dataclass(frozen=True)
class Version:
    """One state of an index on disk."""

    number: int  # what `restore` and `open_index(version=…)` take
    created: datetime
    texts: int  # how many there were


class LanceRows:
    """Rows of one version; only a writer moves on to the next."""

    def __init__(self, folder: Place, *, version: int | None = None) -> None:
        self.folder, self.pinned = folder, version is not None
        self.commits = 0  # changes that were made from here
        self._load(version)

    def _load(self, version: int | None = None) -> None:
        """Open a version, the newest unless told, after checking its files."""
        self._seals, dataset = self._steady(lambda seals: self._checked(seals, version))
        self._documents = int(dataset.count_rows())
        self._deleted = np.zeros(0, dtype=np.int64)  # numbers, sorted
        self._use(dataset)
        self._next_id = self._seals.next_id
        told = self.version in self._seals.versions  # else its writer died before sealing it
        if not told or self._seals.lost_count:
            self._next_id = max(self._next_id, first_free_id(self.ids()))

    def reload(self) -> None:
        """Take up the newest state, or that of the version which was asked for."""
        self._load(self.version if self.pinned else None)

    def _steady(self, work: Callable[[Checksums], Result]) -> Result:
        """The result of work on the files, repeated if they changed meanwhile.

        A writer may remove old files, which looks like damage to a reader.
        """
        while True:
            before = names(self.folder)
            try:
                return work(seals_of(self.folder))
            except InputError:
                if names(self.folder) == before:
                    raise

    def _checked(self, seals: Checksums, version: int | None) -> tuple[Checksums, Any]:
        """A version whose files are all as they were written; Lance reads no other."""
        newest = seals.newest()
        seals.check_manifest(newest)  # so that no damage of it goes unnoticed
        chosen = newest if version is None else version
        if chosen != newest:
            seals.check_manifest(chosen)
        dataset = self._open(chosen)
        seals.check(dataset)
        return seals, dataset

    def _open(self, version: int) -> Any:
        path = self.folder / DATA
        try:
            return import_lance().dataset(str(path), version=version, **lance_options(path))
        except (ValueError, OSError) as error:
            reason = reason_of(path, error)
            raise InputError(f"'{self.folder / manifest(version)}' is damaged: {reason}") from error

    def _use(self, dataset: Any) -> None:
        self._dataset = dataset
        self._names = self.schema.names
        self._matching = lru_cache(maxsize=8)(self._evaluate)

    def documents_of_version(self) -> Iterator[NewDocuments]:
        """All rows of the open version as new documents, in batches; the first is empty."""
        import pyarrow as pa

        rows = self._dataset.to_batches(columns=self.schema.names, batch_size=BATCH_ROWS)
        tables = (pa.Table.from_batches([batch], self.schema) for batch in rows)
        for table in chain([self.schema.empty_table()], tables):  # the first has the columns
            texts = check_texts(table.column("text"), "texts")
            yield NewDocuments(texts, table.column("id"), table.drop_columns(["id", "text"]))

    @property
    def version(self) -> int:
        """The version that is open."""
        return int(self._dataset.version)

    @property
    def removed(self) -> bool:
        """Whether somebody else has removed the version that is open."""
        return self._removed(self._dataset)

    def _removed(self, dataset: Any) -> bool:
        return not (self.folder / manifest(dataset.version)).exists()

    @property
    def schema(self) -> Any:
        """Arrow fields id, text and those of the metadata."""
        import pyarrow as pa

        return pa.schema([field for field in self._dataset.schema if field.name[0] != "_"])

    @property
    def next_id(self) -> int:
        """The first id that was never given."""
        return self._next_id

    def __len__(self) -> int:
        return self._documents - len(self._deleted)

    def writing(self) -> AbstractContextManager[object]:
        """Keep writers of other processes out; may wait for one of them."""
        return writer_lock(self.folder / LOCK)

    def catch_up(self) -> bool:
        """Load what another process has written; whether there was anything new."""
        moved = self._seals.newest() != self.version
        if moved:
            self._load()
        else:
            self._seals.check_manifest(self.version)
        tidied = self._seals.tidy(self._dataset, self._next_id)
        if tidied is not self._dataset:
            self._use(tidied)
        return moved

    def stage(self, tables: Iterable[Any]) -> Any:
        """Write rows, a table at a time, that nobody sees before they are appended."""
        try:
            return write_fragments(self.folder / DATA, tables)
        except BaseException:
            with suppress(OSError):  # the next writer removes them
                remove_strays(self.folder, self._seals, self._dataset)
            raise

    def append(self, staged: Any, next_id: int) -> None:
        """Add staged rows in one commit."""
        with committing(self.folder):
            self._commit(import_lance().LanceOperation.Append(staged))
            dataset = self._settled(next_id)
            self._documents += sum(fragment.physical_rows for fragment in staged)
            self._next_id = next_id
            self._use(dataset)

    def replace(self, staged: Any, next_id: int, ids: Any, documents: Integers) -> None:
        """Add staged rows and remove those of some ids in one commit."""
        if not len(documents):
            self.append(staged, next_id)
            return
        with committing(self.folder):
            changed = self._without(ids)
            update = import_lance().LanceOperation.Update(
                [number for number, left in changed.items() if left is None],
                [left for left in changed.values() if left is not None],
                staged,
            )
            self._commit(update)
            dataset = self._settled(next_id)
            self._documents += sum(fragment.physical_rows for fragment in staged)
            self._deleted = np.union1d(self._deleted, documents)
            self._next_id = next_id
            self._use(dataset)

    def _without(self, ids: Any) -> dict[int, Any]:
        """The fragments that hold any of some ids, by number, without these; None if empty."""
        changed = {}
        for fragment in self._open(self.version).get_fragments():
            held = fragment.to_table(columns=["id"]).column(0)
            gone = held.filter(among(held, ids)).to_pylist()
            if gone:
                changed[fragment.fragment_id] = fragment.delete(_one_of(gone))
        return changed

    def _commit(self, operation: Any) -> None:
        place = self.folder / DATA
        import_lance().LanceDataset.commit(
            str(place), operation, read_version=self.version, **lance_options(place)
        )

    def delete(self, ids: Any, documents: Integers) -> None:
        """Remove rows in one commit."""
        with committing(self.folder):
            self._open(self.version).delete(_one_of(ids.to_pylist()))
            dataset = self._settled(self._next_id)
            self._deleted = np.union1d(self._deleted, documents)
            self._use(dataset)

    def compact(self, keep_versions: int | None) -> None:
        """Rewrite small and thinned-out files; remove old versions if asked."""
        from lance.optimize import Compaction

        dataset = self._open(self.version)
        self._seals.check(dataset)  # so that no damage is copied
        with redacting_errors(self.folder):
            plan = Compaction.plan(dataset, {})
            written = [task.execute(dataset) for task in plan.tasks]
        with committing(self.folder):
            if written:
                Compaction.commit(dataset, written)
            dataset = self._settled(self._next_id)
        if keep_versions is not None:
            self._seals.seal(dataset, self._next_id)
            keep_newest(self.folder, self._seals, keep_versions)
        self._load()

    def _settled(self, next_id: int) -> Any:
        """The version just committed, as it is at its place, with digests of its files."""
        try:
            dataset = self._open(max(manifests(self.folder)))
            fragments = dataset.get_fragments()
            check_sizes(self.folder / DATA, [fragment.metadata for fragment in fragments])
            for fragment in fragments:
                if fragment.metadata.deletion_file is not None:
                    fragment.to_table(columns=["id"])
        except (OSError, ValueError) as error:
            raise self._seals.give_up(self.version, error) from error
        self._seals.finish(dataset, next_id)
        self.commits += 1
        return dataset

    def restore(self, version: int) -> None:
        """Make an older version the newest."""
        self._steady(lambda seals: self._checked(seals, version))
        with committing(self.folder):
            self._commit(import_lance().LanceOperation.Restore(version))
            self._settled(self._next_id)
        self._load()

    def versions(self) -> list[Version]:
        """All versions that are still there, oldest first."""
        return self._steady(self._versions)

    def _versions(self, seals: Checksums) -> list[Version]:
        wanted = seals.check_versions()
        try:
            found = {item["version"]: item for item in self._dataset.versions()}
            return [
                Version(number, item["timestamp"], int(item["metadata"]["total_rows"]))
                for number, item in ((number, found[number]) for number in wanted)
            ]
        except (OSError, ValueError, KeyError) as error:
            raise InputError(f"the versions of '{self.folder}' cannot be read: {error}") from error

    def disk_bytes(self) -> int:
        """Bytes of all files, those of older versions too."""
        return tree_bytes(self.folder)

    @contextmanager
    def _reading(self, dataset: Any = None) -> Iterator[Any]:
        """A version, the open one unless told, whose files somebody may have removed."""
        import_lance()  # refuses a process in which Lance cannot be used
        dataset = self._dataset if dataset is None else dataset
        try:
            yield dataset
        except (ValueError, OSError) as error:
            if self._removed(dataset):
                raise RowsRemovedError(
                    f"version {dataset.version} of '{self.folder}' was removed"
                ) from error
            if isinstance(error, InputError):
                raise
            reason = reason_of(self.folder, error)
            raise InputError(f"the rows of '{self.folder}' cannot be read: {reason}") from error

    def ids(self) -> Any:
        """Ids of all rows in order, as an Arrow array."""
        with self._reading() as dataset:
            return dataset.to_table(columns=["id"]).column(0).combine_chunks()

    def documents(self) -> Integers:
        """Document numbers of all rows in order."""
        alive = np.ones(self._documents, dtype=np.bool_)
        alive[self._deleted] = False
        return np.flatnonzero(alive)

    def words(self, encoder: Encoder) -> TokenIds:
        """The words of all rows in order, as they are stored."""
        with self._reading() as dataset:
            table = dataset.to_table(columns=[TOKENS, UNKNOWN])
        columns = table.column(TOKENS), table.column(UNKNOWN)
        return words_of_columns(*columns, known=len(encoder.vectors))

    def renumber(self) -> None:
        """Number the rows of this version from 0 again."""
        if len(self._deleted):
            self._documents, self._deleted = len(self), np.zeros(0, dtype=np.int64)
            self._use(self._dataset)

    def places(self, documents: Integers) -> Integers:
        """Where the rows of documents are among all rows of this version: (n,) -> (n,)."""
        return documents - np.searchsorted(self._deleted, documents)

    def reader(self, documents: Integers) -> Read:
        """Reads the rows of documents as they are now, whenever it is called."""
        columns, own = self._names, self._dataset
        places = self.places(documents).tolist()

        def read() -> Any:
            with self._reading(own) as dataset:
                return dataset.take(places, columns=columns)

        return read

    def batches(self, encoder: Encoder) -> Iterator[Any]:
        """All rows with their tokens, as Arrow tables of a bounded size."""
        import pyarrow as pa

        with self._reading() as dataset:
            self._seals.check(dataset)  # so that no damage is copied
            for batch in dataset.to_batches():
                yield pa.Table.from_batches([batch])

    def allowed(self, where: str) -> Booleans:
        """Which documents an SQL condition is true of: (documents,)."""
        return self._matching(where)

    def _evaluate(self, where: str) -> Booleans:
        allowed = np.zeros(self._documents, dtype=np.bool_)
        with self._reading() as dataset:
            allowed[self.documents()] = matching(dataset, where, self._names)
        return allowed


def _one_of(ids: list[int | str]) -> str:
    """A condition that is true of rows with these ids."""
    return f"id IN ({', '.join(map(_quoted, ids))})"


def _quoted(value: int | str) -> str:
    """An id in SQL."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value) if value > -(2**63) else f"({value + 1} - 1)"


def check_version(version: object) -> int:
    """The number of a version, as Lance counts them."""
    number = check_count(version, "version")
    if number > LAST_VERSION:
        raise InputError(f"version must be at most {LAST_VERSION}, the largest there can be")
    return number

"""Rows on disk, in a Lance dataset: every change is one commit, older versions stay."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Integers, Ragged
from fuzzbow.errors import InputError
from fuzzbow.model.encoding import Encoder
from fuzzbow.tasks.index import tokens
from fuzzbow.tasks.index.building import after
from fuzzbow.tasks.index.guard import writer_lock
from fuzzbow.tasks.index.rows import Read, import_lance, matching
from fuzzbow.tasks.index.seals import DATA, Seals

LOCK = "lock"
STORAGE = "2.1"  # of the Lance file format
LAST_VERSION = 2**64 - 1  # Lance counts the names of manifests down from here


@dataclass(frozen=True)
class Version:
    """One state of an index on disk."""

    number: int  # what `restore` and `open_index(version=…)` take
    created: datetime
    texts: int  # how many there were


class LanceRows:
    """Rows of one version; only a writer moves on to the next."""

    def __init__(self, folder: Path, *, version: int | None = None) -> None:
        self.folder, self.pinned = folder, version is not None
        self._load(version)

    def _load(self, version: int | None = None) -> None:
        """Open a version, the newest unless told, after checking its files."""
        self._seals, dataset = self._checked(version)
        self._documents = int(dataset.count_rows())
        self._deleted = np.zeros(0, dtype=np.int64)  # numbers, sorted
        self._use(dataset)
        self._next_id = self._seals.next_id
        if self.version not in self._seals.versions:  # its writer died before it told
            self._next_id = max(self._next_id, after(self.ids()))

    def reload(self) -> None:
        """Take up the newest state, or that of the version which was asked for."""
        self._load(self.version if self.pinned else None)

    def _checked(self, version: int | None) -> tuple[Seals, Any]:
        """A version whose files are all as they were written.

        A writer may remove old files meanwhile; what then looks like damage is looked at again.
        """
        seals = Seals(self.folder)
        try:
            seals.check_manifest()
            dataset = self._open(version)
            seals.check(dataset, latest=version is None)
        except InputError:
            if Seals(self.folder).versions == seals.versions:
                raise
            return self._checked(version)
        return seals, dataset

    def _open(self, version: int | None = None) -> Any:
        path = self.folder / DATA
        try:
            return import_lance().dataset(str(path), version=version)
        except (ValueError, OSError) as error:
            reason = str(error).split(", /")[0]
            if version is not None:
                raise InputError(f"'{self.folder}' has no version {version}: {reason}") from error
            raise InputError(f"'{path}' is damaged: {reason}") from error

    def _use(self, dataset: Any) -> None:
        self._dataset = dataset
        self._names = self.schema.names
        self._matching = lru_cache(maxsize=8)(self._evaluate)

    @property
    def version(self) -> int:
        """The version that is open."""
        return int(self._dataset.version)

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

    def writing(self) -> AbstractContextManager[None]:
        """Keep writers of other processes out; may wait for one of them."""
        return writer_lock(self.folder / LOCK)

    def catch_up(self) -> bool:
        """Take up what another process has written, and tell whether there was something."""
        moved = bool(self._dataset.latest_version != self.version)
        if moved:
            self._load()
        self._seals.seal(self.version, self._next_id)
        return moved

    def append(self, table: Any, next_id: int) -> None:
        """Add rows in one commit."""
        lance = import_lance()
        path = str(self.folder / DATA)
        operation = lance.LanceOperation.Append(write_fragments(path, table))
        lance.LanceDataset.commit(path, operation, read_version=self.version)
        dataset = self._settled(next_id)
        self._documents += table.num_rows
        self._next_id = next_id
        self._use(dataset)

    def delete(self, ids: Any, documents: Integers) -> None:
        """Remove rows in one commit."""
        quoted = (
            f"'{value.replace(chr(39), chr(39) * 2)}'" if isinstance(value, str) else str(value)
            for value in ids.to_pylist()
        )
        self._open().delete(f"id IN ({', '.join(quoted)})")
        dataset = self._settled(self._next_id)
        self._deleted = np.union1d(self._deleted, documents)
        self._use(dataset)

    def compact(self, keep_versions: int | None) -> None:
        """Rewrite small and thinned-out files; remove old versions if asked."""
        self._open().optimize.compact_files()
        dataset = self._settled(self._next_id)
        if keep_versions is not None:
            dataset.cleanup_old_versions(
                older_than=timedelta(0), retain_versions=keep_versions, delete_unverified=True
            )
            self._seals.merge()
        self._load()

    def _settled(self, next_id: int) -> Any:
        """The version just committed, as it is on the disk, with digests of its files.

        Lance does not notice a write that a full disk cuts short; such a commit is taken back.
        """
        try:
            dataset = import_lance().dataset(str(self.folder / DATA))
            for fragment in dataset.get_fragments():
                check_sizes(self.folder / DATA, fragment.metadata)
                if fragment.metadata.deletion_file is not None:
                    fragment.to_table(columns=["id"])
        except (OSError, ValueError) as error:
            self._take_back()
            raise OSError(errno.ENOSPC, f"the disk is full: {error}", str(self.folder)) from error
        with suppress(OSError):  # the next writer seals it, or fails before it changes anything
            self._seals.seal(dataset.version, next_id)
        return dataset

    def _take_back(self) -> None:
        """Remove what was committed after the version that is open; the lock is held."""
        for path in (self.folder / DATA / "_versions").glob("*.manifest"):
            if path.stem.isdigit() and LAST_VERSION - int(path.stem) > self.version:
                path.unlink()

    def restore(self, version: int) -> None:
        """Make an older version the newest."""
        dataset = self._open(version)
        dataset.restore()
        self._settled(self._next_id)
        self._load()

    def versions(self) -> list[Version]:
        """All versions that are still there, oldest first."""
        return [
            Version(item["version"], item["timestamp"], int(item["metadata"]["total_rows"]))
            for item in self._dataset.versions()
        ]

    def disk_bytes(self) -> int:
        """Bytes of all files, those of older versions too."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())

    def ids(self) -> Any:
        """Ids of all rows in order, as an Arrow array."""
        return self._column("id")

    def _column(self, name: str) -> Any:
        return self._dataset.to_table(columns=[name]).column(0).combine_chunks()

    def documents(self) -> Integers:
        """Document numbers of all rows in order."""
        alive = np.ones(self._documents, dtype=np.bool_)
        alive[self._deleted] = False
        return np.flatnonzero(alive)

    def words(self, encoder: Encoder) -> tuple[Ragged, list[str]]:
        """The words of all rows in order, as they are stored."""
        table = self._dataset.to_table(columns=[tokens.TOKENS, tokens.UNKNOWN])
        columns = table.column(tokens.TOKENS), table.column(tokens.UNKNOWN)
        return tokens.from_columns(*columns, known=len(encoder.vectors))

    def reader(self, documents: Integers) -> Read:
        """Reads the rows of documents as they are now, whenever it is called."""
        dataset, columns = self._dataset, self._names
        places = documents - np.searchsorted(self._deleted, documents)

        def read() -> Any:
            try:
                return dataset.take(places.tolist(), columns=columns)
            except (ValueError, OSError) as error:
                raise InputError(
                    f"the rows of version {dataset.version} of '{self.folder}' can no longer be"
                    f" read; search again: {error}"
                ) from error

        return read

    def batches(self, encoder: Encoder) -> Iterator[Any]:
        """All rows with their tokens, as Arrow tables of a bounded size."""
        import pyarrow as pa

        return (pa.Table.from_batches([batch]) for batch in self._dataset.to_batches())

    def allowed(self, where: str) -> Booleans:
        """Which documents an SQL condition is true of: (documents,)."""
        return self._matching(where)

    def _evaluate(self, where: str) -> Booleans:
        allowed = np.zeros(self._documents, dtype=np.bool_)
        allowed[self.documents()] = matching(self._dataset, where, self._names)
        return allowed


def write_fragments(path: str, table: Any, *, new: bool = False) -> list[Any]:
    """Files of rows that no version refers to yet; `new` where there is no version at all."""
    from lance.fragment import write_fragments as write

    mode = "create" if new else "append"
    found: list[Any] = write(table, path, mode=mode, data_storage_version=STORAGE)
    for fragment in found:
        check_sizes(Path(path), fragment)
    return found


def check_sizes(folder: Path, fragment: Any) -> None:
    """The files of a fragment must be as long as they were meant to be."""
    for file in fragment.files:
        path = folder / "data" / file.path
        if path.stat().st_size != file.file_size_bytes:
            raise OSError(errno.ENOSPC, "the disk is full: a file was cut short", str(path))

"""Rows of an index in shards, each an ordinary index on disk at one version.

Shards hold texts in the order of insertion. The manifest `shards.json` names them with their
versions and is replaced as a whole, so a change of several shards is visible all at once. Versions
and shards newer than the manifest were left by a writer that died; the next writer removes them.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Integers
from fuzzbow.encoding import Encoder, TokenIds
from fuzzbow.errors import InputError
from fuzzbow.index.folder import check_fingerprint, write_index
from fuzzbow.index.lance_store import LanceStore
from fuzzbow.index.location import (
    Location,
    read_checked,
    remove_tree,
    tree_bytes,
    write_checked,
)
from fuzzbow.index.lock import LOCK, uninterrupted, writer_lock
from fuzzbow.index.store import Read, RowsRemovedError, Store
from fuzzbow.index.versions import conflict_error, newest_version, older_layout
from fuzzbow.index.versions import manifest as manifest_of
from fuzzbow.io.checked_json import checked_bytes, parse_checked
from fuzzbow.measures import TextMeasure

MANIFEST = "shards.json"
FORMAT = 2  # of format 1 were shards of an older layout
PREFIX = "shard-"  # of the folders of shards
STAGED = "staged-"  # of folders of rows from which shards are built


@dataclass(frozen=True)
class Shard:
    """One shard at one version."""

    name: str  # of its folder
    version: int
    texts: int
    next_id: int  # smallest number above all ids that were ever given until this version


@dataclass(frozen=True)
class ShardManifest:
    """Shards of an index and its model."""

    fingerprint: dict[str, Any]  # of the model
    model: dict[str, Any] | None  # its description, if it can be loaded by one
    shard_texts: int  # maximum number of texts of a shard to which texts are added
    shards: tuple[Shard, ...]
    takeovers: int = 0  # removals of files of a writer that may have been alive

    @property
    def next_id(self) -> int:
        """Smallest number that was never an id and is larger than all ids."""
        return max(shard.next_id for shard in self.shards)


def is_sharded(folder: Location) -> bool:
    """Return whether a folder is an index in shards, by its manifest."""
    return (folder / MANIFEST).is_file()


def read_manifest(folder: Location, *, older: bool = False) -> ShardManifest:
    """Read the manifest of an index in shards; with `older`, also one of an older layout."""
    return _parse(folder, read_checked(folder / MANIFEST), older=older)


def _parse(folder: Location, data: dict[str, Any], *, older: bool = False) -> ShardManifest:
    found = data.pop("format", None)
    if found == 1 and not older:
        raise older_layout(folder)
    if found not in (1, FORMAT):
        raise InputError(f"'{folder / MANIFEST}': the format must be {FORMAT}; got {found!r}")
    return ShardManifest(**data | {"shards": tuple(Shard(**shard) for shard in data["shards"])})


def write_manifest(folder: Location, new: ShardManifest, before: ShardManifest | None) -> None:
    """Write a manifest in one step, in place of `before`; the caller must hold the write lock.

    Without a lock, as in object stores, a changed manifest raises a LockedError.
    """
    path, data, mode = folder / MANIFEST, {"format": FORMAT, **asdict(new)}, "create"
    if isinstance(path, Path):
        write_checked(path, data)
        return
    if before is not None:
        current, mode = path.read()
        if _parse(folder, parse_checked(path, current)) != before:
            raise conflict_error(folder)
    try:
        path.write(checked_bytes(data), mode)
    except FileExistsError:
        raise conflict_error(folder) from None


def remove_unlisted(folder: Location, listed: ShardManifest) -> ShardManifest:
    """Remove shards that the manifest does not list; the caller must hold the write lock.

    If their writer may still be alive, the manifest is replaced first, so that it cannot commit.
    """
    known = {shard.name for shard in listed.shards}
    patterns = (f"{PREFIX}*", f".{PREFIX}*.partial", f"{STAGED}*", "staged")
    found = [path for pattern in patterns for path in folder.glob(pattern)]
    unlisted = [path for path in found if path.name not in known]
    if unlisted and not isinstance(folder, Path):
        before, listed = listed, replace(listed, takeovers=listed.takeovers + 1)
        write_manifest(folder, listed, before)
    for path in unlisted:
        remove_tree(path)
    return listed


def split_tables(tables: Iterable[Any], first: int, size: int) -> Iterator[Iterator[Any]]:
    """Split a stream of tables into parts of `first` rows, then of `size` each.

    Each part must be read before the next one is requested.
    """
    source = (table for table in tables if table.num_rows)
    rest: list[Any] = [*islice(source, 1)]

    def part(room: int) -> Iterator[Any]:
        while room and rest:
            table = rest.pop()
            yield table.slice(0, room)
            if table.num_rows > room:
                rest.append(table.slice(room))
                return
            room -= table.num_rows
            rest.extend(islice(source, 1))

    if first:
        yield part(first)
    while rest:
        yield part(size)


Staged = tuple[list[Any], dict[str, int]]  # files for the last shard; texts of new shards, by name


class ShardedStore(Store):
    """Store of the rows of all shards, numbered consecutively; one lock covers all changes.

    With `checked=False` files are not compared with their digests.
    """

    def __init__(self, folder: Location, model: TextMeasure, *, checked: bool = True) -> None:
        self.path: Location = folder
        self._model, self._checked = model, checked
        self._open: dict[Shard, LanceStore] = {}
        self._locks = ExitStack()
        self._writing: dict[str, LanceStore] = {}  # shards that are locked, by name
        self._take(read_manifest(folder))

    def _take(self, new: ShardManifest) -> None:
        """Number the rows of the shards of a manifest from 0."""
        self.manifest = new
        self._open = {shard: self._open[shard] for shard in new.shards if shard in self._open}
        self.next_id = new.next_id
        self._set(sum(shard.texts for shard in new.shards))

    def _rows(self, shard: Shard) -> LanceStore:
        """Open a shard at its version."""
        rows = self._open.get(shard)
        if rows is None:
            rows = self._open[shard] = open_shard(self.path, shard, checked=self._checked)
        return rows

    def _all(self) -> list[LanceStore]:
        return [self._rows(shard) for shard in self.manifest.shards]

    @property
    def schema(self) -> Any:
        return self._rows(self.manifest.shards[0]).schema

    @contextmanager
    def writing(self) -> Iterator[None]:
        with writer_lock(self.path / LOCK), ExitStack() as self._locks:
            self._writing = {}
            yield

    def catch_up(self) -> bool:
        """Load the newest manifest and remove files of dead writers; return whether it is new."""
        newest = remove_unlisted(self.path, read_manifest(self.path))
        if newest == self.manifest:
            return False
        self._take(newest)
        return True

    def reload(self) -> None:
        """Load the newest manifest; rows are numbered from 0."""
        self._open = {}  # some may be ahead of the manifest after a change that failed
        self._take(read_manifest(self.path))

    def is_removed(self) -> bool:
        shards = self.manifest.shards
        if all((self.path / x.name / manifest_of(x.version)).exists() for x in shards):
            return False
        if read_manifest(self.path) == self.manifest:
            raise InputError(f"a shard of '{self.path}' lacks the version that {MANIFEST} names")
        return True

    def _writable(self, shard: Shard) -> LanceStore:
        """Lock a shard for a change, after undoing what a dead writer changed in it."""
        if shard.name not in self._writing:
            rows = self._rows(shard)
            self._locks.enter_context(rows.writing())
            if rows.pinned or newest_version(rows.path) != shard.version:
                rows = LanceStore(rows.path, checked=self._checked)
            rows.catch_up()
            if rows.version != shard.version:
                rows.restore(shard.version)
            self._writing[shard.name] = rows
        return self._writing[shard.name]

    def _commit(self, new: tuple[Shard, ...] = (), next_id: int = 0) -> None:
        """Replace the manifest: current versions of the locked shards, and new shards."""
        shards = list(self.manifest.shards)
        for number, shard in enumerate(shards):
            rows = self._writing.get(shard.name)
            if rows is not None and rows.version != shard.version:
                rows.renumber()
                free = max(shard.next_id, next_id)
                shards[number] = Shard(shard.name, rows.version, len(rows), free)
                self._open[shards[number]] = rows
        newest = replace(self.manifest, shards=(*shards, *new))
        if newest != self.manifest:
            with uninterrupted():
                write_manifest(self.path, newest, self.manifest)
                self.commits += 1
                self.manifest = newest
        self._open = {shard: rows for shard, rows in self._open.items() if shard in newest.shards}

    def stage(self, tables: Iterable[Any]) -> Staged:
        """Write rows: into the last shard until it is full, then into new ones."""
        shards = self.manifest.shards
        files: list[Any] = []
        new: dict[str, int] = {}
        most = self.manifest.shard_texts
        room = max(most - shards[-1].texts, 0)
        last = rows = self._writable(shards[-1]) if room else None
        try:
            for part in split_tables(tables, room, most):
                if rows is not None:
                    files, rows = rows.stage(part), None
                    continue
                name = f"{PREFIX}{len(shards) + len(new):05d}-{secrets.token_hex(8)}"
                new[name] = 0
                folder = self.path / name
                new[name] = write_index(folder, self._model, self.schema, part, lambda: 0)
        except BaseException:
            for name in new:
                remove_tree(self.path / name)
            if last is not None:
                last.discard()
            raise
        return files, new

    def replace(self, staged: Staged | None, next_id: int, ids: Any, documents: Integers) -> None:
        files, texts_of_new = staged or ([], {})
        shards = self.manifest.shards
        numbers, positions = self._locate(documents)
        last = len(shards) - 1
        for number in sorted({*numbers.tolist(), *([last] if files else [])}):
            rows, own = self._writable(shards[number]), np.flatnonzero(numbers == number)
            added = files if number == last else []
            rows.replace(added, next_id, ids.take(own), positions[own])
        new = tuple(Shard(name, 1, texts, next_id) for name, texts in texts_of_new.items())
        self._commit(new, next_id)
        appended = sum(file.physical_rows for file in files) + sum(texts_of_new.values())
        self._change(appended, documents, next_id=self.manifest.next_id)

    def compact(self, keep_versions: int | None) -> None:
        """Rewrite small files and those with many deleted rows; optionally remove old versions."""
        for keep in (None, keep_versions) if keep_versions else (None,):  # once none is needed
            for shard in self.manifest.shards:
                self._writable(shard).compact(keep)
            self._commit()
        self._take(self.manifest)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the folder."""
        return ShardedStore, (self.path.resolve(), self._model)

    def facts(self) -> dict[str, Any]:
        shards, size = len(self.manifest.shards), tree_bytes(self.path)
        return {"path": str(self.path), "shards": shards, "disk_bytes": size}

    def check_model(self, model: TextMeasure) -> None:
        check_fingerprint(self.manifest.fingerprint, model, str(self.path))

    def _locate(self, documents: Integers) -> tuple[Integers, Integers]:
        """Return the numbers of the shards of documents, and the positions of their rows there."""
        starts = np.cumsum([0, *(shard.texts for shard in self.manifest.shards)])
        positions = self.positions(documents)
        numbers = np.searchsorted(starts, positions, side="right") - 1
        return numbers, positions - starts[numbers]

    def ids(self) -> Any:
        import pyarrow as pa

        return pa.concat_arrays([rows.ids() for rows in self._all()])

    def words(self, encoder: Encoder) -> Iterator[TokenIds]:
        return chain.from_iterable(rows.words(encoder) for rows in self._all())

    def batches(self, encoder: Encoder) -> Iterator[Any]:
        return chain.from_iterable(rows.batches(encoder) for rows in self._all())

    def reader(self, documents: Integers) -> Read:
        numbers, positions = self._locate(documents)
        order, readers = [], []
        for number in np.unique(numbers).tolist() or [0]:
            own = np.flatnonzero(numbers == number)
            order.append(own)
            readers.append(self._rows(self.manifest.shards[number]).reader(positions[own]))

        def read() -> Any:
            import pyarrow as pa

            back = np.argsort(np.concatenate(order), kind="stable")
            return pa.concat_tables([read() for read in readers]).take(back)

        return read

    def matching(self, where: str) -> Booleans:
        return np.concatenate([rows.matching(where) for rows in self._all()])


def open_shard(folder: Location, shard: Shard, *, checked: bool = True) -> LanceStore:
    """Open a shard of the index in `folder` at its version; for writing if that is the newest."""
    path = folder / shard.name
    newest = newest_version(path)
    if newest > shard.version and not (path / manifest_of(shard.version)).exists():
        raise RowsRemovedError(f"version {shard.version} of '{path}' was removed")
    return LanceStore(
        path, version=None if newest == shard.version else shard.version, checked=checked
    )

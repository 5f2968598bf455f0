"""The rows of one shard of a larger collection, at one version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Integers
from fuzzbow.encoding import Encoder
from fuzzbow.errors import InputError
from fuzzbow.measures import TextMeasure
from fuzzbow.tasks.index.documents import NewDocuments
from fuzzbow.tasks.index.encoded import DocumentStream, encode_batches
from fuzzbow.tasks.index.folder import check_fingerprint, read_card
from fuzzbow.tasks.index.ids import documents_of
from fuzzbow.tasks.index.integrity import manifests
from fuzzbow.tasks.index.new_folder import remove_abandoned
from fuzzbow.tasks.index.object_seals import newest_version
from fuzzbow.tasks.index.place import Place
from fuzzbow.tasks.index.rows import RowsRemovedError
from fuzzbow.tasks.index.store import LanceRows


@dataclass(frozen=True)
class IndexPart:
    """Rows that stay at their version, and can be changed as long as that is the newest one."""

    rows: LanceRows

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def version(self) -> int:
        """The version that is open."""
        return self.rows.version

    @property
    def newest(self) -> bool:
        """Whether it is the newest version that there is, and can be changed."""
        return not self.rows.pinned and newest_version(self.rows.folder) == self.version

    def known(self, ids: Any) -> Booleans:
        """Which of some ids, an Arrow column, rows here have: (n,)."""
        import pyarrow.compute as pc

        if self.rows.schema.field("id").type != ids.type:
            return np.zeros(len(ids), dtype=np.bool_)
        found = pc.is_in(ids, value_set=self.rows.ids())
        return np.asarray(found.to_numpy(zero_copy_only=False))

    def add(self, batches: Iterable[NewDocuments], encoder: Encoder) -> DocumentStream:
        """Add documents whose ids are new, in one commit; they are given back with their words."""
        with self._changing():
            rows = self.rows
            made = encode_batches(batches, rows.schema, rows.next_id, encoder)
            new = DocumentStream(made, rows.schema, rows.next_id, keep_words=True)
            staged = rows.stage(new.tables())
            if len(new.ids):
                rows.append(staged, new.next_id)
        return new

    def delete(self, ids: Any) -> Integers:
        """Remove rows by their ids, in one commit; their document numbers."""
        with self._changing():
            documents = documents_of(ids, self.rows.ids(), self.rows.documents())
            if len(documents):
                self.rows.delete(ids, documents)
        return documents

    def compact(self, keep_versions: int | None) -> None:
        """Give back what deleted rows took, and merge small files; rows are numbered anew."""
        with self._changing():
            self.rows.compact(keep_versions)
            remove_abandoned(self.rows.folder)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with self.rows.writing():
            if self.rows.catch_up():
                raise InputError(f"'{self.rows.folder}' was changed by somebody else meanwhile")
            yield


def open_part(folder: Place, model: TextMeasure, version: int) -> IndexPart:
    """The rows of a folder at a version, which can be written to if it is the newest."""
    check_fingerprint(read_card(folder)["fingerprint"], model, str(folder))
    there = manifests(folder)
    if version not in there and any(number > version for number in there):
        raise RowsRemovedError(f"version {version} of '{folder}' was removed")
    newest = newest_version(folder) == version
    return IndexPart(LanceRows(folder, version=None if newest else version))


def open_writable_part(folder: Place, version: int) -> IndexPart:
    """The same as the newest version, whatever came after it; the caller keeps writers out."""
    rows = LanceRows(folder)
    if rows.version != version:
        with rows.writing():
            rows.catch_up()
            rows.restore(version)
    return IndexPart(rows)

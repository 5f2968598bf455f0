"""Store of the rows of an index: ids, texts and metadata, by document number.

Documents are numbered as they are inserted. A number is never reused while an index is open, so
a deleted row leaves a gap. Compacting or reopening numbers the rows from 0 again.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzbow.arrays import Booleans, Integers
from fuzzbow.encoding import Encoder, TokenIds
from fuzzbow.errors import InputError, MissingExtraError, check_count
from fuzzbow.measures import TextMeasure

if TYPE_CHECKING:
    from fuzzbow.index.location import Location

LAST_VERSION = 2**63 - 1  # the largest number that Lance counts to

Read = Callable[[], Any]  # returns an Arrow table


class RowsRemovedError(InputError):
    """Error of a read after another process removed the open version; load the newest."""


@dataclass(frozen=True)
class Version:
    """State of an index on disk after one change."""

    number: int  # for `restore` and `open_index(version=…)`
    created: datetime
    texts: int  # number of texts


class Store(ABC):
    """Rows of an index in memory, in a Lance dataset or in several of them."""

    commits = 0  # number of changes that this object wrote to a disk
    path: Location | None = None  # None in memory
    schema: Any  # Arrow fields id, text and those of the metadata
    next_id: int  # smallest number larger than every id that was ever used
    allowed: Callable[[str], Booleans]  # which documents match an SQL condition: (documents,)
    _total: int  # number of documents
    _deleted: Integers  # their numbers, sorted

    def _set(self, total: int, deleted: Integers | None = None, **others: Any) -> None:
        """Number documents up to `total`, of which some are deleted; set other attributes, too.

        All attributes change in one step, which Ctrl-C cannot interrupt.
        """
        deleted = np.zeros(0, dtype=np.int64) if deleted is None else deleted
        allowed = lru_cache(maxsize=8)(self._allowed)
        self.__dict__.update(_total=total, _deleted=deleted, allowed=allowed, **others)

    def _change(self, added: int, documents: Integers, **others: Any) -> None:
        """Number new documents, and delete some."""
        self._set(self._total + added, np.union1d(self._deleted, documents), **others)

    def __len__(self) -> int:
        return self._total - len(self._deleted)

    def _kept(self) -> Booleans:
        kept = np.ones(self._total, dtype=np.bool_)
        kept[self._deleted] = False
        return kept

    def documents(self) -> Integers:
        """Return the document numbers of all rows in order."""
        return np.flatnonzero(self._kept())

    def positions(self, documents: Integers) -> Integers:
        """Return the positions of documents among the remaining rows: (n,) -> (n,)."""
        return documents - np.searchsorted(self._deleted, documents)

    def _allowed(self, where: str) -> Booleans:
        allowed = self._kept()
        allowed[allowed] = self.matching(where)
        return allowed

    @abstractmethod
    def matching(self, where: str) -> Booleans:
        """Mark the rows that match an SQL condition: (rows,)."""

    def is_removed(self) -> bool:
        """Return whether another process removed the version that is open."""
        return False

    def check_process(self) -> None:
        """Refuse a forked process in which the rows cannot be read."""
        if self.path is not None:
            import_lance()

    def check_model(self, model: TextMeasure) -> None:
        """Refuse a model other than the one that the rows were encoded with."""
        return

    def writing(self) -> AbstractContextManager[object]:
        """Exclude writers of other processes; may wait for one of them."""
        return nullcontext()

    def catch_up(self) -> bool:
        """Load changes of other processes; return whether there were any."""
        return False

    @abstractmethod
    def stage(self, tables: Iterable[Any]) -> Any:
        """Stage rows with their tokens, table by table, for `replace`."""

    @abstractmethod
    def replace(self, staged: Any, next_id: int, ids: Any, documents: Integers) -> None:
        """Add staged rows, if they are not None, and remove those of some ids, all or none."""

    @abstractmethod
    def compact(self, keep_versions: int | None) -> None:
        """Free the space of deleted rows."""

    @abstractmethod
    def reload(self) -> None:
        """Load the newest state, also after an interrupted change; numbers begin at 0."""

    def versions(self) -> list[Version]:
        """Return all versions, oldest first; none in memory or in shards."""
        return []

    def restore(self, version: int) -> None:
        """Make an older version the newest."""
        raise InputError("only an index on disk in one piece has versions that can be restored")

    def facts(self) -> dict[str, Any]:
        """Return facts such as path and number of versions; an empty dict in memory."""
        return {}

    @abstractmethod
    def ids(self) -> Any:
        """Return the ids of all rows in order, as an Arrow array."""

    @abstractmethod
    def words(self, encoder: Encoder) -> Iterator[TokenIds]:
        """Yield the words of all rows in order."""

    @abstractmethod
    def batches(self, encoder: Encoder) -> Iterator[Any]:
        """Yield all rows with their tokens, as Arrow tables of a bounded size."""

    @abstractmethod
    def reader(self, documents: Integers) -> Read:
        """Return a function that reads the rows of documents as they are now."""


def own_fields(schema: Any) -> Any:
    """Return the columns of users: those whose names do not begin with an underscore."""
    import pyarrow as pa

    return pa.schema([field for field in schema if field.name[0] != "_"])


def check_version(version: object) -> int:
    """Check that a value is the number of a version, and return it."""
    number = check_count(version, "version")
    if number > LAST_VERSION:
        raise InputError(f"version must be at most {LAST_VERSION}, the largest there can be")
    return number


_user: list[int] = []  # the process that began to use Lance


def import_lance() -> Any:
    """Return the Lance library; refuse a forked process, which cannot use it."""
    try:
        import lance
    except ImportError as error:
        raise MissingExtraError("pylance", "index") from error
    _user[:] = _user or [os.getpid()]
    if _user != [os.getpid()]:
        raise InputError(
            "an index on disk, and where, cannot be used in a process that was forked from one"
            " which used them: Lance's threads do not survive a fork. Start the process with"
            ' multiprocessing.get_context("spawn") or "forkserver", and open the index in it:'
            " fuzzbow.open_index(path)"
        )
    return lance

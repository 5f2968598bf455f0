"""Store of the rows of an index: ids, texts and metadata, by document number.

Documents are numbered as they are inserted. A number is never reused while an index is open, so
a deleted row leaves a gap. Compacting or reopening numbers the rows from 0 again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from fuzzbow.arrays import Booleans, Integers
from fuzzbow.encoding import Encoder, TokenIds
from fuzzbow.errors import InputError, MissingExtraError, check_count
from fuzzbow.measures import TextMeasure

if TYPE_CHECKING:
    from fuzzbow.index.location import Location

LAST_VERSION = 2**63 - 1  # the largest number that Lance counts to

Read = Callable[[], Any]  # returns an Arrow table


class RowsRemovedError(InputError):
    """Another process removed the version that is open; the newest must be loaded."""


@dataclass(frozen=True)
class Version:
    """State of an index on disk after one change."""

    number: int  # for `restore` and `open_index(version=…)`
    created: datetime
    texts: int  # number of texts


class Store(Protocol):
    """Rows of an index in memory, in a Lance dataset or in several of them."""

    commits: int = 0  # number of changes that this object wrote to a disk

    @property
    def path(self) -> Location | None:
        """Location of the rows; None in memory."""
        return None

    @property
    def removed(self) -> bool:
        """True if another process removed the version that is open."""
        return False

    @property
    def schema(self) -> Any:
        """Arrow fields id, text and those of the metadata."""
        ...

    @property
    def next_id(self) -> int:
        """Smallest number larger than every id that was ever used."""
        ...

    def __len__(self) -> int:
        """Return the number of rows."""
        ...

    def check_process(self) -> None:
        """Refuse a forked process in which the rows cannot be read."""
        return

    def check_model(self, model: TextMeasure) -> None:
        """Refuse a model other than the one that the rows were encoded with."""
        return

    def writing(self) -> AbstractContextManager[object]:
        """Exclude writers of other processes; may wait for one of them."""
        return nullcontext()

    def catch_up(self) -> bool:
        """Load changes of other processes; return whether there were any."""
        return False

    def stage(self, tables: Iterable[Any]) -> Any:
        """Take rows with their tokens, table by table, for `replace`."""
        ...

    def replace(self, staged: Any, next_id: int, ids: Any, documents: Integers) -> None:
        """Add staged rows and remove those of some ids, all or none."""
        ...

    def delete(self, ids: Any, documents: Integers) -> None:
        """Remove rows, all or none."""
        ...

    def compact(self, keep_versions: int | None) -> None:
        """Free the space of deleted rows."""
        ...

    def reload(self) -> None:
        """Load the newest state, also after an interrupted change; numbers begin at 0."""
        ...

    def versions(self) -> list[Version]:
        """Return all versions, oldest first; none in memory or in shards."""
        return []

    def restore(self, version: int) -> None:
        """Make an older version the newest; an InputError in memory."""
        ...

    def facts(self) -> dict[str, Any]:
        """Return facts such as path and number of versions; an empty dict in memory."""
        return {}

    def ids(self) -> Any:
        """Return the ids of all rows in order, as an Arrow array."""
        ...

    def documents(self) -> Integers:
        """Return the document numbers of all rows in order."""
        ...

    def words(self, encoder: Encoder) -> Iterator[TokenIds]:
        """Yield the words of all rows in order."""
        ...

    def batches(self, encoder: Encoder) -> Iterator[Any]:
        """Yield all rows with their tokens, as Arrow tables of a bounded size."""
        ...

    def reader(self, documents: Integers) -> Read:
        """Return a function that reads the rows of documents as they are now."""
        ...

    def allowed(self, where: str) -> Booleans:
        """Return which documents match an SQL condition: (documents,)."""
        ...


def check_version(version: object) -> int:
    """Return the number of a version, after checking that it is one."""
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

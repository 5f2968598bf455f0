"""A commit by Lance, and what to say where another writer was faster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fuzzbow.errors import LockedError
from fuzzbow.tasks.index.lock import uninterrupted
from fuzzbow.tasks.index.place import Place, redacting_errors


def conflict_error(folder: Place) -> LockedError:
    """What a writer is told that comes after another one."""
    return LockedError(f"'{folder}' was written by another process meanwhile; nothing was changed")


@contextmanager
def committing(folder: Place) -> Iterator[None]:
    """Let Lance commit something inside, without an interruption."""
    from lance.commit import CommitConflictError

    with uninterrupted(), redacting_errors(folder):
        try:
            yield
        except (CommitConflictError, OSError) as error:  # where no lock holds for certain
            if isinstance(error, OSError) and "Incompatible transaction" not in str(error):
                raise
            raise conflict_error(folder) from error

"""Files that appear whole or not at all: the one way in which fuzzbow writes any.

What is at a path stays until its successor is complete and on the disk. The successor has the
mode of what it replaces, and a symbolic link stays a link. A device or a pipe cannot be
replaced, so that it is written to directly.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from fuzzbow.errors import InputError
from fuzzbow.partials import create_partial, partial_path, remove_stale
from fuzzbow.plurals import counted

NEW_FILE = 0o666  # less what the umask takes away
PRIVATE = 0o600  # until it is complete


@contextmanager
def replacing(path: Path, *, count_rows: Callable[[], int] | None = None) -> Iterator[Path]:
    """A path to write to; what is written takes the place of `path` at the end.

    Until then what was at `path` stays, and any other end leaves nothing. But where `count_rows`
    says how many rows were written, and there are some, bad input half-way leaves them at
    `rows_before(path)`.
    """
    with replacing_all([path], count_rows=count_rows) as (beside,):
        yield beside


@contextmanager
def replacing_all(
    paths: Sequence[Path], *, count_rows: Callable[[], int] | None = None
) -> Iterator[list[Path]]:
    """Paths to write to for several files, which take their places together, the last path last.

    None is replaced before all are whole and on the disk; any other end leaves nothing.
    """
    with ExitStack() as stack:
        stack.enter_context(naming_full_disk(paths[0]))
        outputs = [stack.enter_context(_output(path)) for path in paths]
        try:
            yield [output.written for output in outputs]
            for output in outputs:
                output.finish()
            for output in outputs:
                output.move(output.target)
        except InputError as error:
            count = 0 if count_rows is None else count_rows()
            if not count or outputs[0].direct:
                raise
            kept = rows_before(outputs[0].target)
            outputs[0].finish()
            outputs[0].move(kept)
            are = "is" if count == 1 else "are"
            error.args = (f"{error} ({counted(count, 'row')} before it {are} in '{kept}')",)
            raise


@contextmanager
def naming_full_disk(path: object) -> Iterator[None]:
    """Say in words, and of which output, that the disk is full or a quota is used up."""
    try:
        yield
    except OSError as error:
        reason = full_disk(error)
        if reason is None or error.filename == str(path):
            raise
        raise OSError(error.errno or errno.ENOSPC, reason, str(path)) from error


def full_disk(error: OSError) -> str | None:
    """Return what to say of an error if its cause is a full disk; libraries may say so in text."""
    if error.errno == errno.ENOSPC or re.search(r"(?i)no space left|os error 28\b", str(error)):
        return "no space is left on the disk"
    if error.errno == getattr(errno, "EDQUOT", -1) or "quota exceeded" in str(error).lower():
        return "the disk quota is used up"
    return None


def rows_before(path: Path) -> Path:
    """Return the path of rows that were written before bad input was met."""
    target = final_target(path)
    return target.with_name(f"partial-{target.name}")


@dataclass(frozen=True)
class _Output:
    """A file on its way: `written` takes the place of `target`, or is the target itself."""

    target: Path
    written: Path
    before: os.stat_result | None  # of what is at the target

    @property
    def direct(self) -> bool:
        return self.written == self.target

    def finish(self) -> None:
        """Give the file its mode and put it on the disk."""
        if self.direct:
            return
        with self.written.open("rb+") as file:
            if self.before is not None:
                _take_after(file.fileno(), self.before)
            os.fsync(file.fileno())

    def move(self, target: Path) -> None:
        if not self.direct:
            self.written.replace(target)


@contextmanager
def _output(path: Path) -> Iterator[_Output]:
    check_output(path)
    target = final_target(path)
    before = _status(target)
    if is_special(path):
        yield _Output(target, target, before)
        return
    remove_stale(target)
    written = partial_path(target)
    try:  # Ctrl-C may come while it is created
        create_partial(written, NEW_FILE if before is None else PRIVATE)
        yield _Output(target, written, before)
    finally:
        written.unlink(missing_ok=True)


def _take_after(file: int, before: os.stat_result) -> None:
    """The owner, where that may be given, and the mode of the file that is replaced."""
    if os.name == "posix":
        now = os.fstat(file)
        if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
            with suppress(OSError):
                os.fchown(file, before.st_uid, before.st_gid)
        os.fchmod(file, stat.S_IMODE(before.st_mode))


def check_output(path: Path) -> None:
    """A file must be able to be at `path`."""
    target = final_target(path)
    if target.is_dir():
        raise InputError(f"output must be a file; '{path}' is a directory")
    if not target.parent.is_dir():
        raise InputError(f"output must be in an existing folder; there is no '{target.parent}'")
    if target.exists() and not os.access(target, os.W_OK):
        raise InputError(f"output must be a file that may be written; '{path}' may not")


def final_target(path: Path) -> Path:
    """Follow symbolic links, except to a device or an open file."""
    for _ in range(40):  # as many as Linux follows
        if not path.is_symlink() or _among_devices(path):
            return path
        path = path.parent / os.readlink(path)
    raise InputError(f"output must be a file; '{path}' is a symbolic link that leads nowhere")


def is_special(path: Path) -> bool:
    """Return whether `path` is a device, a pipe or an open file such as /dev/stdout."""
    target = final_target(path)
    if _among_devices(target):
        return True
    found = _status(target)
    return found is not None and not stat.S_ISREG(found.st_mode)


def _among_devices(path: Path) -> bool:
    """Return whether a path names a device, or an open file by its number."""
    folder = os.path.realpath(path.parent)
    return folder == "/dev" or folder.startswith("/proc/") or folder == "/dev/fd"


def _status(path: Path) -> os.stat_result | None:
    """Return the status of a path; None if nothing is there."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None

"""Atomic writing: files are replaced as a whole or not at all. All files are written this way.

The file at a path is kept until the new one is complete and on the disk. The new file has the mode
of the old one, and a symbolic link is kept. A device or a pipe cannot be replaced, so that it
is written to directly.

A temporary file is named after its writer: `.NAME.DIGEST-HOST-PROCESS-RANDOM.partial`, the
digest being that of the whole NAME, which may be cut. A process that is killed leaves such a file;
the next one that writes the same output removes it.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from hashlib import blake2b
from pathlib import Path

from fuzzbow.errors import InputError
from fuzzbow.plurals import counted

NEW_FILE = 0o666  # less what the umask takes away
PRIVATE = 0o600  # until it is complete
STALE_SECONDS = 3600.0  # without a write, after which a file may be stale
SHOWN_BYTES = 120  # of a name; the whole is at most 255
TAG = re.compile(r"\.([0-9a-f]{8})-([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{16}\.partial$")
STARTED = time.time()  # of this process, or a little later


@contextmanager
def replacing(path: Path, *, count_rows: Callable[[], int] | None = None) -> Iterator[Path]:
    """Yield a path to write to; the file written there replaces `path` at the end.

    After an error the file at `path` is unchanged, and nothing else is left, except that
    `count_rows()` rows before bad input are kept at `rows_before(path)`.
    """
    with replacing_all([path], count_rows=count_rows) as (partial,):
        yield partial


@contextmanager
def replacing_all(
    paths: Sequence[Path], *, count_rows: Callable[[], int] | None = None
) -> Iterator[list[Path]]:
    """Yield paths to write to for several files, which are replaced together, the last path last.

    No file is replaced before all are complete and on the disk; after an error none is replaced.
    """
    with ExitStack() as stack:
        stack.enter_context(naming_full_disk(paths[0]))
        outputs = [stack.enter_context(_output(path)) for path in paths]
        try:
            yield [written for _, written, _ in outputs]
            for output in outputs:
                _finish(*output)
            for target, written, _ in outputs:
                if written != target:
                    written.replace(target)
        except InputError as error:
            count = 0 if count_rows is None else count_rows()
            target, written, before = outputs[0]
            if count and written != target:
                kept = rows_before(target)
                _finish(target, written, before)
                written.replace(kept)
                are = "is" if count == 1 else "are"
                error.args = (f"{error} ({counted(count, 'row')} before it {are} in '{kept}')",)
            raise


@contextmanager
def naming_full_disk(path: object) -> Iterator[None]:
    """Raise an error that names the output if the disk is full or a quota is used up."""
    try:
        yield
    except OSError as error:
        reason = full_disk(error)
        if reason is None or error.filename == str(path):
            raise
        raise OSError(error.errno or errno.ENOSPC, reason, str(path)) from error


def full_disk(error: OSError) -> str | None:
    """Return the message for an error that was caused by a full disk, else None."""
    if error.errno == errno.ENOSPC or re.search(r"(?i)no space left|os error 28\b", str(error)):
        return "no space is left on the disk"
    if error.errno == getattr(errno, "EDQUOT", -1) or "quota exceeded" in str(error).lower():
        return "the disk quota is used up"
    return None


def rows_before(path: Path) -> Path:
    """Return the path for rows that were written before bad input."""
    target = final_target(path)
    return target.with_name(f"partial-{target.name}")


# the final path of a file, the path at which it is written, which may be the same, and the status
# of the file that it replaces
_Output = tuple[Path, Path, os.stat_result | None]


def _finish(target: Path, written: Path, before: os.stat_result | None) -> None:
    """Set the mode of a written file, and the owner if allowed, and flush it to the disk."""
    if written == target:
        return
    with written.open("rb+") as file:
        if before is not None and os.name == "posix":
            now = os.fstat(file.fileno())
            if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
                with suppress(OSError):
                    os.fchown(file.fileno(), before.st_uid, before.st_gid)
            os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
        os.fsync(file.fileno())


@contextmanager
def _output(path: Path) -> Iterator[_Output]:
    check_output(path)
    target = final_target(path)
    before = _status(target)
    if is_special(path):
        yield target, target, before
        return
    remove_stale(target)
    written = partial_path(target)
    try:  # Ctrl-C may come while it is created
        create_partial(written, NEW_FILE if before is None else PRIVATE)
        yield target, written, before
    finally:
        written.unlink(missing_ok=True)


def check_output(path: Path) -> None:
    """Check that a file can be written at `path`."""
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
    """Return the status of a path; None if it does not exist."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def new_partial(path: Path, mode: int) -> Path:
    """Create an empty file next to `path`, with a random name."""
    remove_stale(path)
    partial = partial_path(path)
    create_partial(partial, mode)
    return partial


def create_partial(partial: Path, mode: int) -> None:
    """Create an empty file at a path that does not exist, not even as a link."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    os.close(os.open(partial, flags, mode))


def partial_path(path: Path) -> Path:
    """Return a new name next to `path`, of this process; nothing is created."""
    shown = os.fsdecode(os.fsencode(path.name)[:SHOWN_BYTES])
    tag = f"{_digest(path.name)}-{_digest(platform.node())}-{os.getpid()}-{secrets.token_hex(8)}"
    return path.with_name(f".{shown}.{tag}.partial")


def remove_stale(path: Path) -> None:
    """Remove temporary files of `path` by processes of this computer that have ended.

    A file that was written to during the last hour is kept.
    """
    own = (_digest(path.name), _digest(platform.node()))
    with suppress(OSError), os.scandir(path.parent) as entries:
        for found in entries:
            tag = TAG.search(found.name)
            if tag is not None and tag.group(1, 2) == own and _is_stale(found, int(tag[3])):
                shutil.rmtree(found.path, ignore_errors=True)  # which removes no file
                with suppress(OSError):
                    os.unlink(found.path)


def _is_stale(found: os.DirEntry[str], process: int) -> bool:
    written = found.stat(follow_symlinks=False).st_mtime
    if time.time() - written < STALE_SECONDS:
        return False
    if process == os.getpid():  # in a container every run may have the same number
        return written < STARTED
    if os.name == "posix":
        try:
            os.kill(process, 0)
        except (ProcessLookupError, OverflowError):
            return True
        except OSError:  # of another user
            pass
    return False


def _digest(name: str) -> str:
    return blake2b(os.fsencode(name), digest_size=4).hexdigest()

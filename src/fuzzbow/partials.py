"""Temporary files beside what they will become: their names, and the removal of old ones.

A name says whose it is: `.NAME.DIGEST-HOST-PROCESS-RANDOM.partial`, the digest being that of
the whole NAME, which may be cut. A process that is killed leaves such a file behind; the next
one that writes to the same place removes it.
"""

from __future__ import annotations

import os
import platform
import re
import secrets
import shutil
import time
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

STALE_SECONDS = 3600.0  # so long nothing was written to a file before it may be taken for stale
SHOWN_BYTES = 120  # of a name; the whole is at most 255
SUFFIX = ".partial"
TAG = re.compile(r"\.([0-9a-f]{8})-([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{16}\.partial$")
STARTED = time.time()  # of this process, or a little later


def new_partial(path: Path, mode: int) -> Path:
    """Create an empty file beside `path`, under a name that nobody can have foreseen."""
    remove_stale(path)
    beside = partial_path(path)
    create_partial(beside, mode)
    return beside


def create_partial(beside: Path, mode: int) -> None:
    """Create an empty file where nothing is, not even a link."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    os.close(os.open(beside, flags, mode))


def partial_path(path: Path) -> Path:
    """A new name beside `path`, of this process; nothing is created."""
    shown = os.fsdecode(os.fsencode(path.name)[:SHOWN_BYTES])
    tag = f"{_digest(path.name)}-{_digest(platform.node())}-{os.getpid()}-{secrets.token_hex(8)}"
    return path.with_name(f".{shown}.{tag}{SUFFIX}")


def remove_stale(path: Path) -> None:
    """Remove what processes of this computer that are gone left beside `path` for it.

    What was written to during the last hour stays, and so does what cannot be removed.
    """
    with suppress(OSError), os.scandir(path.parent) as entries:
        for found in entries:
            tag = TAG.search(found.name) if found.name.endswith(SUFFIX) else None
            if tag is not None and tag[1] == _digest(path.name) and _is_stale(found, tag):
                _remove(Path(found.path))


def _is_stale(found: os.DirEntry[str], tag: re.Match[str]) -> bool:
    if tag[2] != _digest(platform.node()):
        return False
    try:
        written = found.stat(follow_symlinks=False).st_mtime
    except OSError:
        return False
    if time.time() - written < STALE_SECONDS:
        return False
    process = int(tag[3])
    if process == os.getpid():  # in a container every run may have the same number
        return written < STARTED
    return not _is_alive(process)


def _is_alive(process: int) -> bool:
    """Return whether a process runs; True where that is unknown."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def _digest(name: str) -> str:
    return blake2b(os.fsencode(name), digest_size=4).hexdigest()

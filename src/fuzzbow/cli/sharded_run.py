"""`--shards` and `--ray`: the executor of a command, and the folder of its finished parts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from fuzzbow.atomic import full_disk
from fuzzbow.cli.tables import STANDARD, TableFile
from fuzzbow.errors import InputError

if TYPE_CHECKING:
    from fuzzbow.cluster import Executor


def is_sharded_run(ray: str | None, shards: int | None) -> bool:
    """Whether a command works in shards and can be resumed."""
    return ray is not None or shards is not None


@contextmanager
def sharded_run(
    ray: str | None,
    threads: int | None,
    out: Path | None,
    files: list[TableFile],
) -> Iterator[tuple[Executor, Path]]:
    """Open the executor, and name the folder next to the output that keeps finished parts.

    The folder is removed after success; otherwise the same command resumes from it.
    """
    from fuzzbow.cluster import open_executor

    if out is None or out == STANDARD:
        raise InputError("--shards and --ray need --output, a file: finished parts are kept by it")
    if any(file.given == STANDARD for file in files):
        raise InputError("--shards and --ray need files: a resumed run could not read stdin again")
    folder = out.with_name(f"{out.name}.parts")
    try:
        with open_executor(ray, threads=threads) as executor:
            yield executor, folder
    except KeyboardInterrupt as stop:
        stop.args = (f"finished parts are in '{folder}': the same command resumes from there",)
        raise
    except OSError as error:
        if full_disk(error) is None:
            raise
        reason = f"{error.strerror or full_disk(error)} (the same command resumes from '{folder}')"
        raise OSError(error.errno, reason, error.filename) from error
    shutil.rmtree(folder, ignore_errors=True)

"""`--workers` and `--ray`: who shares the work of a command, and where finished parts are kept."""

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
    from fuzzbow.cluster import Workers


def is_shared(workers: int | None, ray: str | None, shards: int | None) -> bool:
    """Whether work is shared out to processes or to Ray; shards are for that alone."""
    shared = workers is not None or ray is not None
    if shards is not None and not shared:
        raise InputError("--shards goes with --workers or --ray; this process needs no shards")
    return shared


@contextmanager
def shared_work(
    workers: int | None,
    ray: str | None,
    threads: int | None,
    out: Path | None,
    files: list[TableFile],
) -> Iterator[tuple[Workers, Path]]:
    """The workers, and the folder beside the output that keeps what they have finished.

    It is removed once the command has succeeded; after any other end a second run goes on with
    what is in it.
    """
    from fuzzbow.cluster import open_workers

    if out is None or out == STANDARD:
        raise InputError("--workers and --ray need --output, a file: finished parts are kept by it")
    if any(file.given == STANDARD for file in files):
        raise InputError("--workers and --ray need files; stdin cannot be read by many processes")
    folder = out.with_name(f"{out.name}.parts")
    try:
        with open_workers(workers, ray=ray, threads=threads) as ready:
            yield ready, folder
    except KeyboardInterrupt as stop:
        stop.args = (f"what is finished is in '{folder}': the same command goes on from there",)
        raise
    except OSError as error:
        if full_disk(error) is None:
            raise
        reason = f"{error.strerror or full_disk(error)} (the same command goes on from '{folder}')"
        raise OSError(error.errno, reason, error.filename) from error
    shutil.rmtree(folder, ignore_errors=True)

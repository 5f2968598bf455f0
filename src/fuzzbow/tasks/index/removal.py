"""Files that nobody needs any more: of old versions, and of writers that died."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fuzzbow.tasks.index.rows import import_lance
from fuzzbow.tasks.index.seals import DATA, VERSIONS, Seals, files, manifest, manifests, referred

HINT = "latest_version_hint.json"  # Lance believes it unchecked, and does without


def remove_strays(folder: Path, seals: Seals, dataset: Any) -> None:
    """Remove what a writer left behind that died; the lock is held, so none is at work.

    `dataset` is the newest version, and sealed.
    """
    if seals.removing:
        remove_unused(folder, seals)
    for path in seals.strays(dataset):
        path.unlink(missing_ok=True)
    for part in (folder, folder / "checks", folder / VERSIONS):
        for path in part.glob(".*.partial"):
            path.unlink(missing_ok=True)
    for path in (folder / VERSIONS).glob("*"):
        if path.suffix != ".manifest" and path.name != HINT:  # begun, and never renamed
            path.unlink(missing_ok=True)
    (folder / VERSIONS / HINT).unlink(missing_ok=True)


def keep_newest(folder: Path, seals: Seals, count: int) -> None:
    """Remove all versions but so many of the newest; all that stay must be undamaged."""
    kept = sorted(manifests(folder))[-count:]
    for version in kept:
        seals.check_manifest(version)
    seals.begin_removal(kept[0])
    remove_unused(folder, seals)


def remove_unused(folder: Path, seals: Seals) -> None:
    """Remove versions before the oldest that is kept, and what only they need.

    Manifests go first: a reader that misses a file then sees that its version is gone.
    """
    lance = import_lance()
    there = manifests(folder)
    used = {manifest(version) for version in there if version >= seals.oldest}
    for version in there:
        if version >= seals.oldest:
            seals.check_manifest(version)
            used.update(referred(lance.dataset(str(folder / DATA), version=version)))
    _remove(folder / manifest(version) for version in there if version < seals.oldest)
    _remove(folder / name for name in files(folder) if name not in used)
    # their names begin with the version that they were made from
    plans = (folder / DATA / "_transactions").glob("*.txn")
    _remove(path for path in plans if int(path.name.partition("-")[0]) + 1 < seals.oldest)
    seals.merge()


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)

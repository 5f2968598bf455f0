"""Where an index lies: a folder of this machine, or a prefix of names in an object store.

A place of either kind has the methods of `pathlib.Path` that an index needs. What the two do in
different ways is a function here; how they lock, list and build is in `lock`, `object_seals` and
`new_folder`. Nobody else asks of which kind a place is.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fuzzbow.atomic import naming_full_disk, replacing
from fuzzbow.errors import InputError
from fuzzbow.tasks.index.object_path import STORES, Bucket, ObjectPath

Place = Path | ObjectPath
PlaceLike = str | os.PathLike[str] | ObjectPath  # what users give
ADDRESS = r"(?is)([a-z][a-z0-9+.-]+):(//?)([^/]*)/*(.*)"
CHUNK = 1 << 22


def place_of(path: PlaceLike, storage_options: Mapping[str, str] | None = None) -> Place:
    """The place that a user named, by a path or an address such as s3://bucket/name."""
    if isinstance(path, ObjectPath):
        return path
    text = os.fspath(path)
    address = re.fullmatch(ADDRESS, text)
    if address is None or (address[2] == "/" and address[1] not in STORES):
        if storage_options is not None:
            raise InputError(
                f"storage_options are for addresses such as s3://bucket/name; got the path '{text}'"
            )
        return Path(path)
    scheme, bucket, key = address[1].lower(), address[3], address[4].rstrip("/")
    if scheme not in STORES:
        known = ", ".join(f"{name}://" for name in STORES)
        raise InputError(
            f"an index is in a folder or at an address that begins with one of {known};"
            f" got {scheme}://…"
        )
    if address[2] == "/":
        raise InputError(f"give an address as text, {scheme}://…, not as a Path, which changes it")
    parts = key.split("/")
    if not re.fullmatch(r"[\w.-]+", bucket) or not key or not {"", ".", ".."}.isdisjoint(parts):
        raise InputError(
            f"an address must be {scheme}://bucket/name, with a name of its own for the index, and"
            " nothing else in it"
        )
    return ObjectPath(Bucket(scheme, bucket, _checked_options(storage_options)), key)


def _checked_options(options: Mapping[str, str] | None) -> dict[str, str] | None:
    if options is None:
        return None
    if not all(isinstance(word, str) for item in options.items() for word in item):
        raise InputError("storage_options must have texts as names and values")
    return dict(options)


def local_folder(place: Place) -> Path | None:
    """The folder of this machine that a place is, if it is one."""
    return place if isinstance(place, Path) else None


def lance_options(place: Place) -> dict[str, Any]:
    """What Lance needs besides the address `str(place)`, as keyword arguments."""
    return {} if isinstance(place, Path) else {"storage_options": place.storage_options}


def reason_of(place: Place, error: Exception) -> str:
    """What Lance says of a failure at a place, without where in Lance that was, and secrets."""
    reason = str(error).split(", /")[0]
    return reason if isinstance(place, Path) else place.bucket.reason(reason)


@contextmanager
def redacting_errors(place: Place) -> Iterator[None]:
    """Let Lance's own errors in an object store say nothing secret, such as a signed address."""
    try:
        with naming_full_disk(place):
            yield
    except (OSError, ValueError, RuntimeError) as error:
        if isinstance(place, Path) or type(error) not in (OSError, ValueError, RuntimeError):
            raise
        raise ConnectionError(f"'{place}' cannot be used: {reason_of(place, error)}") from None


def write_whole(place: Place, data: bytes, *, new: bool = False) -> None:
    """Write a file that appears complete or not at all.

    With `new` it must not be there: in an object store, a FileExistsError says that it is.
    """
    if not isinstance(place, Path):
        place.create(data) if new else place.write_bytes(data)
        return
    with replacing(place) as beside:
        beside.write_bytes(data)


def replace_whole(place: Place, data: bytes, unchanged: Callable[[bytes], bool]) -> None:
    """Write a file anew if what it holds is `unchanged`; the caller has the lock of its writers.

    In an object store, a FileExistsError says that it is not.
    """
    if isinstance(place, Path):  # whose lock holds as long as its process
        write_whole(place, data)
        return
    there, mark = place.read()
    if not unchanged(there):
        raise FileExistsError(f"'{place}' was written by somebody else")
    place.replace(data, mark)


def locks_last(place: Place) -> bool:
    """Whether a writer has its lock as long as it lives, or may lose it without noticing."""
    return isinstance(place, Path)


@contextmanager
def written_file(place: Place) -> Iterator[Path]:
    """A file of this machine to write, which is at a place at the end."""
    if isinstance(place, Path):
        yield place
        return
    with TemporaryDirectory() as folder:
        yield Path(folder, place.name)
        place.upload(Path(folder, place.name))


@contextmanager
def read_file(place: Place) -> Iterator[Path]:
    """A file of this machine that holds what is at a place."""
    if isinstance(place, Path):
        yield place
        return
    with TemporaryDirectory() as folder:
        place.download(Path(folder, place.name))
        yield Path(folder, place.name)


def remove_tree(place: Place) -> None:
    """Remove everything at a place, as far as that is possible."""
    if isinstance(place, Path):
        shutil.rmtree(place, ignore_errors=True)
    else:
        with suppress(InputError, OSError):
            place.remove(["", *place.objects()])


def tree_bytes(place: Place) -> int:
    """Bytes of all files at a place."""
    if isinstance(place, Path):
        return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
    return sum(stats.size for stats in place.objects().values())


def sizes(place: Place, names: Collection[str]) -> dict[str, int]:
    """Bytes of files under a place; one that is missing is a FileNotFoundError."""
    if isinstance(place, Path):
        return {name: (place / name).stat().st_size for name in names}
    there = place.stats_of(names)
    for name in names:
        if name not in there:
            raise FileNotFoundError(f"there is no '{place / name}'")
    return {name: stats.size for name, stats in there.items()}


def digests_of(place: Place, names: Iterable[str], *, sync: bool = False) -> dict[str, str | None]:
    """Digests of files under a place; None for one that is missing.

    With `sync` they are safely on the disk when it returns.
    """
    with ThreadPoolExecutor() as pool:
        wanted = list(names)
        found = pool.map(lambda name: _digest_or_none(place / name, sync), wanted)
        return dict(zip(wanted, found, strict=True))


def _digest_or_none(place: Place, sync: bool) -> str | None:
    try:
        return digest_of(place, sync=sync)
    except (FileNotFoundError, IsADirectoryError):
        return None


def digest_of(place: Place, *, sync: bool = False) -> str:
    """Digest of a file's bytes; with `sync` they are safely on the disk when it returns."""
    digest = blake2b(digest_size=16)
    if not isinstance(place, Path):
        for chunk in place.chunks():
            digest.update(chunk)
        return digest.hexdigest()
    with place.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
        if sync:
            os.fsync(file.fileno())
    return digest.hexdigest()

"""Location of an index: a folder of this machine, or a prefix of names in an object store.

Both kinds have the methods of `pathlib.Path` that an index needs. Operations that differ are
functions here, in `lock` and in `new_folder`.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fuzzbow.errors import DataError, InputError
from fuzzbow.index.object_path import STORES, Bucket, ObjectPath
from fuzzbow.io.atomic import naming_full_disk, replacing
from fuzzbow.io.checked_json import checked_bytes, parse_checked

Location = Path | ObjectPath
LocationLike = str | os.PathLike[str] | ObjectPath  # what users give
ADDRESS = r"(?is)([a-z][a-z0-9+.-]+):(//?)([^/]*)/*(.*)"
CHUNK = 1 << 22


def location_of(path: LocationLike, storage_options: Mapping[str, str] | None = None) -> Location:
    """Return the location of a path or an address such as s3://bucket/name."""
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


def local_folder(place: Location) -> Path | None:
    """Return the location as a path on this machine; None for an object store."""
    return place if isinstance(place, Path) else None


def lance_options(place: Location) -> dict[str, Any]:
    """Return the keyword arguments that Lance needs besides the address."""
    return {} if isinstance(place, Path) else {"storage_options": place.storage_options}


def reason_of(place: Location, error: Exception) -> str:
    """Shorten an error of Lance to its message, without source lines and secrets."""
    reason = str(error).split(", /")[0]
    return reason if isinstance(place, Path) else place.bucket.reason(reason)


@contextmanager
def redacting_errors(place: Location) -> Iterator[None]:
    """Remove secrets, such as signed addresses, from Lance's errors about an object store."""
    try:
        with naming_full_disk(place):
            yield
    except (OSError, ValueError, RuntimeError) as error:
        if isinstance(place, Path) or type(error) not in (OSError, ValueError, RuntimeError):
            raise
        raise ConnectionError(f"'{place}' cannot be used: {reason_of(place, error)}") from None


def write_whole(place: Location, data: bytes, *, new: bool = False) -> None:
    """Write a file that appears complete or not at all.

    With `new` the file must not exist; in an object store a FileExistsError is raised if it does.
    """
    if not isinstance(place, Path):
        place.create(data) if new else place.write_bytes(data)
        return
    with replacing(place) as beside:
        beside.write_bytes(data)


def write_checked(location: Location, data: dict[str, Any], *, new: bool = False) -> None:
    """Write JSON with a digest; with `new`, as `write_whole` does."""
    write_whole(location, checked_bytes(data), new=new)


def read_checked(location: Location) -> dict[str, Any]:
    """Read JSON with a digest; raise DataError if a byte has changed."""
    try:
        return parse_checked(location, location.read_bytes())
    except FileNotFoundError:
        raise DataError(f"'{location}' is missing from the index") from None


@contextmanager
def written_file(place: Location) -> Iterator[Path]:
    """Yield a local file to write, which is stored at a location at the end."""
    if isinstance(place, Path):
        yield place
        return
    with TemporaryDirectory() as folder:
        yield Path(folder, place.name)
        place.upload(Path(folder, place.name))


@contextmanager
def read_file(place: Location) -> Iterator[Path]:
    """Yield a local file with the content at a location."""
    if isinstance(place, Path):
        yield place
        return
    with TemporaryDirectory() as folder:
        place.download(Path(folder, place.name))
        yield Path(folder, place.name)


def remove_tree(place: Location) -> None:
    """Remove everything at a location, ignoring errors."""
    if isinstance(place, Path):
        shutil.rmtree(place, ignore_errors=True)
    else:
        with suppress(InputError, OSError):
            place.remove(["", *place.objects()])


def tree_bytes(place: Location) -> int:
    """Return the total size of the files at a location in bytes."""
    if isinstance(place, Path):
        return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
    return sum(place.objects().values())


def digest_of(place: Path, *, sync: bool = False) -> str:
    """Return the digest of a file's bytes; with `sync`, once they are safely on the disk."""
    digest = blake2b(digest_size=16)
    with place.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
        if sync:
            os.fsync(file.fileno())
    return digest.hexdigest()

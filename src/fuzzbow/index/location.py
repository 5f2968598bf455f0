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
from fuzzbow.index.object_path import LANCE_RETRIES, STORES, Bucket, ObjectPath
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
    options = None if storage_options is None else dict(storage_options)
    if not all(isinstance(word, str) for item in (options or {}).items() for word in item):
        raise InputError("storage_options must have texts as names and values")
    return ObjectPath(Bucket(scheme, bucket, options), key)


def lance_options(location: Location) -> dict[str, Any]:
    """Return the keyword arguments that Lance needs besides the address."""
    if isinstance(location, Path):
        return {}
    return {"storage_options": LANCE_RETRIES | dict(location.bucket.storage_options or {})}


def reason_of(location: Location, error: Exception) -> str:
    """Shorten an error of Lance to its message, without source lines and secrets."""
    reason = str(error).split(", /")[0]
    return reason if isinstance(location, Path) else location.bucket.reason(reason)


@contextmanager
def redacting_errors(location: Location) -> Iterator[None]:
    """Remove secrets, such as signed addresses, from Lance's errors about an object store."""
    try:
        with naming_full_disk(location):
            yield
    except (OSError, ValueError, RuntimeError) as error:
        if isinstance(location, Path) or type(error) not in (OSError, ValueError, RuntimeError):
            raise
        raise ConnectionError(
            f"'{location}' cannot be used: {reason_of(location, error)}"
        ) from None


def write_checked(location: Location, data: dict[str, Any]) -> None:
    """Write JSON with a digest to a file that appears complete or not at all."""
    if isinstance(location, Path):
        with replacing(location) as beside:
            beside.write_bytes(checked_bytes(data))
    else:
        location.write(checked_bytes(data))


def read_checked(location: Location) -> dict[str, Any]:
    """Read JSON with a digest; raise DataError if a byte has changed."""
    try:
        return parse_checked(location, location.read_bytes())
    except FileNotFoundError:
        raise DataError(f"'{location}' is missing from the index") from None


@contextmanager
def written_file(location: Location) -> Iterator[Path]:
    """Yield a local file to write, which is stored at a location at the end."""
    if isinstance(location, Path):
        yield location
        return
    with TemporaryDirectory() as folder:
        yield Path(folder, location.name)
        location.write(Path(folder, location.name))


@contextmanager
def read_file(location: Location) -> Iterator[Path]:
    """Yield a local file with the content at a location."""
    if isinstance(location, Path):
        yield location
        return
    with TemporaryDirectory() as folder:
        location.download(Path(folder, location.name))
        yield Path(folder, location.name)


def remove_tree(location: Location) -> None:
    """Remove everything at a location, ignoring errors."""
    if isinstance(location, Path):
        shutil.rmtree(location, ignore_errors=True)
    else:
        with suppress(InputError, OSError):
            location.remove(["", *location.objects()])


def tree_bytes(location: Location) -> int:
    """Return the total size of the files at a location in bytes."""
    if isinstance(location, Path):
        return sum(path.stat().st_size for path in location.rglob("*") if path.is_file())
    return sum(location.objects().values())


def digest_of(path: Path, *, sync: bool = False) -> str:
    """Return the digest of a file's bytes; with `sync`, once they are safely on the disk."""
    digest = blake2b(digest_size=16)
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
        if sync:
            os.fsync(file.fileno())
    return digest.hexdigest()

"""Path in an object store, with the methods of `pathlib.Path` that an index needs.

An object store has no folders, renames or locks, but conditional writes: only if the object does
not exist, or only if it is unchanged since it was read.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.index.store import import_lance

# scheme -> class of obstore, and what the names of its variables begin with
STORES = {"s3": ("S3Store", "AWS"), "gs": ("GCSStore", "GOOGLE"), "az": ("AzureStore", "AZURE")}
CONNECTION = {"connect_timeout": "5s", "timeout": "60s"}  # by default
RETRIES = {
    "max_retries": 3,
    "retry_timeout": timedelta(seconds=20),
    "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=2)},
}
LANCE_RETRIES = {"client_max_retries": "3", "client_retry_timeout": "20"}  # the same there
# options of the connection rather than of the store, and those that only Lance has
OF_CONNECTION = r"(?:aws_|google_|azure_)?(allow_http|.*timeout|.*certificates|proxy_.*)"
OF_LANCE = r"client_.*|download_retry_count|s3_express|.*_profile|request_timeout"
SECRET = r"key|secret|token|sas|password|signature|credential|authorization"
NO_SECRET = r"_file$|application_credentials$"  # paths
# `name: value` or `"name": "value"` in the answer of a server; the value may follow a scheme
SECRET_FIELD = (
    rf"(?i)([\w-]*(?:{SECRET})[\w-]*\"?\s*[:=]\s*\"?"
    r"(?:bearer\s+|basic\s+)?)[^\s\"',;&<>]+"
)
ERROR_BODY = r"(?s)<Error>.*"  # which S3 and Azure answer; more than its message is not for users
# where machines in a cloud have their credentials from, which is asked last
NO_CREDENTIALS = r"169\.254\.169\.254|/latest/(api|meta-data)|metadata\.google\.internal"
REFUSED = r"(?<![:.\d])40[13](?![.\w])|Forbidden|Unauthorized"  # not a port or a time
NO_BUCKET = r"NoSuchBucket|ContainerNotFound|bucket does not exist"

Mark = Any  # what tells one state of an object from the next, as the store likes it


@dataclass(frozen=True)
class Bucket:
    """Bucket or container with its storage options; each instance has its own connection."""

    scheme: str
    name: str
    storage_options: Mapping[str, str] | None = field(default=None, repr=False, hash=False)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle without the connection, which each process opens for itself."""
        return {name: getattr(self, name) for name in ("scheme", "name", "storage_options")}

    @cached_property
    def store(self) -> Any:
        """Connection to the store, opened at first use."""
        try:
            import obstore.store
        except ImportError as error:
            raise MissingExtraError("obstore", "objects") from error
        config, connection = self._options()
        with self.told(str(self)):
            return getattr(obstore.store, STORES[self.scheme][0])(
                self.name,
                config=config or None,
                client_options=CONNECTION | connection,
                retry_config=RETRIES,
            )

    def _options(self) -> tuple[dict[str, str], dict[str, str | bool]]:
        """Split the storage options into those of the store and those of the connection."""
        given = {key.lower(): value for key, value in (self.storage_options or {}).items()}
        plain = os.environ.get(f"{STORES[self.scheme][1]}_ALLOW_HTTP")  # others obstore reads
        if plain is not None:
            given = {"allow_http": plain} | given
        config: dict[str, str] = {}
        connection: dict[str, str | bool] = {}
        for key, value in given.items():
            if (found := re.fullmatch(OF_CONNECTION, key)) is not None:
                connection[found[1]] = _parsed(value)
            elif not re.fullmatch(OF_LANCE, key):
                config[key] = value
        return config, connection

    def __str__(self) -> str:
        return f"{self.scheme}://{self.name}"

    @contextmanager
    def told(self, place: str) -> Iterator[None]:
        """Convert errors of the store to errors of fuzzbow, without secrets."""
        from obstore import exceptions

        try:
            yield
        except (exceptions.AlreadyExistsError, exceptions.PreconditionError):
            raise FileExistsError(f"'{place}' was written by another process") from None
        except (FileNotFoundError, NotADirectoryError) as error:
            if re.search(NO_BUCKET, str(error)):
                raise InputError(f"there is no bucket '{self}'") from None
            raise FileNotFoundError(f"there is no '{place}'") from None
        except (exceptions.BaseError, ValueError) as error:
            raise self._failure(place, error) from None

    def _failure(self, place: str, error: Exception) -> Exception:
        from obstore import exceptions

        text = str(error)
        if re.search(NO_BUCKET, text):
            return InputError(f"there is no bucket '{self}'")
        if re.search(NO_CREDENTIALS, text):
            return InputError(
                f"'{self}' needs credentials, by the environment (AWS_ACCESS_KEY_ID and the like)"
                " or storage_options; there are none"
            )
        if type(error) is exceptions.GenericError and not re.search(REFUSED, text):
            return ConnectionError(f"'{place}' cannot be reached: {self.reason(text)}")
        return InputError(f"access to '{place}' was refused: {self.reason(text)}")

    def reason(self, message: str) -> str:
        """Shorten the message of an error to its first lines, without signatures and secrets.

        A server may repeat parts of the request, such as a refused session token.
        """
        text = message.partition("Debug source")[0]
        for value in self._secrets():
            text = text.replace(value, "…")
        text = re.sub(ERROR_BODY, _error_message, text)
        text = re.sub(SECRET_FIELD, r"\1…", re.sub(r"\?\S*", "", text))
        return " ".join(text.split())[:400]

    def _secrets(self) -> list[str]:
        """List secret values of options and of the environment, as messages may write them."""
        prefix = f"{STORES[self.scheme][1]}_"
        named = [(key, value) for key, value in os.environ.items() if key.startswith(prefix)]
        named += (self.storage_options or {}).items()
        found = set()
        for key, value in named:
            name = key.lower()
            if re.search(SECRET, name) and not re.search(NO_SECRET, name) and len(value) > 3:
                found |= {value, value.strip(), quote(value, safe=""), json.dumps(value)[1:-1]}
        return sorted(found, key=len, reverse=True)


@dataclass(frozen=True)
class ObjectPath:
    """Object, or all objects whose names begin with this name and a slash."""

    bucket: Bucket
    key: str

    @property
    def name(self) -> str:
        """Last part of the name."""
        return self.key.rpartition("/")[2]

    @property
    def parent(self) -> ObjectPath:
        """Path without its last part."""
        return ObjectPath(self.bucket, self.key.rpartition("/")[0])

    @property
    def storage_options(self) -> dict[str, str]:
        """Options of Lance for this store, besides environment variables."""
        return {**LANCE_RETRIES, **(self.bucket.storage_options or {})}

    def __truediv__(self, name: str) -> ObjectPath:
        return ObjectPath(self.bucket, f"{self.key}/{name}")

    def __str__(self) -> str:
        return f"{self.bucket}/{self.key}"

    def absolute(self) -> ObjectPath:
        """Return the path itself: an address is always absolute."""
        return self

    resolve = absolute

    @contextmanager
    def _told(self) -> Iterator[Any]:
        import_lance()  # refuses a process that was forked, which obstore does not survive either
        store = self.bucket.store
        with self.bucket.told(str(self)):
            yield store

    def exists(self) -> bool:
        """Return whether the object exists."""
        try:
            with self._told() as store:
                store.head(self.key)
        except FileNotFoundError:
            return False
        return True

    is_file = exists

    def is_dir(self) -> bool:
        """Return whether objects exist under this name; raise InputError if the bucket does not."""
        with self._told() as store:
            return any(len(some) for some in store.list(f"{self.key}/", chunk_size=1))

    def mkdir(self, exist_ok: bool = False) -> None:
        """Do nothing: a store has no folders."""

    def glob(self, pattern: str) -> Iterator[ObjectPath]:
        """Yield objects and prefixes directly under this name that match a simple pattern."""
        with self._told() as store:
            found = store.list_with_delimiter(f"{self.key}/")
        keys = [item["path"] for item in found["objects"]]
        for key in sorted([*keys, *(prefix.rstrip("/") for prefix in found["common_prefixes"])]):
            if fnmatchcase(key.rpartition("/")[2], pattern):
                yield ObjectPath(self.bucket, key)

    def objects(self) -> dict[str, int]:
        """Return the sizes of all objects under this name, by the rest of their names."""
        with self._told() as store:
            found = [item for some in store.list(f"{self.key}/") for item in some]
        return {item["path"][len(self.key) + 1 :]: item["size"] for item in found}

    def read(self) -> tuple[bytes, Mark]:
        """Read an object; return its bytes and the mark of its current state."""
        with self._told() as store:
            answer = store.get(self.key)
            return bytes(answer.bytes()), _mark(answer.meta)

    def read_bytes(self) -> bytes:
        """Read an object as bytes."""
        return self.read()[0]

    def write_bytes(self, data: bytes) -> None:
        """Write an object, replacing an existing one."""
        with self._told() as store:
            store.put(self.key, data)

    def upload(self, file: Path) -> None:
        """Write an object from a local file, in parts if it is large."""
        with self._told() as store:
            store.put(self.key, file)

    def download(self, file: Path) -> None:
        """Read an object into a local file."""
        with self._told() as store, file.open("wb") as target:
            target.writelines(store.get(self.key).stream())

    def create(self, data: bytes) -> Mark:
        """Write an object that must not exist; raise FileExistsError if it does."""
        return self._put(data, "create")

    def replace(self, data: bytes, mark: Mark) -> Mark:
        """Replace an object in the state `mark`; raise FileExistsError if it has changed."""
        return self._put(data, mark)

    def _put(self, data: bytes, mode: Any) -> Mark:
        try:
            with self._told() as store:
                return _mark(store.put(self.key, data, mode=mode))
        except FileExistsError:  # by an earlier attempt, perhaps, whose answer was lost
            there, mark = self.read()
            if there != data:
                raise
            return mark

    def unlink(self, missing_ok: bool = True) -> None:
        """Remove an object; most stores do not report whether it existed."""
        self.remove([""])

    def remove(self, names: Collection[str]) -> None:
        """Remove objects by their names under this one; "" is this object itself."""
        keys = [f"{self.key}/{name}" if name else self.key for name in names]
        if keys:
            try:
                with self._told() as store:
                    store.delete(keys)
            except FileNotFoundError:  # one of them, after which others may be left
                if len(keys) > 1:
                    for name in names:
                        self.remove([name])


def _error_message(body: re.Match[str]) -> str:
    """Return the code and the message of an error in XML."""
    found = (re.search(rf"(?s)<{name}>([^<]*)<", body[0]) for name in ("Code", "Message"))
    return ": ".join(part[1] for part in found if part is not None)


def _mark(facts: Mapping[str, Any]) -> Mark:
    return {name: facts[name] for name in ("e_tag", "version") if facts[name] is not None}


def _parsed(value: str) -> str | bool:
    """Convert an option of the connection: "true" and "false" become booleans."""
    return {"true": True, "1": True, "false": False, "0": False}.get(value.lower(), value)

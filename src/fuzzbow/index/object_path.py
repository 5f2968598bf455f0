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
BOOLEANS = {"true": True, "1": True, "false": False, "0": False}  # options of the connection
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
ERROR_PARTS = r"<(?:Code|Message)>([^<]*)<"
# where machines in a cloud have their credentials from, which is asked last
NO_CREDENTIALS = r"169\.254\.169\.254|/latest/(api|meta-data)|metadata\.google\.internal"
REFUSED = r"(?<![:.\d])40[13](?![.\w])|Forbidden|Unauthorized"  # not a port or a time
NO_BUCKET = r"NoSuchBucket|ContainerNotFound|bucket does not exist"


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
        with self.converting_errors(str(self)):
            return getattr(obstore.store, STORES[self.scheme][0])(
                self.name,
                config=config or None,
                client_options=CONNECTION | connection,
                retry_config=RETRIES,
            )

    def _options(self) -> tuple[dict[str, str], dict[str, str | bool]]:
        """Return the options of the store, and those of the connection."""
        given = {key.lower(): value for key, value in (self.storage_options or {}).items()}
        plain = os.environ.get(f"{STORES[self.scheme][1]}_ALLOW_HTTP")  # others obstore reads
        if plain is not None:
            given = {"allow_http": plain} | given
        config: dict[str, str] = {}
        connection: dict[str, str | bool] = {}
        for key, value in given.items():
            if (found := re.fullmatch(OF_CONNECTION, key)) is not None:
                connection[found[1]] = BOOLEANS.get(value.lower(), value)
            elif not re.fullmatch(OF_LANCE, key):
                config[key] = value
        return config, connection

    def __str__(self) -> str:
        return f"{self.scheme}://{self.name}"

    @contextmanager
    def converting_errors(self, path: str) -> Iterator[None]:
        """Convert errors of the store to errors of fuzzbow, without secrets."""
        from obstore import exceptions

        try:
            yield
        except (exceptions.AlreadyExistsError, exceptions.PreconditionError):
            raise FileExistsError(f"'{path}' was written by another process") from None
        except (exceptions.BaseError, OSError, ValueError) as error:
            text, missing = str(error), isinstance(error, FileNotFoundError | NotADirectoryError)
            if not missing and not isinstance(error, exceptions.BaseError | ValueError):
                raise
            if re.search(NO_BUCKET, text):
                raise InputError(f"there is no bucket '{self}'") from None
            if missing:
                raise FileNotFoundError(f"there is no '{path}'") from None
            if re.search(NO_CREDENTIALS, text):
                raise InputError(
                    f"'{self}' needs credentials, by the environment (AWS_ACCESS_KEY_ID and the"
                    " like) or storage_options; there are none"
                ) from None
            if type(error) is exceptions.GenericError and not re.search(REFUSED, text):
                reason = self.reason(text)
                raise ConnectionError(f"'{path}' cannot be reached: {reason}") from None
            raise InputError(f"access to '{path}' was refused: {self.reason(text)}") from None

    def reason(self, message: str) -> str:
        """Shorten the message of an error to its first lines, without signatures and secrets.

        A server may repeat parts of the request, such as a refused session token.
        """
        text = message.partition("Debug source")[0]
        for value in self._secrets():
            text = text.replace(value, "…")
        text = re.sub(ERROR_BODY, lambda body: ": ".join(re.findall(ERROR_PARTS, body[0])), text)
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
    """Object, or all objects whose names begin with this name and a slash, as a path."""

    bucket: Bucket
    key: str

    @property
    def name(self) -> str:
        return self.key.rpartition("/")[2]

    @property
    def parent(self) -> ObjectPath:
        return ObjectPath(self.bucket, self.key.rpartition("/")[0])

    def __truediv__(self, name: str) -> ObjectPath:
        return ObjectPath(self.bucket, f"{self.key}/{name}")

    def __str__(self) -> str:
        return f"{self.bucket}/{self.key}"

    def absolute(self) -> ObjectPath:
        return self

    resolve = absolute

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        import_lance()  # refuses a process that was forked, which obstore does not survive either
        store = self.bucket.store
        with self.bucket.converting_errors(str(self)):
            yield store

    def exists(self) -> bool:
        try:
            with self._connected() as store:
                store.head(self.key)
        except FileNotFoundError:
            return False
        return True

    is_file = exists

    def is_dir(self) -> bool:
        """Return whether objects exist under this name; raise InputError if the bucket does not."""
        with self._connected() as store:
            return any(len(some) for some in store.list(f"{self.key}/", chunk_size=1))

    def mkdir(self, exist_ok: bool = False) -> None:
        """Do nothing: a store has no folders."""

    def glob(self, pattern: str) -> Iterator[ObjectPath]:
        """Yield objects and prefixes directly under this name that match a simple pattern."""
        with self._connected() as store:
            found = store.list_with_delimiter(f"{self.key}/")
        keys = [item["path"] for item in found["objects"]]
        for key in sorted([*keys, *(prefix.rstrip("/") for prefix in found["common_prefixes"])]):
            if fnmatchcase(key.rpartition("/")[2], pattern):
                yield ObjectPath(self.bucket, key)

    def objects(self) -> dict[str, int]:
        """Return the sizes of all objects under this name, by the rest of their names."""
        with self._connected() as store:
            found = [item for some in store.list(f"{self.key}/") for item in some]
        return {item["path"][len(self.key) + 1 :]: item["size"] for item in found}

    def read(self) -> tuple[bytes, Any]:
        """Read an object; return its bytes and the mark of its current state."""
        with self._connected() as store:
            answer = store.get(self.key)
            mark = {name: answer.meta[name] for name in ("e_tag", "version")}
            return bytes(answer.bytes()), {key: value for key, value in mark.items() if value}

    def read_bytes(self) -> bytes:
        return self.read()[0]

    def download(self, file: Path) -> None:
        """Read an object into a local file."""
        with self._connected() as store, file.open("wb") as target:
            target.writelines(store.get(self.key).stream())

    def write(self, data: bytes | Path, mode: Any = "overwrite") -> None:
        """Write an object, from bytes or from a local file.

        With the mode "create" it must not exist, and with a mark it must be in that state; a
        FileExistsError is raised otherwise.
        """
        try:
            with self._connected() as store:
                store.put(self.key, data, mode=mode)
        except FileExistsError:
            if self.read_bytes() != data:  # by an earlier attempt whose answer was lost
                raise

    def unlink(self, missing_ok: bool = True) -> None:
        """Remove an object; most stores do not report whether it existed."""
        self.remove([""])

    def remove(self, names: Collection[str]) -> None:
        """Remove objects by their names under this one; "" is this object itself."""
        keys = [f"{self.key}/{name}" if name else self.key for name in names]
        if keys:
            try:
                with self._connected() as store:
                    store.delete(keys)
            except FileNotFoundError:  # one of them, after which others may be left
                if len(keys) > 1:
                    for name in names:
                        self.remove([name])

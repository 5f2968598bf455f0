"""A path in an object store, with those methods of `pathlib.Path` that an index needs.

There are no folders, renames and locks of files in such a store. What it has is conditions: an
object can be written only if none is there, or only if it is still the one that was read.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.tasks.index.rows import import_lance

# scheme -> class of obstore, and what the names of its variables begin with
STORES = {"s3": ("S3Store", "AWS"), "gs": ("GCSStore", "GOOGLE"), "az": ("AzureStore", "AZURE")}
CONNECTION = {"connect_timeout": "5s", "timeout": "60s"}  # unless told
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
NO_BUCKET = r"NoSuchBucket|ContainerNotFound|bucket does not exist"

FEW = 4  # so many objects are asked for one by one, more by a listing, which costs more

Mark = Any  # what tells one state of an object from the next, as the store likes it


@dataclass(frozen=True)
class ObjectStats:
    """What a listing says of an object."""

    size: int
    tag: str | None  # changes whenever the object is written
    written: float  # seconds since 1970, by the clock of the store

    def __str__(self) -> str:
        """What it is known by, as lists of an index have it."""
        return f"{self.size} {self.tag}"


@dataclass(frozen=True)
class Bucket:
    """A bucket or container, and how to reach it; equal ones share nothing but that."""

    scheme: str
    name: str
    storage_options: Mapping[str, str] | None = field(default=None, repr=False, hash=False)

    def __getstate__(self) -> dict[str, Any]:
        """All but the connection, which another process makes for itself."""
        return {name: getattr(self, name) for name in ("scheme", "name", "storage_options")}

    @cached_property
    def store(self) -> Any:
        """The connection, which is made when it is first used."""
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
        """Options of the store, and of the connection."""
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
        """Errors of the store as those of fuzzbow, without anything secret."""
        from obstore import exceptions

        try:
            yield
        except (exceptions.AlreadyExistsError, exceptions.PreconditionError):
            raise FileExistsError(f"'{place}' was written by somebody else") from None
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
        if type(error) is exceptions.GenericError:
            return ConnectionError(f"'{place}' cannot be reached: {self.reason(text)}")
        return InputError(f"'{place}' may not be used so: {self.reason(text)}")

    def reason(self, message: str) -> str:
        """Shorten the message of an error to its first lines, without signatures and secrets.

        A server may repeat what it was sent, such as a session token that it refuses.
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
    """An object, or all objects whose names begin with this one's and a slash."""

    bucket: Bucket
    key: str

    @property
    def name(self) -> str:
        """The last part."""
        return self.key.rpartition("/")[2]

    @property
    def parent(self) -> ObjectPath:
        """All but the last part."""
        return ObjectPath(self.bucket, self.key.rpartition("/")[0])

    @property
    def storage_options(self) -> dict[str, str]:
        """What Lance is to reach it by, besides the environment."""
        return {**LANCE_RETRIES, **(self.bucket.storage_options or {})}

    def __truediv__(self, name: str) -> ObjectPath:
        return ObjectPath(self.bucket, f"{self.key}/{name}")

    def __str__(self) -> str:
        return f"{self.bucket}/{self.key}"

    def absolute(self) -> ObjectPath:
        """Itself: an address is the same from everywhere."""
        return self

    resolve = absolute

    @contextmanager
    def _told(self) -> Iterator[Any]:
        import_lance()  # refuses a process that was forked, which obstore does not survive either
        store = self.bucket.store
        with self.bucket.told(str(self)):
            yield store

    def exists(self) -> bool:
        """Whether there is such an object."""
        try:
            with self._told() as store:
                store.head(self.key)
        except FileNotFoundError:
            return False
        return True

    is_file = exists

    def is_dir(self) -> bool:
        """Whether objects lie under this name; without its bucket, an error says so."""
        with self._told() as store:
            return any(len(some) for some in store.list(f"{self.key}/", chunk_size=1))

    def mkdir(self, exist_ok: bool = False) -> None:
        """Nothing: a store has no folders."""

    def glob(self, pattern: str) -> Iterator[ObjectPath]:
        """What lies directly under this name, objects and prefixes of such, by a simple pattern."""
        with self._told() as store:
            found = store.list_with_delimiter(f"{self.key}/")
        keys = [item["path"] for item in found["objects"]]
        for key in sorted([*keys, *(prefix.rstrip("/") for prefix in found["common_prefixes"])]):
            if fnmatchcase(key.rpartition("/")[2], pattern):
                yield ObjectPath(self.bucket, key)

    def stats(self) -> ObjectStats:
        """What the store says of an object."""
        with self._told() as store:
            return _stats(store.head(self.key))

    def objects(self) -> dict[str, ObjectStats]:
        """All objects under this name, at any depth, by the rest of their names."""
        with self._told() as store:
            found = [item for some in store.list(f"{self.key}/") for item in some]
        return {item["path"][len(self.key) + 1 :]: _stats(item) for item in found}

    def stats_of(self, names: Collection[str]) -> dict[str, ObjectStats]:
        """What the store says of objects under this name; those that are missing are left out."""
        if len(names) > FEW:
            there = self.objects()
            return {name: there[name] for name in names if name in there}
        found = {}
        for name in names:
            with suppress(FileNotFoundError):
                found[name] = (self / name).stats()
        return found

    def read(self) -> tuple[bytes, Mark]:
        """The bytes of an object, and the mark of the state that it is in."""
        with self._told() as store:
            answer = store.get(self.key)
            return bytes(answer.bytes()), _mark(answer.meta)

    def chunks(self) -> Iterator[bytes]:
        """The bytes of an object, some at a time."""
        with self._told() as store:
            yield from map(bytes, store.get(self.key).stream())

    def read_bytes(self) -> bytes:
        """The bytes of an object."""
        return self.read()[0]

    def read_text(self, encoding: str = "utf-8") -> str:
        """The text of an object."""
        return self.read_bytes().decode(encoding)

    def write_bytes(self, data: bytes) -> None:
        """Write an object as a whole, whatever was there."""
        with self._told() as store:
            store.put(self.key, data)

    def upload(self, file: Path) -> None:
        """The same from a file of this machine, in parts where it is large."""
        with self._told() as store:
            store.put(self.key, file)

    def download(self, file: Path) -> None:
        """Read an object into a file of this machine."""
        with file.open("wb") as target:
            target.writelines(self.chunks())

    def create(self, data: bytes) -> Mark:
        """Write an object if there is none; a FileExistsError where there is another one."""
        return self._put(data, "create")

    def replace(self, data: bytes, mark: Mark) -> Mark:
        """Write an object if it still is in a state; a FileExistsError where it is not."""
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
        """Remove an object; most stores do not say whether it was there."""
        self.remove([""])

    def remove(self, names: Collection[str]) -> None:
        """Remove objects under this name, or with "" the one that has it."""
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


def _stats(facts: Mapping[str, Any]) -> ObjectStats:
    return ObjectStats(facts["size"], facts["e_tag"], facts["last_modified"].timestamp())


def _mark(facts: Mapping[str, Any]) -> Mark:
    return {name: facts[name] for name in ("e_tag", "version") if facts[name] is not None}


def _parsed(value: str) -> str | bool:
    """An option of the connection: those that are true or false are no text there."""
    return {"true": True, "1": True, "false": False, "0": False}.get(value.lower(), value)

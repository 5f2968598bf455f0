"""The index: exact search over texts, in memory or on disk, in one piece or in shards."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar, overload

import numpy as np

from fuzzbow.arrays import Integers
from fuzzbow.encoding import check_texts
from fuzzbow.engine import limited_threads
from fuzzbow.errors import InputError, UnknownIdError, check_count
from fuzzbow.explain import Explanation, explain
from fuzzbow.fork import renew_after_fork
from fuzzbow.index.condition import Where
from fuzzbow.index.documents import DocumentStream, document_batches
from fuzzbow.index.folder import check_fingerprint, read_facts, write_batches, write_index
from fuzzbow.index.hits import FoundDocuments, Hits, SearchOptions, SharedRows
from fuzzbow.index.ids import among, check_new, id_column, parse_number
from fuzzbow.index.lance_store import LanceStore
from fuzzbow.index.location import Location, LocationLike, location_of
from fuzzbow.index.lock import Guard
from fuzzbow.index.memory_store import MemoryStore
from fuzzbow.index.new_folder import remove_abandoned
from fuzzbow.index.placement import Placement, RayPlacement, ThisProcess
from fuzzbow.index.sharded_store import ShardedStore, is_sharded, read_manifest
from fuzzbow.index.store import (
    LAST_VERSION,
    Read,
    RowsRemovedError,
    Store,
    Version,
    check_version,
)
from fuzzbow.measures import TextMeasure
from fuzzbow.plurals import counted
from fuzzbow.progress import Progress

Id = int | str
Result = TypeVar("Result")


class Index:
    """Texts for exact search, made by `Model.index` and `fuzzbow.open_index`.

    Threads may share one: searches run together, and a change waits for them. On disk, many
    processes may read, and a writer waits for another one. A reader sees the version that it
    opened, or the newest one after another process has removed that version.

    Attributes
    ----------
    model : fuzzbow.Model
        Model that scores texts.
    read_only : bool
        Whether changes are refused.
    """

    def __init__(
        self,
        model: TextMeasure,
        store: Store,
        *,
        placement: Placement | None = None,
        read_only: bool = False,
    ) -> None:
        self.model, self.read_only = model, read_only
        self._store, self._guard = store, Guard()
        self._placement = placement or ThisProcess(model, store)
        self._writer = threading.Lock()  # one thread at a time waits for other processes
        self._loaded = False
        self._load()
        renew_after_fork(self)

    def renew(self) -> None:
        """Replace the locks in a forked process, and the searcher if a thread was using it."""
        self._writer = threading.Lock()
        if self._guard.renew():
            self._placement.abandon()
            self._loaded = False

    def __len__(self) -> int:
        with self._reading():
            return len(self._store)

    def __repr__(self) -> str:
        path = f", path='{self.path}'" if self.path else ""
        return f"Index({counted(len(self), 'text')}, measure={self.model.measure.name!r}{path})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the model and the store; a store on disk is opened again by its folder."""
        with self._reading():
            return _reopened, (self.model, self._store, self.read_only)

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the Ray actors that search, if there are any."""
        self._placement.close()

    @property
    def path(self) -> Location | None:
        """Folder of an index on disk, or its address in an object store; None in memory."""
        return self._store.path

    @property
    def metadata(self) -> dict[str, str]:
        """Metadata columns and their types."""
        return {field.name: str(field.type) for field in list(self._store.schema)[2:]}

    @property
    def ids(self) -> list[int] | list[str]:
        """All ids in the order of insertion."""
        return list(self._retry_on_newest(self._store.ids).to_pylist())

    @property
    def commits(self) -> int:
        """Number of changes that this object has written to the disk."""
        return self._store.commits

    @overload
    def search(  # type: ignore[overload-overlap]  # a text is a sequence of texts to the checker
        self,
        query: str,
        k: int = 10,
        min_score: float = 0.0,
        where: Where | None = None,
        threads: int | None = None,
    ) -> Hits: ...
    @overload
    def search(
        self,
        query: Sequence[str],
        k: int = 10,
        min_score: float = 0.0,
        where: Where | None = None,
        threads: int | None = None,
    ) -> list[Hits]: ...
    def search(
        self,
        query: str | Sequence[str],
        k: int = 10,
        min_score: float = 0.0,
        where: Where | None = None,
        threads: int | None = None,
    ) -> Hits | list[Hits]:
        """Find the texts that score highest with a query; the search is exact.

        Parameters
        ----------
        query : str or sequence of str
            A text, or many, which are faster together than one by one.
        k : int, default 10
            Maximum number of hits.
        min_score : float, default 0
            Minimum score of a hit. A text that shares nothing with the query scores 0.
        where : str or mapping, optional
            SQL condition over metadata, id and text, such as "year > 2020 AND lang = 'en'", or a
            mapping of columns to their values, such as {"year": 2020}. Other rows are not searched.
        threads : int, optional
            Number of threads, or of threads of each Ray actor; all cores by default.

        Returns
        -------
        Hits or list of Hits
            Best first, equal scores in the order of insertion; a list if `query` is a sequence.

        Raises
        ------
        InputError
            If an option is unusable, or `where` does not fit the columns.

        Examples
        --------
        >>> import fuzzbow
        >>> index = fuzzbow.load().index(["a cat sat", "a dog ran"])
        >>> index.search("the kitten", k=1)[0].text
        'a cat sat'
        """
        options = SearchOptions(k, min_score, where, threads)
        if isinstance(query, str):
            return self.search_all([query], options)[0]
        return self.search_all(query, options)

    def search_all(self, texts: Sequence[str], options: SearchOptions) -> list[Hits]:
        """Search for each of many queries with the same options."""
        queries = list(check_texts(texts, "query"))
        if not queries:
            return []

        def work() -> tuple[FoundDocuments, Read]:
            found = self._placement.search(queries, options)
            return found, self._store.reader(found.documents)

        rows = SharedRows(lambda: self._retry_on_newest(work), self._follow)
        return [Hits(text, rows, number, self._explain) for number, text in enumerate(queries)]

    def _explain(self, query: str, text: str) -> Explanation:
        return explain(self.fitted_model(), query, text)

    def add(
        self,
        texts: Any,
        ids: Iterable[Id] | str | None = None,
        metadata: Any = None,
        *,
        column: str | None = None,
        threads: int | None = None,
    ) -> list[Id]:
        """Add texts, all or none; on disk they are durable when this returns.

        Scores of other texts do not change, unless the measure weights words by the collection.

        Parameters
        ----------
        texts : sequence or iterator of str, or data frame
            An iterator without ids and metadata is read a batch at a time.
        ids : sequence of int or str, or name of a column, optional
            Strings, or numbers of at most 18 digits; the next numbers by default.
        metadata : mapping, list of dict, data frame or Arrow table, optional
            Values of the index's columns; those of a column that is not given are null.
        column : str, optional
            Column of the texts, if `texts` is a data frame, as in `Model.index`.
        threads : int, optional
            Number of threads; all cores by default.

        Returns
        -------
        list of int or str
            Ids of the new texts.
        """
        batches, total = document_batches(texts, ids, metadata, column)
        return list(self.add_batches(batches, total, threads=threads)[0].to_pylist())

    def add_batches(
        self,
        batches: Iterable[Any],
        total: int | None = None,
        *,
        replacing: bool = False,
        progress: Progress | None = None,
        threads: int | None = None,
    ) -> tuple[Any, int]:
        """Add batches of texts, all or none, optionally replacing those with the same ids.

        On disk batches are written as they come, and one commit at the end makes them visible.
        Return the ids as an Arrow column, and the number of texts that were replaced.
        """
        with self._changing(), limited_threads(threads):
            store = self._store
            new = DocumentStream(
                batches,
                self.model.encoder,
                schema=store.schema,
                next_id=store.next_id,
                keep_words=True,
                progress=progress,
                total=total,
            )
            check = (lambda ids: None) if replacing else lambda ids: check_new(ids, store.ids())
            staged, known = store.stage(new.tables(check)), new.ids.slice(0, 0)
            if replacing:
                known = new.ids.filter(among(new.ids, store.ids()))
            replaced = self._documents_of(known)
            if len(new.ids):
                self._replace(staged, new, known, replaced)
        return new.ids, len(replaced)

    def upsert(
        self,
        texts: Any,
        ids: Iterable[Id] | str,
        metadata: Any = None,
        *,
        column: str | None = None,
        threads: int | None = None,
    ) -> int:
        """Add texts, replacing those with the same ids, all or none, in one commit on disk.

        Takes the parameters of `add`. A replacing text is the last in the order of insertion.

        Returns
        -------
        int
            Number of texts that were replaced.
        """
        if ids is None:
            raise InputError("upsert needs ids of the texts to replace; add assigns new ones")
        batches, total = document_batches(texts, ids, metadata, column)
        return self.add_batches(batches, total, replacing=True, threads=threads)[1]

    def _replace(
        self, staged: Any, new: DocumentStream | None, ids: Any, documents: Integers
    ) -> None:
        """Add staged rows and remove others, in one commit of the store, and in the searcher."""
        with self._fragile():
            next_id = self._store.next_id if new is None else new.next_id
            self._store.replace(staged, next_id, ids, documents)
            self._placement.update(documents, new)

    def delete(self, ids: Id | Iterable[Id]) -> int:
        """Remove texts by their ids, all or none; each must exist. Return their number."""
        wanted = id_column([ids] if isinstance(ids, int | str) else ids).unique()
        with self._changing():
            documents = self._documents_of(wanted)
            if len(documents):
                self._replace(None, None, wanted, documents)
        return len(documents)

    def get(self, wanted: Id) -> dict[str, Any]:
        """Read the row of an id: id, text and metadata."""
        column = id_column([wanted])
        table = self._retry_on_newest(lambda: self._store.reader(self._documents_of(column))())
        row = table.to_pylist()[0]
        return {"id": row.pop("id"), "text": row.pop("text"), "metadata": row}

    __getitem__ = get

    def __contains__(self, wanted: object) -> bool:
        """Return whether a text has this id."""
        try:
            column = id_column([wanted])
            self._retry_on_newest(lambda: self._documents_of(column))
        except InputError:
            return False
        return True

    def __iter__(self) -> Iterator[Id]:
        """Iterate over the ids in the order of insertion."""
        return iter(self.ids)

    def _documents_of(self, ids: Any) -> Integers:
        """Find the document numbers of ids; all must exist."""
        import pyarrow.compute as pc

        if not len(ids):
            return np.zeros(0, dtype=np.int64)
        known = self._store.ids()
        if ids.type != known.type:
            raise InputError(f"ids must be of the index's kind, {known.type}; got {ids.type}")
        positions = pc.index_in(ids, value_set=known)
        if positions.null_count:
            missing = ids.filter(pc.is_null(positions)).to_pylist()
            shown = ", ".join(map(repr, missing[:5]))
            raise UnknownIdError(f"ids must be in the index; {len(missing)} are not: {shown}")
        documents = self._store.documents()[positions.to_numpy(zero_copy_only=False)]
        return np.asarray(documents)

    def compact(self, *, keep_versions: int | None = None) -> None:
        """Free the memory of deleted texts, and on disk merge small files.

        Parameters
        ----------
        keep_versions : int, optional
            Number of the newest versions to keep; all by default.
        """
        if keep_versions is not None:
            keep_versions = min(check_count(keep_versions, "keep_versions"), LAST_VERSION)
        with self._changing(), self._fragile():
            self._store.compact(keep_versions)
            self._load()
            if self.path is not None:
                remove_abandoned(self.path)

    def save(
        self, path: LocationLike, *, storage_options: Mapping[str, str] | None = None
    ) -> Location:
        """Write an unsharded copy of the index.

        Parameters
        ----------
        path : str or path
            New folder, or an address such as s3://bucket/name.
        storage_options : mapping, optional
            Access to that address; the environment by default.

        Returns
        -------
        path
            Path of the copy.
        """
        target, store = location_of(path, storage_options), self._store

        def work() -> None:
            rows = store.batches(self.model.encoder)
            write_index(target, self.model, store.schema, rows, lambda: store.next_id)

        self._retry_on_newest(work)
        return target

    def fitted_model(self) -> TextMeasure:
        """Return the model with the statistics of the index's texts."""
        return self._retry_on_newest(lambda: replace(self.model, measure=self._placement.measure()))

    def versions(self) -> list[Version]:
        """List the versions of an index on disk, oldest first; none in memory or in shards."""
        self._store.check_process()
        return self._store.versions()

    def restore(self, version: int) -> None:
        """Make an older version of an index on disk the newest; no version is removed."""
        version = check_version(version)
        with self._changing(), self._fragile():
            self._store.restore(version)
            self._load()

    def memory_bytes(self) -> int:
        """Return the bytes of memory used for search, without texts, metadata and word table."""
        return self._retry_on_newest(self._placement.memory_bytes)

    def info(self) -> dict[str, Any]:
        """Return facts about the index, as plain values."""
        return {
            "texts": len(self),
            "measure": self.model.measure.name,
            "vectors": self.model.vectors.name,
            "tokenizer": self.model.tokenizer.name,
            "ids": "numbers" if self._has_numbers else "strings",
            "metadata": self.metadata,
            "memory_bytes": self.memory_bytes(),
            **self._store.facts(),
        }

    @property
    def _has_numbers(self) -> bool:
        return str(self._store.schema.field("id").type) == "int64"

    def parse_ids(self, ids: Iterable[str]) -> list[Id]:
        """Convert ids that were typed as text to the type of this index's ids."""
        if not self._has_numbers:
            return list(ids)
        numbers: list[Id] = []
        for text in ids:
            if (number := parse_number(text)) is None:
                raise InputError(f"the ids of this index are whole numbers; got {text!r:.60}")
            numbers.append(number)
        return numbers

    def _load(self) -> None:
        """Load the rows, which must be numbered from 0, for search."""
        self._loaded = False
        while not self._loaded:
            try:
                self._placement.load()
                self._loaded = True
            except RowsRemovedError:
                if self._store.is_removed():
                    self._store.reload()

    def _reading(self) -> Guard:
        """Read while no thread changes anything; after an interrupted change, reload first."""
        self._store.check_process()
        if not self._loaded:
            with self._guard.alone():
                self._store.reload()
                self._load()
        return self._guard

    def _retry_on_newest(self, work: Callable[[], Result]) -> Result:
        """Call a function; if another process removed the open version, repeat with the newest."""
        while True:
            with self._reading():
                try:
                    return work()
                except RowsRemovedError:
                    pass
            self._follow()

    def _follow(self) -> None:
        """Load the newest version if another process removed the open one."""
        with self._guard.alone():
            if self._store.is_removed():
                with self._fragile():
                    self._store.reload()
                    self._load()

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Exclude other threads and processes, and load the newest version."""
        self._store.check_process()
        if self.read_only:
            raise InputError("the index was opened read-only; open it without read_only to write")
        # searches go on while this waits for another process
        with self._writer, self._store.writing(), self._guard.alone():
            moved = self._store.catch_up()
            if not self._loaded:
                self._store.reload()
            if moved or not self._loaded:
                self._load()
            yield

    @contextmanager
    def _fragile(self) -> Iterator[None]:
        """Reload before the next use if the block fails: searcher and rows may differ."""
        try:
            yield
        except BaseException:
            self._loaded = False
            raise


def _reopened(model: TextMeasure, store: Store, read_only: bool) -> Index:
    store.check_model(model)
    return Index(model, store, read_only=read_only)


def build_index(
    model: TextMeasure,
    texts: Any,
    ids: Iterable[Id] | str | None = None,
    metadata: Any = None,
    *,
    column: str | None = None,
    path: LocationLike | None = None,
    storage_options: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Index:
    """Build an index, as `Model.index` describes."""
    import pyarrow as pa

    batches, total = document_batches(texts, ids, metadata, column)
    if path is None and storage_options is not None:
        raise InputError("storage_options need a path: the address of the index")
    with limited_threads(threads):
        if path is not None:
            location = location_of(path, storage_options)
            write_batches(model, batches, total, path=location, progress=progress)
            return Index(model, LanceStore(location))
        model.measure.searcher(model.encoder)  # refuses a measure before any work is done
        new = DocumentStream(batches, model.encoder, progress=progress, total=total)
        table = pa.concat_tables(list(new.tables()))
        return Index(model, MemoryStore(table, new.next_id))


def open_folder(
    folder: Location,
    model: TextMeasure,
    *,
    version: int | None = None,
    read_only: bool = False,
    ray: str | None = None,
    replicas: int = 1,
) -> Index:
    """Open the index of a folder, in one piece or in shards, with the model that it was built with.

    `ray` and `replicas` are those of `fuzzbow.open_index`.
    """
    check_count(replicas, "replicas")
    if not is_sharded(folder):
        if ray is not None or replicas > 1:
            raise InputError(
                f"ray and replicas need an index of shards; {folder} is one index:"
                " fuzzbow index FILE --shards N makes shards"
            )
        if version is not None:
            version = check_version(version)
        check_fingerprint(read_facts(folder)["fingerprint"], model, str(folder))
        rows = LanceStore(folder, version=version)
        return Index(model, rows, read_only=read_only or version is not None)
    if version is not None:
        raise InputError("an index of shards has no versions: each shard has its own")
    if ray is None and replicas > 1:
        raise InputError(f"replicas must be 1 without Ray; got {replicas}")
    folder = folder.resolve()
    store = ShardedStore(folder, model, checked=ray is None)
    store.check_model(model)
    if ray is None:
        return Index(model, store, read_only=read_only)
    placement = RayPlacement(store, model, ray, replicas)
    try:
        return Index(model, store, placement=placement, read_only=read_only)
    except BaseException:
        placement.close()
        raise


def read_model(folder: Location) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Read the fingerprint of the model of an index, and its description if it has one."""
    if is_sharded(folder):
        shards = read_manifest(folder, older=True)
        return shards.fingerprint, shards.model
    facts = read_facts(folder, older=True)
    return facts["fingerprint"], facts["model"]

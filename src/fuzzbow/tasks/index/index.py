"""The index: exact search over texts, in memory or on disk."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar, overload

from fuzzbow.arrays import Integers
from fuzzbow.encoding import Encoder, check_text, check_texts
from fuzzbow.engine import limited_threads
from fuzzbow.errors import InputError, check_count
from fuzzbow.fork import abandon, renew_after_fork
from fuzzbow.measures import TextMeasure
from fuzzbow.measures.searcher import Searcher
from fuzzbow.plurals import counted
from fuzzbow.progress import Progress
from fuzzbow.tasks.explain import Explanation, explain
from fuzzbow.tasks.index.condition import Where, parse_where
from fuzzbow.tasks.index.documents import NewDocuments, document_batches
from fuzzbow.tasks.index.encoded import DocumentStream, encode_batches
from fuzzbow.tasks.index.folder import write_index
from fuzzbow.tasks.index.hits import Hits, Results, SharedRows, check_limits, results_of
from fuzzbow.tasks.index.ids import (
    DocumentIds,
    among,
    check_new,
    documents_of,
    id_column,
    parse_ids,
)
from fuzzbow.tasks.index.lock import Guard
from fuzzbow.tasks.index.new_folder import remove_abandoned
from fuzzbow.tasks.index.place import Place, PlaceLike, place_of
from fuzzbow.tasks.index.rows import MemoryRows, Rows, RowsRemovedError, import_lance
from fuzzbow.tasks.index.store import LAST_VERSION, LanceRows, Version, check_version

Id = int | str
Result = TypeVar("Result")


class Index:
    """Texts ready for exact search; made by `Model.index` and `fuzzbow.open_index`.

    Threads may share one: searches run together, and a change waits for them. On disk, many
    processes may read, and a writer waits for another one; a reader sees what was there when
    it opened the index, or the newest state once somebody has removed that version.
    """

    def __init__(
        self, model: TextMeasure, rows: Rows, encoder: Encoder, *, read_only: bool = False
    ) -> None:
        self.model, self.read_only = model, read_only
        self._rows, self._encoder, self._guard = rows, encoder, Guard()
        self._writer = threading.Lock()  # one thread at a time waits for other processes
        self._searcher: Searcher | None = None
        self._load()
        renew_after_fork(self)

    def renew(self) -> None:
        """Replace the locks in a forked process, and the searcher if a thread was using it."""
        self._writer = threading.Lock()
        if self._guard.renew():
            abandon(self._searcher)
            self._searcher = None

    def __len__(self) -> int:
        with self._reading():
            return len(self._rows)

    def __repr__(self) -> str:
        place = f", path='{self.path}'" if self.path else ""
        return f"Index({counted(len(self), 'text')}, measure={self.model.measure.name!r}{place})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied by its folder, which is opened again, or in memory by its rows."""
        rows = self._rows
        if isinstance(rows, LanceRows):
            version = rows.version if rows.pinned else None
            return _opened_again, (self.model, rows.folder.resolve(), version, self.read_only)
        with self._reading():
            return _made_again, (self.model, _held(rows), rows.next_id, self.read_only)

    @property
    def path(self) -> Place | None:
        """The folder of an index on disk, or its place in an object store; None in memory."""
        return self._rows.folder if isinstance(self._rows, LanceRows) else None

    @property
    def metadata(self) -> dict[str, str]:
        """Metadata columns and their types."""
        return {field.name: str(field.type) for field in list(self._rows.schema)[2:]}

    @property
    def ids(self) -> list[int] | list[str]:
        """All ids in the order of insertion."""
        found: list[Any] = self._followed(lambda: self._rows.ids()).to_pylist()
        return found

    @property
    def commits(self) -> int:
        """How many changes were made on the disk by this object."""
        return self._rows.commits if isinstance(self._rows, LanceRows) else 0

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
        """The `k` texts that score highest with a `query`, of those that score enough.

        Exactly what comparing the query with every text would give; equal scores are in the
        order of insertion. Hits score at least `min_score`. A text that shares nothing with the
        query scores 0, which is enough for the default `min_score`. `where` is an SQL condition
        over metadata, id and text, such as "year > 2020 AND lang = 'en'", or a mapping of columns
        to their values, such as {"year": 2020}; other rows take no part. Many queries at once give
        a list of hits, and are faster than one by one.
        """
        check_limits(k, min_score)
        condition = parse_where(where)
        single = isinstance(query, str)
        queries = [check_text(query, "query")] if single else list(check_texts(query, "query"))
        if not queries:
            return []

        def work() -> Results:
            with limited_threads(threads):
                most = min(int(k), max(len(self._rows), 1))
                return self._search(queries, most, float(min_score), condition)

        def again() -> Results:
            self._follow()
            return self._followed(work)

        rows = SharedRows(self._followed(work), again)
        found = [Hits(text, rows, n, self._explain) for n, text in enumerate(queries)]
        return found[0] if single else found

    def _search(self, queries: list[str], k: int, min_score: float, where: str | None) -> Results:
        allowed = None if where is None else self._rows.allowed(where)
        found = self._current().search(queries, k=k, min_score=min_score, allowed=allowed)
        return results_of(found, self._rows, self._numbers)

    def add(
        self,
        texts: Any,
        ids: Iterable[Id] | str | None = None,
        metadata: Any = None,
        *,
        column: str | None = None,
        threads: int | None = None,
    ) -> list[Id]:
        """Add `texts`, all or none, and return their ids; on disk they are safe when it returns.

        Without `ids` they get the next numbers. Ids are strings, or numbers of at most 18 digits.
        `metadata` columns are those of the index; one that is not given is null. Scores of other
        texts do not change, unless the measure weighs words by the collection. Texts without ids
        and metadata may come from an iterator, and are then never all in memory. `texts` may be
        a frame with its texts in `column`, as in `Model.index`.
        """
        batches, total = document_batches(texts, ids, metadata, column)
        found: list[Id] = self.add_batches(batches, total, threads=threads).to_pylist()
        return found

    def upsert(
        self,
        texts: Any,
        ids: Iterable[Id] | str,
        metadata: Any = None,
        *,
        column: str | None = None,
        threads: int | None = None,
    ) -> int:
        """Add `texts`, replacing those that have their `ids`, and return how many were replaced.

        All or none, in one commit on disk. A replaced text goes to the end of the index, and a
        metadata column that is not given is null. `texts` may be a frame with its texts in
        `column`, as in `Model.index`.
        """
        if ids is None:
            raise InputError("upsert needs ids, which say what is replaced; add gives new ones")
        batches, total = document_batches(texts, ids, metadata, column)
        with self._changing(), limited_threads(threads):
            staged, new = self._staged(batches, total, None, lambda ids: None)
            replaced = new.ids.filter(among(new.ids, self._rows.ids()))
            documents = self._documents_of(replaced)
            if len(new.ids):
                with self._fragile():
                    self._rows.replace(staged, new.next_id, replaced, documents)
                    self._current().delete(documents)
                    self._append_words(new)
        return len(documents)

    def add_batches(
        self,
        batches: Iterable[NewDocuments],
        total: int | None = None,
        *,
        progress: Progress | None = None,
        threads: int | None = None,
    ) -> Any:
        """Add texts that come in batches, all or none, and return their ids as an Arrow column.

        On disk they are written as they come, and one commit at the end makes them be there.
        """
        with self._changing(), limited_threads(threads):
            staged, new = self._staged(
                batches, total, progress, lambda ids: check_new(ids, self._rows.ids())
            )
            if len(new.ids):
                with self._fragile():
                    self._rows.append(staged, new.next_id)
                    self._append_words(new)
        return new.ids

    def _staged(
        self,
        batches: Iterable[NewDocuments],
        total: int | None,
        progress: Progress | None,
        check: Callable[[Any], None],
    ) -> tuple[Any, DocumentStream]:
        """Write rows that no reader sees yet; their ids must differ and pass `check`."""
        made = encode_batches(
            batches, self._rows.schema, self._rows.next_id, self._encoder, progress, total
        )
        new = DocumentStream(made, self._rows.schema, self._rows.next_id, keep_words=True)
        return self._rows.stage(new.tables(check)), new

    def _append_words(self, new: DocumentStream) -> None:
        """Make staged rows searchable."""
        for tokens in new.words:
            self._current().append(tokens)
        self._numbers.append(new.ids)

    def delete(self, ids: Id | Iterable[Id]) -> int:
        """Remove texts by their `ids`, all or none, and return how many; each must be there."""
        wanted = id_column([ids] if isinstance(ids, int | str) else ids).unique()
        with self._changing():
            documents = self._documents_of(wanted)
            if len(documents):
                with self._fragile():
                    self._rows.delete(wanted, documents)
                    self._current().delete(documents)
        return len(documents)

    def get(self, wanted: Id) -> dict[str, Any]:
        """The row of an id: id, text and metadata."""
        column = id_column([wanted])
        table = self._followed(lambda: self._rows.reader(self._documents_of(column))())
        row: dict[str, Any] = table.to_pylist()[0]
        return {"id": row.pop("id"), "text": row.pop("text"), "metadata": row}

    def __getitem__(self, wanted: Id) -> dict[str, Any]:
        """The row of an id, as `get` gives it."""
        return self.get(wanted)

    def __contains__(self, wanted: object) -> bool:
        """Whether a text has this id."""
        try:
            column = id_column([wanted])
            self._followed(lambda: self._documents_of(column))
        except InputError:
            return False
        return True

    def __iter__(self) -> Iterator[Id]:
        """The ids in the order of insertion."""
        return iter(self.ids)

    def _documents_of(self, ids: Any) -> Integers:
        return documents_of(ids, self._rows.ids(), self._rows.documents())

    def compact(self, *, keep_versions: int | None = None) -> None:
        """Give back the memory of deleted texts, and on disk merge small files.

        Older versions stay, unless `keep_versions` says how many of the newest to keep.
        """
        if keep_versions is not None:
            keep_versions = min(check_count(keep_versions, "keep_versions"), LAST_VERSION)
        with self._changing(), self._fragile():
            self._rows.compact(keep_versions)
            self._load()
            if self.path is not None:
                remove_abandoned(self.path)

    def save(self, path: PlaceLike, *, storage_options: Mapping[str, str] | None = None) -> Place:
        """Write a copy to the new folder `path`, for `open_index`; this index stays as it is.

        `path` may be an address such as s3://bucket/name, with its `storage_options`.
        """
        target = place_of(path, storage_options)
        self._followed(
            lambda: write_index(
                target,
                self.model,
                self._rows.schema,
                self._rows.batches(self._encoder),
                next_id=lambda: self._rows.next_id,
            )
        )
        return target

    def _explain(self, query: str, text: str) -> Explanation:
        """Explain the score of a query with a text that it holds."""
        return explain(self.fitted_model(), query, text)

    def fitted_model(self) -> TextMeasure:
        """The model as it scores here, with what its measure takes from the texts of the index."""
        return self._followed(lambda: replace(self.model, measure=self._current().measure()))

    def versions(self) -> list[Version]:
        """The versions of an index on disk, oldest first; one in memory has none."""
        self._check_process()
        return self._rows.versions() if isinstance(self._rows, LanceRows) else []

    def restore(self, version: int) -> None:
        """Make an older version of an index on disk the newest; no version is lost."""
        version = check_version(version)
        with self._changing():
            if not isinstance(self._rows, LanceRows):
                raise InputError("only an index on disk has versions; this one is in memory")
            with self._fragile():
                self._rows.restore(version)
                self._load()

    def memory_bytes(self) -> int:
        """Memory for searching, besides texts, metadata and the table of words."""
        with self._reading():
            return self._current().memory_bytes() + self._numbers.memory_bytes()

    def info(self) -> dict[str, Any]:
        """Facts about the index, as plain values."""
        facts: dict[str, Any] = {
            "texts": len(self),
            "measure": self.model.measure.name,
            "vectors": self.model.vectors.name,
            "tokenizer": self.model.tokenizer.name,
            "ids": "numbers" if self._has_numbers else "strings",
            "metadata": self.metadata,
            "memory_bytes": self.memory_bytes(),
        }
        if isinstance(self._rows, LanceRows):
            facts["path"] = str(self._rows.folder)
            facts["version"] = self._rows.version
            facts["versions"] = len(self._rows.versions())
            facts["disk_bytes"] = self._rows.disk_bytes()
        return facts

    @property
    def _has_numbers(self) -> bool:
        return str(self._rows.schema.field("id").type) == "int64"

    def parse_ids(self, ids: Iterable[str]) -> list[Id]:
        """Ids that were typed as text, as the index has them."""
        return parse_ids(ids, numbers=self._has_numbers)

    def _load(self) -> None:
        """Make the searcher of the rows, which must be numbered from 0."""
        while True:
            searcher = self.model.measure.searcher(self._encoder)
            try:
                if len(self._rows):
                    searcher.append(self._rows.words(self._encoder))
                self._numbers = DocumentIds(self._rows.ids())
            except RowsRemovedError:
                self._rows.reload()
                continue
            self._searcher = searcher
            return

    def _current(self) -> Searcher:
        if self._searcher is None:
            raise InputError("the index was interrupted in a change; open it again")
        return self._searcher

    def _check_process(self) -> None:
        """An index on disk cannot be used after a fork."""
        if isinstance(self._rows, LanceRows):
            import_lance()

    def _reading(self) -> Guard:
        """Read while no thread changes anything; after an interrupted change, reload first."""
        self._check_process()
        if self._searcher is None:
            with self._guard.alone():
                self._rows.reload()
                self._load()
        return self._guard.reading()

    def _followed(self, work: Callable[[], Result]) -> Result:
        """Read; if another process removed the open version, read the newest instead."""
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
            if isinstance(self._rows, LanceRows) and self._rows.removed:
                with self._fragile():
                    self._rows.reload()
                    self._load()

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Alone among threads and processes, on the newest version."""
        self._check_process()
        if self.read_only:
            raise InputError("the index was opened read-only; open it without read_only to write")
        # searches go on while this waits for another process
        with self._writer, self._rows.writing(), self._guard.alone():
            moved = self._rows.catch_up()
            if self._searcher is None:
                self._rows.reload()
            if moved or self._searcher is None:
                self._load()
            yield

    @contextmanager
    def _fragile(self) -> Iterator[None]:
        """If anything fails inside, drop the searcher, which no longer fits the rows."""
        try:
            yield
        except BaseException:
            self._searcher = None
            raise


def _held(rows: Rows) -> Any:
    """The rows of an index in memory."""
    if not isinstance(rows, MemoryRows):
        raise InputError("only an index in memory or on disk can be copied")
    return rows.table()


def _opened_again(model: TextMeasure, folder: Place, version: int | None, read_only: bool) -> Index:
    from fuzzbow.tasks.index.construction import open_folder  # which is above this module

    return open_folder(folder, model, version=version, read_only=read_only)


def _made_again(model: TextMeasure, table: Any, next_id: int, read_only: bool) -> Index:
    return Index(model, MemoryRows(table, next_id), model.encoder, read_only=read_only)

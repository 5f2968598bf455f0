"""An index of shards, open in this process or in Ray actors; exact as one index is."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from itertools import chain
from operator import add
from typing import Any, TypeVar, overload

import numpy as np

from fuzzbow.cluster.search.card import (
    IndexManifest,
    Shard,
    model_identity,
    read_shards,
    remove_strays,
    replace_shards,
)
from fuzzbow.cluster.search.hosts import HeldModel, Hosts
from fuzzbow.cluster.search.merge import merged, row_reader
from fuzzbow.cluster.search.placement import Placement, View
from fuzzbow.cluster.search.staging import NewTables, cut, make_shards, taken
from fuzzbow.encoding import check_text, check_texts
from fuzzbow.errors import InputError, check_count
from fuzzbow.measures import TextMeasure
from fuzzbow.plurals import counted
from fuzzbow.progress import Progress
from fuzzbow.tasks.explain import Explanation, explain
from fuzzbow.tasks.index.condition import Where, parse_where
from fuzzbow.tasks.index.documents import NewDocuments, document_batches
from fuzzbow.tasks.index.hits import Hits, Results, SharedRows, check_limits
from fuzzbow.tasks.index.ids import (
    check_new,
    documents_of,
    id_column,
    parse_ids,
)
from fuzzbow.tasks.index.index import Id
from fuzzbow.tasks.index.lock import LOCK, Guard, uninterrupted, writer_lock
from fuzzbow.tasks.index.place import Place, tree_bytes
from fuzzbow.tasks.index.rows import RowsRemovedError
from fuzzbow.tasks.index.store import LAST_VERSION, Version

Result = TypeVar("Result")


class ShardedIndex:
    """Texts in shards, each an index of its own; made by `fuzzbow.cluster.open_sharded_index`.

    It finds what one index of all texts would: the same ids, the same scores to the last bit,
    equal ones in the order of insertion. Threads may share one. It sees the texts that were there
    when it was opened, besides its own changes; a writer waits for one in another process.
    """

    def __init__(
        self,
        folder: Place,
        model: TextMeasure,
        hosts: Hosts,
        *,
        replicas: int = 1,
        read_only: bool = False,
    ) -> None:
        self.path, self.model, self.read_only = folder, model, read_only
        self.commits = 0  # changes that were made on the disk from here
        self._placement = Placement(folder, hosts, check_count(replicas, "replicas"))
        self._guard, self._writer = Guard(), threading.Lock()
        self._fitted: tuple[View | None, TextMeasure] = (None, model)
        self._process = os.getpid()
        try:
            self._take(read_shards(folder))
            self._schema = self._placement.call(self._view, 0, "schema")
        except BaseException:
            self.close()
            raise

    def _take(self, card: IndexManifest) -> None:
        """Go over to the shards of a card."""
        while True:
            view = View(card)
            try:
                parts = self._placement.call_all(view, "frequencies")
                break
            except RowsRemovedError:
                card = self._newer(card)
        self._view = View(card, None if parts[0] is None else reduce(add, parts))

    def _newer(self, card: IndexManifest) -> IndexManifest:
        """The card that another process wrote, which removed versions of an older one."""
        newest = read_shards(self.path)
        if newest == card:
            raise InputError(f"a shard of '{self.path}' is not at the version that its card says")
        return newest

    @property
    def _card(self) -> IndexManifest:
        return self._view.card

    def __len__(self) -> int:
        return self._card.texts

    def __repr__(self) -> str:
        shards = counted(len(self._card.shards), "shard")
        return f"ShardedIndex({counted(len(self), 'text')}, {shards}, path='{self.path}')"

    def __enter__(self) -> ShardedIndex:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the hosts of the shards, unless they are those of a parent that forked."""
        if self._process == os.getpid():
            self._placement.close()

    @property
    def metadata(self) -> dict[str, str]:
        """Metadata columns and their types."""
        return {field.name: str(field.type) for field in list(self._schema)[2:]}

    @property
    def ids(self) -> list[int] | list[str]:
        """All ids in the order of insertion."""
        return self._followed(lambda view: [*chain(*self._placement.call_each(view, "ids"))])

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
        """Find what `Index.search` finds; each host gets many queries in one call.

        `threads` is the number of threads of each host of shards.
        """
        check_limits(k, min_score)
        condition = parse_where(where)
        single = isinstance(query, str)
        queries = [check_text(query, "query")] if single else list(check_texts(query, "query"))
        if not queries:
            return []

        def work(view: View) -> Results:
            most = min(int(k), max(view.card.texts, 1))
            arguments = (queries, most, float(min_score), condition, threads)
            best = merged(self._placement.call_all(view, "search", *arguments), most)
            columns = self._schema.names
            reader = row_reader(self.path, view.card, columns, best.shards, best.places)
            return Results(best.scores, best.ids, best.ends, reader)

        def again() -> Results:
            self._follow(self._view)
            return self._followed(work)

        rows = SharedRows(self._followed(work), again)
        found = [Hits(text, rows, n, self._explain) for n, text in enumerate(queries)]
        return found[0] if single else found

    def add(
        self,
        texts: Iterable[str],
        ids: Iterable[Id] | None = None,
        metadata: Any = None,
        *,
        threads: int | None = None,
    ) -> list[Id]:
        """Add `texts`, all or none, and return their ids; they are safe when it returns."""
        batches, total = document_batches(texts, ids, metadata)
        found: list[Id] = self.add_batches(batches, total, threads=threads).to_pylist()
        return found

    def add_batches(
        self,
        batches: Iterable[NewDocuments],
        total: int | None = None,
        *,
        progress: Progress | None = None,
        threads: int | None = None,
    ) -> Any:
        """Add texts that come in batches, all or none, and return their ids as an Arrow column.

        They go to the last shard, or to new ones where that would have too many.
        """
        with self._changing() as card:
            new = NewTables(batches, self._schema, card.next_id, progress, total)
            tables = iter(new)
            held, fits = taken(tables, card.shard_texts - card.shards[-1].texts)
            if fits:
                new.check(self._check_new)
                if len(new.ids):
                    changed = self._placement.change(self._view, len(card.shards) - 1, "add", held)
                    self._write({changed.name: changed}, ())
                return new.ids
            made = make_shards(
                self.path,
                cut(chain(held, tables), card.shard_texts),
                HeldModel(self.model),
                model_identity(self.model),
                first=len(card.shards),
            )
            new.check(self._check_new)
            self._write({}, made.shards)
        return new.ids

    def _check_new(self, ids: Any) -> None:
        """Refuse ids that a shard has; of several, that which comes first."""
        known = self._known(ids)
        check_new(ids, ids.filter(_mask(np.logical_or.reduce(known))))

    def _known(self, ids: Any) -> list[Any]:
        """Which of some ids each shard has."""
        return self._placement.call_each(self._view, "known", ids)

    def delete(self, ids: Id | Iterable[Id]) -> int:
        """Remove texts by their `ids`, all or none, and return how many; each must be there."""
        wanted = id_column([ids] if isinstance(ids, int | str) else ids).unique()
        with self._changing():
            if not len(wanted):
                return 0
            known = self._places_of(wanted)
            numbers = [number for number, mask in enumerate(known) if mask.any()]
            changed = self._placement.map(
                lambda n: self._placement.change(
                    self._view, n, "delete", wanted.filter(_mask(known[n]))
                ),
                numbers,
            )
            self._write({shard.name: shard for shard in changed}, ())
        return len(wanted)

    def _places_of(self, ids: Any) -> list[Any]:
        """Which of some ids each shard has; all must be somewhere."""
        known = self._known(ids)
        there = ids.filter(_mask(np.logical_or.reduce(known)))
        kind = self._schema.field("id").type
        documents_of(ids, there.cast(kind) if not len(there) else there, np.arange(len(there)))
        return known

    def get(self, wanted: Id) -> dict[str, Any]:
        """The row of an id: id, text and metadata."""

        def read(view: View) -> Any:
            number = next(n for n, mask in enumerate(self._places_of(column)) if mask.any())
            place = self._placement.call(view, number, "ids").index(wanted)
            names = self._schema.names
            where = np.array([number]), np.array([place])
            return row_reader(self.path, view.card, names, *where)().to_pylist()[0]

        column = id_column([wanted])
        row = self._followed(read)
        return {"id": row.pop("id"), "text": row.pop("text"), "metadata": row}

    def compact(self, *, keep_versions: int | None = None) -> None:
        """Give back the memory of deleted texts, and merge small files of each shard.

        Older versions of shards stay, unless `keep_versions` says how many of the newest to keep.
        """
        if keep_versions is not None:
            keep_versions = min(check_count(keep_versions, "keep_versions"), LAST_VERSION)
        with self._changing():
            self._compact(None)
            if keep_versions is not None:  # once the card needs no older version
                self._compact(keep_versions)

    def _compact(self, keep_versions: int | None) -> None:
        changed = self._placement.map(
            lambda n: self._placement.change(self._view, n, "compact", keep_versions),
            range(len(self._card.shards)),
        )
        self._write({shard.name: shard for shard in changed}, ())

    def _explain(self, query: str, text: str) -> Explanation:
        """Explain the score of a query with a text that it holds."""
        return explain(self.fitted_model(), query, text)

    def fitted_model(self) -> TextMeasure:
        """The model as it scores here, with what its measure takes from the texts of the index."""
        view, (known, model) = self._view, self._fitted
        if known is not view:
            searcher = self.model.measure.searcher(self.model.encoder)
            if view.collection is not None:
                searcher.weigh_by(view.collection)
            model = replace(self.model, measure=searcher.measure())
            self._fitted = view, model
        return model

    def versions(self) -> list[Version]:
        """None: each shard has its own."""
        return []

    def restore(self, version: int) -> None:
        """Refused: versions are those of single shards."""
        raise InputError("an index of shards cannot be restored: each shard has its own versions")

    def memory_bytes(self) -> int:
        """Memory for searching, besides texts, metadata and the table of words."""
        return self._followed(lambda view: int(sum(self._placement.call_all(view, "memory_bytes"))))

    def info(self) -> dict[str, Any]:
        """Facts about the index, as plain values."""
        return {
            "texts": len(self),
            "shards": len(self._card.shards),
            "measure": self.model.measure.name,
            "vectors": self.model.vectors.name,
            "tokenizer": self.model.tokenizer.name,
            "ids": "numbers" if self._has_numbers else "strings",
            "metadata": self.metadata,
            "memory_bytes": self.memory_bytes(),
            "path": str(self.path),
            "disk_bytes": tree_bytes(self.path),
        }

    @property
    def _has_numbers(self) -> bool:
        return str(self._schema.field("id").type) == "int64"

    def parse_ids(self, ids: Iterable[str]) -> list[Id]:
        """Ids that were typed as text, as the index has them."""
        return parse_ids(ids, numbers=self._has_numbers)

    def _followed(self, work: Callable[[View], Result]) -> Result:
        """Read; if another process removed a version that is open, read the newest instead."""
        self._check_process()
        while True:
            with self._guard.reading():
                view = self._view
                try:
                    return work(view)
                except RowsRemovedError:
                    pass
            self._follow(view)

    def _check_process(self) -> None:
        """Refuse a forked process, which would share its parent's connections to the hosts."""
        if self._process != os.getpid():
            raise InputError(
                "an index of shards cannot be used in a process that was forked from the one that"
                " opened it: open it again in a process started with"
                ' multiprocessing.get_context("spawn") or "forkserver"'
            )

    def _follow(self, view: View) -> None:
        """Take up the newest card in place of that of a view, unless somebody has."""
        with self._guard.alone():
            if self._view is view:
                self._take(self._newer(view.card))

    @contextmanager
    def _changing(self) -> Iterator[IndexManifest]:
        """Alone among threads and processes, at the newest card."""
        self._check_process()
        if self.read_only:
            raise InputError("the index was opened read-only; open it without read_only to write")
        with self._writer, writer_lock(self.path / LOCK), self._guard.alone():
            newest = remove_strays(self.path, read_shards(self.path))
            if newest != self._card:
                self._take(newest)
            yield self._card

    def _write(self, changed: dict[str, Shard], made: Iterable[Shard]) -> None:
        """Make a change be there: the card with the new versions of shards, and new ones."""
        card = self._card
        shards = (changed.get(shard.name, shard) for shard in card.shards)
        newest = replace(card, shards=(*shards, *made))
        if newest != card:
            with uninterrupted():
                replace_shards(self.path, card, newest)
                self.commits += 1
        self._take(newest)


def _mask(mask: Any) -> Any:
    import pyarrow as pa

    return pa.array(mask, pa.bool_())

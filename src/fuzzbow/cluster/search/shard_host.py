"""Shards that one process has open."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from fuzzbow.arrays import Booleans
from fuzzbow.cluster.search.card import Shard
from fuzzbow.encoding import ArrowTexts
from fuzzbow.measures import TextMeasure
from fuzzbow.measures.document_frequencies import DocumentFrequencies
from fuzzbow.tasks.index.documents import NewDocuments
from fuzzbow.tasks.index.joined_parts import FoundPlaces, JoinedParts
from fuzzbow.tasks.index.part import open_part, open_writable_part
from fuzzbow.tasks.index.place import Place
from fuzzbow.tasks.index.store import LanceRows


class ModelSource(Protocol):
    """Where a process has its model from."""

    def load(self) -> TextMeasure:
        """The model, loaded once."""
        ...


class ShardHost:
    """Opens, searches and changes shards of a folder, in this process or in a Ray actor.

    Shards are opened in groups, by a number, and those of a group are searched together.
    Arguments and results are plain values: names, numbers, texts and arrays.
    """

    def __init__(self, folder: Place, model: ModelSource) -> None:
        self._folder, self._model = folder, model.load()
        self._groups: dict[int, JoinedParts] = {}

    def process(self) -> int:
        """The number of the process."""
        return os.getpid()

    def open(self, group: int, versions: dict[str, int]) -> bool:
        """Open shards in their order, each at a version; whether anything was opened anew."""
        held = self._groups.get(group)
        parts = {} if held is None else held.parts
        there = [(name, part.version) for name, part in parts.items()]
        if held is not None and not held.stale and there == [*versions.items()]:
            return False
        self._groups.pop(group, None)
        kept = {name: parts[name] for name, version in there if versions.get(name) == version}
        opened = {
            name: kept.get(name) or open_part(self._folder / name, self._model, version)
            for name, version in versions.items()
        }
        self._groups[group] = JoinedParts(self._model, opened)
        return True

    def frequencies(self, group: int) -> DocumentFrequencies | None:
        """How many texts of a group hold each word; None where the measure does not ask."""
        return self._groups[group].frequencies()

    def weigh_by(self, group: int, collection: DocumentFrequencies) -> None:
        """Weigh the words of a group by all texts of the collection."""
        self._groups[group].weigh_by(collection)

    def search(
        self,
        group: int,
        queries: list[str],
        k: int,
        min_score: float,
        where: str | None,
        threads: int | None,
    ) -> FoundPlaces:
        """The k best texts of a group for each query."""
        parts = self._groups[group]
        return parts.find(queries, k, min_score, where, threads=threads)

    def memory_bytes(self, group: int) -> int:
        """Memory for searching a group."""
        return self._groups[group].memory_bytes()

    def schema(self, group: int, name: str) -> Any:
        """The Arrow schema of a shard."""
        return self._rows(group, name).schema

    def known(self, group: int, name: str, ids: Any) -> Booleans:
        """Which of some ids, an Arrow column, texts of a shard have: (n,)."""
        return self._groups[group].parts[name].known(ids)

    def ids(self, group: int, name: str) -> list[int] | list[str]:
        """Ids of a shard in the order of insertion."""
        found: list[Any] = self._rows(group, name).ids().to_pylist()
        return found

    def _rows(self, group: int, name: str) -> LanceRows:
        return self._groups[group].parts[name].rows

    def add(self, group: int, name: str, version: int, tables: Sequence[Any]) -> Shard:
        """Add rows to a shard as it is at a version."""
        batches = map(new_rows, tables)
        return self._changed(group, name, version, lambda parts: parts.add(name, batches))

    def delete(self, group: int, name: str, version: int, ids: Any) -> Shard:
        """Remove rows of a shard as it is at a version."""
        return self._changed(group, name, version, lambda parts: parts.delete(name, ids))

    def compact(self, group: int, name: str, version: int, keep_versions: int | None) -> Shard:
        """Give back the memory of deleted texts, and merge small files."""
        return self._changed(group, name, version, lambda parts: parts.compact(name, keep_versions))

    def _changed(
        self, group: int, name: str, version: int, change: Callable[[JoinedParts], None]
    ) -> Shard:
        """Change a shard as the card has it: what a writer left that died is taken back first."""
        parts = self._groups.pop(group)  # a change that fails is forgotten with it
        part = parts.parts[name]
        if not part.newest or part.version != version:
            part = open_writable_part(self._folder / name, version)
            parts = JoinedParts(self._model, parts.parts | {name: part})
        change(parts)
        self._groups[group] = parts
        return state_of(name, part.rows)


def state_of(name: str, rows: LanceRows) -> Shard:
    """A shard as it is now."""
    return Shard(name, rows.version, len(rows), rows.next_id)


def new_rows(table: Any) -> NewDocuments:
    """Rows of the index's own columns, id and text first, as documents to add."""
    metadata = table.drop_columns(["id", "text"])
    ids = table.column("id").combine_chunks()
    return NewDocuments(
        ArrowTexts(table.column("text")), ids, metadata if len(table.schema) > 2 else None
    )

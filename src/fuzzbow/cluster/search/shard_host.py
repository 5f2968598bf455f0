"""Shards that one process has open."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from fuzzbow.arrays import Booleans
from fuzzbow.cluster.search.card import Shard
from fuzzbow.encoding import ArrowTexts
from fuzzbow.measures import TextMeasure
from fuzzbow.measures.document_frequencies import DocumentFrequencies
from fuzzbow.tasks.index.documents import NewDocuments
from fuzzbow.tasks.index.part import FoundPlaces, IndexPart, open_part, open_writable_part


class ModelSource(Protocol):
    """Where a process has its model from."""

    def load(self) -> TextMeasure:
        """The model, loaded once."""
        ...


class ShardHost:
    """Opens shards of a folder, searches them and changes them; lives in a process of its own.

    Everything that it takes and gives is small or plain: names, numbers, texts and arrays.
    """

    def __init__(self, folder: str, model: ModelSource, threads: int | None = None) -> None:
        self._folder, self._model, self._threads = Path(folder), model.load(), threads
        self._parts: dict[str, IndexPart] = {}

    def process(self) -> int:
        """The number of the process."""
        return os.getpid()

    def open(self, name: str, version: int) -> Any:
        """Open a shard at a version; its Arrow schema."""
        part = self._parts.get(name)
        if part is None or part.version != version:
            self._parts.pop(name, None)
            part = self._parts[name] = open_part(self._folder / name, self._model, version)
        return part.schema

    def frequencies(self, name: str) -> DocumentFrequencies | None:
        """How many texts of a shard hold each word; None where the measure does not ask."""
        return self._parts[name].frequencies()

    def weigh_by(self, name: str, collection: DocumentFrequencies) -> None:
        """Weigh the words of a shard by all texts of the collection."""
        self._parts[name].weigh_by(collection)

    def search(
        self,
        name: str,
        queries: list[str],
        k: int,
        min_score: float,
        where: str | None,
        threads: int | None,
    ) -> FoundPlaces:
        """The k best texts of a shard for each query."""
        part = self._parts[name]
        return part.find(queries, k, min_score, where, threads=threads or self._threads)

    def known(self, name: str, ids: Any) -> Booleans:
        """Which of some ids, an Arrow column, texts of a shard have: (n,)."""
        part = self._parts[name]
        if part.schema.field("id").type != ids.type:
            return np.zeros(len(ids), dtype=np.bool_)
        return part.known(ids)

    def ids(self, name: str) -> Any:
        """Ids of a shard in the order of insertion."""
        return self._parts[name].ids

    def memory_bytes(self, name: str) -> int:
        """Memory for searching a shard."""
        return self._parts[name].memory_bytes()

    def add(self, name: str, version: int, tables: Sequence[Any]) -> Shard:
        """Add rows to a shard as it is at a version."""
        batches = map(new_rows, tables)
        return self._changed(
            name, version, lambda part: part.add_batches(batches, threads=self._threads)
        )

    def delete(self, name: str, version: int, ids: Any) -> Shard:
        """Remove rows of a shard as it is at a version."""
        return self._changed(name, version, lambda part: part.delete(ids))

    def compact(self, name: str, version: int, keep_versions: int | None) -> Shard:
        """Give back the memory of deleted texts, and merge small files."""
        return self._changed(name, version, lambda part: part.compact(keep_versions=keep_versions))

    def _changed(self, name: str, version: int, change: Callable[[IndexPart], object]) -> Shard:
        """Change a shard as the card has it: what a writer left that died is taken back first."""
        part = self._parts.pop(name)  # a change that fails is forgotten with it
        newest = not part.read_only and part.newest == version == part.version
        if not newest:
            part = open_writable_part(self._folder / name, self._model, version)
        change(part)
        self._parts[name] = part
        return state_of(name, part)


def state_of(name: str, part: IndexPart) -> Shard:
    """A shard as it is now."""
    return Shard(name, part.version, len(part), part.next_id)


def new_rows(table: Any) -> NewDocuments:
    """Rows of the index's own columns, id and text first, as documents to add."""
    metadata = table.drop_columns(["id", "text"])
    ids = table.column("id").combine_chunks()
    return NewDocuments(
        ArrowTexts(table.column("text")), ids, metadata if len(table.schema) > 2 else None
    )

"""An index whose texts are a part of a larger collection: one shard of many."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers
from fuzzbow.engine import limited_threads
from fuzzbow.measures import TextMeasure
from fuzzbow.measures.document_frequencies import DocumentFrequencies
from fuzzbow.tasks.index.folder import check_fingerprint, read_card
from fuzzbow.tasks.index.hits import hits_of
from fuzzbow.tasks.index.index import Index
from fuzzbow.tasks.index.integrity import manifests
from fuzzbow.tasks.index.rows import RowsRemovedError
from fuzzbow.tasks.index.store import LanceRows


@dataclass(frozen=True)
class FoundPlaces:
    """What a search found: hits of query n are ends[n] to ends[n + 1], best first."""

    scores: Floats  # (hits,)
    places: Integers  # (hits,), where the rows are among those of the version, in their order
    ids: Integers | None  # (hits,), None where they are strings, which are read with the rows
    ends: list[int]


class IndexPart(Index):
    """Texts on disk at one version, which words are weighed with those of other parts.

    It stays at its version, and can be changed as long as that is the newest one.
    """

    _rows: LanceRows
    _collection: DocumentFrequencies | None = None

    @property
    def version(self) -> int:
        """The version that is open."""
        return self._rows.version

    @property
    def newest(self) -> int:
        """The newest version that there is."""
        return max(manifests(self._rows.folder))

    @property
    def next_id(self) -> int:
        """The first id that was never given here."""
        return self._rows.next_id

    @property
    def schema(self) -> Any:
        """Arrow fields id, text and those of the metadata."""
        return self._rows.schema

    def frequencies(self) -> DocumentFrequencies | None:
        """How many texts hold each word; None where the measure does not ask."""
        with self._reading():
            return self._current().frequencies()

    def weigh_by(self, collection: DocumentFrequencies) -> None:
        """Weigh words by all texts of the collection, until the next call."""
        with self._guard.alone():
            self._collection = collection
            self._current().weigh_by(collection)

    def known(self, ids: Any) -> Booleans:
        """Which of some ids, an Arrow column, texts here have: (n,)."""
        import pyarrow.compute as pc

        with self._reading():
            found = pc.is_in(ids, value_set=self._rows.ids())
        return np.asarray(found.to_numpy(zero_copy_only=False))

    def find(
        self,
        queries: list[str],
        k: int,
        min_score: float,
        where: str | None,
        *,
        threads: int | None = None,
    ) -> FoundPlaces:
        """What `search` would, by places."""
        with self._reading(), limited_threads(threads):
            allowed = None if where is None else self._rows.allowed(where)
            most = min(k, max(len(self._rows), 1))
            found = self._current().search(queries, k=most, min_score=min_score, allowed=allowed)
            documents, scores, ends = hits_of(found)
            return FoundPlaces(
                scores, self._rows.places(documents), self._numbers.of(documents), ends
            )

    def _load(self) -> None:
        super()._load()
        if self._collection is not None:
            self._current().weigh_by(self._collection)

    def _follow(self) -> None:
        """Refused: the other parts would stay behind."""
        raise RowsRemovedError(f"version {self.version} of '{self.path}' was removed")


def open_part(folder: Path, model: TextMeasure, version: int) -> IndexPart:
    """The index of a folder at a version, which can be written to if it is the newest."""
    check_fingerprint(read_card(folder)["fingerprint"], model, str(folder))
    there = manifests(folder)
    if version not in there and any(number > version for number in there):
        raise RowsRemovedError(f"version {version} of '{folder}' was removed")
    newest = max(there, default=0) == version
    rows = LanceRows(folder, version=None if newest else version)
    return IndexPart(model, rows, model.encoder, read_only=not newest)


def open_writable_part(folder: Path, model: TextMeasure, version: int) -> IndexPart:
    """The same as the newest version, whatever came after it; the caller keeps writers out."""
    part = IndexPart(model, LanceRows(folder), model.encoder)
    if part.version != version:
        part.restore(version)
    return part

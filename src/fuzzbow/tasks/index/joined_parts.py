"""Several parts of a collection, searched as one.

A query is compared with every distinct word of a corpus, and parts of a collection have many words
in common. So parts that one process has open share one corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.engine import limited_threads
from fuzzbow.measures import TextMeasure
from fuzzbow.measures.document_frequencies import DocumentFrequencies
from fuzzbow.tasks.index.documents import NewDocuments
from fuzzbow.tasks.index.hits import hits_of
from fuzzbow.tasks.index.ids import DocumentIds
from fuzzbow.tasks.index.part import IndexPart


@dataclass(frozen=True)
class FoundPlaces:
    """What a search found: hits of query n are ends[n] to ends[n + 1], best first."""

    scores: Floats  # (hits,)
    parts: Integers  # (hits,), numbers of the parts in which they are
    places: Integers  # (hits,), where the rows are among those of their parts, in their order
    ids: Integers | None  # (hits,), None where they are strings, which are read with the rows
    ends: list[int]


class JoinedParts:
    """Parts by their names, in the order of insertion, and one searcher of all their texts."""

    def __init__(self, model: TextMeasure, parts: Mapping[str, IndexPart]) -> None:
        self.parts = dict(parts)
        self.stale = False  # the searcher no longer has the texts in the order of the parts
        self._encoder = model.encoder
        self._searcher = model.measure.searcher(model.encoder)
        self._ids: list[DocumentIds] = []
        starts = [0]
        for part in self.parts.values():
            part.rows.renumber()
            self._ids.append(DocumentIds(part.rows.ids()))
            if len(part):
                self._searcher.append(part.rows.words(model.encoder))
            starts.append(starts[-1] + len(part))
        self._starts = np.array(starts[:-1])  # of the documents of each part in the searcher

    def __len__(self) -> int:
        return sum(map(len, self.parts.values()))

    def find(
        self,
        queries: list[str],
        k: int,
        min_score: float,
        where: str | None,
        *,
        threads: int | None = None,
    ) -> FoundPlaces:
        """The k best texts of all parts for each query."""
        with limited_threads(threads):
            allowed = None
            if where is not None:
                rows = (part.rows for part in self.parts.values())
                allowed = np.concatenate([part.allowed(where) for part in rows])
            most = min(k, max(len(self), 1))
            found = self._searcher.search(queries, k=most, min_score=min_score, allowed=allowed)
        documents, scores, ends = hits_of(found)
        return FoundPlaces(scores, *self._located(documents.astype(np.int64)), ends)

    def _located(self, documents: Integers) -> tuple[Integers, Integers, Integers | None]:
        """Parts, places in these, and ids of documents of the searcher."""
        numbers = np.searchsorted(self._starts, documents, side="right") - 1
        places = np.zeros(len(documents), dtype=np.int64)
        ids: Integers | None = np.zeros(len(documents), dtype=np.int64)
        for number, part in enumerate(self.parts.values()):
            own = np.flatnonzero(numbers == number)
            inside = documents[own] - self._starts[number]
            places[own] = part.rows.places(inside)
            known = self._ids[number].of(inside)
            if ids is None or known is None:
                ids = None
            else:
                ids[own] = known
        return numbers, places, ids

    def frequencies(self) -> DocumentFrequencies | None:
        """How many texts hold each word; None where the measure does not ask."""
        return self._searcher.frequencies()

    def weigh_by(self, collection: DocumentFrequencies) -> None:
        """Weigh words by all texts of the collection, until the next call."""
        self._searcher.weigh_by(collection)

    def memory_bytes(self) -> int:
        """Memory for searching, besides texts, metadata and the table of words."""
        return self._searcher.memory_bytes() + sum(ids.memory_bytes() for ids in self._ids)

    def add(
        self, name: str, batches: Iterable[NewDocuments], *, threads: int | None = None
    ) -> None:
        """Add documents to a part; the searcher takes them where it is the last one."""
        with limited_threads(threads):
            new = self.parts[name].add(batches, self._encoder)
            if name != [*self.parts][-1]:
                self.stale = self.stale or len(new.ids) > 0
                return
            for tokens in new.words:
                self._searcher.append(tokens)
            self._ids[-1].append(new.ids)

    def delete(self, name: str, ids: Any) -> None:
        """Remove documents of a part."""
        start = self._starts[[*self.parts].index(name)]
        self._searcher.delete(self.parts[name].delete(ids) + start)

    def compact(self, name: str, keep_versions: int | None) -> None:
        """Give back what deleted rows of a part took."""
        self.parts[name].compact(keep_versions)
        self.stale = True

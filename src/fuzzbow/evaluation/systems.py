"""Systems under evaluation: each sees a collection of texts, then ranks or scores them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.evaluation.ties import best_places, ranked
from fuzzbow.measures.measure import Ability
from fuzzbow.model import Model
from fuzzbow.tasks.index import Index

QUERIES_AT_ONCE = 256
SCORES_HELD = 16_000_000  # numbers of a matrix held at once: 128 MB
Ranking = tuple[Integers, Floats]  # places in the collection, best first, and their scores


class Collection(ABC):
    """A system that knows the texts of a collection."""

    @abstractmethod
    def rank(self, queries: Sequence[str], depth: int) -> Iterator[Ranking]:
        """The best `depth` texts for each query, equal scores in the collection's order."""

    @abstractmethod
    def pairs(self, lefts: Sequence[str], rights: Sequence[str]) -> Floats:
        """Query with text of the collection, row by row: n texts, n texts -> (n,)."""


class System(ABC):
    """Something that scores texts."""

    name: str
    note: str = ""  # what a reader should know of it

    @abstractmethod
    def over(self, texts: Sequence[str]) -> Collection:
        """The system with what it takes from a collection."""


class ScoredCollection(Collection):
    """A collection whose texts are all scored for every query."""

    texts: list[str]

    @abstractmethod
    def matrix(self, queries: Sequence[str]) -> Floats:
        """Every query with every text: (n, m)."""

    def rank(self, queries: Sequence[str], depth: int) -> Iterator[Ranking]:
        """The best `depth` texts for each query, equal scores in the collection's order."""
        held = max(SCORES_HELD // len(self.texts), 1) if self.texts else 1
        block = min(QUERIES_AT_ONCE, held)
        for start in range(0, len(queries), block):
            for scores in self.matrix(queries[start : start + block]):
                order = best_places(scores, depth)
                yield order, scores[order]


@dataclass(frozen=True)
class ModelSystem(System):
    """A model; `threads` as everywhere."""

    name: str
    model: Model
    threads: int | None = None

    def over(self, texts: Sequence[str]) -> Collection:
        """The model over a collection, by its index where its measure has one."""
        able = Ability.SEARCH in self.model.measure.abilities
        return (SearchedCollection if able else ComparedCollection)(
            self.model, list(texts), self.threads
        )


@dataclass(frozen=True)
class ComparedCollection(ScoredCollection):
    """A model that compares every query with every text."""

    model: Model
    texts: list[str] = field(repr=False)
    threads: int | None = None

    @cached_property
    def fitted(self) -> Model:
        """The model, with the statistics of the collection if its measure takes any."""
        able = Ability.FIT in self.model.measure.abilities
        return self.model.fit(self.texts) if able else self.model

    def matrix(self, queries: Sequence[str]) -> Floats:
        """Every query with every text: (n, m)."""
        return self.fitted.matrix(queries, self.texts, threads=self.threads)

    def pairs(self, lefts: Sequence[str], rights: Sequence[str]) -> Floats:
        """Row by row: n texts, n texts -> (n,)."""
        return self.fitted.pairs(lefts, rights, threads=self.threads)


@dataclass(frozen=True)
class SearchedCollection(ComparedCollection):
    """A model whose measure searches; the index is the collection."""

    @cached_property
    def index(self) -> Index:
        """The texts, numbered as they came."""
        return self.model.index(self.texts, threads=self.threads)

    def rank(self, queries: Sequence[str], depth: int) -> Iterator[Ranking]:
        """The best `depth` texts for each query, equal scores in the collection's order."""
        for start in range(0, len(queries), QUERIES_AT_ONCE):
            block = list(queries[start : start + QUERIES_AT_ONCE])
            for hits in self.index.search(block, k=depth, threads=self.threads):
                places, scores = np.asarray(hits.ids, dtype=np.int64), hits.scores
                order = ranked(scores, places)  # what differs by rounding alone is equal
                yield places[order], scores[order]

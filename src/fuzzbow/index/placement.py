"""Search over the texts of an index, in this process or in Ray actors, one or several for a shard.

A call to an actor names the version of the shard and the collection that weights its words. An
actor that Ray has restarted, or whose shard has changed, opens that version first; so calls can be
repeated anywhere, and restarts and retries are left to Ray.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import reduce
from itertools import chain, count
from operator import add
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.engine import Found, TopK, limited_threads
from fuzzbow.errors import InputError
from fuzzbow.fork import abandon
from fuzzbow.index.documents import DocumentStream
from fuzzbow.index.hits import FoundDocuments, SearchOptions
from fuzzbow.index.ids import add_numbers
from fuzzbow.index.location import Location
from fuzzbow.index.sharded_store import Shard, ShardedStore, open_shard
from fuzzbow.index.store import Store
from fuzzbow.measures import Measure, TextMeasure
from fuzzbow.measures.frequencies import DocumentFrequencies
from fuzzbow.ray_cluster import RayCluster

RETRIES = 3  # repetitions of a call whose actor died


class ThisProcess:
    """Search in this process, over one searcher of all rows.

    A query is compared with every distinct word of the texts. Shards have many words in common, so
    that all of them are one corpus.
    """

    def __init__(self, model: TextMeasure, store: Store) -> None:
        self._model, self._store = model, store
        self.searcher = model.measure.searcher(model.encoder)

    def load(self) -> None:
        """Load all rows, which are numbered from 0."""
        self.searcher = self._model.measure.searcher(self._model.encoder)
        for tokens in self._store.words(self._model.encoder):
            self.searcher.append(tokens)
        self._ids = add_numbers(range(0), self._store.ids())  # strings are read with the rows

    def update(self, deleted: Integers, added: DocumentStream | None) -> None:
        """Apply a change of the store: remove documents, then append new ones."""
        if len(deleted):
            self.searcher.delete(deleted)
        if added is not None:
            for tokens in added.words:
                self.searcher.append(tokens)
            self._ids = add_numbers(self._ids, added.ids)

    def search(self, queries: list[str], options: SearchOptions) -> FoundDocuments:
        """Find the best documents of each query; equal scores are in the order of insertion."""
        with limited_threads(options.threads):
            allowed = None if options.where is None else self._store.allowed(str(options.where))
            k, score = min(options.k, max(len(self._store), 1)), options.min_score
            found = self.searcher.search(queries, TopK(k, score, allowed))
        documents, scores, ends = _without_gaps(found)
        if isinstance(self._ids, range):
            return FoundDocuments(documents, scores, documents + self._ids.start, ends)
        ids = None if self._ids is None else self._ids[documents]
        return FoundDocuments(documents, scores, ids, ends)

    def measure(self) -> Measure:
        """Return the measure with the statistics of the texts."""
        return self.searcher.measure()

    def memory_bytes(self) -> int:
        """Return the bytes of memory used for search, without texts, metadata and word table."""
        return self.searcher.memory_bytes() + getattr(self._ids, "nbytes", 0)

    def abandon(self) -> None:
        """Discard the searcher in a forked process if another thread was changing it."""
        abandon(self.searcher)
        self.searcher = self._model.measure.searcher(self._model.encoder)

    def close(self) -> None:
        """Do nothing: no other process searches."""


def _without_gaps(found: Found) -> tuple[Integers, Floats, list[int]]:
    """Return documents and scores of all hits, (hits,), and the first hit of each query."""
    queries, k = found.documents.shape
    last = found.documents[:, -1:]  # -1 where there are fewer than k
    if last.size and (last.item() if queries == 1 else last.min()) >= 0:  # the usual case
        return found.documents.ravel(), found.scores.ravel(), list(range(0, queries * k + 1, k))
    there = found.documents >= 0
    ends = [0, *np.cumsum(there.sum(axis=1)).tolist()]
    return found.documents[there], found.scores[there], ends


class ShardLostError(InputError):
    """Error of a shard whose actor died repeatedly."""


class ShardActor:
    """One shard, open for search in a Ray actor."""

    def __init__(self, folder: Location, model: TextMeasure) -> None:
        self._folder, self._model = folder, model
        self._shard: Shard | None = None
        self._weights = 0  # number of the collection that weights the words

    def _open(self, shard: Shard) -> None:
        if self._shard != shard:
            self._shard = None
            self._rows = open_shard(self._folder, shard)
            self._rows.check_model(self._model)
            self._search = ThisProcess(self._model, self._rows)
            self._search.load()
            self._shard, self._weights = shard, 0

    def search(
        self,
        shard: Shard,
        collection: tuple[int, list[Any]],
        queries: list[str],
        options: SearchOptions,
    ) -> FoundDocuments:
        """Find the best documents of the shard, with words weighted by a collection if given."""
        self._open(shard)
        number, references = collection
        if number != self._weights and references:
            self._search.searcher.with_frequencies(fetch(references[0]))
            self._weights = number
        return self._search.search(queries, options)

    def frequencies(self, shard: Shard) -> DocumentFrequencies | None:
        """Count the texts with each word; None if the measure does not need it."""
        self._open(shard)
        return self._search.searcher.frequencies()

    def memory_bytes(self, shard: Shard) -> int:
        """Return the memory for searching the shard in bytes."""
        self._open(shard)
        return self._search.memory_bytes()

    def process(self, shard: Shard) -> int:
        """Return the process id."""
        return os.getpid()


def fetch(reference: Any) -> Any:
    """Fetch an object to this machine's Ray store, for its actors."""
    import ray

    return ray.get(reference)


class RayPlacement:
    """Search in `replicas` Ray actors for each shard, with the methods of `ThisProcess`."""

    def __init__(
        self, store: ShardedStore, model: TextMeasure, address: str, replicas: int
    ) -> None:
        if model.recipe() is None:
            raise InputError("Ray actors need a model that has a name: they load it again")
        self._store, self._model, self._replicas = store, model, replicas
        self._cluster = RayCluster(address)
        options = {"max_restarts": -1, "max_task_retries": RETRIES, "scheduling_strategy": "SPREAD"}
        self._actor = self._cluster.ray.remote(ShardActor).options(**options)
        self._reference = self._cluster.ray.put(model)
        self._actors: list[list[Any]] = []  # of each shard
        self._turns, self._collections = count(), count(1)
        self._process = os.getpid()

    def load(self) -> None:
        self._shards = self._store.manifest.shards
        arguments = self._store.path, self._reference
        while len(self._actors) < len(self._shards):
            self._actors.append([self._actor.remote(*arguments) for _ in range(self._replicas)])
        parts = self.ask(lambda actor, shard: actor.frequencies.remote(shard))
        total = None if parts[0] is None else reduce(add, parts)
        references = [] if total is None else [self._cluster.ray.put(total)]
        self._collection = next(self._collections), references
        searcher = self._model.measure.searcher(self._model.encoder)
        if total is not None:
            searcher.with_frequencies(total)
        self._measure: Callable[[], Measure] = searcher.measure

    def update(self, deleted: Integers, added: DocumentStream | None) -> None:
        """Apply a change of the store, whose rows are numbered from 0 again."""
        self._store.reload()
        self.load()

    def search(self, queries: list[str], options: SearchOptions) -> FoundDocuments:
        weights = self._collection
        found = self.ask(lambda actor, shard: actor.search.remote(shard, weights, queries, options))
        starts = np.cumsum([0, *(shard.texts for shard in self._shards)])
        return merge(found, starts, options.k)

    def ask(self, request: Callable[[Any, Shard], Any]) -> list[Any]:
        """Send a request to one actor of each shard, and return their results."""
        turn, errors = next(self._turns) % self._replicas, self._cluster.ray.exceptions
        shards = self._shards
        pending = [request(own[turn], x) for own, x in zip(self._actors, shards, strict=False)]
        results = []
        for shard, reference in zip(shards, pending, strict=True):
            try:
                results.append(self._cluster.result(reference))
            except (errors.RayActorError, errors.NodeDiedError, errors.ObjectLostError) as error:
                reason = str(error).strip().partition("\n")[0]
                raise ShardLostError(
                    f"{shard.name} of '{self._store.path}' cannot be searched: {RETRIES + 1}"
                    " actors in a row were lost with it, most likely for lack of memory; the last:"
                    f" {reason}"
                ) from error
        return results

    def measure(self) -> Measure:
        return self._measure()

    def memory_bytes(self) -> int:
        return sum(self.ask(lambda actor, shard: actor.memory_bytes.remote(shard)))

    def abandon(self) -> None:
        """Do nothing: an index on disk is refused in a forked process."""

    def close(self) -> None:
        """Stop the actors, except in a forked process."""
        if self._process != os.getpid():
            return
        for actor in chain.from_iterable(self._actors):
            self._cluster.ray.kill(actor)
        self._actors = []
        self._cluster.close()


def merge(found: list[FoundDocuments], starts: Integers, k: int) -> FoundDocuments:
    """Merge the hits of shards, numbered from `starts`, into the best k of all."""
    documents = np.concatenate(
        [part.documents + start for part, start in zip(found, starts, strict=False)]
    )
    scores = np.concatenate([part.scores for part in found])
    queries = len(found[0].ends) - 1
    query = np.concatenate([np.repeat(np.arange(queries), np.diff(part.ends)) for part in found])
    order = np.lexsort((documents, -scores, query))
    counts = np.bincount(query, minlength=queries)
    rank = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    best = order[rank < k]
    ids = [part.ids for part in found if part.ids is not None]
    ends = [0, *np.cumsum(np.minimum(counts, k)).tolist()]
    joined = np.concatenate(ids)[best] if len(ids) == len(found) else None
    return FoundDocuments(documents[best].astype(np.int64), scores[best], joined, ends)


Placement = ThisProcess | RayPlacement

"""The hits of all shards as those of one index: the best k, equal scores by insertion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.cluster.search.card import IndexManifest
from fuzzbow.tasks.index.integrity import DATA, manifest
from fuzzbow.tasks.index.joined_parts import FoundPlaces
from fuzzbow.tasks.index.place import Place, lance_options, redacting_errors
from fuzzbow.tasks.index.rows import RowsRemovedError, import_lance


@dataclass(frozen=True)
class Merged:
    """Hits of query n are ends[n] to ends[n + 1], best first."""

    scores: Floats  # (hits,)
    ids: Integers | None  # (hits,), None where they are strings
    shards: Integers  # (hits,), numbers
    places: Integers  # (hits,), of rows in their shards
    ends: list[int]


def merged(found: Sequence[FoundPlaces], k: int) -> Merged:
    """The k best of each query, from what groups of shards found.

    Shards come in the order of insertion, and so do their rows; of n groups, each has every
    n-th shard.
    """
    shard = np.concatenate([part.parts * len(found) + group for group, part in enumerate(found)])
    scores = np.concatenate([part.scores for part in found])
    places = np.concatenate([part.places for part in found]).astype(np.int64)
    queries = len(found[0].ends) - 1
    query = np.concatenate([np.repeat(np.arange(queries), np.diff(part.ends)) for part in found])
    order = np.lexsort((places, shard, -scores, query))
    counts = np.bincount(query, minlength=queries)
    rank = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    best = order[rank < k]
    ids = [part.ids for part in found if part.ids is not None]
    return Merged(
        scores[best],
        np.concatenate(ids)[best] if len(ids) == len(found) else None,
        shard[best],
        places[best],
        [0, *np.cumsum(np.minimum(counts, k)).tolist()],
    )


def row_reader(
    folder: Place, card: IndexManifest, columns: list[str], shards: Integers, places: Integers
) -> Callable[[], Any]:
    """Reads rows from the files of their shards, as the card has these, when it is called."""

    def read() -> Any:
        import pyarrow as pa

        tables, order = [], []
        for number in np.unique(shards).tolist() or [0]:
            own = np.flatnonzero(shards == number)
            path, version = folder / card.shards[number].name, card.shards[number].version
            tables.append(_taken(path, version, places[own].tolist(), columns))
            order.append(own)
        back = np.argsort(np.concatenate(order), kind="stable")
        return pa.concat_tables(tables).take(back)

    return read


def _taken(folder: Place, version: int, places: list[int], columns: list[str]) -> Any:
    lance = import_lance()
    with redacting_errors(folder):
        try:
            dataset = lance.dataset(str(folder / DATA), version=version, **lance_options(folder))
            return dataset.take(places, columns=columns)
        except (ValueError, OSError) as error:
            if not (folder / manifest(version)).exists():
                raise RowsRemovedError(f"version {version} of '{folder}' was removed") from error
            raise

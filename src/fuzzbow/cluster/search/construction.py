"""Building an index of shards from texts, and opening it from its folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from fuzzbow.cluster.executors import THIS_PROCESS, Executor
from fuzzbow.cluster.models import ModelReference
from fuzzbow.cluster.run import Counts
from fuzzbow.cluster.search.card import (
    PREFIX,
    STAGED,
    IndexManifest,
    create_shards,
    model_identity,
    read_shards,
    remove_strays,
)
from fuzzbow.cluster.search.hosts import HeldModel, Hosts, LocalHosts, RayHosts
from fuzzbow.cluster.search.index import ShardedIndex
from fuzzbow.cluster.search.staging import NewTables, cut, make_shards
from fuzzbow.encoding import column_of
from fuzzbow.errors import InputError, check_count
from fuzzbow.model import Model, ModelSpec
from fuzzbow.progress import Progress
from fuzzbow.tasks.index.documents import NewDocuments, document_batches
from fuzzbow.tasks.index.encoded import schema_for
from fuzzbow.tasks.index.folder import check_fingerprint
from fuzzbow.tasks.index.index import Id
from fuzzbow.tasks.index.new_folder import continued_folder
from fuzzbow.tasks.index.place import Place, PlaceLike, place_of
from fuzzbow.tasks.index.store import LanceRows

SHARD_TEXTS = 1_000_000  # of a shard, unless told


def build_sharded_index(
    model: Model,
    texts: Iterable[str],
    ids: Iterable[Id] | None = None,
    metadata: Any = None,
    *,
    path: PlaceLike,
    column: str | None = None,
    shards: int | None = None,
    shard_texts: int = SHARD_TEXTS,
    executor: Executor = THIS_PROCESS,
    storage_options: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> None:
    """Write texts as `Model.index` does to the new folder `path`, cut into shards.

    There are as many `shards` as are asked for, of equal size, or as many as it takes with
    `shard_texts` in each; texts that are added later go to the last shard until it has so many.
    `executor` builds the shards: `ThisProcess`, one after the other, or `RayExecutor`.
    Finished shards of an interrupted run are kept if their rows and model are the same.
    `path` may be an address such as s3://bucket/name, which `storage_options` say how to reach, or
    else the environment.
    """
    batches, total = document_batches(column_of(texts, column, "texts"), ids, metadata)
    write_shards_of(
        model,
        batches,
        total,
        path=place_of(path, storage_options),
        shards=shards,
        shard_texts=shard_texts,
        executor=executor,
        progress=progress,
    )


def write_shards_of(
    model: Model,
    batches: Iterator[NewDocuments],
    total: int | None,
    *,
    path: Place,
    begun_for: Place | None = None,
    shards: int | None = None,
    shard_texts: int = SHARD_TEXTS,
    executor: Executor = THIS_PROCESS,
    progress: Progress | None = None,
    next_id: int = 0,
) -> Counts:
    """Write batches of texts as `build_sharded_index` does; `shards` needs their number, `total`.

    Shards of an interrupted run are looked for next to `begun_for`, or `path` if not given. Return
    how many shards were finished before, and how many were built now.
    """
    check_count(shard_texts, "shard_texts")
    size = shard_texts
    if shards is not None:
        if total is None:
            raise InputError("shards need the number of texts: give shard_texts, or a list")
        size = max(-(-total // check_count(shards, "shards")), 1)
    model.measure.searcher(model.encoder)  # refuses a measure before any work is done
    source = ModelReference.of(model) if executor.remote else HeldModel(model)
    first = next(batches, NewDocuments([], None, None))
    new = NewTables(chain([first], batches), schema_for(first), next_id, progress, total)
    with continued_folder(path, begun_for or path, (f"{PREFIX}*", f"{STAGED}*")) as folder:
        parts, identity = cut(new, size), model_identity(model)
        made = make_shards(folder, parts, source, identity, executor=executor)
        new.check()
        card = IndexManifest(model.identity(), model.recipe(), shard_texts, made.shards)
        create_shards(folder, card)
        remove_strays(folder, card)
    return made.counts


def rebuild_sharded_index(
    folder: Place, model: Model, target: Place, *, progress: Progress | None = None
) -> None:
    """Write the rows of an index of shards to the new folder `target`, with their ids."""
    card = read_shards(folder)
    shards = (LanceRows(folder / shard.name, version=shard.version) for shard in card.shards)
    batches = (batch for rows in shards for batch in rows.documents_of_version())
    write_shards_of(
        model,
        batches,
        card.texts,
        path=target,
        shard_texts=card.shard_texts,
        progress=progress,
        next_id=card.next_id,
    )


def open_sharded_index(
    path: PlaceLike,
    model: Model | None = None,
    *,
    ray: str | None = None,
    replicas: int = 1,
    read_only: bool = False,
    storage_options: Mapping[str, str] | None = None,
) -> ShardedIndex:
    """Open an index of shards from its folder `path`, with the `model` that it was made with.

    All shards are open in this process, or with `ray`, the address of a cluster or "local", each
    in `replicas` Ray actors, which share its searches. A lost actor is replaced, and its calls are
    repeated. Machines open shards by their path, so they need the same disk, and load the model
    by its name. An address such as s3://bucket/name needs no disk; how to reach it is in
    `storage_options`, or else in the environment of each process.
    """
    folder = place_of(path, storage_options)
    card = read_shards(folder)
    chosen = card_spec(folder).load() if model is None else model
    check_fingerprint(card.fingerprint, chosen, str(folder))
    hosts = _hosts(folder.resolve(), chosen, ray)
    return ShardedIndex(folder, chosen, hosts, replicas=replicas, read_only=read_only)


def card_spec(folder: Place) -> ModelSpec:
    """The description of the model that an index of shards was made with, where it has one."""
    stored = read_shards(folder).model
    if stored is None:
        raise InputError(
            f"{folder}: the index was made with a model that has no name; open it with model=…"
        )
    return ModelSpec.from_dict(stored)


def _hosts(folder: Place, model: Model, ray: str | None) -> Hosts:
    if ray is None:
        return LocalHosts(folder, model)
    return RayHosts(folder, ModelReference.of(model), ray)

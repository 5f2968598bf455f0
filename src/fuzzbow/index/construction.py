"""Functions that build indexes from texts and open them from their folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fuzzbow.engine import limited_threads
from fuzzbow.errors import InputError, check_count
from fuzzbow.index.documents import DocumentStream, NewDocuments, document_batches
from fuzzbow.index.folder import check_fingerprint, read_facts, write_index
from fuzzbow.index.index import Id, Index
from fuzzbow.index.lance_store import LanceStore
from fuzzbow.index.location import Location, LocationLike, location_of
from fuzzbow.index.memory_store import MemoryStore
from fuzzbow.index.placement import RayPlacement
from fuzzbow.index.sharded_store import ShardedStore, is_sharded, read_manifest
from fuzzbow.index.store import check_version
from fuzzbow.measures import TextMeasure
from fuzzbow.progress import Progress


def build_index(
    model: TextMeasure,
    texts: Any,
    ids: Iterable[Id] | str | None = None,
    metadata: Any = None,
    *,
    column: str | None = None,
    path: LocationLike | None = None,
    storage_options: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Index:
    """Build an index, as `Model.index` describes."""
    import pyarrow as pa

    batches, total = document_batches(texts, ids, metadata, column)
    if path is None and storage_options is not None:
        raise InputError("storage_options need a path: the address of the index")
    with limited_threads(threads):
        if path is not None:
            location = location_of(path, storage_options)
            write_batches(model, batches, total, path=location, progress=progress)
            return Index(model, LanceStore(location))
        new = _stream(model, batches, progress=progress, total=total)
        table = pa.concat_tables(list(new.tables()))
        return Index(model, MemoryStore(table, new.next_id))


def write_batches(
    model: TextMeasure,
    batches: Iterator[NewDocuments],
    total: int | None = None,
    *,
    path: Location,
    progress: Progress | None = None,
    next_id: int = 0,
) -> None:
    """Write an index of texts that come in batches to a new folder, without opening it.

    Texts without ids are numbered from `next_id`.
    """
    new = _stream(model, batches, next_id=next_id, progress=progress, total=total)
    write_index(path, model, new.schema, new.tables(), next_id=lambda: new.next_id)


def _stream(model: TextMeasure, batches: Iterator[NewDocuments], **options: Any) -> DocumentStream:
    model.measure.searcher(model.encoder)  # refuses a measure before any work is done
    return DocumentStream(batches, model.encoder, **options)


def open_folder(
    folder: Location,
    model: TextMeasure,
    *,
    version: int | None = None,
    read_only: bool = False,
    ray: str | None = None,
    replicas: int = 1,
) -> Index:
    """Open the index of a folder, in one piece or in shards, with the model that it was made with.

    `ray` and `replicas` are those of `fuzzbow.open_index`.
    """
    check_count(replicas, "replicas")
    if not is_sharded(folder):
        if ray is not None or replicas > 1:
            raise InputError(
                f"ray and replicas need an index of shards; {folder} is one index:"
                " fuzzbow index FILE --shards N makes shards"
            )
        if version is not None:
            version = check_version(version)
        check_fingerprint(read_facts(folder)["fingerprint"], model, str(folder))
        rows = LanceStore(folder, version=version)
        return Index(model, rows, read_only=read_only or version is not None)
    if version is not None:
        raise InputError("an index of shards has no versions: each shard has its own")
    if ray is None and replicas > 1:
        raise InputError(f"replicas must be 1 without Ray; got {replicas}")
    folder = folder.resolve()
    store = ShardedStore(folder, model, checked=ray is None)
    store.check_model(model)
    if ray is None:
        return Index(model, store, read_only=read_only)
    placement = RayPlacement(store, model, ray, replicas)
    try:
        return Index(model, store, placement=placement, read_only=read_only)
    except BaseException:
        placement.close()
        raise


def read_model(folder: Location) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Read the fingerprint of the model of an index, and its description if it has one."""
    if is_sharded(folder):
        shards = read_manifest(folder, older=True)
        return shards.fingerprint, shards.model
    facts = read_facts(folder, older=True)
    return facts["fingerprint"], facts["model"]

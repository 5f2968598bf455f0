"""How an index comes to be: built from texts, or opened from its folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from fuzzbow.engine import limited_threads
from fuzzbow.errors import InputError
from fuzzbow.measures import TextMeasure
from fuzzbow.progress import Progress
from fuzzbow.tasks.index.documents import NewDocuments, document_batches
from fuzzbow.tasks.index.encoded import DocumentStream, encode_batches, schema_for
from fuzzbow.tasks.index.folder import check_fingerprint, read_card, write_index
from fuzzbow.tasks.index.index import Id, Index
from fuzzbow.tasks.index.place import Place, PlaceLike, place_of
from fuzzbow.tasks.index.rows import MemoryRows
from fuzzbow.tasks.index.store import LanceRows, check_version


def build_index(
    model: TextMeasure,
    texts: Any,
    ids: Iterable[Id] | str | None = None,
    metadata: Any = None,
    *,
    column: str | None = None,
    path: PlaceLike | None = None,
    storage_options: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Index:
    """What `Model.index` does."""
    batches, total = document_batches(texts, ids, metadata, column)
    if path is None and storage_options is not None:
        raise InputError("storage_options need a path: the address of the index")
    place = None if path is None else place_of(path, storage_options)
    return index_batches(model, batches, total, path=place, progress=progress, threads=threads)


def index_batches(
    model: TextMeasure,
    batches: Iterator[NewDocuments],
    total: int | None = None,
    *,
    path: Place | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Index:
    """An index of texts that come in batches; to disk they go without staying in memory."""
    import pyarrow as pa

    with limited_threads(threads):
        if path is not None:
            write_batches(model, batches, total, path=path, progress=progress)
            return Index(model, LanceRows(path), model.encoder)
        _, new = _encoded(model, batches, total, progress)
        table = pa.concat_tables(list(new.tables()))
        return Index(model, MemoryRows(table, new.next_id), model.encoder)


def write_batches(
    model: TextMeasure,
    batches: Iterator[NewDocuments],
    total: int | None = None,
    *,
    path: Place,
    progress: Progress | None = None,
    next_id: int = 0,
) -> None:
    """Write an index of texts that come in batches to a new folder, without opening it.

    Texts without ids are numbered from `next_id`.
    """
    schema, new = _encoded(model, batches, total, progress, next_id)
    write_index(path, model, schema, new.tables(), next_id=lambda: new.next_id)


def _encoded(
    model: TextMeasure,
    batches: Iterator[NewDocuments],
    total: int | None,
    progress: Progress | None,
    next_id: int = 0,
) -> tuple[Any, DocumentStream]:
    """The columns of a new index, by the first batch, and its documents."""
    encoder = model.encoder
    model.measure.searcher(encoder)  # refuses a measure before any work is done
    first = next(batches, NewDocuments([], None, None))
    schema = schema_for(first)
    made = encode_batches(chain([first], batches), schema, next_id, encoder, progress, total)
    return schema, DocumentStream(made, schema, next_id)


def rebuild_index(
    folder: Place, model: TextMeasure, target: Place, *, progress: Progress | None = None
) -> None:
    """Write the newest rows of an index to the new folder `target`, with their ids, by `model`."""
    rows = LanceRows(folder)
    write_batches(
        model,
        rows.documents_of_version(),
        len(rows),
        path=target,
        progress=progress,
        next_id=rows.next_id,
    )


def open_folder(
    folder: Place,
    model: TextMeasure,
    *,
    version: int | None = None,
    read_only: bool = False,
) -> Index:
    """The index of a folder, with the model that it was made with."""
    if version is not None:
        version = check_version(version)
    check_fingerprint(read_card(folder)["fingerprint"], model, str(folder))
    rows = LanceRows(folder, version=version)
    return Index(model, rows, model.encoder, read_only=read_only or version is not None)

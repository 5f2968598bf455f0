"""How an index comes to be: built from texts, or opened from its folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from fuzzbow.engine import limited_threads
from fuzzbow.model import Model
from fuzzbow.model.encoding import Encoder
from fuzzbow.tasks.files import Progress
from fuzzbow.tasks.index.asking import check_version
from fuzzbow.tasks.index.building import Given, in_batches, make_rows, schema_for
from fuzzbow.tasks.index.columns import check_distinct
from fuzzbow.tasks.index.directory import read_card, write_index
from fuzzbow.tasks.index.fingerprint import check_fingerprint, load_again
from fuzzbow.tasks.index.index import Id, Index
from fuzzbow.tasks.index.rows import MemoryRows
from fuzzbow.tasks.index.searcher import make_searcher
from fuzzbow.tasks.index.store import LanceRows


def build_index(
    model: Model,
    texts: Iterable[str],
    ids: Iterable[Id] | None = None,
    metadata: Any = None,
    *,
    path: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Index:
    """What `Model.index` does."""
    batches, total = in_batches(texts, ids, metadata)
    return index_batches(model, batches, total, path=path, progress=progress, threads=threads)


def index_batches(
    model: Model,
    batches: Iterator[Given],
    total: int | None = None,
    *,
    path: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    source: str | None = None,
) -> Index:
    """An index of texts that come in batches; to disk they go without staying in memory.

    `source` is the name or the file that the model's vectors came from.
    """
    encoder = Encoder(model.tokenizer, model.vectors)
    make_searcher(model, encoder)  # refuses a measure before any work is done
    first = next(batches, Given([], None, None))
    schema = schema_for(first)
    tables = _tables(chain([first], batches), schema, encoder, progress, total)
    with limited_threads(threads):
        if path is None:
            return Index(model, _in_memory(tables), encoder)
        write_index(Path(path), model, schema, tables, source=source)
        return Index(model, LanceRows(Path(path)), encoder)


def _tables(
    batches: Iterable[Given], schema: Any, encoder: Encoder, progress: Progress | None, total: Any
) -> Iterator[tuple[Any, int]]:
    """Rows with tokens, and the first id that is still free."""
    next_id = done = 0
    for given in batches:
        made = make_rows(given, schema, next_id, encoder)
        next_id, done = made.next_id, done + len(given.texts)
        yield made.table, next_id
        if progress is not None:
            progress(done, total)


def _in_memory(tables: Iterator[tuple[Any, int]]) -> MemoryRows:
    """All rows in one table."""
    import pyarrow as pa

    parts, free = zip(*tables, strict=True)
    table = pa.concat_tables(parts)
    check_distinct(table.column("id"))
    return MemoryRows(table, free[-1])


def open_index(
    path: str | os.PathLike[str],
    model: Model | None = None,
    *,
    version: int | None = None,
    read_only: bool = False,
) -> Index:
    """Open an index from its folder; texts and metadata stay on disk until hits are read.

    The model is loaded again where its vectors have a name, and must otherwise be given; one
    with other vectors, tokenizer, measure or weights is refused. `version` opens an older
    state, read-only. Every file is checked against what was written.
    """
    if version is not None:
        version = check_version(version)
    folder = Path(path)
    card = read_card(folder)
    if model is None:
        model = load_again(card["model"], str(folder))
    check_fingerprint(card["fingerprint"], model, str(folder))
    rows = LanceRows(folder, version=version)
    encoder = Encoder(model.tokenizer, model.vectors)
    return Index(model, rows, encoder, read_only=read_only or version is not None)

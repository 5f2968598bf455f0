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
from fuzzbow.tasks.index.building import Given, Incoming, in_batches, made_rows, schema_for
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
    import pyarrow as pa

    encoder = Encoder(model.tokenizer, model.vectors)
    make_searcher(model, encoder)  # refuses a measure before any work is done
    first = next(batches, Given([], None, None))
    schema = schema_for(first)
    made = made_rows(chain([first], batches), schema, 0, encoder, progress, total)
    new = Incoming(made, schema, 0)
    with limited_threads(threads):
        if path is None:
            table = pa.concat_tables(list(new.tables()))
            return Index(model, MemoryRows(table, new.next_id), encoder)
        write_index(
            Path(path), model, schema, new.tables(), next_id=lambda: new.next_id, source=source
        )
        return Index(model, LanceRows(Path(path)), encoder)


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

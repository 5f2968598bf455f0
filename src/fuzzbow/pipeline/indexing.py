"""Index files of texts, and build indexes in shards.

The rows of each shard are written to a file, and a task builds an index of that file. A shard is
named by its rows and its model and appears when it is finished, so a resumed build finds the
shards of the interrupted one by name.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any

from fuzzbow.engine import limited_threads
from fuzzbow.errors import InputError, check_count
from fuzzbow.index import sharded_store
from fuzzbow.index.documents import DocumentStream, document_batches
from fuzzbow.index.file_documents import FileDocuments
from fuzzbow.index.folder import is_index, stored_documents, write_batches
from fuzzbow.index.index import Id, Index, open_folder
from fuzzbow.index.lance_store import LanceStore
from fuzzbow.index.location import (
    Location,
    LocationLike,
    digest_of,
    location_of,
    read_file,
    remove_tree,
    written_file,
)
from fuzzbow.index.new_folder import new_folder, replaced_index
from fuzzbow.io.outputs import is_there
from fuzzbow.io.tables import AS_IT_IS, BATCH_ROWS, Reading, Table, read_table, spooled
from fuzzbow.measures import TextMeasure
from fuzzbow.model import Model, load
from fuzzbow.pipeline.executor import THIS_PROCESS, Executor, ThisProcess
from fuzzbow.pipeline.models import ModelReference
from fuzzbow.pipeline.rows import bad_rows, describe_empty
from fuzzbow.pipeline.run import Counts
from fuzzbow.plurals import counted
from fuzzbow.progress import Progress, ProgressOption, open_progress

SHARD_TEXTS = 1_000_000  # maximum number of texts of a shard, by default


def build_sharded_index(
    model: Model,
    texts: Any,
    ids: Iterable[Id] | str | None = None,
    metadata: Any = None,
    *,
    path: LocationLike,
    column: str | None = None,
    shards: int | None = None,
    shard_texts: int = SHARD_TEXTS,
    executor: Executor = THIS_PROCESS,
    storage_options: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> None:
    """Build an index in shards; `fuzzbow.open_index` opens it.

    Finished shards of an interrupted build are kept if their rows and model are unchanged.

    Parameters
    ----------
    model : Model
        Model that scores texts.
    texts, ids, metadata, column
        As in `Model.index`.
    path : str or path
        New folder, or an address such as s3://bucket/name.
    shards : int, optional
        Number of shards of equal size.
    shard_texts : int, default 1,000,000
        Maximum number of texts of a shard, if `shards` is not given. Texts that are added later
        fill the last shard up to this number.
    executor : Executor, optional
        Builder of the shards: `ThisProcess`, one after the other, or `RayExecutor`.
    storage_options : mapping, optional
        Access to an address; the environment by default.
    progress : callable, optional
        Called with the number of texts written and their total.
    """
    batches, total = document_batches(texts, ids, metadata, column)
    write_shards(
        model,
        batches,
        total,
        path=location_of(path, storage_options),
        shards=shards,
        shard_texts=shard_texts,
        executor=executor,
        progress=progress,
    )


def write_shards(
    model: Model,
    batches: Iterator[Any],
    total: int | None,
    *,
    path: Location,
    begun_for: Location | None = None,
    shards: int | None = None,
    shard_texts: int = SHARD_TEXTS,
    executor: Executor = THIS_PROCESS,
    progress: Progress | None = None,
    next_id: int = 0,
) -> Counts:
    """Write batches of texts as `build_sharded_index` does; `shards` requires `total`.

    Shards of an interrupted build are kept next to `begun_for`, or `path` if not given. Return the
    numbers of shards that were finished before and that were built now.
    """
    size = check_count(shard_texts, "shard_texts")
    if shards is not None:
        if total is None:
            raise InputError("shards need the number of texts: give shard_texts, or a list")
        size = max(-(-total // check_count(shards, "shards")), 1)
    model.measure.searcher(model.encoder)  # refuses a measure before any work is done
    load = ModelReference.of(model).load if executor.remote else lambda: model
    new = DocumentStream(batches, next_id=next_id, progress=progress, total=total)
    identity = json.dumps([model.identity(), model.recipe()], sort_keys=True)
    done: dict[int, sharded_store.Shard] = {}
    counts = Counts()
    with new_folder(
        path, begun_for or path, (f"{sharded_store.PREFIX}*", f"{sharded_store.STAGED}*")
    ) as folder:
        staged = folder / f"{sharded_store.STAGED}{secrets.token_hex(8)}"
        staged.mkdir()
        try:
            parts = sharded_store.split_tables(new.tables(), size, size)
            tasks = _tasks(folder, staged, parts, new.schema, identity, load)
            for (number, rows, _, _, found), shard in executor.run(build_shard, tasks):
                rows.unlink()
                done[number] = shard
                counts.found += found
                counts.done += not found
        finally:
            remove_tree(staged)
        built = tuple(done[number] for number in sorted(done))
        manifest = sharded_store.ShardManifest(model.identity(), model.recipe(), shard_texts, built)
        sharded_store.write_manifest(folder, manifest, None)
        sharded_store.remove_unlisted(folder, manifest)
    return counts


# a shard to build: its number, the file of its rows, its new folder, a function that loads the
# model, and whether it is finished
ShardTask = tuple[int, Location, Location, Callable[[], TextMeasure], bool]


def _tasks(
    folder: Location,
    staged: Location,
    parts: Iterable[Iterable[Any]],
    schema: Any,
    identity: str,
    load: Callable[[], TextMeasure],
) -> Iterator[ShardTask]:
    """Write the rows of each part to a file when its task is requested."""
    import pyarrow as pa

    for number, tables in enumerate(parts):
        rows = staged / f"{number}.arrow"
        with written_file(rows) as path:
            with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, schema) as writer:
                for table in tables:
                    writer.write_table(table)
            content = repr((identity, digest_of(path))).encode()
        name = f"{sharded_store.PREFIX}{number:05d}-{blake2b(content, digest_size=8).hexdigest()}"
        yield number, rows, folder / name, load, is_index(folder / name)


def build_shard(task: ShardTask) -> sharded_store.Shard:
    """Index the rows of a file, unless the shard exists."""
    import pyarrow as pa

    _, rows_file, folder, load, _ = task
    if not is_index(folder):
        with (
            read_file(rows_file) as path,
            pa.OSFile(str(path)) as file,
            pa.ipc.open_stream(file) as reader,
        ):
            tables = (pa.Table.from_batches([batch]) for batch in reader)
            # the first is empty and has all columns
            batches = chain([reader.schema.empty_table()], tables)
            write_batches(load(), batches, path=folder)
    rows = LanceStore(folder)
    return sharded_store.Shard(folder.name, rows.version, len(rows), rows.next_id)


@dataclass(frozen=True)
class IndexedFile:
    """Result of indexing a file, or of adding one to an index."""

    index: Index  # the index, open
    texts: int  # number of texts of the file
    without_text: int  # number of its blank texts
    line: str  # the numbers of texts in one line
    notes: list[str]  # messages about malformed rows and finished shards
    shards: int | None = None  # number of shards, if it is in shards

    def summary(self) -> dict[str, Any]:
        """Return facts about the index."""
        return self.index.info() | {"without_text": self.without_text}


def index_file(
    path: str | PathLike[str],
    out: LocationLike,
    *,
    text: str | Sequence[str] | None = None,
    ids: str | None = None,
    metadata: Sequence[str] | None = None,
    model: Model | Callable[[], Model] | None = None,
    reading: Reading = AS_IT_IS,
    overwrite: bool = False,
    shards: int | None = None,
    shard_texts: int | None = None,
    executor: Executor | None = None,
    threads: int | None = None,
    storage_options: Mapping[str, str] | None = None,
    progress: ProgressOption = None,
) -> IndexedFile:
    """Build an index of a file's texts, a batch at a time.

    Parameters
    ----------
    path : str or path
        Table file.
    out : str or path
        New folder of the index, or an address such as s3://bucket/name.
    text : str or list of str, optional
        Columns of the texts; the only one, or `text`, by default.
    ids : str, optional
        Column of the ids, `doc` or `doc:string`; rows are numbered by default.
    metadata : list of str, optional
        Columns to keep as metadata, `year` or `year:int`; all others by default.
    model : Model or callable, optional
        Model that scores texts, or a function that loads it once the columns are checked; that of
        the purpose "passages" by default.
    reading : Reading, optional
        Options of reading the file.
    overwrite : bool, default False
        Replace an index in the folder, once the new one is complete.
    shards, shard_texts, executor
        As in `build_sharded_index`; the index is in one piece unless one of them is given.
    threads : int, optional
        Number of threads; all cores by default.
    storage_options : mapping, optional
        Access to an address; the environment by default.
    progress : bool or callable, optional
        Show a bar, or call with the number of texts done and their total.

    Raises
    ------
    InputError
        If a column is missing or of another type, ids repeat, or `out` exists.
    """
    target = location_of(out, storage_options)
    replaced = is_any_index(target)
    if replaced and not overwrite:
        raise is_there("--output", target)
    table, counts = read_table(Path(path), reading), None
    documents = FileDocuments(table, str(path), text, ids, metadata)
    if not isinstance(model, Model):
        model = load(purpose="passages") if model is None else model()
    divided = (shards, shard_texts, executor) != (None, None, None)
    with ExitStack() as stack:
        on_progress = stack.enter_context(open_progress(progress, "indexing"))
        new = stack.enter_context(replaced_index(target, there=replaced))
        if not divided:
            rows = counting(on_progress, table)
            with limited_threads(threads):
                write_batches(model, documents.batches(), path=new, progress=rows)
        else:
            chosen = executor or ThisProcess(threads)
            if shards is None and shard_texts is None:
                shards = chosen.count
            total = table.rows
            if shards is not None and total is None:
                spool = stack.enter_context(spooled(table))
                total, table.batches = len(spool), iter(spool.to_batches(BATCH_ROWS))
            counts = write_shards(
                model,
                documents.batches(),
                total,
                path=new,
                begun_for=target,
                shards=shards,
                shard_texts=shard_texts or SHARD_TEXTS,
                executor=chosen,
                progress=counting(on_progress, table),
            )
    index = open_folder(target, model)
    notes = bad_rows(path, table.bad)
    if counts is not None and counts.found:
        notes.append(counts.describe("shard", "built"))
    missing = documents.texts.missing
    built = None if counts is None else counts.total
    parts = "" if built is None else f" in {counted(built, 'shard')}"
    line = f"{counted(len(index), 'text')} indexed{parts} in {target}{describe_empty(missing)}"
    return IndexedFile(index, len(index), missing, line, notes, built)


def add_file(
    index: Index,
    path: str | PathLike[str],
    *,
    text: str | Sequence[str] | None = None,
    ids: str | None = None,
    metadata: Sequence[str] | None = None,
    reading: Reading = AS_IT_IS,
    progress: ProgressOption = None,
) -> IndexedFile:
    """Add a file's texts to an index, all or none.

    Takes the parameters of `index_file`; metadata are by default the columns of the index.
    """
    table = read_table(Path(path), reading)
    documents = FileDocuments(table, str(path), text, ids, metadata, [*index.metadata])
    with open_progress(progress, "adding") as on_progress:
        added, _ = index.add_batches(documents.batches(), progress=counting(on_progress, table))
    missing = documents.texts.missing
    size = f"{index.path or 'the index'} has {len(index)}{describe_empty(missing)}"
    line = f"{counted(len(added), 'text')} added; {size}"
    return IndexedFile(index, len(added), missing, line, bad_rows(path, table.bad))


def counting(progress: Progress, table: Table) -> Progress:
    """Return a function that reports progress with the number of rows of a table, if known."""
    return lambda done, _: progress(done, table.total(done))


def is_any_index(folder: Location) -> bool:
    """Return whether a folder is an index, in one piece or in shards."""
    return is_index(folder) or sharded_store.is_sharded(folder)


def rebuild_index(
    folder: Location, model: Model, out: Location, *, progress: Progress | None = None
) -> Index:
    """Build an index again from its own texts and ids, in a new folder or in place; open it."""
    with replaced_index(out, there=out == folder) as target:
        if not sharded_store.is_sharded(folder):
            batches, next_id, count = stored_documents(folder)
            write_batches(model, batches, count, path=target, progress=progress, next_id=next_id)
        else:
            manifest = sharded_store.read_manifest(folder, older=True)
            parts = (stored_documents(folder / s.name, s.version)[0] for s in manifest.shards)
            write_shards(
                model,
                chain.from_iterable(parts),
                sum(shard.texts for shard in manifest.shards),
                path=target,
                shard_texts=manifest.shard_texts,
                progress=progress,
                next_id=manifest.next_id,
            )
    return open_folder(out, model, read_only=True)

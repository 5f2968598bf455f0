"""New shards: the rows of each are written to a file, and a task builds an index of each file.

A shard is named by its rows and its model, and appears when it is finished. A resumed build
therefore finds the shards of the interrupted one by name.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from fuzzbow.cluster.executors import THIS_PROCESS, Executor
from fuzzbow.cluster.run import Counts
from fuzzbow.cluster.search.card import STAGED, Shard, shard_name
from fuzzbow.cluster.search.shard_host import ModelSource, new_rows, state_of
from fuzzbow.progress import Progress
from fuzzbow.tasks.index.construction import write_batches
from fuzzbow.tasks.index.documents import NewDocuments
from fuzzbow.tasks.index.encoded import document_table
from fuzzbow.tasks.index.folder import is_index
from fuzzbow.tasks.index.ids import check_distinct, first_free_id
from fuzzbow.tasks.index.place import Place, digest_of, read_file, remove_tree, written_file
from fuzzbow.tasks.index.store import LanceRows


@dataclass(frozen=True)
class ShardTask:
    """One shard to make: from a file of rows into a new folder."""

    number: int
    rows: Place
    folder: Place
    model: ModelSource
    found: bool  # it is there already


def make_shard(task: ShardTask) -> Shard:
    """Index the rows of a file, unless the shard exists; a repeated task may find its own."""
    if not is_index(task.folder):
        write_batches(task.model.load(), _staged(task.rows), path=task.folder)
    return state_of(task.folder.name, LanceRows(task.folder))


def _staged(rows: Place) -> Iterator[NewDocuments]:
    import pyarrow as pa

    with (
        read_file(rows) as path,
        pa.OSFile(str(path)) as file,
        pa.ipc.open_stream(file) as reader,
    ):
        yield new_rows(reader.schema.empty_table())  # which says the columns, if there is no row
        for batch in reader:
            yield new_rows(pa.Table.from_batches([batch]))


@dataclass(frozen=True)
class NewShards:
    """Shards in their order, and how many were there before."""

    shards: tuple[Shard, ...]
    counts: Counts


def make_shards(
    folder: Place,
    parts: Iterable[Iterable[Any]],
    model: ModelSource,
    identity: str,
    *,
    first: int = 0,
    executor: Executor = THIS_PROCESS,
) -> NewShards:
    """Build a shard of each part, an iterable of tables; parts are staged as tasks start.

    `identity` is that of the model.
    """
    staged = folder / f"{STAGED}{secrets.token_hex(8)}"
    staged.mkdir()
    done: dict[int, Shard] = {}
    counts = Counts()
    try:
        tasks = _tasks(folder, staged, parts, model, identity, first)
        for task, made in executor.run(make_shard, tasks):
            task.rows.unlink()
            done[task.number] = made
            counts.found += task.found
            counts.done += not task.found
    finally:
        remove_tree(staged)
    return NewShards(tuple(done[number] for number in sorted(done)), counts)


def _tasks(
    folder: Place,
    staged: Place,
    parts: Iterable[Iterable[Any]],
    model: ModelSource,
    identity: str,
    first: int,
) -> Iterator[ShardTask]:
    import pyarrow as pa

    for number, tables in enumerate(parts, first):
        rows, writer = staged / f"{number}.arrow", None
        with written_file(rows) as path:
            with pa.OSFile(str(path), "wb") as file:
                for table in tables:
                    writer = writer or pa.ipc.new_stream(file, table.schema)
                    writer.write_table(table)
                if writer is not None:
                    writer.close()
            place = folder / shard_name(number, identity, digest_of(path))
        yield ShardTask(number, rows, place, model, is_index(place))


def cut(tables: Iterable[Any], size: int) -> Iterator[Iterator[Any]]:
    """Parts of `size` rows, the last one of what is left; at least one, if without rows.

    Each part has to be taken before the next one.
    """
    source = iter(tables)
    rest: list[Any] = [next(source)]
    source = (table for table in source if table.num_rows)

    def part() -> Iterator[Any]:
        room = size
        while room and rest:
            table = rest.pop()
            yield table.slice(0, room)
            if table.num_rows > room:
                rest.append(table.slice(room))
                return
            room -= table.num_rows
            rest.extend([following for following in [next(source, None)] if following is not None])

    while rest:
        yield part()


class NewTables:
    """Batches of documents as tables of the index's own columns; remembers their ids."""

    def __init__(
        self,
        batches: Iterable[NewDocuments],
        schema: Any,
        next_id: int,
        progress: Progress | None = None,
        total: int | None = None,
    ) -> None:
        self._batches, self._schema, self._next_id = batches, schema, next_id
        self._progress, self._total = progress, total
        self._parts: list[Any] = []
        self._named = False

    def __iter__(self) -> Iterator[Any]:
        done = 0
        for given in self._batches:
            table = document_table(given, self._schema, self._next_id)
            self._next_id = max(self._next_id, first_free_id(table.column("id")))
            self._named = self._named or given.ids is not None
            self._parts += table.column("id").chunks
            yield table
            done += table.num_rows
            if self._progress is not None:
                self._progress(done, self._total)

    @property
    def ids(self) -> Any:
        """Ids of all rows that were taken, as one Arrow array."""
        import pyarrow as pa

        return pa.chunked_array(self._parts, self._schema.field("id").type).combine_chunks()

    def check(self, check: Callable[[Any], None] = lambda ids: None) -> None:
        """Ids that were given must all differ, and pass `check`."""
        if self._named:
            check_distinct(self.ids)
            check(self.ids)


def taken(tables: Iterator[Any], room: int) -> tuple[list[Any], bool]:
    """Tables until they have more rows than there is room for, and whether they all fit."""
    held: list[Any] = []
    for table in tables:
        held.append(table)
        if sum(part.num_rows for part in held) > max(room, 0):
            return held, False
    return held, True

"""Files with an added column that is computed from their texts: scores or memberships."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from operator import add
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from fuzzbow.arrays import Floats, blocks
from fuzzbow.encoding.text_columns import TextColumns, check_new_column
from fuzzbow.errors import InputError
from fuzzbow.io.file_digest import DigestedFile
from fuzzbow.io.tables import AS_IT_IS, BATCH_ROWS, Reading, format_of, table_writer, with_columns
from fuzzbow.model import Model, default_model
from fuzzbow.pipeline.models import ModelReference, fit_to_shards
from fuzzbow.pipeline.rows import Files, Rows, Sink, Source, check_outputs, open_rows
from fuzzbow.pipeline.run import Counted, Counts, Part
from fuzzbow.pipeline.shards import RunContext, RunOptions, Shard, open_run, plan_shards
from fuzzbow.plurals import counted
from fuzzbow.progress import ProgressOption, open_progress

MEMBERSHIPS = "memberships"  # the column of an encoded file, unless it is named
MAX_NUMBERS = 2_000_000  # memberships that are computed together
# task -> what it does and what it has done, in messages; the latter is also the folder of parts
TASKS = {"score": ("scoring", "scored"), "encode": ("encoding", "encoded")}


@dataclass(frozen=True)
class FileWithColumn:
    """Result of adding a column to the rows of files."""

    rows: int  # number of rows
    without_text: int  # rows with a blank text on one side
    line: str  # summary in one line
    notes: list[str]  # malformed rows, and tasks of a run in shards
    column: str  # name of the new column
    files: list[DigestedFile] = field(default_factory=list)  # Parquet parts of a run in shards
    counts: Counts = field(default_factory=Counts)  # tasks of a run in shards

    def summary(self) -> dict[str, int]:
        """Return the numbers of rows."""
        return {"rows": self.rows, "without_text": self.without_text}

    @property
    def paths(self) -> list[Path]:
        """Paths of the files of a run in shards."""
        return [Path(file.path) for file in self.files]

    def arrays(self) -> Iterator[Floats]:
        """Read the column of a run, a shard at a time: scores (n,), or memberships (n, u)."""
        import pyarrow.parquet as pq

        for part in self.files:
            with part.reading() as path:
                values = pq.read_table(path, columns=[self.column])[self.column].combine_chunks()
            if hasattr(values.type, "list_size"):
                yield values.flatten().to_numpy().reshape(-1, values.type.list_size)
            else:
                yield values.to_numpy()


def score_file(
    files: Files,
    out: str | PathLike[str] | None = None,
    *,
    left: str | Sequence[str],
    right: str | Sequence[str],
    column: str = "score",
    model: Model | None = None,
    reading: Reading = AS_IT_IS,
    sink: Sink | None = None,
    run: RunOptions | None = None,
) -> FileWithColumn:
    """Score the pairs of texts in the rows of files, and write the rows with their scores.

    A file is read once, a batch at a time. If a collection decides the weights of words, it is the
    texts of both columns, or of the right one where the left one holds queries; the rows are then
    kept in a temporary file. The output appears when it is complete.

    Parameters
    ----------
    files : path or list of paths
        Table, several, or a folder of tables.
    out : path, optional
        File to write; its name determines the format.
    left, right : str or list of str
        Columns of the texts, such as "title" or "title=2", joined if there are several.
    column : str
        Name of the column of scores.
    model : Model, optional
        Model that compares the texts, by default `fuzzbow.load()`.
    reading : Reading
        Format, delimiter and encoding of the files.
    sink : callable, optional
        In place of `out`: opens a writer, given a schema and a delimiter.
    run : RunOptions, optional
        Executor, shards, threads, progress; finished parts are in `folder`/scored.

    Raises
    ------
    InputError
        If a file, a column or an option cannot be used.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("pairs.csv").write_text("a,b\\na cat,a cat\\n")
    >>> score_file("pairs.csv", "scored.csv", left="a", right="b").line
    '1 row scored with weighted-jaccard'
    >>> Path("scored.csv").read_text()
    'a,b,score\\na cat,a cat,1.0\\n'
    """
    source, options = Source.of(files, "files", left, reading=reading), run or RunOptions()
    model = default_model() if model is None else model
    return _add_column("score", source, out, [right], column, model, sink, options)


def encode_file(
    files: Files,
    out: str | PathLike[str] | None = None,
    *,
    text: str | Sequence[str] | None = None,
    column: str = MEMBERSHIPS,
    model: Model | None = None,
    reading: Reading = AS_IT_IS,
    run: RunOptions | None = None,
) -> FileWithColumn:
    """Encode the texts in the rows of files, and write the rows with their memberships.

    Parameters
    ----------
    files : path or list of paths
        Table, several, or a folder of tables.
    out : path, optional
        Parquet file to write.
    text : str or list of str, optional
        Columns of the texts, such as "title" or "title=2"; by default the only one, or "text".
    column : str
        Name of the column of memberships, equally long lists of float32.
    model : Model, optional
        Model that encodes the texts as `Model.encode` does, by default `fuzzbow.load()`.
    reading : Reading
        Format, delimiter and encoding of the files.
    run : RunOptions, optional
        Executor, shards, threads, progress; finished parts are in `folder`/encoded.

    Raises
    ------
    InputError
        If a file or a column cannot be used, or `out` is not a Parquet file.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("texts.csv").write_text("text\\na cat\\n")
    >>> encode_file("texts.csv", "rows.parquet").line
    '1 row encoded with avg-cosine'
    """
    if out is not None and format_of(Path(out), writing=True).name != "parquet":
        raise InputError(f"output must be a .parquet file, which holds numbers; got '{out}'")
    source, options = Source.of(files, "files", text, reading=reading), run or RunOptions()
    model = default_model() if model is None else model
    return _add_column("encode", source, out, [], column, model, None, options)


def _add_column(
    task: str,
    source: Source,
    out: str | PathLike[str] | None,
    others: Sequence[str | Sequence[str]],
    column: str,
    model: Model,
    sink: Sink | None,
    options: RunOptions,
) -> FileWithColumn:
    (doing, done_name), location = TASKS[task], str(source.files[0])
    sides = [source.text, *(TextColumns(other, source.columns, location) for other in others)]
    check_new_column(source.columns, column, location)
    if out is not None:
        check_outputs({"the output": Path(out)}, [source])
        sink = partial(table_writer, Path(out))
    files: list[DigestedFile] = []
    counts = Counts()
    with ExitStack() as stack:
        if not options.divided:
            if sink is None:
                raise InputError("an output must be given: a file, a sink, or a folder of parts")
            rows, fitted = Rows.streamed(source), model
            collection = model.measure.collection_sides(*sides) if task == "score" else []
            if collection:
                rows = stack.enter_context(open_rows(source, options.progress))
                texts = (side.column(table) for table in rows.tables() for side in collection)
                fitted = model.fit(reduce(add, texts))
            new = _new_field(task, fitted, column)
            on_progress = stack.enter_context(open_progress(options.progress, doing))
            write = stack.enter_context(sink(rows.schema.append(new), rows.delimiter))
            done = blank = 0
            for table in rows.tables():
                for part, empty in _add_values(new, fitted, table, sides, done, options.threads):
                    write(part)
                    done, blank = done + len(part), blank + empty
                    on_progress(done, rows.total(done))
            notes = rows.messages()
        else:
            facts = {"columns": [side.specs for side in sides], "column": column}
            context = stack.enter_context(open_run(task, model, [source], facts, out, options))
            parts = _run_tasks(task, context, sides, column, options.progress)
            files, counts = [file for file, _ in parts], context.run.counts
            blank = sum(report["without_text"] for _, report in parts)
            rows, done = context.sides[0].rows(source), len(context.sides[0])
            notes = [*rows.messages(), str(counts)]
            if sink is not None:
                _write_parts(files, sink, rows.delimiter)
    measure = (model.rows_model if task == "encode" else model).measure.name
    ending = f"; {blank} had an empty text" if blank else ""
    line = f"{counted(done, 'row')} {done_name} with {measure}{ending}"
    return FileWithColumn(done, blank, line, notes, column, files, counts)


def _new_field(task: str, model: Model, name: str) -> pa.Field:
    """Return the name and Arrow type of the column that a task adds."""
    if task == "score":
        return pa.field(name, pa.float64())
    return pa.field(name, pa.list_(pa.float32(), int(model.encode([]).shape[1])))


def _add_values(
    new: pa.Field,
    model: Model,
    table: pa.Table,
    sides: Sequence[TextColumns],
    first: int,
    threads: int | None = None,
) -> Iterator[tuple[pa.Table, int]]:
    """Yield rows with their values, and the number of them with a blank text on any side.

    `first` is the number of the first row, for errors.
    """
    encodes = pa.types.is_fixed_size_list(new.type)
    size = MAX_NUMBERS // new.type.list_size if encodes else BATCH_ROWS
    compute: Any = model.encode if encodes else model.pairs
    for part in blocks(len(table), max(min(size, BATCH_ROWS), 1)):
        some = table.slice(part.start, part.stop - part.start)
        texts = [side.column(some, first + part.start) for side in sides]
        values = pa.array(compute(*texts, threads=threads).reshape(-1))
        if encodes:
            values = pa.FixedSizeListArray.from_arrays(values, type=new.type)
        blank = np.any([side.blank for side in sides], axis=0)
        yield with_columns(some, {new.name: values}), int(blank.sum())


def write_shard(
    out: str, task: str, reference: ModelReference, sides: Sequence[Shard], column: str
) -> Counted:
    """Write the rows of a shard with the values of their texts on each side, as Parquet."""
    model, shard = reference.load(), sides[0]
    table, new = shard.table(), _new_field(task, model, column)
    columns = [TextColumns(list(side.text), table.schema.names, out) for side in sides]
    blank = 0
    with table_writer(Path(out), table.schema.append(new), count=False) as write:
        for part, empty in _add_values(new, model, table, columns, shard.start):
            write(part)
            blank += empty
    return {"without_text": blank}


def _run_tasks(
    task: str,
    context: RunContext,
    sides: Sequence[TextColumns],
    column: str,
    progress: ProgressOption,
) -> list[Part]:
    """Write the shards of a run with the values of their texts."""
    run, plan, (doing, done) = context.run, context.plan, TASKS[task]
    shards = context.sides[0].shards
    if not plan["shards"] and plan["parallel"] > len(shards):
        # no more than keep the executor busy: each task reads whole row groups
        files = {file: stop for shard in shards for file, _, stop in shard.files}
        shards = plan_shards(list(files.items()), plan["parallel"])
    texts = [tuple(replace(shard, text=side.specs) for side in sides) for shard in shards]
    collection = [tuple(context.model.measure.collection_sides(*some)) for some in texts]
    fitted = fit_to_shards(run, context.executor, context.model, collection)
    tasks = [
        (run.path(done, f"{some[0].name}.parquet"), task, fitted, some, column) for some in texts
    ]
    with open_progress(progress, doing) as on_progress:
        return run.do(context.executor, write_shard, tasks, on_progress)


def _write_parts(files: Sequence[DigestedFile], sink: Sink, delimiter: str | None) -> None:
    """Write the rows of Parquet files, which must have equal types, one after another."""
    import pyarrow.parquet as pq

    with files[0].reading() as first:
        schema = pq.read_schema(first)
    with sink(schema, delimiter) as write:
        for part in files:
            with part.reading() as path, pq.ParquetFile(path) as file:
                for batch in file.iter_batches(BATCH_ROWS):
                    write(batch)

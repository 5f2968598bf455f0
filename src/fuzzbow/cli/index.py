"""`fuzzbow index`: build an index from a file, add to it, delete from it, look at it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from fuzzbow.cli import options
from fuzzbow.cli.console import print_json, progress, reported_errors, say, show
from fuzzbow.cli.model_options import with_model_options
from fuzzbow.cli.shards import (
    BuildersOfRay,
    Hosting,
    ShardOptions,
    Shards,
    ShardTexts,
    is_any_index,
    open_any,
    opened,
    rebuilt,
    stored_model,
)
from fuzzbow.cli.tables import File, Format, TableOptions, empty_texts, table_files
from fuzzbow.errors import InputError, nearest
from fuzzbow.model import ModelSpec
from fuzzbow.paths import is_there
from fuzzbow.plurals import counted
from fuzzbow.tasks import TextColumns
from fuzzbow.tasks.index import TextIndex, index_batches, place_of
from fuzzbow.tasks.index.documents import Column, file_documents, parse_column
from fuzzbow.tasks.index.metadata import RESERVED
from fuzzbow.tasks.index.new_folder import replaced_index

WORD = re.compile("[a-z]+")  # what may be meant as a command


class IndexCommands(TyperGroup):
    """`fuzzbow index FILE` is short for `fuzzbow index build FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the name of the command in front where there is none."""
        if args and args[0] not in self.commands and args[0] != "--help":
            if WORD.fullmatch(args[0]) and not Path(args[0]).exists():
                known, hint = ", ".join(self.commands), nearest(args[0], self.commands)
                ctx.fail(
                    f"'{args[0]}' is neither a file nor one of {known}{hint}; an index is built by"
                    " fuzzbow index FILE --output DIR"
                )
            args = ["build", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=IndexCommands,
    add_completion=False,
    no_args_is_help=True,
    help="Exact search: `fuzzbow index FILE -o DIR` builds an index, `fuzzbow search` asks it.",
)

Folder = Annotated[
    str,
    typer.Argument(
        help="The folder of an index, or its address, s3://bucket/name.", show_default=False
    ),
]
TextColumn = Annotated[
    list[str], typer.Option("--text", help=f"Column of the texts. {options.SEVERAL}")
]
TEXT = ["text"]  # the column unless another is named
IdColumn = Annotated[
    str | None,
    typer.Option("--id", help="Column of the ids, `doc` or `doc:string`; else rows are numbered."),
]
MetadataColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--metadata",
        help="Column to keep for --where, `year` or `year:int`; repeat it. All unless given.",
    ),
]
NoMetadata = Annotated[bool, typer.Option("--no-metadata", help="Keep no other columns.")]
OtherVectors = Annotated[
    str | None,
    typer.Option("--vectors", help="Where the vectors are now, if not where they were."),
]


@contextmanager
def changed_folder(folder: str, vectors: str | None) -> Iterator[TextIndex]:
    """Open an index for one change; an error then also says whether the change was made."""
    with (
        opened(place_of(folder), vectors) as index,
        exact_end(lambda: f"{folder} was changed" if index.commits else None),
    ):
        yield index


@contextmanager
def exact_end(done: Callable[[], str | None]) -> Iterator[None]:
    """Add to an interruption or error what had been written before it, if anything."""
    try:
        yield
    except KeyboardInterrupt as stop:
        stop.args = (done() or "nothing was changed",)
        raise
    except BrokenPipeError:  # the change was made, and its facts cannot be told
        raise
    except InputError as error:
        error.args = (f"{error} ({done() or 'nothing was changed'})",)
        raise
    except OSError as error:
        reason = f"{error.strerror or error} ({done() or 'nothing was changed'})"
        raise OSError(error.errno, reason, error.filename) from error


def _chosen(names: list[str] | None, none: bool) -> list[Column] | None:
    """Columns of metadata; None for all."""
    if none:
        return []
    return None if names is None else [parse_column(name) for name in names]


def _check_kept(columns: list[str], used: list[str]) -> None:
    """Refuse to keep all other columns of a file where one has a reserved name."""
    for column in columns:
        if column not in used and column.lower() in RESERVED:
            ids = f"--id {column} takes the ids from it, " if column.lower() == "id" else ""
            raise InputError(
                f"the column '{column}' cannot be metadata: {ids}--metadata names the columns to"
                " keep, --no-metadata keeps none"
            )


@app.command()
@with_model_options(purpose="passages")
def build(
    file: File,
    output: Annotated[
        str,
        typer.Option("--output", "-o", help="A new folder for the index, or s3://bucket/name."),
    ],
    text: TextColumn = TEXT,
    name: IdColumn = None,
    metadata: MetadataColumns = None,
    no_metadata: NoMetadata = False,
    overwrite: options.Overwrite = False,
    form: Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    shards: Shards = None,
    shard_texts: ShardTexts = None,
    ray: BuildersOfRay = None,
    threads: options.Threads = None,
    json: options.Json = False,
    *,
    spec: ModelSpec,
) -> None:
    """Build an index of a file's texts, whatever its size; the other columns are metadata."""
    with (
        reported_errors(),
        table_files({"FILE": file}, TableOptions(form, delimiter, encoding, spec.skip_bad)) as (
            source,
        ),
    ):
        out = place_of(output)
        there = is_any_index(out)
        if there and not overwrite:
            raise is_there("--output", out)
        table = source.open()
        texts = TextColumns(text, table.columns, str(file))
        key = None if name is None else parse_column(name)
        kept = _chosen(metadata, no_metadata)
        if kept is None:
            _check_kept(table.columns, [*texts.names, *([key.name] if key else [])])
        rows = file_documents(table, str(file), texts, key, kept)
        model = options.load_model(spec)
        cutting, counts = ShardOptions(shards, shard_texts, ray), None
        with exact_end(lambda: f"{out} is complete" if is_any_index(out) and not there else None):
            with progress("indexing") as on_progress, replaced_index(out, there=there) as target:
                hear = lambda done, _: on_progress(done, table.total(done))  # noqa: E731
                if cutting.wanted:
                    count = cutting.needs_count and table.rows is None
                    total = sum(map(len, source.open().batches)) if count else table.rows
                    counts = cutting.write(model, rows, total, target, out, hear, threads)
                else:
                    index_batches(
                        model, rows, table.rows, path=target, progress=hear, threads=threads
                    )
            with open_any(out, model, Hosting()) as index:
                source.say_bad(table.bad)
                if json:
                    print_json(index.info() | {"without_text": texts.missing})
                parts = "" if counts is None else f" in {counted(counts.total, 'shard')}"
                size = counted(len(index), "text")
                say(f"{size} indexed{parts} in {out}{empty_texts(texts.missing)}")
                if counts is not None and counts.found:
                    say(counts.told("shard", "built"))


@app.command()
def rebuild(
    folder: Folder,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help="A new folder for the index; else it is replaced."),
    ] = None,
    vectors: OtherVectors = None,
) -> None:
    """Build an index again from its own texts, after its rules have changed; ids stay.

    The old index stays until the new one is complete. Older versions are not kept.
    """
    with reported_errors():
        place = place_of(folder)
        model = stored_model(place, vectors)
        out = place if output is None else place_of(output)
        with (
            progress("indexing") as on_progress,
            replaced_index(out, there=output is None) as target,
        ):
            rebuilt(place, model, target, on_progress)
        with open_any(out, model, Hosting(), read_only=True) as index:
            say(f"{counted(len(index), 'text')} indexed again in {out}")


@app.command()
def add(
    folder: Folder,
    file: File,
    text: TextColumn = TEXT,
    name: IdColumn = None,
    metadata: MetadataColumns = None,
    no_metadata: NoMetadata = False,
    vectors: OtherVectors = None,
    form: Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    skip_bad: options.SkipBad = False,
    json: options.Json = False,
) -> None:
    """Add a file's texts, all of them or, whatever goes wrong, none."""
    with (
        reported_errors(),
        changed_folder(folder, vectors) as index,
        table_files({"FILE": file}, TableOptions(form, delimiter, encoding, skip_bad)) as (source,),
    ):
        table = source.open()
        texts = TextColumns(text, table.columns, str(file))
        key = None if name is None else parse_column(name)
        chosen = _chosen(metadata, no_metadata)
        if chosen is None:
            known = [column for column in table.columns if column in index.metadata]
            chosen = [Column(column) for column in known]
        rows = file_documents(table, str(file), texts, key, chosen)
        with progress("adding") as on_progress:
            added = len(
                index.add_batches(
                    rows,
                    table.rows,
                    progress=lambda done, _: on_progress(done, table.total(done)),
                )
            )
        source.say_bad(table.bad)
        if json:
            print_json({"added": added, "texts": len(index), "without_text": texts.missing})
        more = counted(added, "text")
        say(f"{more} added; {folder} has {len(index)}{empty_texts(texts.missing)}")


@app.command()
def delete(
    folder: Folder,
    ids: Annotated[list[str], typer.Argument(help="Ids of the texts to remove.")],
    vectors: OtherVectors = None,
    json: options.Json = False,
) -> None:
    """Remove texts by their ids."""
    with reported_errors(), changed_folder(folder, vectors) as index:
        removed = index.delete(index.parse_ids(ids))
        if json:
            print_json({"removed": removed, "texts": len(index)})
        say(f"{counted(removed, 'text')} removed; {folder} has {len(index)}")


@app.command()
def info(folder: Folder, vectors: OtherVectors = None, json: options.Json = False) -> None:
    """Say what an index holds."""
    with reported_errors():
        with opened(place_of(folder), vectors, read_only=True) as index:
            versions: list[dict[str, Any]] = [
                {"version": item.number, "created": str(item.created), "texts": item.texts}
                for item in index.versions()
            ]
            facts = index.info()
        if json:
            print_json(facts | {"versions": versions})
            return
        for key, value in facts.items():
            shown = (
                ", ".join(f"{name} {kind}" for name, kind in value.items()) or "none"
                if (isinstance(value, dict))
                else value
            )
            show(f"{key:13} {shown}")
        for item in versions:
            show(f"version {item['version']}, {item['created']}: {counted(item['texts'], 'text')}")


@app.command()
def compact(
    folder: Folder,
    keep_versions: Annotated[
        int | None,
        typer.Option("--keep-versions", min=1, help="Remove all but so many of the newest."),
    ] = None,
    vectors: OtherVectors = None,
    json: options.Json = False,
) -> None:
    """Merge small files and drop deleted rows; older versions stay unless told otherwise."""
    with reported_errors(), changed_folder(folder, vectors) as index:
        index.compact(keep_versions=keep_versions)
        if json:
            print_json(index.info())
        say(f"{folder} compacted; it has {counted(len(index.versions()), 'version')}")


@app.command()
def restore(
    folder: Folder,
    version: Annotated[
        int, typer.Argument(min=1, help="See `fuzzbow index info`.", show_default=False)
    ],
    vectors: OtherVectors = None,
    json: options.Json = False,
) -> None:
    """Make an older version the newest; no version is lost."""
    with reported_errors(), changed_folder(folder, vectors) as index:
        index.restore(version)
        if json:
            print_json(index.info())
        size = counted(len(index), "text")
        say(f"{folder} is as it was in version {version}; it has {size}")

"""`fuzzbow index`: build an index from a file, add to it, delete from it, print its facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from fuzzbow.cli import options
from fuzzbow.cli.console import info as print_info
from fuzzbow.cli.console import print_json, progress, show
from fuzzbow.cli.files import print_notes, table_files
from fuzzbow.cli.options import (
    InputOptions,
    ScaleOptions,
    TableOptions,
    argument,
    option,
    with_options,
)
from fuzzbow.errors import InputError, nearest
from fuzzbow.index import Index, location_of
from fuzzbow.model import ModelSpec, open_index
from fuzzbow.plurals import counted

WORD = re.compile("[a-z]+")  # an argument that may be a misspelt command


class IndexCommands(TyperGroup):
    """Commands of an index; `fuzzbow index FILE` is short for `fuzzbow index build FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert the name of the command if there is none."""
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
    help="Exact search: `fuzzbow index FILE -o DIR` builds an index, `fuzzbow search` queries it.",
)

FOLDER = argument("Folder of an index, or its address, s3://bucket/name.")
ID = option(None, "Column of the ids, `doc` or `doc:string`; else rows are numbered.", "--id")
METADATA = option(
    None, "Column to keep for --where, `year` or `year:int`; repeat it. All unless given."
)
NO_METADATA = option(False, "Keep no other columns.")
VECTORS = option(None, "File of the vectors, if it was moved.")


@contextmanager
def exact_end(done: Callable[[], str | None]) -> Iterator[None]:
    """Append to an interruption or error a note of what was written before it, if anything."""
    try:
        yield
    except KeyboardInterrupt as stop:
        stop.args = (done() or "nothing was changed",)
        raise
    except BrokenPipeError:  # after the change
        raise
    except InputError as error:
        error.args = (f"{error} ({done() or 'nothing was changed'})",)
        raise
    except OSError as error:
        reason = f"{error.strerror or error} ({done() or 'nothing was changed'})"
        raise OSError(error.errno, reason, error.filename) from error


@contextmanager
def changed_index(folder: str, vectors: str | None) -> Iterator[Index]:
    """Open an index for one change; an error also says whether the change was made."""
    location = location_of(folder)
    index = open_index(location, options.index_model(location, vectors))
    with exact_end(lambda: f"{folder} was changed" if index.commits else None):
        yield index


@app.command()
@with_options(purpose="passages")
def build(
    file: Path = options.FILE,
    output: str = option(..., "New folder of the index, or s3://bucket/name.", "-o"),
    text: list[str] | None = options.TEXT,
    name: str | None = ID,
    metadata: list[str] | None = METADATA,
    no_metadata: bool = NO_METADATA,
    shard_texts: int | None = option(None, "Maximum number of texts of a shard. [1000000]", min=1),
    json: bool = options.JSON,
    *,
    tables: TableOptions,
    scale: ScaleOptions,
    spec: ModelSpec,
) -> None:
    """Build an index of a file's texts, whatever its size; the other columns are metadata."""
    from fuzzbow.pipeline import index_file, open_executor
    from fuzzbow.pipeline.indexing import is_any_index

    out = location_of(output)
    there = is_any_index(out)
    divided = (scale.ray, scale.shards, shard_texts) != (None, None, None)
    with (
        table_files({"FILE": file}, tables) as (source,),
        exact_end(lambda: f"{out} is complete" if is_any_index(out) and not there else None),
        open_executor(scale.ray, threads=scale.threads) as executor,
        progress("indexing") as on_progress,
    ):
        found = index_file(
            source.path,
            out,
            text=text,
            ids=name,
            metadata=[] if no_metadata else metadata,
            model=lambda: options.load_model(spec),
            reading=source.reading,
            overwrite=tables.overwrite,
            shards=scale.shards,
            shard_texts=shard_texts,
            executor=executor if divided else None,
            threads=scale.threads,
            progress=on_progress,
        )
    if json:
        print_json(found.summary())
    print_notes([source], [*found.notes, found.line])


@app.command()
@with_options()
def rebuild(
    folder: str = FOLDER,
    output: str | None = option(None, "New folder of the index; else it is replaced.", "-o"),
    vectors: str | None = VECTORS,
) -> None:
    """Rebuild an index from its own texts and ids, for example after an upgrade.

    The old index is kept until the new one is complete. Older versions are not kept.
    """
    from fuzzbow.pipeline.indexing import rebuild_index

    location = location_of(folder)
    out = location if output is None else location_of(output)
    with progress("indexing") as on_progress:
        model = options.index_model(location, vectors)
        index = rebuild_index(location, model, out, progress=on_progress)
    print_info(f"{counted(len(index), 'text')} indexed again in {out}")


@app.command()
@with_options()
def add(
    folder: str = FOLDER,
    file: Path = options.FILE,
    text: list[str] | None = options.TEXT,
    name: str | None = ID,
    metadata: list[str] | None = METADATA,
    no_metadata: bool = NO_METADATA,
    vectors: str | None = VECTORS,
    json: bool = options.JSON,
    *,
    tables: InputOptions,
) -> None:
    """Add the texts of a file, all or none."""
    from fuzzbow.pipeline import add_file

    with (
        changed_index(folder, vectors) as index,
        table_files({"FILE": file}, tables) as (source,),
        progress("adding") as on_progress,
    ):
        found = add_file(
            index,
            source.path,
            text=text,
            ids=name,
            metadata=[] if no_metadata else metadata,
            reading=source.reading,
            progress=on_progress,
        )
    if json:
        missing = found.without_text
        print_json({"added": found.texts, "texts": len(index), "without_text": missing})
    print_notes([source], [*found.notes, found.line])


@app.command()
@with_options()
def delete(
    folder: str = FOLDER,
    ids: list[str] = argument("Ids of the texts to remove."),
    vectors: str | None = VECTORS,
    json: bool = options.JSON,
) -> None:
    """Remove texts by their ids."""
    with changed_index(folder, vectors) as index:
        removed = index.delete(index.parse_ids(ids))
        if json:
            print_json({"removed": removed, "texts": len(index)})
        print_info(f"{counted(removed, 'text')} removed; {folder} has {len(index)}")


@app.command()
@with_options()
def info(folder: str = FOLDER, vectors: str | None = VECTORS, json: bool = options.JSON) -> None:
    """Print facts about an index."""
    location = location_of(folder)
    index = open_index(location, options.index_model(location, vectors), read_only=True)
    facts = index.info()
    versions: list[dict[str, Any]] = [
        {"version": item.number, "created": str(item.created), "texts": item.texts}
        for item in index.versions()
    ]
    if json:
        print_json(facts | {"versions": versions})
        return
    for key, value in facts.items():
        kinds = value.items() if isinstance(value, dict) else ()
        columns = ", ".join(f"{name} {kind}" for name, kind in kinds)
        show(f"{key:13} {(columns or 'none') if isinstance(value, dict) else value}")
    for item in versions:
        show(f"version {item['version']}, {item['created']}: {counted(item['texts'], 'text')}")


@app.command()
@with_options()
def compact(
    folder: str = FOLDER,
    keep_versions: int | None = option(None, "Number of the newest versions to keep.", min=1),
    vectors: str | None = VECTORS,
    json: bool = options.JSON,
) -> None:
    """Merge small files and drop deleted rows; all versions are kept by default."""
    with changed_index(folder, vectors) as index:
        index.compact(keep_versions=keep_versions)
        if json:
            print_json(index.info())
        print_info(f"{folder} compacted; it has {counted(len(index.versions()), 'version')}")


@app.command()
@with_options()
def restore(
    folder: str = FOLDER,
    version: int = argument("See `fuzzbow index info`.", min=1),
    vectors: str | None = VECTORS,
    json: bool = options.JSON,
) -> None:
    """Make an older version the newest; no version is removed."""
    with changed_index(folder, vectors) as index:
        index.restore(version)
        if json:
            print_json(index.info())
        size = counted(len(index), "text")
        print_info(f"{folder} is as it was in version {version}; it has {size}")

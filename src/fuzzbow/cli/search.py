"""`fuzzbow search`: ask an index."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from fuzzbow.cli import options
from fuzzbow.cli.console import output, reported_errors, say
from fuzzbow.cli.index import Folder, OtherVectors, open_folder
from fuzzbow.tasks.index import Hits


def search(
    folder: Folder,
    query: Annotated[
        str, typer.Argument(help="A text, or - for one on each line of stdin.", show_default=False)
    ],
    k: Annotated[int, typer.Option("-k", help="How many texts to find at most.")] = 10,
    min_score: Annotated[float, typer.Option("--min-score", help="Least score of a hit.")] = 0.0,
    where: Annotated[
        str | None, typer.Option("--where", help="SQL over the metadata, such as year > 2020.")
    ] = None,
    vectors: OtherVectors = None,
    threads: options.Threads = None,
    json: options.Json = False,
) -> None:
    """Find the texts of an index that are most similar to a query, exactly.

    With --json each query gives one line.
    """
    with reported_errors():
        index = open_folder(folder, vectors, read_only=True)
        many = query == "-"
        queries = [line.rstrip("\r\n") for line in sys.stdin] if many else [query]
        for hits in index.search(queries, k, min_score, where, threads):
            _show(hits, many, json)
        sys.stdout.flush()


def _show(hits: Hits, many: bool, json: bool) -> None:
    """One query's hits on stdout; that there are none is a message."""
    if json:
        sys.stdout.write(hits.to_json() + "\n")
        return
    if many:
        output.print(f"# {hits.query}", markup=False)
    if len(hits):
        output.print(str(hits), markup=False)
    else:
        say(str(hits))

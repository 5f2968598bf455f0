"""`fuzzbow search`: ask an index."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import Annotated

import typer

from fuzzbow.cli import options
from fuzzbow.cli.console import (
    print_json,
    progress,
    reported_errors,
    say,
    set_verbosity,
    show,
)
from fuzzbow.cli.explanations import (
    MOST_ON_PAGE,
    Titled,
    show_anything,
    show_explanations,
    write_page,
)
from fuzzbow.cli.index import Folder, OtherVectors
from fuzzbow.cli.shards import Hosting, HostsOfRay, Replicas, opened
from fuzzbow.measures import Ability, TextMeasure
from fuzzbow.paths import check_paths
from fuzzbow.tasks.explain import explain as explain_pair
from fuzzbow.tasks.index import Hits, TextIndex, place_of
from fuzzbow.tasks.index.place import local_folder
from fuzzbow.text import visible_line

SMALLEST_SCORE = 0.00005  # of a hit, unless told: the least that is not shown as 0.0000


def search(
    folder: Folder,
    query: Annotated[
        str, typer.Argument(help="A text, or - for one on each line of stdin.", show_default=False)
    ],
    k: Annotated[int, typer.Option("-k", min=1, help="How many texts to find at most.")] = 10,
    min_score: Annotated[
        float | None,
        typer.Option("--min-score", help="Least score of a hit; unless given, above 0."),
    ] = None,
    where: Annotated[
        str | None, typer.Option("--where", help="SQL over the metadata, such as year > 2020.")
    ] = None,
    vectors: OtherVectors = None,
    ray: HostsOfRay = None,
    replicas: Replicas = 1,
    threads: options.Threads = None,
    explain: options.Explain = False,
    html: options.Html = None,
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    json: options.Json = False,
) -> None:
    """Find the texts of an index that are most similar to a query, exactly.

    With --json each query gives one line. With --html the first 100 hits are explained on
    a page.
    """
    set_verbosity(quiet=quiet, verbose=verbose)
    hosting = Hosting(ray, replicas)
    with reported_errors(), ExitStack() as stack:
        place = place_of(folder)
        check_paths(
            inputs={"--vectors": vectors},
            outputs={"--html": html},
            folders={"the index": local_folder(place)},
            overwrite=overwrite,
        )
        index = stack.enter_context(opened(place, vectors, hosting, read_only=True))
        if explain or html is not None:
            index.model.measure.require(Ability.EXPLAIN)
        many = query == "-"
        queries = [line.rstrip("\r\n") for line in sys.stdin] if many else [query]
        page: list[Titled] = []
        found = 0
        model = index.fitted_model()
        least = SMALLEST_SCORE if min_score is None else min_score
        with progress("searching") as done:
            answers = index.search(queries, k, least, where, threads)
            done(len(queries), len(queries))
        for hits in answers:
            wanted = len(hits) if explain else MOST_ON_PAGE - len(page) if html is not None else 0
            why = _explained(model, hits, wanted, many)
            _show(hits, many, json, why if explain else None)
            if not len(hits) and min_score is None:
                say(_why_none(index, hits.query))
            page += why
            found += len(hits)
        sys.stdout.flush()
        if html is not None:
            write_page(html, page, found)


def _why_none(index: TextIndex, query: str) -> str:
    """Explain why a query has no hits."""
    if len(index) and not index.model.coverage([query]):
        return f"no word of '{visible_line(query)}' is known, nor like a word of the texts"
    return f"nothing in the texts is like '{visible_line(query)}'"


def _explained(model: TextMeasure, hits: Hits, wanted: int, many: bool) -> list[Titled]:
    """Explanations of the best hits with the query."""
    of = f" of '{hits.query}'" if many else ""
    return [
        (f"hit {hit.rank}{of}: {hit.id}", explain_pair(model, hits.query, hit.text))
        for hit in hits[:wanted]
    ]


def _show(hits: Hits, many: bool, json: bool, why: list[Titled] | None) -> None:
    """Print one query's hits and explanations on stdout; "no hits" goes to stderr."""
    if json:
        record = hits.as_record()
        for hit, (_, explanation) in zip(record["hits"], why or [], strict=False):
            hit["explanation"] = explanation.to_dict()
        print_json(record)
        return
    show_anything()
    if many:
        show(f"# {visible_line(hits.query)}")
    if len(hits):
        show(str(hits))
    else:
        say(str(hits))
    show_explanations(why or [], counting=True)

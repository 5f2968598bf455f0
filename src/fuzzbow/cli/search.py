"""`fuzzbow search`: search an index."""

from __future__ import annotations

import sys
from pathlib import Path

from fuzzbow.cli import options
from fuzzbow.cli.console import info, print_json, progress, show
from fuzzbow.cli.explanations import show_anything, show_explanations
from fuzzbow.cli.index import FOLDER, VECTORS
from fuzzbow.cli.options import argument, option, with_options
from fuzzbow.explain import MOST_ON_PAGE, Titled, write_page
from fuzzbow.index import Hits, SearchOptions, location_of
from fuzzbow.io.outputs import check_paths
from fuzzbow.measures import Ability
from fuzzbow.model import open_index
from fuzzbow.text import visible_line

SMALLEST_SCORE = 0.00005  # minimum score of a hit by default: the first not shown as 0.0000

RAY = option(None, "Open the shards on the Ray cluster at this address; local starts one.")
REPLICAS = option(1, "Number of Ray actors that open each shard.", min=1)


@with_options()
def search(
    folder: str = FOLDER,
    query: str = argument("A text, or - for one on each line of stdin."),
    k: int = option(10, "Maximum number of texts.", "-k", min=1),
    min_score: float | None = option(None, "Minimum score of a hit; above 0 unless given."),
    where: str | None = option(None, "SQL over the metadata, such as year > 2020."),
    vectors: str | None = VECTORS,
    ray: str | None = RAY,
    replicas: int = REPLICAS,
    threads: int | None = options.THREADS,
    explain: bool = options.EXPLAIN,
    html: Path | None = options.HTML,
    overwrite: bool = options.OVERWRITE,
    json: bool = options.JSON,
) -> None:
    """Find the texts of an index that are most similar to a query, exactly.

    With --json each query gives one line. With --html the first 100 hits are explained on
    a page.
    """
    location = location_of(folder)
    check_paths(
        inputs={"--vectors": vectors},
        outputs={"--html": html},
        folders={"the index": location if isinstance(location, Path) else None},
        overwrite=overwrite,
    )
    model, many = options.index_model(location, vectors), query == "-"
    with open_index(location, model, read_only=True, ray=ray, replicas=replicas) as index:
        if explain or html is not None:
            index.model.measure.require(Ability.EXPLAIN)
        queries = [line.rstrip("\r\n") for line in sys.stdin] if many else [query]
        least = SMALLEST_SCORE if min_score is None else min_score
        with progress("searching") as on_progress:
            answers = index.search_all(queries, SearchOptions(k, least, where, threads))
            on_progress(len(queries), len(queries))
        page: list[Titled] = []
        for hits in answers:
            wanted = len(hits) if explain else MOST_ON_PAGE - len(page) if html is not None else 0
            chosen, of = hits[: max(wanted, 0)], f" of '{hits.query}'" if many else ""
            why = [(f"hit {hit.rank}{of}: {hit.id}", hit.explain()) for hit in chosen]
            _print(hits, many, json, why if explain else None)
            if not len(hits) and min_score is None:
                shown = visible_line(hits.query)
                if len(index) and not index.model.coverage([hits.query]):
                    info(f"no word of '{shown}' is known, nor similar to a word of the texts")
                else:
                    info(f"nothing in the texts is similar to '{shown}'")
            page += why
        sys.stdout.flush()
    if html is not None:
        info(write_page(html, page, sum(map(len, answers))))


def _print(hits: Hits, many: bool, json: bool, why: list[Titled] | None) -> None:
    """Print one query's hits and explanations to stdout; "no hits" to stderr."""
    if json:
        print_json(hits.as_record(None if why is None else [found for _, found in why]))
        return
    show_anything()
    if many:
        show(f"# {visible_line(hits.query)}")
    (show if len(hits) else info)(str(hits))
    show_explanations(why or [], counting=True)

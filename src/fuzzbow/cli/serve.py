"""`fuzzbow serve`: the HTTP server and the page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fuzzbow.cli import options
from fuzzbow.cli.console import reported_errors
from fuzzbow.cli.model_options import with_model_options
from fuzzbow.cli.shards import (
    Hosting,
    HostsOfRay,
    Replicas,
    open_any,
    searching_model,
)
from fuzzbow.errors import InputError
from fuzzbow.model import ModelSpec
from fuzzbow.tasks.index import Place, place_of


@with_model_options()
def serve(
    index: Annotated[
        str | None,
        typer.Option("--index", "-i", help="A folder of `fuzzbow index`, or s3://bucket/name."),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            help="A folder or address of `fuzzbow index --shards`, in place of --index.",
        ),
    ] = None,
    ray: HostsOfRay = None,
    replicas: Replicas = 1,
    host: Annotated[
        str, typer.Option("--host", help="Where to listen; elsewhere needs FUZZBOW_API_KEY.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65_535, help="0 takes a free one.")
    ] = 8000,
    report: Annotated[
        Path | None, typer.Option("--report", help="A folder of `fuzzbow sts reproduce`.")
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-origin",
            help="A web site, such as https://app.example, whose pages may call the server and"
            " frame explanations; repeat it.",
        ),
    ] = None,
    max_body: Annotated[int, typer.Option(min=1, help="Bytes of a request.")] = 2_097_152,
    max_texts: Annotated[int, typer.Option(min=1, help="Texts of a request.")] = 10_000,
    max_words: Annotated[int, typer.Option(min=1, help="Words of a text.")] = 2_000,
    max_characters: Annotated[int, typer.Option(min=1, help="Characters of a text.")] = 50_000,
    max_comparisons: Annotated[
        int, typer.Option(min=1, help="Words times words, over the rows of a request.")
    ] = 40_000_000,
    max_query_words: Annotated[int, typer.Option(min=1, help="Words of a query.")] = 500,
    max_hits: Annotated[int, typer.Option(min=1, help="Hits of a query.")] = 1_000,
    max_queries: Annotated[int, typer.Option(min=1, help="Queries of a request.")] = 1_000,
    max_answer: Annotated[int, typer.Option(min=1, help="Bytes of an answer.")] = 8_388_608,
    max_unsent: Annotated[
        int, typer.Option(min=1, help="Bytes of all answers that clients have not read.")
    ] = 268_435_456,
    max_concurrent: Annotated[int, typer.Option(min=1, help="Requests in work or waiting.")] = 512,
    max_connections: Annotated[
        int, typer.Option(min=1, help="Open connections, if the limit of open files allows it.")
    ] = 2_000,
    head_seconds: Annotated[int, typer.Option(min=1, help="Time for a head to arrive.")] = 10,
    body_seconds: Annotated[int, typer.Option(min=1, help="Time for a body to arrive.")] = 30,
    idle_seconds: Annotated[
        int, typer.Option(min=1, help="Time between two requests of a connection.")
    ] = 10,
    write_seconds: Annotated[
        int, typer.Option(min=1, help="Time for a client to read an answer.")
    ] = 60,
    lock_seconds: Annotated[
        int, typer.Option(min=1, help="Time that a change waits for its turn to write.")
    ] = 30,
    shutdown_seconds: Annotated[
        int, typer.Option(min=1, help="Time for requests in flight to finish at the end.")
    ] = 30,
    access_log: Annotated[
        bool, typer.Option("--access-log/--no-access-log", help="A line for each request.")
    ] = True,
    *,
    spec: ModelSpec,
) -> None:
    """Serve similarity, explanations and search over HTTP, with a page at / to play with.

    The log goes to stderr, one JSON line for each request. SIGTERM and Ctrl-C let requests
    in flight finish. Texts are compared by the model that the options describe; search uses the
    model that the index was built with.
    """
    with reported_errors():
        from fuzzbow.server import Limits, Settings, serve
        from fuzzbow.server.settings import key_from_environment

        limits = Limits(
            body_bytes=max_body,
            texts=max_texts,
            words=max_words,
            characters=max_characters,
            comparisons=max_comparisons,
            query_words=max_query_words,
            hits=max_hits,
            queries=max_queries,
            answer_bytes=max_answer,
            unsent_bytes=max_unsent,
            concurrent=max_concurrent,
            connections=max_connections,
            head_seconds=head_seconds,
            body_seconds=body_seconds,
            idle_seconds=idle_seconds,
            write_seconds=write_seconds,
            lock_seconds=lock_seconds,
        )
        settings = Settings(
            host,
            port,
            key_from_environment(),
            limits,
            report,
            access_log,
            shutdown_seconds,
            tuple(allow_origin or ()),
        )
        hosting = Hosting(ray, replicas)
        folder = _searched(index, cluster, hosting)
        model = options.load_model(spec)
        if folder is None:
            serve(model, None, settings)
            return
        with open_any(folder, searching_model(folder, model), hosting) as opened:
            serve(model, opened, settings)


def _searched(index: str | None, cluster: str | None, hosting: Hosting) -> Place | None:
    """The place of --index or --cluster, if there is one."""
    from fuzzbow.cluster.search.card import read_shards

    if index is not None and cluster is not None:
        raise InputError("either --index or --cluster can be served; got both")
    if cluster is not None:
        read_shards(place_of(cluster))  # refuses a folder of another kind
    elif index is None and hosting != Hosting():
        raise InputError("--ray and --replicas need an index of shards: --cluster DIR")
    given = index or cluster
    return None if given is None else place_of(given)

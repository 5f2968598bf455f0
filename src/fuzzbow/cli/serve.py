"""`fuzzbow serve`: the HTTP server and the page."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, replace
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from fuzzbow.cli import options
from fuzzbow.cli.options import with_options
from fuzzbow.cli.search import RayOfShards, Replicas
from fuzzbow.errors import InputError
from fuzzbow.index import Location, location_of, read_model
from fuzzbow.model import Model, ModelSpec, open_index
from fuzzbow.server.settings import Limits, Settings, key_from_environment


def with_limits(command: Callable[..., None]) -> Callable[..., None]:
    """Add an option for each field of `Limits` to a command, which receives them as `limits`."""
    own = inspect.signature(command, eval_str=True).parameters
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [item.replace(kind=keyword) for name, item in own.items() if name != "limits"]
    for item in fields(Limits):
        facts = item.metadata
        text = facts["meaning"][0].upper() + facts["meaning"][1:] + "."
        options = {"envvar": facts["variable"], "help": text, "rich_help_panel": "Limits"}
        kind = Annotated[int, typer.Option(facts["option"], min=1, **options)]
        made = inspect.Parameter(item.name, keyword, default=item.default, annotation=kind)
        parameters.append(made)

    @wraps(command)
    def run(**given: Any) -> None:
        limits = Limits(**{item.name: given.pop(item.name) for item in fields(Limits)})
        command(limits=limits, **given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


@with_options()
@with_limits
def serve(
    index: Annotated[
        str | None,
        typer.Option("--index", "-i", help="A folder of `fuzzbow index`, or s3://bucket/name."),
    ] = None,
    ray: RayOfShards = None,
    replicas: Replicas = 1,
    host: Annotated[
        str,
        typer.Option("--host", help="Address to listen on; other machines need FUZZBOW_API_KEY."),
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
    access_log: Annotated[
        bool, typer.Option("--access-log/--no-access-log", help="A line for each request.")
    ] = True,
    *,
    limits: Limits,
    spec: ModelSpec,
) -> None:
    """Serve similarity, explanations and search over HTTP, with an interactive page at /.

    The log goes to stderr, one JSON line for each request. SIGTERM and Ctrl-C let requests
    in flight finish. Texts are compared by the model that the options describe; search uses the
    model that the index was built with.
    """
    from fuzzbow.server import serve

    settings = Settings(
        host,
        port,
        key_from_environment(),
        limits,
        report,
        access_log,
        tuple(allow_origin or ()),
    )
    if index is None:
        if ray is not None or replicas > 1:
            raise InputError("--ray and --replicas need an index of shards: --index DIR")
        serve(options.load_model(spec), None, settings)
        return
    folder = location_of(index)
    read_model(folder)  # an error before the model is loaded
    model = options.load_model(spec)
    with open_index(folder, _model_of_index(folder, model), ray=ray, replicas=replicas) as opened:
        serve(model, opened, settings)


def _model_of_index(folder: Location, model: Model) -> Model:
    """Load the model of an index; with the vectors of another model if these are the same."""
    fingerprint, stored = read_model(folder)
    if stored is None:  # made with a model without a name; opening compares the two
        return model
    spec = ModelSpec.from_dict(stored)
    if fingerprint.get("vectors") == model.vectors.fingerprint:
        return replace(spec, source=model.spec.source).load(model.vectors)
    return options.spec_model(spec)

"""`fuzzbow serve`: the HTTP server and the page."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

from fuzzbow.cli import options
from fuzzbow.cli.options import member, option, with_options
from fuzzbow.cli.search import RAY, REPLICAS
from fuzzbow.errors import InputError
from fuzzbow.index import Location, location_of, read_model
from fuzzbow.model import Model, ModelSpec, open_index
from fuzzbow.server.settings import Limits, Settings, key_from_environment

options.GROUPS[Limits] = {
    item.name: member(
        int,
        item.metadata["meaning"][0].upper() + item.metadata["meaning"][1:] + ".",
        item.metadata["option"],
        min=1,
        envvar=item.metadata["variable"],
        rich_help_panel="Limits",
    )
    for item in fields(Limits)
}


@with_options()
def serve(
    index: str | None = option(None, "Folder of an index, or s3://bucket/name.", "-i"),
    ray: str | None = RAY,
    replicas: int = REPLICAS,
    host: str = option("127.0.0.1", "Address to listen on; other machines need FUZZBOW_API_KEY."),
    port: int = option(8000, "Port; 0 chooses a free one.", "-p", min=0, max=65_535),
    report: Path | None = option(None, "Folder of the report of `fuzzbow sts reproduce`."),
    allow_origin: list[str] | None = option(
        None,
        "Web site, such as https://app.example, whose pages may call the server and frame"
        " explanations; repeat it.",
    ),
    access_log: bool = option(True, "Log a line for each request.", "--access-log/--no-access-log"),
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

    origins = tuple(allow_origin or ())
    settings = Settings(host, port, key_from_environment(), limits, report, access_log, origins)
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
    return options.load_model(spec)

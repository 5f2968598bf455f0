"""The options that describe a model: one decorator gives them to a command, as one `spec`.

A new option of all commands is its type in `options.py`, its line in `MODEL_OPTIONS`, and the
field of `ModelSpec` that it sets.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from fuzzbow.cli import options
from fuzzbow.cli.console import reported_errors
from fuzzbow.model import ModelSpec, fields_for

# field of ModelSpec -> its type on the command line, with names and help
MODEL_OPTIONS: dict[str, Any] = {
    "source": options.Vectors,
    "measure": options.MeasureName,
    "weights": options.WeightsName,
    "counts": options.CountsSource,
    "tokenizer": options.TokenizerName,
    "normalise": options.Normalise,
    "limit": options.Limit,
    "skip_bad": options.SkipBad,
}

FLAGS = ("normalise", "skip_bad")  # these are never the choice of a purpose

Command = Callable[..., None]


def with_model_options(*, purpose: str = "sentences") -> Callable[[Command], Command]:
    """Give a command the options of a model behind its own; it gets them as `spec`.

    An option that is not given is as `--for` has it, or as this purpose.
    """

    def decorated(command: Command) -> Command:
        own = inspect.signature(command, eval_str=True).parameters.values()
        parameters = [
            *(_keyword(item) for item in own if item.name != "spec"),
            _option("purpose", options.PurposeName, purpose),
            *(
                _option(name, annotation, False if name in FLAGS else None)
                for name, annotation in MODEL_OPTIONS.items()
            ),
        ]

        @wraps(command)
        def run(purpose: str, **given: Any) -> None:
            with reported_errors():
                chosen = fields_for(purpose)
                for name in MODEL_OPTIONS:
                    value = given.pop(name)
                    if value is not None:
                        chosen[name] = value
                spec = ModelSpec(**chosen)
            command(**given, spec=spec)

        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return run

    return decorated


def _keyword(item: inspect.Parameter) -> inspect.Parameter:
    return item.replace(kind=inspect.Parameter.KEYWORD_ONLY)


def _option(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, keyword, default=default, annotation=annotation)

"""The options that describe a model: one decorator gives them to a command, as one `spec`.

A new option of all commands is its type in `options.py`, its line in `MODEL_OPTIONS`, and the
field of `ModelSpec` that it sets.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from functools import wraps
from typing import Any

from fuzzbow.cli import options
from fuzzbow.model import ModelSpec

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


def _plain(value: Any) -> Any:
    """A default as it is typed."""
    return value.value if isinstance(value, Enum) else value


def with_model_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options of a model behind its own; it gets them as `spec`."""
    usual = ModelSpec()
    own = inspect.signature(command, eval_str=True).parameters.values()
    parameters = [
        *(item.replace(kind=inspect.Parameter.KEYWORD_ONLY) for item in own if item.name != "spec"),
        *(
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=_plain(getattr(usual, name)),
                annotation=annotation,
            )
            for name, annotation in MODEL_OPTIONS.items()
        ),
    ]

    @wraps(command)
    def run(**given: Any) -> None:
        spec = ModelSpec(**{name: given.pop(name) for name in MODEL_OPTIONS})
        command(**given, spec=spec)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run

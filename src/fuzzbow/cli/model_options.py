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


def _option(name: str, several: bool) -> inspect.Parameter:
    """A parameter of a command for a field of the spec."""
    usual = _plain(getattr(ModelSpec(), name))
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=[usual] if several else usual,
        annotation=options.MeasureNames if several else MODEL_OPTIONS[name],
    )


def with_model_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options of a model behind its own; it gets them as `spec`.

    A command with a parameter `specs` instead takes several measures and gets a list, one each.
    """
    own = inspect.signature(command, eval_str=True).parameters
    several = "specs" in own
    rest = [item for name, item in own.items() if name not in ("spec", "specs")]
    parameters = [
        *(item.replace(kind=inspect.Parameter.KEYWORD_ONLY) for item in rest),
        *(_option(name, several and name == "measure") for name in MODEL_OPTIONS),
    ]

    @wraps(command)
    def run(**given: Any) -> None:
        chosen = {name: given.pop(name) for name in MODEL_OPTIONS}
        if not several:
            command(**given, spec=ModelSpec(**chosen))
            return
        measures = dict.fromkeys(chosen.pop("measure"))
        command(**given, specs=[ModelSpec(measure=name, **chosen) for name in measures])

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run

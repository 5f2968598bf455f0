"""The options that describe a model: one decorator gives them to a command, as one `spec`.

A new option of all commands is its type in `options.py`, its line in `MODEL_OPTIONS`, and the
field of `ModelSpec` that it sets.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import product
from typing import Any

from fuzzbow.cli import options
from fuzzbow.cli.console import reported_errors, set_verbosity
from fuzzbow.model import ModelSpec, fields_for

# field of ModelSpec -> its type on the command line, with names and help
MODEL_OPTIONS: dict[str, Any] = {
    "source": options.Vectors,
    "measure": options.MeasureName,
    "weights": options.WeightsName,
    "counts": options.CountsSource,
    "tokenizer": options.TokenizerName,
    "language": options.LanguageCode,
    "unknown": options.UnknownWords,
    "clean": options.Clean,
    "normalise": options.Normalise,
    "limit": options.Limit,
    "skip_bad": options.SkipBad,
}

FLAGS = ("normalise", "skip_bad")  # these are never the choice of a purpose

Command = Callable[..., None]
Specs = Callable[[Sequence[str]], list[ModelSpec]]  # from the purposes that fit, best first
DEFAULT_PURPOSES = ("sentences",)


def with_model_options(*, purpose: str = "sentences") -> Callable[[Command], Command]:
    """Give a command the options of a model behind its own; it gets them as `spec`.

    An option that is not given is as `--for` has it, or as this purpose. A command with a
    parameter `specs` instead takes several purposes or measures and gets a function to their
    specs from the purposes that fit its data, which are taken where none is given.
    """

    def decorated(command: Command) -> Command:
        own = inspect.signature(command, eval_str=True).parameters
        several = "specs" in own
        rest = [item for name, item in own.items() if name not in ("spec", "specs")]
        annotations = MODEL_OPTIONS | ({"measure": options.MeasureNames} if several else {})
        parameters = [
            *(item.replace(kind=inspect.Parameter.KEYWORD_ONLY) for item in rest),
            _option("purpose", options.PurposeNames, [])
            if several
            else _option("purpose", options.PurposeName, purpose),
            *(
                _option(name, annotation, False if name in FLAGS else None)
                for name, annotation in annotations.items()
            ),
            _option("quiet", options.Quiet, False),
            _option("verbose", options.Verbose, False),
        ]

        @wraps(command)
        def run(purpose: str | list[str], quiet: bool, verbose: bool, **given: Any) -> None:
            set_verbosity(quiet=quiet, verbose=verbose)
            values = {name: given.pop(name) for name in MODEL_OPTIONS}
            with reported_errors():
                made: dict[str, Any] = (
                    {"specs": _specs(purpose, values)}
                    if isinstance(purpose, list)
                    else {"spec": _spec(purpose, values)}
                )
            command(**given, **made)

        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return run

    return decorated


def _specs(purposes: list[str], values: dict[str, Any]) -> Specs:
    """Give the models of the options; without any, those of the purposes that fit."""
    measures = values.pop("measure") or [None]

    def made(fitting: Sequence[str]) -> list[ModelSpec]:
        chosen = purposes or (DEFAULT_PURPOSES if measures != [None] else fitting)
        pairs = product(chosen, measures)
        specs = [_spec(purpose, values | {"measure": name}) for purpose, name in pairs]
        return list(dict.fromkeys(specs))

    made(DEFAULT_PURPOSES)  # what is wrong is reported before any work
    return made


def _spec(purpose: str, values: dict[str, Any]) -> ModelSpec:
    """Make the description of a model from options; the purpose fills in the others."""
    given = {name: value for name, value in values.items() if value is not None}
    return ModelSpec(**fields_for(purpose, given))


def _option(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, keyword, default=default, annotation=annotation)

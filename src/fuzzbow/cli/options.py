"""Options that several commands share, and the values that they make.

A parameter of a command whose type is in `GROUPS`, such as `TableOptions`, becomes one option for
each field, and a parameter `spec` becomes all options of a model. A new option needs one line here
and a field of the type.
"""

from __future__ import annotations

import inspect
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, fields, replace
from functools import wraps
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fuzzbow.cli.console import detail, info, raise_verbosity, reported_errors
from fuzzbow.engine import engine_info
from fuzzbow.errors import FuzzbowWarning, InputError, LanguageWarning
from fuzzbow.io import FORMATS
from fuzzbow.io.atomic import rows_before
from fuzzbow.model import PURPOSES, Model, ModelSpec, fields_for, stored_spec
from fuzzbow.plurals import counted, listed
from fuzzbow.text import CLEANERS, TOKENIZERS
from fuzzbow.vectors.weights import Weights

if TYPE_CHECKING:
    from fuzzbow.index import Location
    from fuzzbow.pipeline import Executor


def option(default: Any, text: str, *names: str, **details: Any) -> Any:
    """Declare an option by its default, help and names; the parameter's name is the default name.

    A default of ... makes it required; `details` are those of `typer.Option`.
    """
    return typer.Option(default, *names, help=text, **details)


def argument(text: str, **details: Any) -> Any:
    """Declare a required argument by its help."""
    return typer.Argument(..., help=text, show_default=False, **details)


USUAL = ModelSpec()
BY_PURPOSE = "by --for"
TABLES = listed(list(FORMATS), "or")
SEVERAL = "Repeat it to join several; the words of `title=2` count twice."
STANDARD = Path("-")  # stdin, or stdout
LEFT = "the rows that --output keeps of a malformed file"  # which an earlier failure may have left

FILE = argument(f"{TABLES}; - for stdin.")
TEXT = option(None, f"Column of the texts; the only one, or `text`, unless given. {SEVERAL}")
OUT = option(None, "Output; its name determines the format.", "--output", "-o")
OVERWRITE = option(False, "Replace existing outputs.")
EXPLAIN = option(False, "Show what each word adds to a score.")
HTML = option(None, "Write the explanation to an HTML page.")
JSON = option(False, "Print JSON.")
THREADS = option(
    None, "Number of threads; all cores unless given, at most four per core.", "-j", min=1
)
FLAGS = {
    "quiet": option(False, "Show errors only.", "-q"),
    "verbose": option(False, "Show settings, and the time of each step.", "-v"),
}

# options of a group: name -> type and option; the default is that of the group's field
Members = dict[str, tuple[Any, Any]]


def member(kind: Any, text: str, *names: str, **details: Any) -> tuple[Any, Any]:
    """Declare an option of a group by its type, its help and its names, as `option` does."""
    return kind, option(False if kind is bool else None, text, *names, **details)


def _text(text: str, *names: str, default: Any = BY_PURPOSE) -> tuple[Any, Any]:
    return member(str | None, text, *names, show_default=default)


# field of ModelSpec -> its option
MODEL_OPTIONS: Members = {
    "source": _text(
        "A name (see `fuzzbow vectors list`) or a file.", "--vectors", default=USUAL.source
    ),
    "measure": _text(
        "Measure, for instance weighted-jaccard, dynamax-jaccard, fuzzy-bm25(b=0.5).", "-m"
    ),
    "weights": _text(
        f"Scale word vectors: {listed([kind.value for kind in Weights], 'or')}.",
        "-w",
        default=USUAL.weights.value,
    ),
    "counts": _text(
        "Word frequencies: a file of `word count`, wordfreq, rank, or collection, the texts that"
        " are compared."
    ),
    "tokenizer": _text(f"One of {', '.join(TOKENIZERS)}.", "-t"),
    "language": _text(
        "Language of the texts, such as fr: its word frequencies and rules of splitting; words are"
        " compared by letters unless --vectors are given.",
        default=USUAL.language,
    ),
    "unknown": _text(
        "Words without a vector in dynamax-…, avg-… and so on: drop, or letters, which makes a"
        " vector of their letters.",
        default=USUAL.unknown.value,
    ),
    "clean": _text(
        f"Remove markup before texts are split: {', '.join(CLEANERS)} (HTML tags and entities,"
        " Markdown, URLs).",
        default=None,
    ),
    "normalise": member(bool, "Make word vectors unit length."),
    "limit": member(int | None, "Read only the first words of a vector file."),
    "skip_bad": member(bool, "Skip malformed rows of a table or vector file."),
}
COUNTS, LIMIT, SKIP_BAD = (MODEL_OPTIONS[name][1] for name in ("counts", "limit", "skip_bad"))
PURPOSE = f"Purpose, which chooses measure, tokenizer and counts: {', '.join(PURPOSES)}."
# of a command that compares several models
SEVERAL_MODELS: Members = {
    "purpose": member(
        list[str] | None,
        f"{', '.join(PURPOSES)}: a model for it; repeat for more.",
        "--for",
        show_default="all that fit the data",
    ),
    **MODEL_OPTIONS,
    "measure": member(
        list[str] | None,
        "Measure, for instance weighted-coverage, dynamax-jaccard; repeat for more.",
        "-m",
        show_default=BY_PURPOSE,
    ),
}


@dataclass(frozen=True)
class InputOptions:
    """Formats of a command's tables, and treatment of malformed rows."""

    form: str | None = None  # of stdin, stdout and files without an ending
    delimiter: str | None = None
    encoding: str | None = None
    skip_bad: bool = False


@dataclass(frozen=True)
class TableOptions(InputOptions):
    """Options of tables that a command reads and writes."""

    overwrite: bool = False


@dataclass(frozen=True)
class ScaleOptions:
    """Number of threads, and division of the work into shards."""

    threads: int | None = None
    ray: str | None = None
    shards: int | None = None

    @contextmanager
    def executor(self, out: Path | None, inputs: Sequence[Path]) -> Iterator[Executor | None]:
        """Open the executor of shards; None if the work is not divided."""
        if self.ray is None and self.shards is None:
            yield None
            return
        from fuzzbow.pipeline import open_executor

        if out is None or out == STANDARD:
            raise InputError(
                "--shards and --ray need --output, a file: finished parts are kept by it"
            )
        if STANDARD in inputs:
            raise InputError(
                "--shards and --ray need files: a resumed run could not read stdin again"
            )
        with open_executor(self.ray, threads=self.threads) as executor:
            yield executor


INPUT: Members = {
    "form": _text(
        f"Format of stdin, stdout and files without a suffix: {TABLES}; detected for stdin.",
        "--format",
        default=None,
    ),
    "delimiter": _text(
        "Delimiter of CSV; detected from the header unless given. Output has the same.",
        default=None,
    ),
    "encoding": _text(
        "Encoding of a text file, such as latin-1; UTF-8 or UTF-16 unless given.", default=None
    ),
    "skip_bad": MODEL_OPTIONS["skip_bad"],
}
# type of a parameter -> the options of its fields
GROUPS: dict[Any, Members] = {
    InputOptions: INPUT,
    TableOptions: INPUT | {"overwrite": (bool, OVERWRITE)},
    ScaleOptions: {
        "threads": (int | None, THREADS),
        "ray": _text(
            "Run the shards on a Ray cluster: its address, such as 10.0.0.1:6379 or auto; local"
            " starts one on this machine.",
            default=None,
        ),
        "shards": member(
            int | None,
            "Number of shards of a file, two of which are in memory. An interrupted run resumes."
            " [default with --ray: by the number of rows]",
            min=1,
        ),
    },
}
FORMAT, DELIMITER, ENCODING = (
    GROUPS[TableOptions][name][1] for name in ("form", "delimiter", "encoding")
)

Command = Callable[..., None]
Specs = Callable[[Sequence[str]], list[ModelSpec]]  # from the purposes that fit, best first
DEFAULT_PURPOSES = ("sentences",)


def with_options(*, purpose: str = "sentences") -> Callable[[Command], Command]:
    """Add the options of grouped parameters, --quiet and --verbose to a command.

    An option of a model that is not given is chosen by `--for`, or by this purpose. A command with
    a parameter `specs` takes several purposes or measures, and gets a function from the purposes
    that fit its data to specs. Errors that the user can correct are reported.
    """
    one_model = {"purpose": (str, option(purpose, PURPOSE, "--for")), **MODEL_OPTIONS}
    models: dict[str, tuple[Any, Members]] = {
        "spec": (_spec, one_model),
        "specs": (_specs, SEVERAL_MODELS),
    }

    def decorated(command: Command) -> Command:
        taken: dict[str, inspect.Parameter] = {}
        made: dict[str, tuple[Any, Members]] = {}
        for name, item in inspect.signature(command, eval_str=True).parameters.items():
            if item.annotation in GROUPS:
                kind = item.annotation
                defaults = {field.name: field.default for field in fields(kind)}
                made[name] = kind, GROUPS[kind]
            elif name in models:
                made[name], defaults = models[name], {}
            else:
                taken[name] = _parameter(name, item.annotation, item.default)
                continue
            for member, (kind, chosen) in made[name][1].items():
                taken[member] = _parameter(member, kind, chosen, defaults.get(member, ...))
        taken |= {name: _parameter(name, bool, flag) for name, flag in FLAGS.items()}

        @wraps(command)
        def run(quiet: bool, verbose: bool, **given: Any) -> None:
            raise_verbosity(quiet=quiet, verbose=verbose)
            with reported_errors():
                print_warnings()
                values = {
                    name: make(**{member: given[member] for member in members})
                    for name, (make, members) in made.items()
                }
                grouped = {member for _, members in made.values() for member in members}
                plain = {name: value for name, value in given.items() if name not in grouped}
                command(**plain, **values)

        run.__signature__ = inspect.Signature(list(taken.values()))  # type: ignore[attr-defined]
        return run

    return decorated


def _parameter(name: str, kind: Any, default: Any, value: Any = ...) -> inspect.Parameter:
    """Return a parameter for Typer; a flag has no opposite, and `value` replaces the default."""
    if isinstance(default, typer.models.OptionInfo):
        default, names = copy(default), default.param_decls or ()
        if value is not ...:
            default.default = value
        if not any(written.startswith("--") for written in names):
            default.param_decls = (f"--{name.replace('_', '-')}", *names)
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, keyword, default=default, annotation=kind)


def _specs(purpose: list[str] | None, measure: list[str] | None, **values: Any) -> Specs:
    """Return the specs of the options; by default those of the purposes that fit the data."""
    measures: Sequence[str | None] = measure or [None]

    def made(fitting: Sequence[str]) -> list[ModelSpec]:
        chosen = purpose or (DEFAULT_PURPOSES if measure else fitting)
        specs = [_spec(one, measure=name, **values) for one, name in product(chosen, measures)]
        return list(dict.fromkeys(specs))

    made(DEFAULT_PURPOSES)  # so that errors are reported before any work
    return made


def _spec(purpose: str, **values: Any) -> ModelSpec:
    """Make the spec of a model; the purpose chooses the options that are not given."""
    given = {name: value for name, value in values.items() if value is not None}
    return ModelSpec(**fields_for(purpose, given))


def model_files(spec: ModelSpec) -> dict[str, Any]:
    """Return the options of a model that may name files."""
    return {"--vectors": spec.source, "--counts": spec.counts}


def table_outputs(out: Path | None) -> dict[str, Path | None]:
    """Return the output paths of a command: its table, and the rows before malformed input."""
    target = None if out == STANDARD else out
    return {"--output": target, LEFT: None if target is None else rows_before(target)}


def load_model(spec: ModelSpec) -> Model:
    """Load the model of the options; print problems in its file, and its parts with --verbose."""
    start = time.perf_counter()
    model = spec.load()
    seconds = time.perf_counter() - start
    words, engine, report = model.vectors, engine_info(), model.vectors.report
    if report.duplicates or report.skipped:
        info(
            f"{spec.source}: {counted(report.duplicates, 'repeated word')} (the first counts),"
            f" {counted(report.skipped, 'malformed line')} skipped"
        )
    detail(
        f"vectors {words.name}: {len(words):,} words of dimension {words.dimension};"
        f" measure {model.measure.name}, tokenizer {model.tokenizer.name};"
        f" loaded in {seconds:.2f} s"
    )
    detail(
        f"engine {engine['engine']}, instruction set {engine['simd'] or 'none of its own'},"
        f" {counted(engine['threads'], 'thread')}"
    )
    return model


def index_model(folder: Location, vectors: str | None) -> Model:
    """Load the model of an index, with other vectors if they are given."""
    spec = stored_spec(folder)
    return load_model(spec if vectors is None else replace(spec, source=vectors))


def print_warnings() -> None:
    """Print warnings of the library as messages, the one about the language once."""
    printed: list[Warning | str] = []

    def print_warning(message: Warning | str, *rest: Any, **more: Any) -> None:
        if not isinstance(message, LanguageWarning):
            info(f"warning: {message}")
        elif not printed:
            printed.append(message)
            info(f"warning: {message}: --language CODE, --vectors FILE")

    warnings.simplefilter("always", FuzzbowWarning)
    warnings.showwarning = print_warning

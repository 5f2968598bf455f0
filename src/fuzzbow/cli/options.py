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
from dataclasses import dataclass, fields, replace
from functools import wraps
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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

USUAL = ModelSpec()
BY_PURPOSE = "by --for"
TABLES = listed(list(FORMATS), "or")
SEVERAL = "Repeat it to join several; the words of `title=2` count twice."
STANDARD = Path("-")  # stdin, or stdout
LEFT = "the rows that --output keeps of a malformed file"  # which an earlier failure may have left

File = Annotated[Path, typer.Argument(help=f"{TABLES}; - for stdin.", show_default=False)]
Text = Annotated[
    list[str] | None,
    typer.Option(
        "--text", help=f"Column of the texts; the only one, or `text`, unless given. {SEVERAL}"
    ),
]
Out = Annotated[
    Path | None, typer.Option("--output", "-o", help="Output; its name determines the format.")
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace existing outputs.")]
Vectors = Annotated[
    str | None,
    typer.Option(
        "--vectors",
        help="A name (see `fuzzbow vectors list`) or a file.",
        show_default=USUAL.source,
    ),
]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Skip malformed rows of a table or vector file.")
]
Limit = Annotated[
    int | None, typer.Option("--limit", help="Read only the first words of a vector file.")
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        help="Delimiter of CSV; detected from the header unless given. Output has the same.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding", help="Encoding of a text file, such as latin-1; UTF-8 or UTF-16 unless given."
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help=f"Of stdin, stdout and files without an ending: {TABLES}; detected for stdin.",
    ),
]
Ray = Annotated[
    str | None,
    typer.Option(
        "--ray",
        help="Run the shards on a Ray cluster: its address, such as 10.0.0.1:6379 or auto; local"
        " starts one on this machine.",
    ),
]
Shards = Annotated[
    int | None,
    typer.Option(
        "--shards",
        min=1,
        help="Number of shards of a file, two of which are in memory. An interrupted run resumes."
        " [default with --ray: by the number of rows]",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads", "-j", min=1, help="Cores to use; all unless given. Four per core at most."
    ),
]
Explain = Annotated[bool, typer.Option("--explain", help="Show what each word adds to a score.")]
Html = Annotated[Path | None, typer.Option("--html", help="Write the explanation to an HTML page.")]
CountsSource = Annotated[
    str | None,
    typer.Option(
        "--counts",
        help="Word frequencies: a file of `word count`, wordfreq, rank, or collection, the texts"
        " that are compared.",
        show_default=BY_PURPOSE,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show errors only.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Show settings, and the time of each step.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def option(kind: Any, *names: str, **details: Any) -> Any:
    """Describe an option by its type, names, and details of Typer."""
    return Annotated[kind, typer.Option(*names, **details)]


def _model_option(name: str, help_text: str, default: Any = BY_PURPOSE, short: str = "") -> Any:
    names = (name, short) if short else (name,)
    return option(str | None, *names, help=help_text, show_default=default)


# field of ModelSpec -> its option
MODEL_OPTIONS: dict[str, Any] = {
    "source": Vectors,
    "measure": _model_option(
        "--measure",
        "For instance weighted-jaccard, dynamax-jaccard, fuzzy-bm25(b=0.5).",
        short="-m",
    ),
    "weights": _model_option(
        "--weights",
        f"Scale word vectors: {listed([kind.value for kind in Weights], 'or')}.",
        USUAL.weights.value,
        "-w",
    ),
    "counts": CountsSource,
    "tokenizer": _model_option("--tokenizer", f"One of {', '.join(TOKENIZERS)}.", short="-t"),
    "language": _model_option(
        "--language",
        "Language of the texts, such as fr: its word frequencies and rules of splitting; words are"
        " compared by letters unless --vectors are given.",
        USUAL.language,
    ),
    "unknown": _model_option(
        "--unknown",
        "Words without a vector in dynamax-…, avg-… and so on: drop, or letters, which makes a"
        " vector of their letters.",
        USUAL.unknown.value,
    ),
    "clean": _model_option(
        "--clean",
        f"Remove markup before texts are split: {', '.join(CLEANERS)} (HTML tags and entities,"
        " Markdown, URLs).",
        None,
    ),
    "normalise": option(bool, "--normalise", help="Make word vectors unit length."),
    "limit": Limit,
    "skip_bad": SkipBad,
}
FLAGS = ("normalise", "skip_bad")  # which no purpose chooses
PURPOSE = option(
    str, "--for", help=f"Chooses measure, tokenizer and counts: {', '.join(PURPOSES)}."
)
PURPOSE_NAMES = option(
    list[str],
    "--for",
    help=f"{', '.join(PURPOSES)}: a model for it; repeat for more.",
    show_default="all that fit the data",
)
MEASURE_NAMES = option(
    list[str] | None,
    "--measure",
    "-m",
    help="For instance weighted-coverage, dynamax-jaccard; repeat for more.",
    show_default=BY_PURPOSE,
)


@dataclass(frozen=True)
class TableOptions:
    """Formats of a command's tables, and treatment of malformed rows and existing outputs."""

    form: str | None = None  # of stdin, stdout and files without an ending
    delimiter: str | None = None
    encoding: str | None = None
    skip_bad: bool = False
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


# type of a parameter -> the options of its fields
GROUPS: dict[Any, dict[str, Any]] = {
    TableOptions: {
        "form": Format,
        "delimiter": Delimiter,
        "encoding": Encoding,
        "skip_bad": SkipBad,
        "overwrite": Overwrite,
    },
    ScaleOptions: {"threads": Threads, "ray": Ray, "shards": Shards},
}

Command = Callable[..., None]
Specs = Callable[[Sequence[str]], list[ModelSpec]]  # from the purposes that fit, best first
DEFAULT_PURPOSES = ("sentences",)


def with_options(*, purpose: str = "sentences") -> Callable[[Command], Command]:
    """Add the options of grouped parameters, --quiet and --verbose to a command.

    An option of a model that is not given is chosen by `--for`, or by this purpose. A command with
    a parameter `specs` takes several purposes or measures, and gets a function from the purposes
    that fit its data to specs. Errors that the user can correct are reported.
    """

    def decorated(command: Command) -> Command:
        own = inspect.signature(command, eval_str=True).parameters
        groups = {name: item.annotation for name, item in own.items() if item.annotation in GROUPS}
        grouped = {
            name: option for kind in groups.values() for name, option in GROUPS[kind].items()
        }
        taken: dict[str, inspect.Parameter] = {
            name: item.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for name, item in own.items()
            if name not in (*groups, "spec", "specs")
        }
        defaults = {item.name: item.default for kind in groups.values() for item in fields(kind)}
        taken |= {name: _parameter(name, grouped[name], defaults[name]) for name in grouped}
        several, models = "specs" in own, {"spec", "specs"} & set(own)
        if models:
            taken["purpose"] = (
                _parameter("purpose", PURPOSE_NAMES, [])
                if several
                else _parameter("purpose", PURPOSE, purpose)
            )
            for name, option in MODEL_OPTIONS.items():
                chosen = MEASURE_NAMES if several and name == "measure" else option
                taken[name] = _parameter(name, chosen, False if name in FLAGS else None)
        taken |= {
            "quiet": _parameter("quiet", Quiet, False),
            "verbose": _parameter("verbose", Verbose, False),
        }

        @wraps(command)
        def run(quiet: bool, verbose: bool, **given: Any) -> None:
            raise_verbosity(quiet=quiet, verbose=verbose)
            with reported_errors():
                made: dict[str, Any] = {
                    name: kind(**{item.name: given[item.name] for item in fields(kind)})
                    for name, kind in groups.items()
                }
                if models:
                    values = {name: given[name] for name in MODEL_OPTIONS}
                    named = given["purpose"]
                    made |= (
                        {"specs": _specs(named, values)}
                        if several
                        else {"spec": _spec(named, values)}
                    )
                command(**{name: given[name] for name in own if name in given} | made)

        run.__signature__ = inspect.Signature(list(taken.values()))  # type: ignore[attr-defined]
        return run

    return decorated


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, keyword, default=default, annotation=annotation)


def _specs(purposes: list[str], values: dict[str, Any]) -> Specs:
    """Return the specs of the options; by default those of the purposes that fit the data."""
    measures = values.pop("measure") or [None]

    def made(fitting: Sequence[str]) -> list[ModelSpec]:
        chosen = purposes or (DEFAULT_PURPOSES if measures != [None] else fitting)
        pairs = product(chosen, measures)
        specs = [_spec(purpose, values | {"measure": name}) for purpose, name in pairs]
        return list(dict.fromkeys(specs))

    made(DEFAULT_PURPOSES)  # so that errors are reported before any work
    return made


def _spec(purpose: str, values: dict[str, Any]) -> ModelSpec:
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
    """Load the model of the options, and report problems in its file."""
    model = spec_model(spec)
    report = model.vectors.report
    if report.duplicates or report.skipped:
        info(
            f"{spec.source}: {counted(report.duplicates, 'repeated word')} (the first counts),"
            f" {counted(report.skipped, 'malformed line')} skipped"
        )
    return model


def index_model(folder: Location, vectors: str | None) -> Model:
    """Load the model of an index, with other vectors if they are given."""
    return spec_model(stored_spec(folder), vectors)


def spec_model(spec: ModelSpec, vectors: str | None = None) -> Model:
    """Load a model, with other vectors if they are given; --verbose prints its parts."""
    print_warnings()
    start = time.perf_counter()
    model = (spec if vectors is None else replace(spec, source=vectors)).load()
    seconds = time.perf_counter() - start
    words, engine = model.vectors, engine_info()
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

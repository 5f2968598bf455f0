"""Options that several commands take, and the model that they describe."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fuzzbow.atomic import rows_before
from fuzzbow.cli.console import detail, say
from fuzzbow.engine import engine_info
from fuzzbow.errors import FuzzbowWarning, LanguageWarning
from fuzzbow.model import PURPOSES, Model, ModelSpec, stored_spec
from fuzzbow.plurals import counted, listed
from fuzzbow.text import CLEANERS, TOKENIZERS
from fuzzbow.vectors.weights import Weights

if TYPE_CHECKING:
    from fuzzbow.tasks.index import Place

USUAL = ModelSpec()
BY_PURPOSE = "by --for"
SEVERAL = "Repeat it to join several; the words of `title=2` count twice."

Text = Annotated[
    list[str] | None,
    typer.Option(
        "--text", help=f"Column of the texts; the only one, or `text`, unless given. {SEVERAL}"
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        help="Between the fields of CSV; that of its header otherwise. Output in CSV has the same.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", help="Of a text file, such as latin-1; UTF-8 or UTF-16 otherwise."),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace outputs that are there already.")
]
Vectors = Annotated[
    str | None,
    typer.Option(
        "--vectors",
        help="A name (see `fuzzbow vectors list`) or a file.",
        show_default=USUAL.source,
    ),
]
PurposeName = Annotated[
    str,
    typer.Option(
        "--for",
        help=f"Chooses measure, tokenizer and counts: {', '.join(PURPOSES)}.",
    ),
]


MeasureName = Annotated[
    str | None,
    typer.Option(
        "--measure",
        "-m",
        help="For instance weighted-jaccard, dynamax-jaccard, fuzzy-bm25(b=0.5).",
        show_default=BY_PURPOSE,
    ),
]
PurposeNames = Annotated[
    list[str],
    typer.Option(
        "--for",
        help=f"{', '.join(PURPOSES)}: a model for it; repeat for more.",
        show_default="all that fit the data",
    ),
]
MeasureNames = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        "-m",
        help="For instance weighted-coverage, dynamax-jaccard; repeat for more.",
        show_default=BY_PURPOSE,
    ),
]
WeightsName = Annotated[
    str | None,
    typer.Option(
        "--weights",
        "-w",
        help=f"Scale word vectors: {listed([kind.value for kind in Weights], 'or')}.",
        show_default=USUAL.weights.value,
    ),
]
CountsSource = Annotated[
    str | None,
    typer.Option(
        "--counts",
        help="Word frequencies: a file of `word count`, wordfreq, rank, or collection, the texts"
        " at hand.",
        show_default=BY_PURPOSE,
    ),
]
TokenizerName = Annotated[
    str | None,
    typer.Option(
        "--tokenizer", "-t", help=f"One of {', '.join(TOKENIZERS)}.", show_default=BY_PURPOSE
    ),
]
LanguageCode = Annotated[
    str | None,
    typer.Option(
        "--language",
        help="Of the texts, such as fr: its word frequencies and rules of splitting; letters"
        " decide unless --vectors are given.",
        show_default=USUAL.language,
    ),
]
UnknownWords = Annotated[
    str | None,
    typer.Option(
        "--unknown",
        help="Words without a vector in dynamax-…, avg-… and so on: drop, or letters, which gives"
        " them one of their letters.",
        show_default=USUAL.unknown.value,
    ),
]
Clean = Annotated[
    str | None,
    typer.Option(
        "--clean",
        help=f"Remove markup before texts are split: {', '.join(CLEANERS)} (HTML tags and"
        " entities, Markdown, URLs).",
    ),
]
Normalise = Annotated[bool, typer.Option("--normalise", help="Make word vectors unit length.")]
Limit = Annotated[
    int | None, typer.Option("--limit", help="Read only the first words of a vector file.")
]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Pass over malformed rows of a table or vector file.")
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads", "-j", min=1, help="Cores to use; all unless given. Four per core at most."
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
        help="Number of shards of a file, of which memory holds two. An interrupted run resumes."
        " [default with --ray: by the number of rows]",
    ),
]
Explain = Annotated[bool, typer.Option("--explain", help="Show what each word adds to a score.")]
Html = Annotated[
    Path | None,
    typer.Option("--html", help="Write the explanation to a file, a page of its own."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no messages, only errors.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Say what is used, how long each step takes.")
]


def model_files(spec: ModelSpec) -> dict[str, str | None]:
    """The options of a model that may name files."""
    return {"--vectors": spec.source, "--counts": spec.counts}


def table_outputs(out: Path | None) -> dict[str, Path | None]:
    """The table that a command writes, and what it would leave of one that turns out to be bad."""
    from fuzzbow.cli.tables import LEFT

    left = None if out is None else rows_before(out)
    return {"--output": out, LEFT: left}


def load_model(spec: ModelSpec) -> Model:
    """The model that the options describe; problems in its file are reported on stderr."""
    model = _loaded(spec)
    report = model.vectors.report
    if report.duplicates or report.skipped:
        say(
            f"{spec.source}: {counted(report.duplicates, 'repeated word')} (the first counts),"
            f" {counted(report.skipped, 'malformed line')} skipped"
        )
    return model


def index_model(folder: Place, vectors: str | None) -> Model:
    """The model of an index, with its vectors from another place if one is given."""
    return spec_model(stored_spec(folder), vectors)


def spec_model(spec: ModelSpec, vectors: str | None) -> Model:
    """The model of a description, with its vectors from another place if one is given."""
    return _loaded(spec if vectors is None else replace(spec, source=vectors))


def _loaded(spec: ModelSpec) -> Model:
    """The model of a spec; warnings become messages, and --verbose says what it is made of."""
    say_warnings()
    start = time.perf_counter()
    model = spec.load()
    seconds = time.perf_counter() - start
    vectors, engine = model.vectors, engine_info()
    detail(
        f"vectors {vectors.name}: {len(vectors):,} words of dimension {vectors.dimension};"
        f" measure {model.measure.name}, tokenizer {model.tokenizer.name};"
        f" loaded in {seconds:.2f} s"
    )
    detail(
        f"engine {engine['engine']}, instruction set {engine['simd'] or 'none of its own'},"
        f" {counted(engine['threads'], 'thread')}"
    )
    return model


def say_warnings() -> None:
    """Warnings of the library become messages; the one about the language is said once."""
    told: list[Warning | str] = []

    def said(message: Warning | str, *rest: Any, **more: Any) -> None:
        if not isinstance(message, LanguageWarning):
            say(f"warning: {message}")
        elif not told:
            told.append(message)
            say(f"warning: {message}: --language CODE, --vectors FILE")

    warnings.simplefilter("always", FuzzbowWarning)
    warnings.showwarning = said

"""Options that several commands take, and the model that they describe."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from fuzzbow.cli.console import say
from fuzzbow.errors import FuzzbowWarning
from fuzzbow.measures import DEFAULT_MEASURE
from fuzzbow.model import Model, load
from fuzzbow.tasks.index.directory import read_card
from fuzzbow.tasks.index.fingerprint import load_again

File = Annotated[Path, typer.Argument(help="csv, tsv, jsonl or parquet.", show_default=False)]
Vectors = Annotated[
    str, typer.Option("--vectors", "-v", help="A name (see `fuzzbow vectors list`) or a file.")
]
MeasureName = Annotated[
    str, typer.Option("--measure", "-m", help="For instance dynamax-jaccard, max-jaccard, wmd.")
]
WeightsName = Annotated[
    str, typer.Option("--weights", "-w", help="Scale word vectors: none, sif or usif.")
]
CountsSource = Annotated[
    str | None,
    typer.Option("--counts", help="Word frequencies: a file of `word count`, wordfreq or rank."),
]
TokenizerName = Annotated[
    str, typer.Option("--tokenizer", "-t", help="words, whitespace or moses.")
]
Normalise = Annotated[bool, typer.Option("--normalise", help="Make word vectors unit length.")]
Limit = Annotated[
    int | None, typer.Option("--limit", help="Read only the first words of a vector file.")
]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Pass over malformed lines of a vector file.")
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads", "-j", min=1, help="Cores to use; all unless given. Four per core at most."
    ),
]
Explain = Annotated[bool, typer.Option("--explain", help="Show what each word adds to a score.")]
Html = Annotated[
    Path | None,
    typer.Option("--html", help="Write the explanation to a file, a page of its own."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]

VECTORS = "default"
MEASURE = DEFAULT_MEASURE


def load_model(
    vectors: str,
    measure: str,
    weights: str,
    counts: str | None,
    tokenizer: str,
    normalise: bool,
    limit: int | None,
    skip_bad: bool,
) -> Model:
    """The model that the options describe; what was odd about its file is said on stderr."""
    say_warnings()
    model = load(
        vectors,
        measure=measure,
        weights=weights,
        counts=counts,
        tokenizer=tokenizer,
        normalise=normalise,
        limit=limit,
        skip_bad=skip_bad,
    )
    report = model.vectors.report
    if report.duplicates or report.skipped:
        say(
            f"{vectors}: {report.duplicates} repeated words (the first counts),"
            f" {report.skipped} malformed lines skipped"
        )
    return model


def index_model(folder: Path, vectors: str | None) -> Model | None:
    """The model of an index whose vectors are elsewhere now; None where they are not."""
    say_warnings()
    if vectors is None:
        return None
    card = read_card(folder)["model"]
    return load_again(None if card is None else card | {"source": vectors}, str(folder))


def say_warnings() -> None:
    """Warnings of the library become messages."""
    warnings.simplefilter("always", FuzzbowWarning)
    warnings.showwarning = lambda message, *rest, **more: say(f"warning: {message}")

"""`fuzzbow sts`: evaluate on STS data, compare systems, reproduce the paper, fetch the data."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from fuzzbow.cli import options
from fuzzbow.cli.console import (
    FAILED,
    output,
    print_json,
    print_table,
    progress,
    reported_errors,
    say,
)
from fuzzbow.errors import InputError, parse_choice
from fuzzbow.measures import DEFAULT_MEASURE
from fuzzbow.plurals import counted
from fuzzbow.sts import results
from fuzzbow.sts.cache import user_cache
from fuzzbow.sts.comparison import bootstrap_all, compare_all
from fuzzbow.sts.correlation import RESAMPLES
from fuzzbow.sts.datasets import YEARS, Dataset, load_tasks
from fuzzbow.sts.evaluation import Evaluation, evaluate
from fuzzbow.sts.scoring import Frequencies, Scorer
from fuzzbow.sts.sources import parse_sources
from fuzzbow.sts.systems import TOKENIZER, all_systems, parse_system
from fuzzbow.sts.table_data import load_table
from fuzzbow.sts.terminal import AverageKind, comparison_table, counts_line, run_table
from fuzzbow.tasks import CSV

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="The paper's experiments on STS data."
)

Data = Annotated[
    Path,
    typer.Option("--data", "-d", help="Folder with STS12-en-test …, or a table of pairs."),
]
ManyVectors = Annotated[
    list[str],
    typer.Option("--vectors", help="A name, a file, or LABEL=FILE; repeat for more."),
]
Tasks = Annotated[
    list[str],
    typer.Option("--task", help="STS12 … STS16, STSB, SICK-R, or STS12/MSRpar; repeat for more."),
]
Left = Annotated[str, typer.Option("--left", help="In a table: column of one text.")]
Right = Annotated[str, typer.Option("--right", help="In a table: column of the other text.")]
Score = Annotated[str, typer.Option("--score", help="In a table: column of the gold score.")]
Tokenizer = Annotated[
    str,
    typer.Option("--tokenizer", "-t", help="whitespace (tokenised data), words or moses."),
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Compute everything anew.")]
Resamples = Annotated[int, typer.Option("--resamples", help="Bootstrap resamples.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the bootstrap.")]
VECTORS, MEASURES, WEIGHTS = ["default"], [DEFAULT_MEASURE], ["none"]
TASKS = list(YEARS)
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV.")]


@app.command()
def run(
    data: Data,
    vectors: ManyVectors = VECTORS,
    measure: Annotated[
        list[str],
        typer.Option("--measure", "-m", help="A name, or path.py:function; repeat for more."),
    ] = MEASURES,
    weights: Annotated[
        list[str],
        typer.Option("--weights", "-w", help="none, sif, usif, whitened; repeat."),
    ] = WEIGHTS,
    normalise: Annotated[
        str, typer.Option("--normalise", help="Unit-length word vectors: no, yes or both.")
    ] = "no",
    task: Tasks = TASKS,
    counts: options.CountsSource = None,
    tokenizer: Tokenizer = TOKENIZER,
    limit: options.Limit = None,
    left: Left = "left",
    right: Right = "right",
    score: Score = "score",
    no_cache: NoCache = False,
    average: Annotated[
        str, typer.Option(help="Of the table's columns: mean (the paper's), weighted_mean or all.")
    ] = "mean",
    spearman: Annotated[
        bool, typer.Option("--spearman", help="Show Spearman in the table, not Pearson.")
    ] = False,
    json: options.Json = False,
    csv: Csv = False,
) -> None:
    """Correlations of every combination of vectors, measures, weights and normalisation."""
    with reported_errors():
        options.say_warnings()
        shown = parse_choice(AverageKind, average, "average")
        cache = None if no_cache else user_cache()
        systems, left_out = all_systems(
            measure, weights=weights, normalise=_choices(normalise), tokenizer=tokenizer
        )
        for system in left_out:
            say(f"not run: {system.name} ({system.measure} weighs words by itself)")
        datasets = _load(data, task, left, right, score, tokenizer)
        sources = parse_sources(vectors, limit=limit, cache=cache)
        frequencies = Frequencies(counts)
        scorers = [
            Scorer(source, system, frequencies, cache) for source in sources for system in systems
        ]
        with progress("evaluating") as done:
            found = evaluate(scorers, datasets, progress=done)
        _show_run(found, datasets, run_table(found, shown, spearman=spearman), json, csv)
        _finish(found)


@app.command()
def compare(
    data: Data,
    system: Annotated[
        str, typer.Option("--system", "-s", help="MEASURE[+sif|+usif][+norm].")
    ] = "dynamax-jaccard",
    baseline: Annotated[
        str, typer.Option("--baseline", "-b", help="MEASURE[+sif|+usif][+norm].")
    ] = "avg-cosine",
    vectors: ManyVectors = VECTORS,
    baseline_vectors: Annotated[
        str | None, typer.Option(help="Vectors of the baseline, if they are others.")
    ] = None,
    task: Tasks = TASKS,
    counts: options.CountsSource = None,
    tokenizer: Tokenizer = TOKENIZER,
    limit: options.Limit = None,
    left: Left = "left",
    right: Right = "right",
    score: Score = "score",
    resamples: Resamples = RESAMPLES,
    seed: Seed = 0,
    holm: Annotated[
        bool, typer.Option("--holm", help="Decide after Holm's correction for all rows.")
    ] = False,
    no_cache: NoCache = False,
    json: options.Json = False,
) -> None:
    """A system against a baseline, per subtask, with paired BCa bootstrap intervals."""
    with reported_errors():
        options.say_warnings()
        cache = None if no_cache else user_cache()
        first, second = (parse_system(text, tokenizer=tokenizer) for text in (system, baseline))
        datasets = _load(data, task, left, right, score, tokenizer)
        sources = parse_sources(vectors, limit=limit, cache=cache)
        others = (
            sources
            if baseline_vectors is None
            else parse_sources([baseline_vectors], limit=limit, cache=cache) * len(sources)
        )
        frequencies = Frequencies(counts)
        scorers = [
            Scorer(source, choice, frequencies, cache)
            for pair in zip(sources, others, strict=True)
            for source, choice in zip(pair, (first, second), strict=True)
        ]
        with progress("evaluating") as done:
            found = evaluate(scorers, datasets, progress=done)
        with progress("resampling") as done:
            bootstraps = bootstrap_all(found, resamples=resamples, seed=seed, progress=done)
        comparisons = compare_all(bootstraps, list(zip(found[::2], found[1::2], strict=True)))
        if json:
            print_json(
                {
                    "scale": results.SCALE_NOTE,
                    "resamples": resamples,
                    "seed": seed,
                    "comparisons": [results.comparison_to_dict(item) for item in comparisons],
                }
            )
        else:
            for item in comparisons:
                print_table(comparison_table(item, holm=holm))
                output.print(counts_line(item, holm=holm))
        _finish(found)


@app.command()
def reproduce(
    data: Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the report.")],
    vectors: ManyVectors = VECTORS,
    task: Tasks = TASKS,
    counts: options.CountsSource = None,
    tokenizer: Tokenizer = TOKENIZER,
    limit: options.Limit = None,
    resamples: Resamples = RESAMPLES,
    seed: Seed = 0,
    no_cache: NoCache = False,
    overwrite: options.Overwrite = False,
    json: options.Json = False,
) -> None:
    """All tables and figures of the paper, and a verdict on each of its claims."""
    from fuzzbow.sts.report import (
        check_report,
        render_report,
        to_dict,
        verdict_counts,
        write_report,
    )
    from fuzzbow.sts.reproduction import reproduce as reproduce_paper

    with reported_errors():
        options.say_warnings()
        cache = None if no_cache else user_cache()
        sources = parse_sources(vectors, limit=limit, cache=cache)
        files = {f"--vectors {source.label}": source.origin for source in sources}
        table = data if data.is_file() else None
        check_report(out, {"--data": table, "--counts": counts} | files, overwrite=overwrite)
        datasets = _load(data, task, "left", "right", "score", tokenizer)
        result = reproduce_paper(
            sources,
            datasets,
            frequencies=Frequencies(counts),
            tokenizer=tokenizer,
            resamples=resamples,
            seed=seed,
            cache=cache,
            stage=progress,
        )
        written = write_report(out, render_report(result))
        if json:
            print_json(to_dict(result))
        for label, found in verdict_counts(result).items():
            verdicts = ", ".join(f"{number} {name}" for name, number in found.items() if number)
            say(f"{label}: of the paper's claims {verdicts}")
        say(f"report: {', '.join(str(path) for path in written)}")
        _finish(list(result.found.values()))


@app.command()
def download(
    to: Annotated[Path, typer.Option("--to", help="Folder for raw/ and tokenized/.")],
    base_url: Annotated[
        str | None, typer.Option(help="A mirror of the archives, which keeps their paths.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Fetch the official STS 2012–2016 archives, verify them and tokenise them.

    The data have licences of their own, which lie beside them after the download.
    """
    from fuzzbow.sts.downloads import BASE_URL  # urllib takes a while to import
    from fuzzbow.sts.downloads import download as fetch_archives

    with reported_errors():
        with progress("downloading") as done:
            found = fetch_archives(to, base_url=base_url or BASE_URL, progress=done)
        if json:
            print_json([asdict(item) for item in found])
        for item in found:
            how = "was there" if item.reused else "fetched"
            say(f"{item.year}: {counted(item.files, 'file')} verified ({how})")
        say(f"use --data {to / 'tokenized'}")


def _load(
    data: Path, tasks: list[str], left: str, right: str, score: str, tokenizer: str
) -> list[Dataset]:
    """The datasets, and a warning where white space will not find their words."""
    if data.is_file():
        datasets = [load_table(data, left=left, right=right, score=score)]
    else:
        datasets = load_tasks(data, tasks)
    glued = [dataset.key for dataset in datasets if not dataset.looks_tokenised]
    if tokenizer == "whitespace" and glued:
        say(
            f"warning: {', '.join(glued[:3])}{' …' if glued[3:] else ''} look untokenised, and"
            " white space alone splits words; use tokenised data, --tokenizer moses or words"
        )
    return datasets


def _choices(text: str) -> list[bool]:
    known = {"no": [False], "yes": [True], "both": [False, True]}
    if text not in known:
        raise InputError(f"normalise must be one of {', '.join(known)}; got {text!r}")
    return known[text]


def _finish(found: list[Evaluation]) -> None:
    """Say what is missing; a subtask that failed fails the command."""
    for evaluation in found:
        for note in evaluation.notes:
            say(f"note: {evaluation.vectors}, {evaluation.system.name}, {note}")
    if any(evaluation.failed for evaluation in found):
        raise typer.Exit(FAILED)


def _show_run(
    found: list[Evaluation], datasets: list[Dataset], table: Table, json: bool, csv: bool
) -> None:
    """Results as JSON, as CSV, or as a table for a person."""
    if json:
        print_json(results.run_to_dict(found, datasets))
    elif csv:
        CSV.write(sys.stdout, results.CSV_COLUMNS, None)(results.csv_rows(found))
    else:
        print_table(table)
        skipped = sum(dataset.skipped for dataset in datasets)
        pairs = sum(map(len, datasets))
        say(
            f"{counted(len(datasets), 'subtask')}, {counted(pairs, 'pair')};"
            f" {counted(skipped, 'pair')} without a score skipped."
            " --json and --csv hold every statistic"
        )

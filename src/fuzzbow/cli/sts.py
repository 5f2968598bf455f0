"""`fuzzbow sts`: evaluate on STS data, compare systems, reproduce the paper, fetch the data."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import typer

from fuzzbow.cli import options
from fuzzbow.cli.console import FAILED, info, output, print_json, print_table, progress
from fuzzbow.cli.options import member, option, with_options
from fuzzbow.errors import InputError, check_choice
from fuzzbow.measures import DEFAULT_MEASURE
from fuzzbow.plurals import counted
from fuzzbow.research.bootstrap import RESAMPLES
from fuzzbow.research.evaluation.sets import EvaluationSetOptions, ScoredPairSet
from fuzzbow.research.sts import Evaluation, System, SystemScorer, results
from fuzzbow.research.sts.cache import cache_folder
from fuzzbow.research.sts.datasets import YEARS, load_tasks
from fuzzbow.research.sts.evaluation import bootstrap_all, compare_all, evaluate
from fuzzbow.research.sts.systems import (
    TOKENIZER,
    VectorSource,
    all_systems,
    parse_sources,
    parse_system,
)
from fuzzbow.research.tables import results_dict, write_csv

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="The paper's experiments on STS data."
)

DATA = option(..., "Folder with STS12-en-test …, or a table of pairs.", "-d")
BOOTSTRAP = option(RESAMPLES, "Bootstrap resamples.")
SEED = option(0, "Seed of the bootstrap.")
NORMALISE = {"no": [False], "yes": [True], "both": [False, True]}
SYSTEM = "MEASURE[+sif|+usif][+norm]."


@dataclass(frozen=True)
class Inputs:
    """Options of all commands that score data, except the data themselves."""

    vectors: tuple[str, ...] = ("default",)
    task: tuple[str, ...] = YEARS
    counts: str | None = None
    tokenizer: str = TOKENIZER
    limit: int | None = None
    left: str = "left"
    right: str = "right"
    score: str = "score"
    no_cache: bool = False

    @property
    def system(self) -> System:
        """System with the tokenizer and the word frequencies of all systems."""
        return System(tokenizer=self.tokenizer, counts=self.counts)

    def sources(self, given: list[str] | None = None) -> list[VectorSource]:
        """Make the sources of the options' vectors, or of `given`."""
        cache = None if self.no_cache else cache_folder()
        return parse_sources(given or self.vectors, limit=self.limit, cache=cache)

    def datasets(self, data: Path) -> list[ScoredPairSet]:
        """Load the data, and warn where white space does not separate their words."""
        if data.is_file():
            columns = EvaluationSetOptions(self.left, self.right, score=self.score)
            found = [ScoredPairSet.read(data, columns)]
        else:
            found = load_tasks(data, self.task)
        glued = [dataset.name for dataset in found if not dataset.looks_tokenised]
        if self.tokenizer == "whitespace" and glued:
            info(
                f"warning: {', '.join(glued[:3])}{' …' if glued[3:] else ''} look untokenised, and"
                " white space alone splits words; use tokenised data, --tokenizer moses or words"
            )
        return found


def _evaluate(
    systems: Iterable[tuple[VectorSource, System]], datasets: list[ScoredPairSet]
) -> list[Evaluation]:
    """Score the data by systems on vectors."""
    with progress("evaluating") as done:
        return evaluate([SystemScorer(*item) for item in systems], datasets, progress=done)


options.GROUPS[Inputs] = {
    "vectors": member(list[str], "A name, a file, or LABEL=FILE; repeat for more."),
    "task": member(list[str], "STS12 … STS16, STSB, SICK-R, or STS12/MSRpar; repeat for more."),
    "counts": options.MODEL_OPTIONS["counts"],
    "tokenizer": member(str, "whitespace (tokenised data), words or moses.", "-t"),
    "limit": options.MODEL_OPTIONS["limit"],
    "left": member(str, "In a table: column of one text."),
    "right": member(str, "In a table: column of the other text."),
    "score": member(str, "In a table: column of the gold score."),
    "no_cache": member(bool, "Compute everything again."),
}


def _finish(found: list[Evaluation]) -> None:
    """Print what is missing from the results; exit with an error if a subtask failed."""
    for evaluation in found:
        for note in evaluation.notes:
            info(f"note: {evaluation.vectors}, {evaluation.system.name}, {note}")
    if any(evaluation.failed for evaluation in found):
        raise typer.Exit(FAILED)


@app.command()
@with_options()
def run(
    data: Path = DATA,
    measure: list[str] = option(
        [DEFAULT_MEASURE], "A name, or path.py:function; repeat for more.", "-m"
    ),
    weights: list[str] = option(["none"], "none, sif, usif, whitened; repeat.", "-w"),
    normalise: str = option("no", "Unit-length word vectors: no, yes or both."),
    average: str = option(
        "mean", "Of the table's columns: mean (the paper's), weighted_mean or all."
    ),
    spearman: bool = option(False, "Show Spearman in the table, not Pearson."),
    json: bool = options.JSON,
    csv: bool = option(False, "Print CSV."),
    *,
    inputs: Inputs,
) -> None:
    """Correlate all combinations of vectors, measures, weights and options with gold scores."""
    check_choice(average, results.TITLES, "average")
    if normalise not in NORMALISE:
        raise InputError(f"normalise must be one of {', '.join(NORMALISE)}; got {normalise!r}")
    systems, left_out = all_systems(
        measure, weights=weights, normalise=NORMALISE[normalise], options=inputs.system
    )
    for system in left_out:
        info(f"not run: {system.name} ({system.measure} has word weights of its own)")
    datasets, sources = inputs.datasets(data), inputs.sources()
    found = _evaluate(product(sources, systems), datasets)
    if json:
        print_json(results.run_to_dict(found))
    elif csv:
        write_csv(sys.stdout, results.CSV_COLUMNS, results.csv_rows(found))
    else:
        print_table(results.run_table(found, average, spearman=spearman))
        skipped = sum(dataset.skipped for dataset in datasets)
        info(
            f"{counted(len(datasets), 'subtask')}, {counted(sum(map(len, datasets)), 'pair')};"
            f" {counted(skipped, 'pair')} without a score skipped."
            " --json and --csv hold every statistic"
        )
    _finish(found)


@app.command()
@with_options()
def compare(
    data: Path = DATA,
    system: str = option("dynamax-jaccard", SYSTEM, "-s"),
    baseline: str = option("avg-cosine", SYSTEM, "-b"),
    baseline_vectors: str | None = option(
        None, "Vectors of the baseline; those of the system unless given."
    ),
    resamples: int = BOOTSTRAP,
    seed: int = SEED,
    holm: bool = option(False, "Decide after Holm's correction for all rows."),
    json: bool = options.JSON,
    *,
    inputs: Inputs,
) -> None:
    """Compare a system with a baseline, per subtask, with paired BCa bootstrap intervals."""
    pair = [parse_system(text, options=inputs.system) for text in (system, baseline)]
    datasets, sources = inputs.datasets(data), inputs.sources()
    others = sources
    if baseline_vectors is not None:
        others = inputs.sources([baseline_vectors]) * len(sources)
    both = zip(sources, others, strict=True)
    systems = [item for two in both for item in zip(two, pair, strict=True)]
    found = _evaluate(systems, datasets)
    with progress("resampling") as done:
        bootstraps = bootstrap_all(found, resamples=resamples, seed=seed, progress=done)
    comparisons = compare_all(bootstraps, list(zip(found[::2], found[1::2], strict=True)))
    if json:
        plain = [results.comparison_to_dict(item) for item in comparisons]
        print_json(results_dict(resamples=resamples, seed=seed, comparisons=plain))
    else:
        for item in comparisons:
            print_table(results.comparison_table(item, holm=holm))
            output.print(results.counts_line(item, holm=holm))
    _finish(found)


@app.command()
@with_options()
def reproduce(
    data: Path = DATA,
    out: Path = option(..., "Folder of the report.", "-o"),
    resamples: int = BOOTSTRAP,
    seed: int = SEED,
    overwrite: bool = options.OVERWRITE,
    json: bool = options.JSON,
    *,
    inputs: Inputs,
) -> None:
    """Reproduce all tables and figures of the paper, and judge each of its claims."""
    from fuzzbow.research.sts import reproduce as reproduce_paper
    from fuzzbow.research.sts.report import check_report, render_report, to_dict, write_report

    sources = inputs.sources()
    files = {f"--vectors {source.label}": source.origin for source in sources}
    table = data if data.is_file() else None
    given = {"--data": table, "--counts": inputs.counts} | files
    check_report(out, given, overwrite=overwrite)
    result = reproduce_paper(
        sources,
        inputs.datasets(data),
        options=inputs.system,
        resamples=resamples,
        seed=seed,
        stage=progress,
    )
    written = write_report(out, render_report(result))
    if json:
        print_json(to_dict(result))
    for label, found in result.verdicts.items():
        verdicts = ", ".join(f"{number} {name}" for name, number in found.items() if number)
        info(f"{label}: of the paper's claims {verdicts}")
    info(f"report: {', '.join(str(path) for path in written)}")
    _finish(list(result.found.values()))


@app.command()
@with_options()
def download(
    to: Path = option(..., "Folder for raw/ and tokenized/."),
    base_url: str | None = option(None, "URL of a mirror of the archives, with equal paths."),
    json: bool = options.JSON,
) -> None:
    """Fetch the official STS 2012–2016 archives, verify them and tokenise them.

    The licences of the data are in their folder after the download.
    """
    from fuzzbow.research.sts.downloads import BASE_URL  # urllib takes a while to import
    from fuzzbow.research.sts.downloads import download as fetch_archives

    with progress("downloading") as done:
        found = fetch_archives(to, base_url=base_url or BASE_URL, progress=done)
    if json:
        print_json(found)
    for item in found:
        how = "was there" if item["reused"] else "fetched"
        info(f"{item['year']}: {counted(item['files'], 'file')} verified ({how})")
    info(f"use --data {to / 'tokenized'}")

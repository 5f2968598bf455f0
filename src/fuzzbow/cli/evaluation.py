"""`fuzzbow eval`: measures on your own data, beside BM25 and TF-IDF."""

from __future__ import annotations

import json as json_format
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from fuzzbow.atomic import replacing
from fuzzbow.cli import options
from fuzzbow.cli.console import print_json, print_table, progress, reported_errors, say
from fuzzbow.cli.model_options import DEFAULT_PURPOSES, Specs, with_model_options
from fuzzbow.errors import InputError
from fuzzbow.evaluation import BASELINES, EvaluationResult, evaluate, read_set
from fuzzbow.evaluation.results import FEW
from fuzzbow.evaluation.sets import DEFAULTS, KINDS, layouts
from fuzzbow.evaluation.tables import set_table
from fuzzbow.model import Model, ModelSpec
from fuzzbow.paths import check_paths
from fuzzbow.plurals import listed
from fuzzbow.sts.correlation import RESAMPLES

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
NONE = "none"
RECALLS = list(DEFAULTS.recall_at)


@app.command("eval")
@with_model_options()
def run(
    sets: Annotated[
        list[Path],
        typer.Argument(
            metavar="SET...",
            help=f"Evaluation set: {layouts()}.",
            show_default=False,
        ),
    ],
    baseline: Annotated[
        list[str] | None,
        typer.Option(
            "--baseline",
            "-b",
            help=f"{', '.join(BASELINES)}, a measure, or none; repeat for more."
            " By default bm25, and for pairs tfidf and char-tfidf.",
            show_default=False,
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option("--kind", help=f"{listed(list(KINDS), 'or')}; by default that of the files."),
    ] = None,
    left: Annotated[
        str, typer.Option("--left", "-l", help="Of pairs: column of one text.")
    ] = DEFAULTS.left,
    right: Annotated[
        str, typer.Option("--right", "-r", help="Of pairs: column of the other text.")
    ] = DEFAULTS.right,
    label: Annotated[
        str, typer.Option("--label", help="Of pairs: column with 1 for a match, else 0.")
    ] = DEFAULTS.label,
    split: Annotated[
        str, typer.Option("--split", help="Of a BEIR folder: which file of qrels/.")
    ] = DEFAULTS.split,
    recall_at: Annotated[
        list[int], typer.Option("--recall-at", min=1, help="Ranks of recall; repeat for more.")
    ] = RECALLS,
    out: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write everything to a JSON file.")
    ] = None,
    resamples: Annotated[int, typer.Option("--resamples", help="Bootstrap resamples.")] = RESAMPLES,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Seed of resamples and of the order of ties.")
    ] = 0,
    overwrite: options.Overwrite = False,
    threads: options.Threads = None,
    json: options.Json = False,
    *,
    specs: Specs,
) -> None:
    """Measure how well measures do on your own data, beside BM25 and TF-IDF.

    Retrieval: nDCG@10, MAP, MRR, recall. Candidates of each query: MAP, MRR. Labelled pairs:
    average precision (AP) and the best F1. Differences from the baselines have 95 % intervals
    by paired bootstrap. Equal scores are put in the order of a hash of the id, never of the file.
    Unless --for or --measure are given, every purpose that fits the data is tried.
    """
    with reported_errors():
        files: dict[str, Path | str | None] = {
            f"SET {number}": path for number, path in enumerate(sets, 1)
        }
        check_paths(
            inputs=files | options.model_files(specs(DEFAULT_PURPOSES)[0]),
            outputs={"--output": out},
            overwrite=overwrite,
        )
        data = [
            read_set(
                path,
                kind=kind,
                left=left,
                right=right,
                label=label,
                split=split,
                recall_at=recall_at,
            )
            for path in sets
        ]
        chosen = specs(list(dict.fromkeys(purpose for item in data for purpose in item.purposes)))
        first = options.load_model(chosen[0])
        models = [first, *(_like(first, spec) for spec in chosen[1:])]
        with progress("evaluating") as done:
            found = evaluate(
                data,
                models,
                baselines=_baselines(baseline),
                resamples=resamples,
                seed=seed,
                threads=threads,
                progress=done,
            )
        if out is not None:
            _write(out, found)
        _show(found, json)


def _baselines(given: list[str] | None) -> list[str] | None:
    """The baselines that were asked for; None are the usual ones."""
    if not given:
        return None
    if NONE in given and len(given) > 1:
        raise InputError(f"baseline must be {NONE} alone, or others; got {', '.join(given)}")
    return [] if given == [NONE] else given


def _write(out: Path, found: EvaluationResult) -> None:
    text = json_format.dumps(found.to_dict(), indent=1, ensure_ascii=True, allow_nan=False)
    with replacing(out) as beside:
        beside.write_text(text + "\n", encoding="utf-8")


def _show(found: EvaluationResult, json: bool) -> None:
    """Results as JSON, or as tables for a person, with notes on stderr."""
    if json:
        print_json(found.to_dict())
    notes: dict[str, list[str]] = {}
    for item in found.sets:
        if not json:
            print_table(set_table(item))
        for system in item.systems:
            for note in system.notes:
                notes.setdefault(f"{system.system}: {note}", []).append(item.name)
    small = [item.name for item in found.sets if item.is_small and item.baselines]
    if small:
        notes[f"fewer than {FEW} queries or matches; intervals are narrower than is true"] = small
    for note, names in notes.items():
        say(f"note: {note} ({', '.join(names)})")


def _like(first: Model, spec: ModelSpec) -> Model:
    """The model of a spec; one that differs in its measure alone shares the vectors."""
    if replace(spec, measure=first.spec.measure) == first.spec:
        return first.with_measure(str(spec.measure))
    return options.load_model(spec)

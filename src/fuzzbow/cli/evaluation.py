"""`fuzzbow eval`: measures on your own data, compared with BM25 and TF-IDF."""

from __future__ import annotations

from dataclasses import replace
from json import dumps
from pathlib import Path

import typer

from fuzzbow.cli import options
from fuzzbow.cli.console import info, print_json, print_table, progress
from fuzzbow.cli.options import DEFAULT_PURPOSES, Specs, argument, member, option, with_options
from fuzzbow.errors import InputError
from fuzzbow.io.outputs import check_paths
from fuzzbow.model import Model, ModelSpec
from fuzzbow.plurals import listed
from fuzzbow.research.bootstrap import RESAMPLES
from fuzzbow.research.evaluation import BASELINES, EvaluationResult, evaluate, read_set
from fuzzbow.research.evaluation.results import FEW, set_table
from fuzzbow.research.evaluation.sets import KINDS, EvaluationSetOptions, layouts
from fuzzbow.research.loading import write_file

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
NONE = "none"


options.GROUPS[EvaluationSetOptions] = {
    "left": member(str, "Of pairs: column of one text.", "-l"),
    "right": member(str, "Of pairs: column of the other text.", "-r"),
    "label": member(str, "Of pairs: column with 1 for a match, else 0."),
    "score": member(str, "Of pairs: column with a gold score."),
    "split": member(str, "Of a BEIR folder: name of a file of qrels/."),
    "recall_at": member(list[int], "Ranks of recall; repeat for more.", min=1),
}


SETS = argument(f"Evaluation set: {layouts()}.", metavar="SET...")
BASELINE = option(
    None,
    f"{', '.join(BASELINES)}, a measure, or none; repeat for more. By default bm25, and for pairs"
    " tfidf and char-tfidf.",
    "-b",
    show_default=False,
)
KIND = option(None, f"{listed(list(KINDS), 'or')}; by default that of the files.")


@app.command("eval")
@with_options()
def run(
    sets: list[Path] = SETS,
    baseline: list[str] | None = BASELINE,
    kind: str | None = KIND,
    out: Path | None = option(None, "Write everything to a JSON file.", "--output", "-o"),
    resamples: int = option(RESAMPLES, "Bootstrap resamples."),
    seed: int = option(0, "Seed of resamples and of the order of ties.", min=0),
    overwrite: bool = options.OVERWRITE,
    threads: int | None = options.THREADS,
    json: bool = options.JSON,
    *,
    reading: EvaluationSetOptions,
    specs: Specs,
) -> None:
    """Evaluate measures on your own data, compared with BM25 and TF-IDF.

    Retrieval: nDCG@10, MAP, MRR, recall. Candidates of each query: MAP, MRR. Labelled pairs:
    average precision (AP) and the best F1. Differences from the baselines have 95 % intervals
    by paired bootstrap. Equal scores are ordered by a hash of the id, never by the file.
    Unless --for or --measure are given, every purpose that fits the data is tried.
    """
    files: dict[str, Path | str | None] = {
        f"SET {number}": path for number, path in enumerate(sets, 1)
    }
    check_paths(
        inputs=files | options.model_files(specs(DEFAULT_PURPOSES)[0]),
        outputs={"--output": out},
        overwrite=overwrite,
    )
    data = [read_set(path, kind=kind, **vars(reading)) for path in sets]
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
        write_file(out, dumps(found.to_dict(), indent=1, allow_nan=False) + "\n")
    _show(found, json)


def _baselines(given: list[str] | None) -> list[str] | None:
    """Return the chosen baselines; None means the defaults."""
    if not given:
        return None
    if NONE in given and len(given) > 1:
        raise InputError(f"baseline must be {NONE} alone, or others; got {', '.join(given)}")
    return [] if given == [NONE] else given


def _show(found: EvaluationResult, json: bool) -> None:
    """Print results as JSON, or as tables with notes on stderr."""
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
        notes[f"fewer than {FEW} queries or matches; intervals are too narrow"] = small
    for note, names in notes.items():
        info(f"note: {note} ({', '.join(names)})")


def _like(first: Model, spec: ModelSpec) -> Model:
    """Load the model of a spec; it shares the vectors of `first` if only the measure differs."""
    if replace(spec, measure=first.spec.measure) == first.spec:
        return first.with_measure(str(spec.measure))
    return options.load_model(spec)

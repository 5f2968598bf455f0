"""Which measure for what: every row of the guide on the development sets, beside baselines.

    FUZZBOW_RETRIEVAL=... FUZZBOW_MATCHING=... python -m benchmarks.quality.choose

or with the folders as --retrieval and --matching. All sets in them are found: folders in BEIR
layout, JSON lines with candidates, tables of labelled pairs. Writes benchmarks/results/choose.json,
from which choose_page.py makes the tables in docs and in benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.runner import write_results
from fuzzbow import ModelSpec, __version__
from fuzzbow.errors import InputError
from fuzzbow.model.purposes import PURPOSES
from fuzzbow.research.evaluation import EvaluationSet, evaluate, read_set
from fuzzbow.research.evaluation.sets import kind_of

NAME = "choose"
RESAMPLES, SEED = 10_000, 0


@dataclass(frozen=True)
class Row:
    """A row of the guide: a purpose, and the fields of the ModelSpec that it stands for."""

    name: str
    purpose: str
    spec: dict[str, Any] = field(default_factory=dict)


WITHOUT_SETS = frozenset({"names"})  # purposes of which there is no public set
ROWS = tuple(
    Row(name, purpose.meaning, dict(purpose.fields))
    for name, purpose in PURPOSES.items()
    if name not in WITHOUT_SETS
)
BASELINES = {
    "retrieval": ("bm25", "bm25-best"),
    "candidates": ("bm25", "bm25-best"),
    "pairs": ("tfidf", "char-tfidf"),
}


def main() -> None:
    """Measure all rows on all sets, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("retrieval", "matching"):
        variable = f"FUZZBOW_{name.upper()}"
        parser.add_argument(f"--{name}", type=Path, default=os.environ.get(variable))
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    folders = [Path(folder) for folder in (options.retrieval, options.matching) if folder]
    if not folders:
        parser.error("--retrieval and --matching, or their variables, must name folders of sets")
    results = measure([item for folder in folders for item in sets_in(folder)])
    write_results(NAME, results, options.output)


def sets_in(folder: Path) -> Iterator[EvaluationSet]:
    """The sets of a folder by their names; what is none is passed over and named."""
    for path in sorted(folder.iterdir()):
        try:
            kind = kind_of(path)
        except InputError as error:
            print(f"not a set: {error}", file=sys.stderr)
        else:
            yield read_set(path, kind=kind)


def measure(sets: list[EvaluationSet], rows: tuple[Row, ...] = ROWS) -> dict[str, Any]:
    """All rows on all sets, as JSON can hold it."""
    models = {row.name: ModelSpec(**row.spec).load() for row in rows}
    found = []
    for item in sets:
        result = evaluate(
            item, models, baselines=BASELINES[item.kind], resamples=RESAMPLES, seed=SEED
        )
        found += rounded(result.to_dict()["sets"])
        print(f"{item.name}: done", file=sys.stderr, flush=True)
    return {
        "fuzzbow": __version__,
        "python": platform.python_version(),
        "resamples": RESAMPLES,
        "seed": SEED,
        "rows": [asdict(row) for row in rows],
        "sets": found,
    }


def rounded(value: Any) -> Any:
    """The same with numbers to four decimals."""
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return round(value, 4) if isinstance(value, float) else value


if __name__ == "__main__":
    main()

"""Sets that systems are evaluated on. A new kind is registered in KINDS, and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from fuzzbow.errors import InputError, nearest
from fuzzbow.evaluation.sets.base import EvaluationSet, Measured, SetKind, SetOptions
from fuzzbow.evaluation.sets.candidates import CANDIDATES, CandidateSet, Question
from fuzzbow.evaluation.sets.pairs import PAIRS, PairSet
from fuzzbow.evaluation.sets.retrieval import RETRIEVAL, RetrievalSet
from fuzzbow.plurals import listed
from fuzzbow.tasks import BATCH_ROWS, read_table

__all__ = [
    "KINDS",
    "CandidateSet",
    "EvaluationSet",
    "Measured",
    "PairSet",
    "Question",
    "RetrievalSet",
    "SetKind",
    "SetOptions",
    "kind_of",
    "layouts",
    "read_set",
]

# a path is of the first kind that recognises it
KINDS: dict[str, SetKind] = {kind.name: kind for kind in (RETRIEVAL, CANDIDATES, PAIRS)}
DEFAULTS = SetOptions()


def read_set(
    path: str | os.PathLike[str],
    *,
    kind: str | None = None,
    left: str = DEFAULTS.left,
    right: str = DEFAULTS.right,
    label: str = DEFAULTS.label,
    split: str = DEFAULTS.split,
    recall_at: Sequence[int] = DEFAULTS.recall_at,
) -> EvaluationSet:
    """Read the set at a path, of the kind that its files have unless `kind` is given.

    `left`, `right` and `label` are the columns of pairs, `split` names the file of qrels/ and
    `recall_at` the ranks of recall of a retrieval set.
    """
    options = SetOptions(left, right, label, split, tuple(recall_at))
    name = kind_of(Path(path), options) if kind is None else kind
    if name not in KINDS:
        raise InputError(
            f"kind must be one of {', '.join(KINDS)}; got {name!r}{nearest(str(name), KINDS)}"
        )
    return KINDS[name].read(Path(path), options)


def kind_of(path: Path, options: SetOptions = DEFAULTS) -> str:
    """Return the name of the kind of set at a path, by its files."""
    if not path.exists():
        raise InputError(f"'{path}' must be {layouts()}; got nothing there")
    for kind in KINDS.values():
        if kind.recognises(path, options):
            return kind.name
    if path.is_dir():
        raise InputError(f"'{path}' must be {layouts()}; got a folder without corpus.jsonl")
    columns = read_table(path, batch_rows=BATCH_ROWS).columns
    raise InputError(
        f"'{path}' must be {layouts()} ({options.label!r}, or --label); its columns are"
        f" {', '.join(columns)}"
    )


def layouts() -> str:
    """Return how the files of each kind are laid out, for messages and help."""
    return listed([kind.layout for kind in KINDS.values()], "or")

"""Sets that systems are evaluated on. A new kind is registered in KINDS, and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from fuzzbow.errors import InputError, nearest
from fuzzbow.io.tables import read_table
from fuzzbow.plurals import listed
from fuzzbow.research.evaluation.sets.base import EvaluationSet, EvaluationSetOptions
from fuzzbow.research.evaluation.sets.candidates import CandidateSet
from fuzzbow.research.evaluation.sets.pairs import PairSet
from fuzzbow.research.evaluation.sets.retrieval import RetrievalSet
from fuzzbow.research.evaluation.sets.scored import ScoredPairSet

__all__ = [
    "KINDS",
    "EvaluationSet",
    "EvaluationSetOptions",
    "ScoredPairSet",
    "kind_of",
    "layouts",
    "read_set",
]

# a path is of the first kind that recognises it
KINDS: dict[str, type[EvaluationSet]] = {
    known.kind: known for known in (RetrievalSet, CandidateSet, PairSet, ScoredPairSet)
}
DEFAULTS = EvaluationSetOptions()


def read_set(
    path: str | os.PathLike[str],
    *,
    kind: str | None = None,
    left: str = DEFAULTS.left,
    right: str = DEFAULTS.right,
    label: str = DEFAULTS.label,
    score: str = DEFAULTS.score,
    split: str = DEFAULTS.split,
    recall_at: Sequence[int] = DEFAULTS.recall_at,
) -> EvaluationSet:
    """Read the evaluation set at a path.

    Parameters
    ----------
    path : path
        A folder in the layout of BEIR, JSON lines with candidates, or a table of pairs with labels
        or scores.
    kind : {"retrieval", "candidates", "pairs", "scores"}, optional
        Kind of the set; by its files unless given.
    left, right, label, score : str
        Columns of pairs.
    split : str
        Name of the file of qrels/ of a retrieval set.
    recall_at : sequence of int
        Ranks of recall of a retrieval set.

    Returns
    -------
    EvaluationSet

    Raises
    ------
    InputError
        If the path is no set, or a line of it is malformed.
    """
    options = EvaluationSetOptions(left, right, label, score, split, tuple(recall_at))
    name = kind_of(Path(path), options) if kind is None else kind
    if name not in KINDS:
        raise InputError(
            f"kind must be one of {', '.join(KINDS)}; got {name!r}{nearest(str(name), KINDS)}"
        )
    return KINDS[name].read(Path(path), options)


def kind_of(path: Path, options: EvaluationSetOptions = DEFAULTS) -> str:
    """Return the name of the kind of set at a path, by its files."""
    if not path.exists():
        raise InputError(f"'{path}' must be {layouts()}; it does not exist")
    for name, kind in KINDS.items():
        if kind.recognises(path, options):
            return name
    if path.is_dir():
        raise InputError(f"'{path}' must be {layouts()}; got a folder without corpus.jsonl")
    raise InputError(
        f"'{path}' must be {layouts()} ({options.label!r}, or --label); its columns are"
        f" {', '.join(read_table(path).columns)}"
    )


def layouts() -> str:
    """Return how the files of each kind are laid out, for messages and help."""
    return listed([kind.layout for kind in KINDS.values()], "or")

"""Sets that systems are evaluated on, and what a path holds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from fuzzbow.errors import InputError, parse_choice
from fuzzbow.evaluation.sets.base import EvaluationSet, Measured, SetKind
from fuzzbow.evaluation.sets.candidates import FIELD, CandidateSet, Question, read_candidates
from fuzzbow.evaluation.sets.pairs import LABEL, LEFT, RIGHT, PairSet, read_pairs
from fuzzbow.evaluation.sets.retrieval import (
    RECALL_AT,
    SPLIT,
    RetrievalSet,
    is_retrieval_folder,
    read_retrieval,
)
from fuzzbow.tasks import BATCH_ROWS, JSONL, format_of, read_table

__all__ = [
    "CandidateSet",
    "EvaluationSet",
    "Measured",
    "PairSet",
    "Question",
    "RetrievalSet",
    "SetKind",
    "kind_of",
    "read_set",
]

NEEDED = (
    "a folder with corpus.jsonl, JSON lines with candidates, or a table with a column of labels"
)


def read_set(
    path: str | os.PathLike[str],
    *,
    kind: SetKind | str | None = None,
    left: str = LEFT,
    right: str = RIGHT,
    label: str = LABEL,
    split: str = SPLIT,
    recall_at: Sequence[int] = RECALL_AT,
) -> EvaluationSet:
    """The set at a path, of the kind that it is seen to be unless `kind` says.

    `left`, `right` and `label` are the columns of pairs, `split` names the file of qrels/ and
    `recall_at` the ranks of recall of a retrieval set.
    """
    place = Path(path)
    chosen = kind_of(place, label=label) if kind is None else parse_choice(SetKind, kind, "kind")
    if chosen is SetKind.RETRIEVAL:
        return read_retrieval(place, split=split, recall_at=recall_at)
    if chosen is SetKind.CANDIDATES:
        return read_candidates(place)
    return read_pairs(place, left=left, right=right, label=label)


def kind_of(path: Path, *, label: str = LABEL) -> SetKind:
    """The kind of the set at a path, by what is there."""
    if path.is_dir():
        if is_retrieval_folder(path):
            return SetKind.RETRIEVAL
        raise InputError(f"'{path}' must be {NEEDED}; got a folder without corpus.jsonl")
    if not path.exists():
        raise InputError(f"'{path}' must be {NEEDED}; got nothing there")
    columns = read_table(path, batch_rows=BATCH_ROWS).columns
    if FIELD in columns and format_of(path) is JSONL:
        return SetKind.CANDIDATES
    if label in columns:
        return SetKind.PAIRS
    raise InputError(
        f"'{path}' must be {NEEDED} ({label!r}, or --label); its columns are {', '.join(columns)}"
    )

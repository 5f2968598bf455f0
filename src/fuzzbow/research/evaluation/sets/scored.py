"""Pairs of texts with scores by people, as in semantic textual similarity (STS)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, read_only
from fuzzbow.errors import InputError
from fuzzbow.io.tables import read_table
from fuzzbow.research.bootstrap import Bootstrap, bootstrap_correlations, pearson, spearman
from fuzzbow.research.evaluation.results import SystemResult
from fuzzbow.research.evaluation.sets.base import EvaluationSet, EvaluationSetOptions
from fuzzbow.research.evaluation.systems import Scoring
from fuzzbow.research.loading import labelled_pairs, set_name

GLUED = re.compile(r"\w[.,;:!?]$")  # a sentence whose last mark is attached to its word
Row = tuple[str, str, Any, str]  # left, right, gold as written, location


@dataclass(frozen=True)
class ScoredPairSet(EvaluationSet):
    """Pairs with gold scores; `gold` is read-only, (n,).

    The name of a subtask of STS is `TASK/SUBTASK`, for instance `STS12/MSRpar`; others are a task
    with one part.
    """

    name: str
    lefts: Sequence[str] = field(repr=False)
    rights: Sequence[str] = field(repr=False)
    gold: Floats = field(repr=False)
    skipped: int = 0  # pairs without a score
    kind = "scores"
    layout = "a table with a column of scores"
    baselines = ("tfidf", "char-tfidf")
    purposes = ("sentences",)
    metrics = ("Pearson", "Spearman")

    @classmethod
    def recognises(cls, path: Path, options: EvaluationSetOptions) -> bool:
        """Return whether a path is a table with the column of scores."""
        return path.is_file() and options.score in read_table(path).columns

    @classmethod
    def read(cls, path: Path, options: EvaluationSetOptions) -> ScoredPairSet:
        """Read three columns of a table."""
        rows = labelled_pairs(path, options.left, options.right, options.score)
        return cls.of(set_name(path), rows, path)

    @classmethod
    def of(cls, name: str, rows: Iterable[Row], path: Path) -> ScoredPairSet:
        """Make a set of rows; a row without a score is skipped."""
        kept, skipped = [], 0
        for left, right, written, location in rows:
            gold = "" if written is None else str(written)
            if not gold.strip():
                skipped += 1
                continue
            try:
                value = float(gold)
            except ValueError as error:
                message = f"{location}: a gold score must be a number; got {gold[:40]!r}"
                raise InputError(message) from error
            if not np.isfinite(value):
                raise InputError(f"{location}: a gold score must be finite; got {gold[:40]!r}")
            kept.append((left, right, value))
        if len(kept) < 2:
            raise InputError(f"{path}: must have at least two pairs with a score; got {len(kept)}")
        lefts, rights, scores = zip(*kept, strict=True)
        return cls(name, list(lefts), list(rights), read_only(np.array(scores)), skipped)

    def __len__(self) -> int:
        return len(self.lefts)

    @property
    def task(self) -> str:
        """Task of a subtask of STS."""
        return self.name.partition("/")[0]

    @property
    def subtask(self) -> str:
        """Name of a subtask without its task; empty for a task with one part."""
        return self.name.partition("/")[2]

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of pairs, and of pairs without a score."""
        return {"pairs": len(self), "pairs_skipped": self.skipped}

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of all texts and scores."""
        digest = hashlib.sha256()
        for left, right in zip(self.lefts, self.rights, strict=True):
            digest.update(f"{left}\t{right}\n".encode("utf-8", "surrogatepass"))
        digest.update(np.ascontiguousarray(self.gold, dtype="<f8").tobytes())
        return digest.hexdigest()

    @property
    def looks_tokenised(self) -> bool:
        """Return whether the texts are tokenised: final punctuation is separated by spaces."""
        ends = [text for text in self.lefts if text and not text[-1].isalnum()]
        glued = sum(bool(GLUED.search(text)) for text in ends)
        return not ends or glued < len(ends) / 2

    def measure(self, system: Scoring, *, seed: int = 0) -> SystemResult:
        """Correlate scores with the gold scores; both correlations or none are defined."""
        scores = system.over([*self.lefts, *self.rights]).pairs(self.lefts, self.rights)
        notes = (system.note,) if system.note else ()
        found: list[float | None] = [pearson(scores, self.gold), spearman(scores, self.gold)]
        if None in found:
            side = "gold scores" if np.ptp(self.gold) == 0.0 else "scores of the system"
            notes = (*notes, f"correlation undefined: all {side} are the same")
            found = [None, None]
        values = dict(zip(self.metrics, found, strict=True))
        return SystemResult(system.name, values, notes, sample=scores)

    def bootstrap(
        self, samples: Sequence[Any], *, resamples: int, seed: int
    ) -> dict[str, Bootstrap]:
        """Resample pairs, for Pearson correlation; without scores (None) it is undefined."""
        missing = np.zeros(len(self))  # constant, so its correlation is undefined
        scores = np.column_stack([missing if column is None else column for column in samples])
        # the data seed the draw too, so a subtask's interval does not depend on its neighbours
        seeds = [seed, int(self.fingerprint[:8], 16)]
        return {
            "Pearson": bootstrap_correlations(self.gold, scores, resamples=resamples, seed=seeds)
        }

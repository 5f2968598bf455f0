"""Scores of systems on datasets, from the cache where they are known."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow import __version__
from fuzzbow.arrays import Floats
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.model import Model, ModelSpec
from fuzzbow.sts.cache import Cache, key_of
from fuzzbow.sts.datasets import Dataset
from fuzzbow.sts.sources import Source
from fuzzbow.sts.systems import System
from fuzzbow.sts.user_measures import Kind, UserMeasure, is_user_measure, load_user_measure
from fuzzbow.vectors.weights import Counts, read_counts

CACHE_FORMAT = 1


@dataclass(frozen=True)
class Scored:
    """Scores of one system on one dataset, (n,), or why there are none."""

    scores: Floats | None = field(repr=False)
    failure: str | None = None


@dataclass(frozen=True)
class Frequencies:
    """Source of word frequencies: None (the vectors' own), rank, wordfreq or a file."""

    given: str | None = None

    @cached_property
    def counts(self) -> Counts | None:
        """Return the `counts` for `fuzzbow.load`; a file is read once."""
        return read_counts(self.given) if self._is_file and self.given else self.given

    @cached_property
    def identity(self) -> str | None:
        """The name, or the hash of the file."""
        if not self._is_file or self.given is None:
            return self.given
        path = Path(self.given)
        if not path.is_file():
            raise InputError(f"counts must be a file, 'wordfreq' or 'rank'; got '{path}'")
        return hashlib.sha256(path.read_bytes()).hexdigest()

    @property
    def title(self) -> str:
        """For a reader: the file's name, or what stands in for one."""
        if self.given is None:
            return "the vectors' own counts, else rank"
        return Path(self.given).name if self._is_file else self.given

    @property
    def _is_file(self) -> bool:
        return self.given not in (None, "rank", "wordfreq")


@dataclass(frozen=True)
class Scorer:
    """A system on vectors; the model is made when a score is not in the cache."""

    source: Source
    system: System
    frequencies: Frequencies = Frequencies()
    cache: Cache | None = None

    def score(self, dataset: Dataset) -> Scored:
        """Scores of all pairs of a `dataset`; what the measure does wrong is told, not raised."""
        key = self._key(dataset) if self.cache is not None else ""
        known = self._kept(key, len(dataset))
        if known is not None:
            return Scored(known)
        run = self._run  # options or vectors that cannot be used are errors of the whole run
        try:
            scores = _checked(run(dataset.lefts, dataset.rights), len(dataset))
        except MissingExtraError:
            raise
        except Exception as error:
            return Scored(None, f"{type(error).__name__}: {error}")
        if self.cache is not None:
            facts = {"system": self.system.name, "vectors": self.source.label, "data": dataset.key}
            self.cache.write("scores", key, {**facts, "scores": scores.tolist()})
        return Scored(scores)

    def _kept(self, key: str, size: int) -> Floats | None:
        """Scores from the cache, if they are whole."""
        data = None if self.cache is None else self.cache.read("scores", key)
        if data is None:
            return None
        try:
            return _checked(data.get("scores"), size)
        except (InputError, TypeError, ValueError):
            return None

    @cached_property
    def _user(self) -> UserMeasure | None:
        measure = self.system.measure
        return load_user_measure(measure) if is_user_measure(measure) else None

    @cached_property
    def _run(self) -> Callable[[Sequence[str], Sequence[str]], Any]:
        """The function from two lists of texts to scores."""
        user = self._user
        if user is not None and user.kind is Kind.TEXTS:
            return lambda lefts, rights: user.function(list(lefts), list(rights))
        return self._model.pairs

    @property
    def _model(self) -> Model:
        system, user = self.system, self._user
        spec: ModelSpec = replace(
            system, source=self.source.vectors, counts=self.frequencies.counts
        )
        return (spec if user is None else replace(spec, measure=user.factory)).load()

    def _key(self, dataset: Dataset) -> str:
        """Return a key of all that decides the scores; a user's file counts by its content."""
        user = self._user
        return key_of(
            CACHE_FORMAT,
            __version__,
            dataset.fingerprint,
            None if user and user.kind is Kind.TEXTS else self.source.fingerprint,
            self.system.measure if user is None else [user.name, user.digest],
            self.system.weights.value,
            self.system.normalise,
            self.system.tokenizer,
            self.frequencies.identity,
        )


def _checked(found: Any, size: int) -> Floats:
    """Finite scores, one for each pair: (n,)."""
    scores = np.asarray(found, dtype=np.float64)
    if scores.shape != (size,):
        raise InputError(f"a measure must give one score per pair, ({size},); got {scores.shape}")
    bad = np.flatnonzero(~np.isfinite(scores))
    if len(bad):
        raise InputError(
            f"scores must be finite; pair {bad[0] + 1} has {scores[bad[0]]}"
            f" ({len(bad)} of {size} are not)"
        )
    return scores

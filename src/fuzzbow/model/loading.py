"""The front door: a model from vectors and a few choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from fuzzbow.engine import EngineName, choose_engine
from fuzzbow.errors import parse_choice
from fuzzbow.measures import DEFAULT_MEASURE, Measure, MeasureFactory, WordSpace, build_measure
from fuzzbow.model.model import Model
from fuzzbow.text import Tokenizer, parse_tokenizer
from fuzzbow.vectors import open_vectors
from fuzzbow.vectors.frequencies import Counts
from fuzzbow.vectors.weights import Weights


def load(
    source: Any = "default",
    *,
    measure: str | Measure | MeasureFactory = DEFAULT_MEASURE,
    weights: str | Weights | None = None,
    counts: Counts | None = None,
    tokenizer: str | Tokenizer | Callable[[str], Sequence[str]] = "words",
    normalise: bool = False,
    limit: int | None = None,
    skip_bad: bool = False,
    engine: str | EngineName = "auto",
) -> Model:
    """A model from word vectors: a name, a path, or an object that holds vectors.

    `measure` is a name (`fuzzbow.measures.MEASURES` lists them) or one made with
    `fuzzbow.measures.compose`. `weights` "sif" or "usif" scale the vectors by how rare
    a word is, which `counts` tells: a file of `word count` lines, a mapping, "wordfreq",
    or "rank", the order of the vocabulary. `normalise` makes vectors unit length.
    `limit` reads only the first words of a file; `skip_bad` passes over malformed lines.
    `engine` "reference" computes in float64, to the digit; the compiled one agrees to 1e-5.
    """
    kind = parse_choice(Weights, weights or "none", "weights")
    split = parse_tokenizer(tokenizer)
    vectors = open_vectors(source, limit=limit, skip_bad=skip_bad)
    space = WordSpace(vectors, kind, counts, normalise)
    return Model(split, space, build_measure(measure, space, choose_engine(engine)))


@lru_cache(maxsize=1)
def default_model() -> Model:
    """The embedded vectors with the recommended measure, opened once."""
    return load()


def similarity(a: str, b: str) -> float:
    """Similarity of two texts, from 0 to 1, by the embedded default; nothing is downloaded."""
    return default_model().similarity(a, b)

"""The front door: a model from vectors and a few choices, or an index with its model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from fuzzbow.engine import EngineName
from fuzzbow.errors import InputError, parse_choice
from fuzzbow.measures import Measure, MeasureFactory, TextMeasure, Unknown
from fuzzbow.model.model import Model
from fuzzbow.model.purposes import fields_for
from fuzzbow.model.spec import ModelSpec
from fuzzbow.text import Tokenizer
from fuzzbow.vectors.sources import FIRST_FINGERPRINT, first_default_is_gone
from fuzzbow.vectors.weights import Counts, Weights

if TYPE_CHECKING:
    from fuzzbow.tasks.index import Index, Place, PlaceLike


def load(
    source: Any = "default",
    *,
    purpose: str | None = None,
    measure: str | Measure | MeasureFactory | None = None,
    weights: str | Weights | None = None,
    counts: Counts | None = None,
    tokenizer: str | Tokenizer | Callable[[str], Sequence[str]] | None = None,
    normalise: bool = False,
    limit: int | None = None,
    skip_bad: bool = False,
    engine: str | EngineName = "auto",
    language: str = "en",
    unknown: str | Unknown = "drop",
    clean: str | None = None,
) -> Model:
    """A model from word vectors.

    `source` is a name, a path, or an object that holds vectors. `purpose` "sentences",
    "passages", "answers", "records" or "names" chooses what is best for those; whatever else is
    given wins. `measure` is a name (`fuzzbow.measures.MEASURES` lists them) or one made with
    `fuzzbow.measures.compose`; unless given, weighted-jaccard. `weights` "sif" or "usif" scale
    the vectors by how rare a word is, and "whitened" whitens them first, which makes the
    paper's measures better on most vectors; `counts` tells how rare: a file of `word count`
    lines, a mapping, "wordfreq", "rank", the order of the vocabulary, or "collection", which
    weighs words by the texts at hand besides. `normalise` makes vectors unit length.
    `tokenizer` is a name, one of `fuzzbow.text.TOKENIZERS`, or a function from text to words.
    `limit` reads only the first words of a file; `skip_bad` passes over malformed lines.
    `language`, a code such as "fr", is that of the texts: English clitics (it|'s, do|n't) are
    split in English only, and "wordfreq" are the frequencies of that language. The embedded
    vectors are English: under another language words are compared by their letters, unless
    vectors or a measure are given.
    `unknown` "letters" gives a word without a vector one of its letters in the paper's measures
    and baselines, which drop it otherwise; `weighted-…` compare such words by letters anyway.
    `clean` "web" removes HTML tags and entities, Markdown and URLs before texts are split.
    `engine` "reference" computes in float64, to the digit; the compiled one agrees to 1e-5.
    """
    choices = {"measure": measure, "counts": counts, "tokenizer": tokenizer}
    given = {name: value for name, value in choices.items() if value is not None}
    given |= {"source": source, "language": language}
    spec = ModelSpec(
        weights=parse_choice(Weights, weights or "none", "weights"),
        normalise=normalise,
        limit=limit,
        skip_bad=skip_bad,
        engine=parse_choice(EngineName, engine, "engine"),
        unknown=parse_choice(Unknown, unknown, "unknown"),
        clean=clean,
        **fields_for("sentences" if purpose is None else purpose, given),
    )
    return spec.load()


@lru_cache(maxsize=1)
def default_model() -> Model:
    """The embedded vectors with the recommended measure, opened once."""
    return load()


def similarity(a: str, b: str) -> float:
    """Similarity of `a` and `b`, from 0 to 1, by the embedded default; nothing is downloaded."""
    return default_model().similarity(a, b)


def open_index(
    path: PlaceLike,
    model: TextMeasure | None = None,
    *,
    version: int | None = None,
    read_only: bool = False,
    storage_options: Mapping[str, str] | None = None,
) -> Index:
    """Open an index from its folder; texts and metadata stay on disk until hits are read.

    `path` is the folder, or an address such as s3://bucket/name, which `storage_options` say how
    to reach, or else the environment. The `model` is loaded again where its vectors have a name,
    and must otherwise be given; one with other vectors, tokenizer, measure or weights is refused.
    `version` opens an older state, read-only; `read_only` refuses changes of the newest one,
    too. Every file is checked against what was written.
    """
    from fuzzbow.tasks.index import open_folder, place_of

    folder = place_of(path, storage_options)
    if model is None:
        spec = stored_spec(folder)
        if spec.source == "default" and _has_first_default(folder):
            raise InputError(
                f"{path}: the index was made with the embedded vectors of version 0.1; index the"
                f" texts again, or open it with model=fuzzbow.load(file): {first_default_is_gone()}"
            )
        model = spec.load()
    return open_folder(folder, model, version=version, read_only=read_only)


def _has_first_default(folder: Place) -> bool:
    from fuzzbow.tasks.index import read_card

    found = read_card(folder).get("fingerprint")
    return isinstance(found, dict) and found.get("vectors") == FIRST_FINGERPRINT


def stored_spec(folder: Place) -> ModelSpec:
    """The description of the model that an index was made with, where it has one."""
    from fuzzbow.tasks.index import read_card

    stored = read_card(folder)["model"]
    if stored is None:
        raise InputError(
            f"{folder}: the index was made with a model that has no name; open it with model=…"
        )
    return ModelSpec.from_dict(stored)

"""Loading of models, and of indexes with their models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from fuzzbow.engine import EngineName
from fuzzbow.errors import InputError
from fuzzbow.measures import Measure, MeasureFactory, TextMeasure, Unknown
from fuzzbow.model.model import Model
from fuzzbow.model.purposes import fields_for
from fuzzbow.model.spec import ModelSpec
from fuzzbow.text import Tokenizer
from fuzzbow.vectors import VectorSource
from fuzzbow.vectors.sources import FIRST_FINGERPRINT, first_default_error
from fuzzbow.vectors.weights import Counts, Weights

if TYPE_CHECKING:
    from fuzzbow.index import Index, Location, LocationLike


def load(
    source: VectorSource = "default",
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
    """Load a model of word vectors.

    Parameters
    ----------
    source
        Name of vectors (`fuzzbow.vectors.named_sources` lists them), path of a file, or object
        with vectors; the embedded English vectors unless given.
    purpose
        "sentences", "passages", "answers", "records" or "names": default of the measure and of the
        options that it needs. "sentences" unless given.
    measure
        Name, one of `fuzzbow.measures.MEASURES`, or a measure that `fuzzbow.measures.compose`
        makes; weighted-jaccard for sentences.
    weights
        "sif" or "usif" scale vectors by how rare a word is; "whitened" whitens them first, which
        makes the paper's measures better on most vectors.
    counts
        Source of the frequencies of words: a file of `word count` lines, a mapping, "wordfreq",
        "rank", the order of the vocabulary, or "collection", the texts that are compared.
    tokenizer
        Name, one of `fuzzbow.text.TOKENIZERS`, a `fuzzbow.text.Tokenizer`, or a function from a
        text to its words.
    normalise
        Whether to make vectors unit length.
    limit
        Number of words to read from a file, the first ones.
    skip_bad
        Whether to skip malformed lines of a file.
    engine
        "auto", "compiled", "reference", which computes in float64 and agrees with the compiled
        engine to 1e-5, or "cuda".
    language
        Code of the language of the texts, such as "fr": English clitics (it|'s, do|n't) are split
        in English only, and "wordfreq" are the frequencies of that language. Without vectors,
        texts in another language than English are compared by the letters of their words.
    unknown
        "drop", or "letters" to give words without a vector one of their letters in the paper's
        measures and baselines; `weighted-…` compare such words by letters in any case.
    clean
        "web" to remove HTML, Markdown and URLs from texts.

    Returns
    -------
    Model
        The model. Vectors are memory-mapped; nothing is downloaded.

    Raises
    ------
    InputError
        If a choice is not known, or a file is damaged.
    MissingExtraError
        If a package is needed that is not installed.

    Examples
    --------
    >>> model = load(measure="dynamax-jaccard", weights="sif")
    >>> model
    Model('dynamax-jaccard', vectors='default' (96000 × 128), tokenizer='words')
    >>> load(purpose="names").similarity("Dr. Seán O'Neill", "sean oneill")
    1.0
    """
    chosen = {
        "source": source,
        "measure": measure,
        "counts": counts,
        "tokenizer": tokenizer,
        "language": language,
    }
    given = {name: value for name, value in chosen.items() if value is not None}
    others: dict[str, Any] = {
        "weights": weights or Weights.NONE,
        "normalise": normalise,
        "limit": limit,
        "skip_bad": skip_bad,
        "engine": engine,
        "unknown": unknown,
        "clean": clean,
    }
    purpose = "sentences" if purpose is None else purpose
    return ModelSpec(**fields_for(purpose, given), **others).load()


@cache
def default_model(purpose: str | None = None) -> Model:
    """Load the embedded vectors with the recommended measure for a purpose, once."""
    return load(purpose=purpose)


def similarity(a: str, b: str) -> float:
    """Compare two texts by the embedded default model: a number from 0 to 1.

    Examples
    --------
    >>> round(similarity("He has a cat", "She had one dog"), 2)
    0.24
    """
    return default_model().similarity(a, b)


def open_index(
    path: LocationLike,
    model: TextMeasure | None = None,
    *,
    version: int | None = None,
    read_only: bool = False,
    storage_options: Mapping[str, str] | None = None,
    ray: str | None = None,
    replicas: int = 1,
) -> Index:
    """Open an index from its folder; texts and metadata of hits are read on demand.

    Every file is compared with its digest. The shards of an index are opened in this process, which
    searches them together, or in Ray actors. Ray restarts an actor that is lost and repeats its
    calls. Its machines open shards by their path, so they need the same disk or object store, and
    load the model by its name.

    Parameters
    ----------
    path : str or path
        Folder, or an address such as s3://bucket/name.
    model : Model, optional
        Model that the index was made with; loaded again by default, if its vectors have a name.
        One with other vectors, tokenizer, measure or weights is refused.
    version : int, optional
        Older version to open, read-only; the newest by default.
    read_only : bool, default False
        Refuse changes.
    storage_options : mapping, optional
        Access to an address; the environment by default.
    ray : str, optional
        Address of a Ray cluster whose actors open the shards, such as "10.0.0.1:6379"; "local"
        starts one on this machine.
    replicas : int, default 1
        Number of Ray actors for each shard, which share its searches.

    Returns
    -------
    Index
        The index; `close()` stops its Ray actors.

    Raises
    ------
    InputError
        If there is no index, a file is damaged, or the model is another one.
    """
    from fuzzbow.index import location_of, open_folder

    folder = location_of(path, storage_options)
    if model is None:
        model = stored_spec(folder).load()
    return open_folder(
        folder, model, version=version, read_only=read_only, ray=ray, replicas=replicas
    )


def stored_spec(folder: Location) -> ModelSpec:
    """Read the description of the model that an index was made with."""
    from fuzzbow.index import read_model

    fingerprint, stored = read_model(folder)
    if stored is None:
        raise InputError(
            f"{folder}: the index was made with a model that has no name; open it with model=…"
        )
    spec = ModelSpec.from_dict(stored)
    if spec.source == "default" and fingerprint.get("vectors") == FIRST_FINGERPRINT:
        raise InputError(
            f"{folder}: the index was made with the embedded vectors of version 0.1; index the"
            f" texts again, or open it with model=fuzzbow.load(file): {first_default_error()}"
        )
    return spec

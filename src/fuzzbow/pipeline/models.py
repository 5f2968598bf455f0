"""References to models in tasks: a description, and statistics of a collection in shards."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from operator import add
from pathlib import Path
from typing import cast
from weakref import WeakValueDictionary

import numpy as np

from fuzzbow.errors import InputError
from fuzzbow.io.atomic import replacing
from fuzzbow.io.file_digest import DigestedFile
from fuzzbow.measures.frequencies import DocumentFrequencies
from fuzzbow.model import Model, ModelSpec
from fuzzbow.pipeline.executor import Executor
from fuzzbow.pipeline.run import Run
from fuzzbow.pipeline.shards import Shard

CACHED_MODELS = 4  # of a process that runs tasks for others


@dataclass(frozen=True)
class ModelReference:
    """Description of a model, and its identity, which is checked after loading.

    If a collection decides the weights of words, `frequencies` is the file of its frequencies.
    """

    spec: ModelSpec
    identity: str
    frequencies: DigestedFile | None = None

    @classmethod
    def of(cls, model: Model) -> ModelReference:
        """Refer to a model; one that is made of objects without a name is refused."""
        reference = cls(ModelSpec.from_dict(model.spec.to_dict()), _identity(model))
        _referenced[reference] = model
        return reference

    def load(self) -> Model:
        """Return the model with its weights, cached per process."""
        return _referenced.get(self) or _loaded(self)


# models of this process, which its own tasks need not load a second time
_referenced: WeakValueDictionary[ModelReference, Model] = WeakValueDictionary()


@lru_cache(maxsize=CACHED_MODELS)
def _loaded(reference: ModelReference) -> Model:
    if reference.frequencies is not None:
        model = replace(reference, frequencies=None).load()
        frequencies = _read(reference.frequencies, model)
        return replace(model, measure=model.measure.with_frequencies(frequencies))
    model = reference.spec.load()
    if _identity(model) != reference.identity:
        raise InputError(
            f"the model loaded from {reference.spec.source!r:.200} is not that of the driver:"
            " every machine needs the same files, as they were when the run was started"
        )
    return model


def _identity(model: Model) -> str:
    return json.dumps(model.identity(), sort_keys=True)


def count_words(out: str, reference: ModelReference, sides: Sequence[Shard]) -> None:
    """Write the document frequencies of a shard, of one column or two, as the measure counts."""
    model = reference.load()
    searcher = model.measure.searcher(model.encoder)
    for side in sides:
        searcher.append(model.encoder.word_ids(side.texts()))
    # never None: only of a measure that asks for frequencies words are counted
    found = cast("DocumentFrequencies", searcher.frequencies())
    with replacing(Path(out)) as partial_file:
        _write(partial_file, found)


def fit_to_shards(
    run: Run, executor: Executor, model: Model, collection: Sequence[tuple[Shard, ...]]
) -> ModelReference:
    """Fit a model to the word frequencies of a collection, if one decides its weights.

    The collection has an item for each shard, with one text column or two.
    """
    reference = ModelReference.of(model)
    if not model.measure.depends_on_batch:
        return reference
    model.measure.with_frequencies(
        DocumentFrequencies(0, np.zeros(len(model.vectors), np.int64), {})
    )
    tasks = [
        (run.path("frequencies", f"{number:05d}.json"), reference, sides)
        for number, sides in enumerate(collection)
    ]
    parts = run.do(executor, count_words, tasks)
    whole = reduce(add, (_read(file, model) for file, _ in parts))
    file = run.write("collection", "frequencies.json", lambda path: _write(path, whole))
    return replace(reference, frequencies=file)


def _write(out: Path, found: DocumentFrequencies) -> None:
    ids = np.flatnonzero(found.known)
    known = {"ids": ids.tolist(), "texts": found.known[ids].tolist()}
    facts = {"documents": found.documents, "words": found.words, "unknown": found.unknown}
    out.write_text(json.dumps(facts | known), encoding="utf-8")


def _read(file: DigestedFile, model: Model) -> DocumentFrequencies:
    with file.reading() as path:
        facts = json.loads(Path(path).read_text(encoding="utf-8"))
    known = np.zeros(len(model.vectors), dtype=np.int64)
    known[np.array(facts["ids"], dtype=np.int64)] = facts["texts"]
    return DocumentFrequencies(facts["documents"], known, facts["unknown"], facts["words"])

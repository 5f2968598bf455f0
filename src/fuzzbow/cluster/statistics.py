"""Document frequencies of a collection in shards: counted in each, and added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from operator import add
from pathlib import Path
from typing import Any, cast

import numpy as np

from fuzzbow.atomic import replacing
from fuzzbow.cluster.data import ShardTexts
from fuzzbow.cluster.executors import Executor
from fuzzbow.cluster.models import ModelReference
from fuzzbow.cluster.run import Run
from fuzzbow.file_digest import DigestedFile
from fuzzbow.measures.document_frequencies import DocumentFrequencies
from fuzzbow.model import Model


@dataclass(frozen=True)
class CountTask:
    """Texts of a shard, of one column or two, whose words are to be counted."""

    model: ModelReference
    texts: tuple[ShardTexts, ...]
    out: str


def count_words(task: CountTask) -> None:
    """Write in how many texts of a shard each word occurs, as the measure counts them."""
    model = task.model.load()
    searcher = model.measure.searcher(model.encoder)
    for side in task.texts:
        searcher.append(model.encoder.word_ids(side.read()))
    # never None: only of a measure that asks for frequencies words are counted
    found = cast("DocumentFrequencies", searcher.frequencies())
    with replacing(Path(task.out)) as beside:
        _write(beside, found)


@dataclass(frozen=True)
class FittedModel:
    """A model, and where the frequencies of the collection are that decides its weights."""

    model: ModelReference
    frequencies: DigestedFile | None = None

    def load(self) -> Model:
        """The model with its weights, from memory where this process has made it before."""
        return self.model.load() if self.frequencies is None else _fitted(self)


@lru_cache(maxsize=2)
def _fitted(fitted: FittedModel) -> Model:
    model = fitted.model.load()
    frequencies = _read(cast("DigestedFile", fitted.frequencies), model)
    return replace(model, measure=model.measure.weighed(frequencies))


def fit_to_shards(
    run: Run, executor: Executor, model: Model, texts: Sequence[tuple[ShardTexts, ...]]
) -> FittedModel:
    """The model by the frequencies of these texts, where a collection decides its weights.

    `texts` hold for each shard the columns that are the collection.
    """
    reference = ModelReference.of(model)
    if not model.measure.depends_on_batch:
        return FittedModel(reference)
    model.measure.weighed(DocumentFrequencies(0, np.zeros(len(model.vectors), np.int64), {}))
    tasks = [
        CountTask(reference, sides, run.path("frequencies", f"{number:05d}.parquet"))
        for number, sides in enumerate(texts)
    ]
    parts = run.do(executor, count_words, tasks)
    whole = reduce(add, (_read(part.file, model) for part in parts))
    file = run.write("collection", "frequencies.parquet", lambda beside: _write(beside, whole))
    return FittedModel(reference, file)


def _write(out: Path, found: DocumentFrequencies) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    ids = np.flatnonzero(found.known)
    outside = len(found.unknown)
    table = pa.table(
        {
            "id": np.concatenate([ids, np.full(outside, -1)]),
            "word": pa.array([None] * len(ids) + list(found.unknown), pa.string()),
            "texts": np.concatenate(
                [found.known[ids], np.array(list(found.unknown.values()), dtype=np.int64)]
            ),
        }
    )
    table = table.replace_schema_metadata(
        {"documents": str(found.documents), "words": str(found.words)}
    )
    pq.write_table(table, out)


def _read(file: DigestedFile, model: Model) -> DocumentFrequencies:
    import pyarrow.parquet as pq

    with file.reading() as path:
        table: Any = pq.read_table(path)
    ids, counts = table["id"].to_numpy(), table["texts"].to_numpy()
    inside = ids >= 0
    known = np.zeros(len(model.vectors), dtype=np.int64)
    known[ids[inside]] = counts[inside]
    words = table["word"].filter(~inside).to_pylist()
    unknown = dict(zip(words, counts[~inside].tolist(), strict=True))
    documents, total = (int(table.schema.metadata[name]) for name in (b"documents", b"words"))
    return DocumentFrequencies(documents, known, unknown, total)

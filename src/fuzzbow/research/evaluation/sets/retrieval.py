"""Retrieval sets in the layout of BEIR: corpus.jsonl, queries.jsonl, and relevance in qrels.

Relevance is in `qrels.tsv` or `qrels/test.tsv`, rows of query id, document id and grade under
a header. A query without a relevant document is left out, as trec_eval does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from fuzzbow.errors import DataError, InputError, check_count
from fuzzbow.io.text import TextFile
from fuzzbow.research.evaluation import metrics
from fuzzbow.research.evaluation.results import SystemResult
from fuzzbow.research.evaluation.sets.base import EvaluationSetOptions, RankingSet
from fuzzbow.research.evaluation.systems import Scoring, tie_keys
from fuzzbow.research.loading import json_records, set_name, text_field

CORPUS, QUERIES = "corpus.jsonl", "queries.jsonl"
SPLIT = EvaluationSetOptions.split
DEPTH = 1000  # later ranks are not found, as in TREC
RECALL_AT = EvaluationSetOptions.recall_at
Qrels = dict[str, dict[str, float]]  # query -> document -> grade


@dataclass(frozen=True)
class RetrievalSet(RankingSet):
    """Queries, documents by id, and the grades of documents for queries."""

    name: str
    queries: dict[str, str] = field(repr=False)
    documents: dict[str, str] = field(repr=False)
    qrels: Qrels = field(repr=False)
    recall_at: tuple[int, ...] = RECALL_AT
    kind = "retrieval"
    layout = "a folder with corpus.jsonl"
    baselines = ("bm25",)
    purposes = ("passages", "answers", "sentences")

    def __post_init__(self) -> None:
        """Check that some query has a relevant document."""
        for k in self.recall_at:
            check_count(k, "recall_at")
        if not self.judged:
            raise InputError(f"{self.name}: some query must have a relevant document; none has")

    @classmethod
    def recognises(cls, path: Path, options: EvaluationSetOptions) -> bool:
        """Return whether a path is a folder with a corpus."""
        return (path / CORPUS).is_file()

    @classmethod
    def read(cls, path: Path, options: EvaluationSetOptions) -> RetrievalSet:
        """Read a folder; texts of the corpus follow their titles."""
        split = options.split
        for name in (CORPUS, QUERIES):
            if not (path / name).is_file():
                raise InputError(
                    f"'{path}' must hold {CORPUS}, {QUERIES} and qrels.tsv or qrels/{split}.tsv;"
                    f" there is no {name}"
                )
        documents, queries = _read_texts(path / CORPUS), _read_texts(path / QUERIES)
        qrels = _read_qrels(path, split, queries, documents)
        return cls(set_name(path), queries, documents, qrels, options.recall_at)

    @cached_property
    def judged(self) -> list[str]:
        """Ids of the queries that have a relevant document."""
        found = {query for query, grades in self.qrels.items() if max(grades.values()) > 0}
        return [query for query in self.queries if query in found]

    @property
    def texts_of_queries(self) -> Sequence[str]:
        """Queries that are evaluated."""
        return [self.queries[query] for query in self.judged]

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics; nDCG@10 is the main one."""
        recalls = (f"recall@{k}" for k in self.recall_at)
        return (f"nDCG@{metrics.NDCG_AT}", "MAP", "MRR", *recalls)

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of evaluated queries, of other queries, and of documents."""
        judged = len(self.judged)
        return {
            "queries": judged,
            "queries_left_out": len(self.queries) - judged,
            "documents": len(self.documents),
        }

    def measure(self, system: Scoring, *, seed: int = 0) -> SystemResult:
        """Rank all documents for each query; ties are in the order of the collection."""
        names = np.array(list(self.documents), dtype=object)
        names = names[np.argsort(tie_keys(names, seed=seed), kind="stable")]
        collection = system.over([self.documents[name] for name in names])
        depth = max(DEPTH, *self.recall_at, 1)
        rows, unanswered = [], 0
        found = collection.rank(self.texts_of_queries, depth)
        for query, (positions, scores) in zip(self.judged, found, strict=True):
            judged = self.qrels[query]
            grades = np.array([judged.get(name, 0.0) for name in names[positions]])
            relevant = np.array([grade for grade in judged.values() if grade > 0.0])
            rows.append(
                [
                    metrics.ndcg(grades, relevant),
                    metrics.average_precision(grades, relevant),
                    metrics.reciprocal_rank(grades),
                    *(metrics.recall(grades, relevant, k) for k in self.recall_at),
                ]
            )
            unanswered += not (len(scores) and scores[0] > 0.0)
        return self.measured(system, rows, unanswered)


def _read_texts(path: Path) -> dict[str, str]:
    """Read id -> text."""
    texts: dict[str, str] = {}
    lines: dict[str, str] = {}
    for location, record in json_records(path):
        name = record.get("_id")
        if isinstance(name, int) and not isinstance(name, bool):
            name = str(name)
        if not isinstance(name, str) or not name:
            raise DataError(f"{location}: '_id' must be text or a whole number; got {name!r:.40}")
        if name in texts:
            raise DataError(f"{location}: ids must differ; {name!r} is on {lines[name]} too")
        title = text_field(record, "title", location, default="").strip()
        text = text_field(record, "text", location)
        texts[name] = f"{title} {text}" if title else text
        lines[name] = location.rpartition(", ")[2]
    return texts


def _read_qrels(
    folder: Path, split: str, queries: dict[str, str], documents: dict[str, str]
) -> Qrels:
    """Read the grades of `qrels.tsv`, or of the split's file; every id must be known."""
    path, of_split = folder / "qrels.tsv", folder / "qrels" / f"{split}.tsv"
    if of_split.is_file() and (split != SPLIT or not path.is_file()):
        path = of_split
    elif not path.is_file() or split != SPLIT:
        splits = sorted(file.stem for file in of_split.parent.glob("*.tsv"))
        there = f"; qrels/ holds {', '.join(splits)} (--split)" if splits else ""
        raise InputError(
            f"'{folder}' must hold qrels.tsv or qrels/{split}.tsv; there is none{there}"
        )
    qrels: Qrels = {}
    file = TextFile(path)
    for line in file.lines():
        line = line.rstrip("\r\n")
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) != 3:
            raise DataError(
                f"{file.location}: must be query id, document id and grade between tabs;"
                f" got {line[:60]!r}"
            )
        query, document, written = fields
        try:
            grade = float(written)
        except ValueError:
            if file.line == 1 and query not in queries:
                continue  # a header
            grade = float("nan")
        if not np.isfinite(grade):
            raise DataError(f"{file.location}: a grade must be a number; got {written[:40]!r}")
        for name, known, source in ((query, queries, QUERIES), (document, documents, CORPUS)):
            if name not in known:
                raise DataError(f"{file.location}: {name!r} is not in {source}")
        if qrels.setdefault(query, {}).setdefault(document, grade) != grade:
            raise DataError(
                f"{file.location}: {query!r} and {document!r} have another grade before"
            )
    if not qrels:
        raise DataError(f"{path}: must hold grades of documents; it has none")
    return qrels

"""Retrieval sets in the layout of BEIR: corpus.jsonl, queries.jsonl, and relevance in qrels.

Relevance stands in `qrels.tsv` or `qrels/test.tsv`, rows of query id, document id and grade under
a header. A query without a relevant document is left out, as trec_eval does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from fuzzbow.errors import DataError, InputError, check_count
from fuzzbow.evaluation import metrics
from fuzzbow.evaluation.sets.base import Measured, RankingSet, SetKind, SetOptions
from fuzzbow.evaluation.sets.json_records import id_field, numbered_records, text_field
from fuzzbow.evaluation.systems import System
from fuzzbow.evaluation.ties import tie_keys
from fuzzbow.tasks.formats import Lines

CORPUS, QUERIES = "corpus.jsonl", "queries.jsonl"
SPLIT = SetOptions.split
DEPTH = 1000  # what comes later is not found, as in TREC
RECALL_AT = SetOptions.recall_at
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
    baselines = ("bm25",)
    purposes = ("passages", "answers", "sentences")

    def __post_init__(self) -> None:
        """Some query must have a relevant document."""
        for k in self.recall_at:
            check_count(k, "recall_at")
        if not self.judged:
            raise InputError(f"{self.name}: some query must have a relevant document; none has")

    @cached_property
    def judged(self) -> list[str]:
        """Ids of the queries that have a relevant document."""
        found = {query for query, grades in self.qrels.items() if max(grades.values()) > 0}
        return [query for query in self.queries if query in found]

    @property
    def texts_of_queries(self) -> Sequence[str]:
        """The queries that count."""
        return [self.queries[query] for query in self.judged]

    @property
    def metrics(self) -> tuple[str, ...]:
        """nDCG@10 decides."""
        recalls = (f"recall@{k}" for k in self.recall_at)
        return (f"nDCG@{metrics.NDCG_AT}", "MAP", "MRR", *recalls)

    @property
    def sizes(self) -> dict[str, int]:
        """Queries that count and that do not, and documents."""
        judged = len(self.judged)
        return {
            "queries": judged,
            "queries_left_out": len(self.queries) - judged,
            "documents": len(self.documents),
        }

    def measure(self, system: System, *, seed: int = 0) -> Measured:
        """Rank all documents for each query; the collection is in the order of ties."""
        names = np.array(list(self.documents), dtype=object)
        names = names[np.argsort(tie_keys(names, seed=seed), kind="stable")]
        collection = system.over([self.documents[name] for name in names])
        depth = max(DEPTH, *self.recall_at, 1)
        rows, unanswered = [], 0
        found = collection.rank(self.texts_of_queries, depth)
        for query, (places, scores) in zip(self.judged, found, strict=True):
            grades = self.qrels[query]
            rows.append(self._row([grades.get(name, 0.0) for name in names[places]], grades))
            unanswered += not (len(scores) and scores[0] > 0.0)
        return self.measured(rows, unanswered)

    def _row(self, ranked: list[float], judged: dict[str, float]) -> list[float]:
        """The metrics of one query."""
        grades = np.array(ranked, dtype=np.float64)
        relevant = np.array([grade for grade in judged.values() if grade > 0.0])
        return [
            metrics.ndcg(grades, relevant),
            metrics.average_precision(grades, relevant),
            metrics.reciprocal_rank(grades),
            *(metrics.recall(grades, relevant, k) for k in self.recall_at),
        ]


def is_retrieval_folder(path: Path, options: SetOptions) -> bool:
    """Return whether a path is a folder with a corpus."""
    return (path / CORPUS).is_file()


def read_retrieval(folder: Path, options: SetOptions) -> RetrievalSet:
    """Read the set of a folder; texts of the corpus follow their titles."""
    split, recall_at = options.split, options.recall_at
    for name in (CORPUS, QUERIES):
        if not (folder / name).is_file():
            raise InputError(
                f"'{folder}' must hold {CORPUS}, {QUERIES} and qrels.tsv or qrels/{split}.tsv;"
                f" there is no {name}"
            )
    documents, queries = _read_texts(folder / CORPUS), _read_texts(folder / QUERIES)
    qrels = _read_qrels(_qrels_file(folder, split), queries, documents)
    return RetrievalSet(_name(folder), queries, documents, qrels, tuple(recall_at))


RETRIEVAL = SetKind("retrieval", "a folder with corpus.jsonl", is_retrieval_folder, read_retrieval)


def _name(folder: Path) -> str:
    return folder.resolve().name


def _read_texts(path: Path) -> dict[str, str]:
    """Id -> text."""
    texts: dict[str, str] = {}
    lines: dict[str, int] = {}
    for line, record in numbered_records(path):
        place = f"{path}, line {line}"
        name = id_field(record, place)
        if name in texts:
            raise DataError(f"{place}: ids must differ; {name!r} is on line {lines[name]} too")
        title = text_field(record, "title", place, default="").strip()
        text = text_field(record, "text", place)
        texts[name], lines[name] = f"{title} {text}" if title else text, line
    return texts


def _qrels_file(folder: Path, split: str) -> Path:
    """`qrels.tsv`, or that of the split."""
    single, several = folder / "qrels.tsv", folder / "qrels" / f"{split}.tsv"
    if several.is_file() and (split != SPLIT or not single.is_file()):
        return several
    if single.is_file() and split == SPLIT:
        return single
    splits = sorted(path.stem for path in (folder / "qrels").glob("*.tsv"))
    there = f"; qrels/ holds {', '.join(splits)} (--split)" if splits else ""
    raise InputError(f"'{folder}' must hold qrels.tsv or qrels/{split}.tsv; there is none{there}")


def _read_qrels(path: Path, queries: dict[str, str], documents: dict[str, str]) -> Qrels:
    """The grades; every id must be known."""
    qrels: Qrels = {}
    lines = Lines(path)
    for line in lines:
        if not line.strip():
            continue
        place = f"{path}, line {lines.number}"
        fields = line.rstrip("\r\n").split("\t")
        if len(fields) != 3:
            raise DataError(
                f"{place}: must be query id, document id and grade between tabs; got {line[:60]!r}"
            )
        query, document, written = fields
        if lines.number == 1 and _is_header(fields, queries):
            continue
        grade = _grade(written, place)
        for name, known, file in ((query, queries, QUERIES), (document, documents, CORPUS)):
            if name not in known:
                raise DataError(f"{place}: {name!r} is not in {file}")
        if qrels.setdefault(query, {}).setdefault(document, grade) != grade:
            raise DataError(f"{place}: {query!r} and {document!r} have another grade before")
    if not qrels:
        raise DataError(f"{path}: must hold grades of documents; it has none")
    return qrels


def _is_header(fields: list[str], queries: dict[str, str]) -> bool:
    """Return whether a first line names columns: no number at its end, no query first."""
    try:
        float(fields[2])
    except ValueError:
        return fields[0] not in queries
    return False


def _grade(written: str, place: str) -> float:
    try:
        grade = float(written)
    except ValueError:
        grade = float("nan")
    if not np.isfinite(grade):
        raise DataError(f"{place}: a grade must be a number; got {written[:40]!r}")
    return grade

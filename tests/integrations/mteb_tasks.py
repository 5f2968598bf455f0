"""Tasks of MTEB over data at hand, which download nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mteb
from datasets import Dataset
from mteb.abstasks import AbsTask, AbsTaskClassification, AbsTaskRetrieval, AbsTaskSTS
from mteb.abstasks.task_metadata import TaskMetadata

Pairs = tuple[Sequence[str], Sequence[str], Sequence[float]]  # texts, texts, gold scores
Columns = Mapping[str, Sequence[Any]]


def _task(base: type, kind: str, score: str, data: Mapping[str, Any], **attributes: Any) -> AbsTask:
    """Make a task with its data: subset -> split -> data."""
    metadata = TaskMetadata(
        dataset={"path": "local", "revision": "1"},
        name=f"Local{kind}",
        description="Data at hand.",
        type=kind,
        eval_langs={name: ["eng-Latn"] for name in data},
        main_score=score,
    )
    task = type(f"Local{kind}", (base,), {"metadata": metadata, **attributes})()
    task.dataset, task.data_loaded = data, True
    return task


def sts_task(subsets: Mapping[str, Pairs]) -> AbsTask:
    """Make a task of pairs with gold scores, of one or more subsets."""
    data = {
        name: {"test": Dataset.from_dict({"sentence1": a, "sentence2": b, "score": gold})}
        for name, (a, b, gold) in subsets.items()
    }
    return _task(AbsTaskSTS, "STS", "spearman", data)


def retrieval_task(
    corpus: Columns,
    queries: Columns,
    qrels: Mapping[str, Mapping[str, int]],
    top_ranked: Mapping[str, Sequence[str]] | None = None,
) -> AbsTask:
    """Make a task of queries over documents; one of reranking if it has candidates."""
    data = {
        "corpus": Dataset.from_dict(corpus),
        "queries": Dataset.from_dict(queries),
        "relevant_docs": qrels,
        "top_ranked": top_ranked,
    }
    kind = "Retrieval" if top_ranked is None else "Reranking"
    return _task(AbsTaskRetrieval, kind, "ndcg_at_10", {"default": {"test": data}})


def classification_task(texts: Sequence[str], labels: Sequence[int]) -> AbsTask:
    """Make a task that tests on the texts that it trains on."""
    data = Dataset.from_dict({"text": texts, "label": labels})
    few = {"n_experiments": 2, "samples_per_label": 4}
    splits = {"default": {"train": data, "test": data}}
    return _task(AbsTaskClassification, "Classification", "accuracy", splits, **few)


def scores_of(encoder: Any, task: AbsTask) -> dict[str, dict[str, Any]]:
    """Evaluate a task: subset -> metric -> value."""
    found = mteb.evaluate(encoder, task, cache=None, show_progress_bar=False, co2_tracker=False)
    (result,) = found.task_results
    return {scores["hf_subset"]: scores for scores in result.scores["test"]}

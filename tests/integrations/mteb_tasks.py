"""Tasks of MTEB over data at hand, which download nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mteb
from datasets import Dataset
from mteb.abstasks import AbsTask, AbsTaskClassification, AbsTaskRetrieval, AbsTaskSTS
from mteb.abstasks.task_metadata import TaskMetadata

Pairs = tuple[Sequence[str], Sequence[str], Sequence[float]]  # texts, texts, gold scores


def _metadata(name: str, kind: str, score: str, subsets: Sequence[str] = ()) -> TaskMetadata:
    languages = ["eng-Latn"]
    return TaskMetadata(
        dataset={"path": "local", "revision": "1"},
        name=name,
        description="Data at hand.",
        type=kind,
        eval_langs=dict.fromkeys(subsets, languages) if subsets else languages,
        main_score=score,
    )


class _AtHand(AbsTask):
    """A task whose data are given."""

    @classmethod
    def over(cls, data: Mapping[str, Mapping[str, Any]]) -> AbsTask:
        """The task with its data: subset -> split -> data."""
        task = cls()
        task.dataset, task.data_loaded = data, True
        return task


def sts_task(subsets: Mapping[str, Pairs]) -> AbsTask:
    """Pairs with gold scores, of one or more subsets."""

    class LocalSTS(_AtHand, AbsTaskSTS):
        metadata = _metadata("LocalSTS", "STS", "spearman", list(subsets))

    return LocalSTS.over(
        {
            name: {"test": Dataset.from_dict({"sentence1": a, "sentence2": b, "score": gold})}
            for name, (a, b, gold) in subsets.items()
        }
    )


def retrieval_task(
    corpus: Mapping[str, Sequence[Any]],
    queries: Mapping[str, Sequence[Any]],
    qrels: Mapping[str, Mapping[str, int]],
    top_ranked: Mapping[str, Sequence[str]] | None = None,
) -> AbsTask:
    """Queries over documents, both as columns; a reranking task if it has candidates."""
    kind = "Retrieval" if top_ranked is None else "Reranking"

    class LocalRetrieval(_AtHand, AbsTaskRetrieval):
        metadata = _metadata(f"Local{kind}", kind, "ndcg_at_10")

    data = {
        "corpus": Dataset.from_dict(corpus),
        "queries": Dataset.from_dict(queries),
        "relevant_docs": qrels,
        "top_ranked": top_ranked,
    }
    return LocalRetrieval.over({"default": {"test": data}})


def classification_task(texts: Sequence[str], labels: Sequence[int]) -> AbsTask:
    """Labelled texts, learnt and told again."""

    class LocalClassification(_AtHand, AbsTaskClassification):
        metadata = _metadata("LocalClassification", "Classification", "accuracy")
        n_experiments, samples_per_label = 2, 4

    data = Dataset.from_dict({"text": texts, "label": labels})
    return LocalClassification.over({"default": {"train": data, "test": data}})


def scores_of(encoder: Any, task: AbsTask) -> dict[str, dict[str, Any]]:
    """What MTEB finds: subset -> metric -> value."""
    found = mteb.evaluate(encoder, task, cache=None, show_progress_bar=False, co2_tracker=False)
    (result,) = found.task_results
    return {scores["hf_subset"]: scores for scores in result.scores["test"]}

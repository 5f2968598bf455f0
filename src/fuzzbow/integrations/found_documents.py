"""What a search finds, with scores and reasons in the metadata, for whoever retrieves documents."""

from __future__ import annotations

from typing import Any

from fuzzbow.measures import Ability, TextMeasure
from fuzzbow.tasks.dedupe.reasons import sentence
from fuzzbow.tasks.explain import explain
from fuzzbow.tasks.index import Hit, Index, Where


def found_documents(
    index: Index, query: str, k: int, min_score: float, where: Where | None, reasons: bool
) -> list[tuple[Hit, dict[str, Any]]]:
    """Hits, best first, and the metadata of each with its score and, if wanted, its reason."""
    hits = index.search(query, k, min_score, where)
    explained = reasons and len(hits) and Ability.EXPLAIN in index.model.measure.abilities
    model = index.fitted_model() if explained else None
    return [(hit, without_missing(hit.metadata) | _added(model, query, hit)) for hit in hits]


def without_missing(metadata: dict[str, Any]) -> dict[str, Any]:
    """The metadata that a document has."""
    return {key: value for key, value in metadata.items() if value is not None}


def _added(model: TextMeasure | None, query: str, hit: Hit) -> dict[str, Any]:
    """The score and, if there is a model, the reason: words of the query and what they match."""
    if model is None:
        return {"score": hit.score}
    words = explain(model, query, hit.text).left.words
    matches = [(word.word, word.match_word, word.similarity or 0.0, word.share) for word in words]
    return {"score": hit.score, "reason": sentence(matches)}

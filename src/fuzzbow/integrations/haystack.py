"""Haystack: a retriever over an index, with scores and reasons, for pipelines."""

import asyncio
from typing import Any

from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.index import Index
from fuzzbow.integrations.common import found_documents
from fuzzbow.model import open_index

try:
    from haystack import Document, component, default_to_dict
except ImportError as error:
    raise MissingExtraError("haystack-ai", "haystack") from error

__all__ = ["FuzzbowRetriever"]


@component
class FuzzbowRetriever:
    """Retriever of the documents of an index that are most similar to a query, best first.

    `top_k`, `min_score` and `where` are `k`, `min_score` and `where` of `Index.search`. The `meta`
    of a document has its `score` and, with `reasons`, a `reason`: the words of the query and what
    they match. A pipeline with it can be saved if the index is on disk; its path is stored.
    """

    def __init__(
        self,
        index: Index,
        *,
        top_k: int = 10,
        min_score: float = 0.0,
        where: str | None = None,
        reasons: bool = True,
    ) -> None:
        self.index, self.top_k, self.min_score = index, top_k, min_score
        self.where, self.reasons = where, reasons

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, top_k: int | None = None, where: str | None = None
    ) -> dict[str, list[Document]]:
        """Search for `query`; `top_k` and `where` replace those of the retriever."""
        most = self.top_k if top_k is None else top_k
        condition = self.where if where is None else where
        found = found_documents(self.index, query, most, self.min_score, condition, self.reasons)
        return {
            "documents": [
                Document(id=str(hit.id), content=hit.text, meta=meta, score=hit.score)
                for hit, meta in found
            ]
        }

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, top_k: int | None = None, where: str | None = None
    ) -> dict[str, list[Document]]:
        """Run in a thread, so that the event loop is not blocked."""
        return await asyncio.to_thread(self.run, query, top_k, where)

    def to_dict(self) -> dict[str, Any]:
        """Return the constructor arguments, for a saved pipeline."""
        if self.index.path is None:
            raise InputError(
                "only a retriever over an index on disk can be saved: index.save(path)"
            )
        made: dict[str, Any] = default_to_dict(
            self,
            index=str(self.index.path),
            top_k=self.top_k,
            min_score=self.min_score,
            where=self.where,
            reasons=self.reasons,
        )
        return made

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "FuzzbowRetriever":
        """Make the retriever of a saved pipeline, over the index at its path."""
        options = dict(data["init_parameters"])
        return cls(open_index(options.pop("index")), **options)

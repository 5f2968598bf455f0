"""LangChain: a retriever and a vector store over an index, with scores and reasons.

Both are exact and need no embeddings. Asynchronous methods are LangChain's own, which run these
in a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from uuid import uuid4

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.errors import InputError, MissingExtraError, check_count
from fuzzbow.index import Index, Where
from fuzzbow.integrations.common import found_documents, given_model, without_missing

try:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.vectorstores import VectorStore
except ImportError as error:
    raise MissingExtraError("langchain-core", "langchain") from error

__all__ = ["FuzzbowRetriever", "FuzzbowVectorStore"]


class FuzzbowRetriever(BaseRetriever):
    """Retriever of the documents of an index that are most similar to a query, best first.

    `k`, `min_score` and `where` are those of `Index.search`. The metadata of a document has its
    `score` and, with `reasons`, a `reason`: the words of the query and what they match.
    """

    index: Index
    k: int = 4
    min_score: float = 0.0
    where: Where | None = None
    reasons: bool = True

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        found = found_documents(self.index, query, self.k, self.min_score, self.where, self.reasons)
        return [_document(hit.id, hit.text, added) for hit, added in found]


class FuzzbowVectorStore(VectorStore):
    """Documents that can be added, deleted and searched, without vectors of documents.

    The store uses `index`, such as one from `fuzzbow.open_index`, or a new one in memory by
    `model`. Keys of the metadata of the first documents become columns of the index; `filter`
    selects by their values.
    """

    def __init__(self, model: Any = None, *, index: Index | None = None, reasons: bool = True):
        if index is not None and model is not None:
            raise InputError("model and index exclude each other, since an index has its model")
        self._model = given_model(model) if index is None else index.model
        self._index, self._reasons = index, reasons

    @property
    def index(self) -> Index | None:
        """Index of the documents; None until there are any."""
        return self._index

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """Add `texts` with `metadatas`, replacing documents of the same `ids`; return the ids."""
        items = list(texts)
        if not items:
            return []
        index, metadata = self._index, metadatas or None
        given = [name or str(uuid4()) for name in ids or [None] * len(items)]
        if index is None:
            self._index = given_model(self._model).index(items, given, metadata)
            return given
        if ids is None and index.info()["ids"] == "numbers":
            return [str(name) for name in index.add(items, None, metadata)]
        names = index.parse_ids(given)
        known = set(index.ids)
        before = [index.get(name) for name in dict.fromkeys(names) if name in known]
        _remove(index, names)
        try:
            index.add(items, names, metadata)
        except BaseException:  # keep the old documents
            if before:
                old = ([row[part] for row in before] for part in ("text", "id", "metadata"))
                index.add(*old)
            raise
        return given

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> bool:
        """Remove the documents of these `ids`, ignoring unknown ones; without ids, all of them."""
        if self._index is not None:
            index = self._index
            _remove(index, index.ids if ids is None else index.parse_ids(ids))
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """Return the documents of these `ids` that exist."""
        if self._index is None:
            return []
        known = set(self._index.ids)
        rows = [self._index.get(name) for name in self._index.parse_ids(ids) if name in known]
        return [_document(row["id"], row["text"], row["metadata"]) for row in rows]

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        """Find the `k` documents that score highest with `query`, as `Index.search` does."""
        return [document for document, _ in self.similarity_search_with_score(query, k, **kwargs)]

    def similarity_search_with_score(
        self,
        query: str,
        k: int = 4,
        *,
        filter: Where | None = None,
        min_score: float = 0.0,
    ) -> list[tuple[Document, float]]:
        """Find the `k` documents that score highest with `query`, with scores from 0 to 1.

        `filter` is `where` of `Index.search`: metadata and their values, such as {"page": 2}, or
        an SQL condition.
        """
        if self._index is None:
            return []
        found = found_documents(self._index, query, k, min_score, filter, self._reasons)
        return [(_document(hit.id, hit.text, added), hit.score) for hit, added in found]

    def max_marginal_relevance_search(
        self,
        query: str,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: Where | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        """Choose `k` of the `fetch_k` best documents that differ from each other.

        Each step takes the document with the largest `lambda_mult` · score with the query -
        (1 - `lambda_mult`) · largest score with a document chosen before. Documents are compared
        as texts by the model of the index.
        """
        check_count(k, "k")
        if not 0 <= lambda_mult <= 1:
            raise InputError(f"lambda_mult must be from 0 to 1; got {lambda_mult}")
        found = self.similarity_search_with_score(query, max(fetch_k, k), filter=filter, **kwargs)
        if self._index is None or not found:
            return []
        texts = [document.page_content for document, _ in found]
        between = self._index.fitted_model().matrix(texts)
        relevance = np.array([score for _, score in found])
        chosen = diverse(relevance, np.maximum(between, between.T), k, lambda_mult)
        return [found[position][0] for position in chosen]

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return float  # a similarity needs no conversion

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Any = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        model: Any = None,
        reasons: bool = True,
    ) -> FuzzbowVectorStore:
        """Make a store of `texts` with `metadatas` and `ids`, by `model`.

        `embedding` is LangChain's, and must be None here.
        """
        if embedding is not None:
            raise InputError(
                "texts are compared by a fuzzbow model, which has no embedding of a text:"
                f" give model=…, and None for embedding; got {type(embedding).__name__}"
            )
        store = cls(model, reasons=reasons)
        store.add_texts(texts, metadatas, ids=ids)
        return store


def _remove(index: Index, ids: Sequence[int | str]) -> None:
    """Delete the documents of these ids that exist."""
    known = set(index.ids)
    index.delete([name for name in ids if name in known])


def diverse(relevance: Floats, between: Floats, k: int, weight: float) -> list[int]:
    """Choose k items by marginal relevance, the first of equal ones: (n,), (n, n) -> positions."""
    chosen: list[int] = []
    nearest = np.zeros(len(relevance))  # the largest similarity with an item chosen before
    gain = weight * relevance
    while len(chosen) < min(k, len(relevance)):
        gain[chosen] = -np.inf
        chosen.append(int(np.argmax(gain)))
        nearest = np.maximum(nearest, between[:, chosen[-1]])
        gain = weight * relevance - (1 - weight) * nearest
    return chosen


def _document(name: int | str, text: str, metadata: dict[str, Any]) -> Document:
    """Make a document, leaving out missing metadata."""
    return Document(id=str(name), page_content=text, metadata=without_missing(metadata))

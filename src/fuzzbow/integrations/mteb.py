"""MTEB: its tasks with texts compared by a model, not by the angle between two vectors.

MTEB asks for a row of numbers for each text, and later for the similarity of rows. Here a row is
the memberships of the text, for what MTEB does with rows by itself, and behind them the key of the
text, by which `similarity` has the text again and compares it as the model does.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.encoding import check_texts
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.evaluation.systems import Collection, ModelSystem
from fuzzbow.integrations.given_model import given_model
from fuzzbow.measures import compose
from fuzzbow.model import Model

try:
    import torch
    from mteb.models import ModelMeta
    from mteb.models.model_meta import ScoringFunction
except ImportError as error:
    raise MissingExtraError("mteb", "mteb") from error

__all__ = ["FuzzbowEncoder"]

KEY_COLUMNS = 3  # each a whole number of 24 bits, which float32 holds exactly
KEY_BYTES = 3 * KEY_COLUMNS
KEY_SCALE = np.float32(2.0**-100)  # so small that its products with anything vanish in a sum


class FuzzbowEncoder:
    """What `mteb.evaluate` takes: an encoder and a search of MTEB, by `model`.

    `similarity` and `similarity_pairwise` are those of the model's measure, retrieval and reranking
    are an exact search of its index; classification and clustering see the memberships of texts in
    the dimensions of the word vectors. The texts of one split of a task are kept, each once, until
    another begins.
    """

    def __init__(self, model: Any = None, *, threads: int | None = None) -> None:
        self.model = given_model(model)
        self.mteb_model_meta = _meta(self.model)
        self._threads = threads
        self._rows = self.model.with_measure(compose(universe="identity"))
        self._split: tuple[str, str] | None = None
        self._texts: dict[bytes, str] = {}  # by key
        self._documents: _Documents | None = None

    def encode(
        self,
        inputs: Iterable[Mapping[str, Any]],
        *,
        task_metadata: Any,
        hf_split: str,
        hf_subset: str,
        prompt_type: Any = None,
        **kwargs: Any,
    ) -> Floats:
        """Memberships and keys of the texts of all batches: n texts -> (n, u + 3) float32."""
        texts = [text for batch in inputs for text in check_texts(_text_of(batch), "inputs")]
        if self._split != (task_metadata.name, hf_split):
            self._split, self._texts = (task_metadata.name, hf_split), {}
        keys = _keys(texts)
        self._texts.update(zip(_key_bytes(keys), texts, strict=True))
        memberships = self._rows.encode(texts, threads=self._threads)
        return np.concatenate([memberships, keys], axis=1, dtype=np.float32)

    def similarity(self, embeddings1: Any, embeddings2: Any) -> torch.Tensor:
        """Every text of the first rows with every one of the second: (n, w), (m, w) -> (n, m)."""
        left, right = self._texts_of(embeddings1), self._texts_of(embeddings2)
        return torch.from_numpy(self.model.matrix(left, right, threads=self._threads))

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> torch.Tensor:
        """Row by row: (n, w), (n, w) -> (n,)."""
        left, right = self._texts_of(embeddings1), self._texts_of(embeddings2)
        return torch.from_numpy(self.model.pairs(left, right, threads=self._threads))

    def _texts_of(self, rows: Any) -> list[str]:
        """The texts that rows were made of: (n, w) or (w,) -> n texts."""
        known = np.atleast_2d(rows.cpu() if isinstance(rows, torch.Tensor) else rows)
        found = [self._texts.get(key) for key in _key_bytes(known[:, -KEY_COLUMNS:])]
        if None in found:
            raise InputError(
                "rows must come from encode of this encoder, and from the split of a task that it"
                f" was called for last; row {found.index(None)} of {len(found)} does not"
            )
        return [text for text in found if text is not None]

    def index(
        self,
        corpus: Any,
        *,
        task_metadata: Any,
        hf_split: str,
        hf_subset: str,
        encode_kwargs: Any,
        num_proc: int | None = None,
        **kwargs: Any,
    ) -> None:
        """Index the documents, each with its title, in place of those before."""
        texts = list(check_texts(corpus["text"], "corpus"))
        if "title" in corpus.column_names:
            texts = _joined(corpus["title"], texts)
        system = ModelSystem(self.model.spec.name, self.model, self._threads)
        self._documents = _Documents(list(corpus["id"]), texts, system.over(texts))

    def search(
        self,
        queries: Any,
        *,
        task_metadata: Any,
        hf_split: str,
        hf_subset: str,
        top_k: int,
        encode_kwargs: Any,
        top_ranked: Mapping[str, Sequence[str]] | None = None,
        num_proc: int | None = None,
        **kwargs: Any,
    ) -> dict[str, dict[str, float]]:
        """The `top_k` documents of each query, or those of `top_ranked`, with their scores."""
        if self._documents is None:
            raise InputError("there are no documents to search; call index first")
        names, texts = list(queries["id"]), list(check_texts(queries["text"], "queries"))
        if "instruction" in queries.column_names:  # where MTEB puts it for other encoders
            texts = _joined(texts, queries["instruction"])
        if top_ranked is None:
            found = self._documents.best(texts, top_k)
        else:
            chosen = (top_ranked.get(name, ()) for name in names)
            found = map(self._documents.scored, texts, chosen)
        return dict(zip(names, found, strict=True))


@dataclass(frozen=True)
class _Documents:
    """The documents of a retrieval task, ready to be searched."""

    ids: list[str]
    texts: list[str]
    collection: Collection

    @cached_property
    def by_id(self) -> dict[str, str]:
        return dict(zip(self.ids, self.texts, strict=True))

    def best(self, queries: list[str], depth: int) -> Iterator[dict[str, float]]:
        """The best documents of each query, with their scores."""
        for places, scores in self.collection.rank(queries, depth):
            names = (self.ids[place] for place in places.tolist())
            yield dict(zip(names, scores.tolist(), strict=True))

    def scored(self, query: str, names: Sequence[str]) -> dict[str, float]:
        """Some documents, with their scores for a query."""
        texts = [self.by_id[name] for name in names]
        scores = self.collection.pairs([query] * len(texts), texts)
        return dict(zip(names, scores.tolist(), strict=True))


def _joined(firsts: Iterable[str | None], seconds: Iterable[str | None]) -> list[str]:
    """Texts of two parts, of which either may be missing."""
    both = zip(firsts, seconds, strict=True)
    return [" ".join(filter(None, parts)) for parts in both]


def _text_of(batch: Mapping[str, Any]) -> Any:
    """The texts of a batch, of which nothing else can be compared."""
    if "text" not in batch:
        raise InputError(f"only texts can be compared; got {', '.join(batch)}")
    return batch["text"]


def _keys(texts: Sequence[str]) -> Floats:
    """What names each text, too small to count: n texts -> (n, 3) float32."""
    digests = b"".join(
        blake2b(text.encode("utf-8"), digest_size=KEY_BYTES).digest() for text in texts
    )
    numbers = np.frombuffer(digests, dtype=np.uint8).reshape(-1, KEY_COLUMNS, 3)
    return (numbers @ np.array([1 << 16, 1 << 8, 1], dtype=np.float32)) * KEY_SCALE


def _key_bytes(keys: Floats) -> list[bytes]:
    """Keys as dictionaries have them: (n, 3) -> n."""
    exact = np.ascontiguousarray(keys, dtype=np.float32)
    return list(exact.view(f"V{exact.itemsize * KEY_COLUMNS}")[:, 0].tolist())


def _meta(model: Model) -> ModelMeta:
    """What MTEB files results under: the measure, and all that decides a score."""
    identity = json.dumps(model.identity(), sort_keys=True).encode("utf-8")
    return ModelMeta.create_empty(
        {
            "name": f"fuzzbow/{model.spec.name}",
            "revision": blake2b(identity, digest_size=16).hexdigest(),
            "n_parameters": len(model.vectors) * model.vectors.dimension,
            "similarity_fn_name": ScoringFunction.CUSTOM,
            "framework": ["NumPy"],
            "use_instructions": False,
        }
    )

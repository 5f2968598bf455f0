"""MTEB: tasks in which a model compares texts, instead of the cosine of two vectors.

MTEB requests a row of numbers for each text, and later the similarity of rows. A row here is
the memberships of the text, which MTEB may use directly, followed by a key of the text, by which
`similarity` looks the text up and compares it by the model.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.encoding import check_texts
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.integrations.common import given_model
from fuzzbow.measures import compose
from fuzzbow.research.evaluation.systems import ScoredCollection, model_system

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
    """Encoder and search of MTEB by `model`, for `mteb.evaluate`.

    `similarity` and `similarity_pairwise` are those of the model's measure, retrieval and reranking
    are an exact search of its index; classification and clustering use the memberships of texts in
    the dimensions of the word vectors. The distinct texts of a split of a task are kept until the
    next split begins.
    """

    def __init__(self, model: Any = None, *, threads: int | None = None) -> None:
        self.model = given_model(model)
        # results are filed by the measure and a revision, all that affects a score
        identity = json.dumps(self.model.identity(), sort_keys=True).encode("utf-8")
        self.mteb_model_meta = ModelMeta.create_empty(
            {
                "name": f"fuzzbow/{self.model.spec.name}",
                "revision": blake2b(identity, digest_size=16).hexdigest(),
                "n_parameters": len(self.model.vectors) * self.model.vectors.dimension,
                "similarity_fn_name": ScoringFunction.CUSTOM,
                "framework": ["NumPy"],
                "use_instructions": False,
            }
        )
        self._threads = threads
        self._rows = self.model.with_measure(compose(universe="identity"))
        self._split: tuple[str, str] | None = None
        self._texts: dict[bytes, str] = {}  # by key
        self._documents: dict[str, str] = {}  # by id
        self._collection: ScoredCollection | None = None

    def encode(
        self,
        inputs: Iterable[Mapping[str, Any]],
        *,
        task_metadata: Any,
        hf_split: str,
        **kwargs: Any,
    ) -> Floats:
        """Encode all texts as memberships and keys: n texts -> (n, u + 3) float32."""
        texts: list[str] = []
        for batch in inputs:
            if "text" not in batch:
                raise InputError(f"only texts can be compared; got {', '.join(batch)}")
            texts += check_texts(batch["text"], "inputs")
        if self._split != (task_metadata.name, hf_split):
            self._split, self._texts = (task_metadata.name, hf_split), {}
        keys = _keys(texts)
        self._texts.update(zip(_key_bytes(keys), texts, strict=True))
        memberships = self._rows.encode(texts, threads=self._threads)
        return np.concatenate([memberships, keys], axis=1, dtype=np.float32)

    def similarity(self, embeddings1: Any, embeddings2: Any) -> torch.Tensor:
        """Score all texts of the first rows with all of the second: (n, w), (m, w) -> (n, m)."""
        left, right = self._texts_of(embeddings1), self._texts_of(embeddings2)
        return torch.from_numpy(self.model.matrix(left, right, threads=self._threads))

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> torch.Tensor:
        """Score row by row: (n, w), (n, w) -> (n,)."""
        left, right = self._texts_of(embeddings1), self._texts_of(embeddings2)
        return torch.from_numpy(self.model.pairs(left, right, threads=self._threads))

    def _texts_of(self, rows: Any) -> list[str]:
        """Look up the texts of rows by their keys: (n, w) or (w,) -> n texts."""
        known = np.atleast_2d(rows.cpu() if isinstance(rows, torch.Tensor) else rows)
        found = [self._texts.get(key) for key in _key_bytes(known[:, -KEY_COLUMNS:])]
        if None in found:
            raise InputError(
                "rows must come from encode of this encoder, and from the split of a task that it"
                f" was called for last; row {found.index(None)} of {len(found)} does not"
            )
        return [text for text in found if text is not None]

    def index(self, corpus: Any, **kwargs: Any) -> None:
        """Index the documents, each with its title, replacing earlier ones."""
        texts = list(check_texts(corpus["text"], "corpus"))
        if "title" in corpus.column_names:
            texts = _join_parts(corpus["title"], texts)
        system = model_system(self.model.spec.name, self.model, self._threads)
        self._documents = dict(zip(corpus["id"], texts, strict=True))
        self._collection = system.over(texts)

    def search(
        self,
        queries: Any,
        *,
        top_k: int,
        top_ranked: Mapping[str, Sequence[str]] | None = None,
        **kwargs: Any,
    ) -> dict[str, dict[str, float]]:
        """Find the `top_k` documents of each query, or score those of `top_ranked`."""
        if self._collection is None:
            raise InputError("there are no documents to search; call index first")
        names, texts = list(queries["id"]), list(check_texts(queries["text"], "queries"))
        if "instruction" in queries.column_names:  # where MTEB puts it for other encoders
            texts = _join_parts(texts, queries["instruction"])
        found: list[tuple[Sequence[str], Floats]] = []
        if top_ranked is None:
            ids = list(self._documents)
            ranked = self._collection.rank(texts, top_k)
            found = [([ids[at] for at in best.tolist()], scores) for best, scores in ranked]
        else:
            for name, text in zip(names, texts, strict=True):
                chosen = top_ranked.get(name, ())
                documents = [self._documents[document] for document in chosen]
                found.append((chosen, self._collection.pairs([text] * len(chosen), documents)))
        scored = (dict(zip(ids, scores.tolist(), strict=True)) for ids, scores in found)
        return dict(zip(names, scored, strict=True))


def _join_parts(firsts: Iterable[str | None], seconds: Iterable[str | None]) -> list[str]:
    """Join two parts of each text; either may be missing."""
    both = zip(firsts, seconds, strict=True)
    return [" ".join(filter(None, parts)) for parts in both]


def _keys(texts: Sequence[str]) -> Floats:
    """Hash texts to keys too small to affect sums: n texts -> (n, 3) float32."""
    digests = b"".join(
        blake2b(text.encode("utf-8"), digest_size=KEY_BYTES).digest() for text in texts
    )
    numbers = np.frombuffer(digests, dtype=np.uint8).reshape(-1, KEY_COLUMNS, 3)
    return (numbers @ np.array([1 << 16, 1 << 8, 1], dtype=np.float32)) * KEY_SCALE


def _key_bytes(keys: Floats) -> list[bytes]:
    """Convert keys to bytes, for dictionaries: (n, 3) -> n."""
    exact = np.ascontiguousarray(keys, dtype=np.float32)
    return list(exact.view(f"V{exact.itemsize * KEY_COLUMNS}")[:, 0].tolist())

"""Texts as fuzzy sets of contextual word vectors, compared by DynaMax-Jaccard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.encoding import check_text, check_texts
from fuzzbow.errors import InputError

if TYPE_CHECKING:
    from fuzzbow.model.token_sets import TokenEncoder, TokenSet

PAIRS_AT_ONCE = 256


@dataclass(frozen=True)
class TokenMatch:
    """A word, the most similar one of the other text, and what it adds to the score."""

    word: str
    match: str | None  # None where the other text has no words
    similarity: float
    share: float


@dataclass(frozen=True)
class TokenExplanation:
    """The score of two texts as a sum of the shares of their words."""

    score: float
    left: tuple[TokenMatch, ...]
    right: tuple[TokenMatch, ...]


@dataclass(frozen=True)
class ContextualModel:
    """Compares texts by the vectors of their words in context; made by `fuzzbow.contextual`."""

    encoder: TokenEncoder = field(repr=False)
    frequencies: Counter[str] | None = field(default=None, repr=False)  # texts that have a word
    documents: int = 0

    def similarity(self, a: str, b: str) -> float:
        """Similarity of two texts, from 0 to 1."""
        return float(self.pairs([check_text(a, "a")], [check_text(b, "b")])[0])

    def pairs(self, lefts: Iterable[str], rights: Iterable[str]) -> Floats:
        """Similarity row by row: n texts, n texts -> (n,)."""
        from fuzzbow.torch import similarity

        left, right = check_texts(lefts, "lefts"), check_texts(rights, "rights")
        if len(left) != len(right):
            raise InputError(
                f"lefts and rights must have equal length; got {len(left)} and {len(right)}"
            )
        sets = self._encode([*left, *right])
        scores: list[Floats] = [np.zeros(0)]
        for start in range(0, len(left), PAIRS_AT_ONCE):
            part = slice(start, start + PAIRS_AT_ONCE)
            sides = self._batch(sets[: len(left)][part]), self._batch(sets[len(left) :][part])
            scores.append(_compared(similarity, *sides))
        return np.concatenate(scores)

    def matrix(self, rows: Iterable[str], columns: Iterable[str]) -> Floats:
        """Every row text with every column text: n texts, m texts -> (n, m)."""
        from fuzzbow.torch import matrix

        down, across = check_texts(rows, "rows"), check_texts(columns, "columns")
        if not down or not across:
            return np.zeros((len(down), len(across)))
        sets = self._encode([*down, *across])
        return _compared(matrix, self._batch(sets[: len(down)]), self._batch(sets[len(down) :]))

    def explain(self, a: str, b: str) -> TokenExplanation:
        """Return the words that match, and the share of each in the score."""
        left, right = self.encoder.encode([check_text(a, "a"), check_text(b, "b")])
        if not left.words or not right.words:
            nothing = (tuple(TokenMatch(word, None, 0.0, 0.0) for word in one.words)
                       for one in (left, right))  # fmt: skip
            return TokenExplanation(0.0, *nothing)
        x, y = (_unit(one) for one in (left, right))
        between = x @ y.T
        parts = []  # similarity with the best match, its place, the weight times both memberships
        for own, one, found in ((x, left, between), (y, right, between.T)):
            weights = np.array([self._weight(word) for word in one.words])
            inside = np.maximum((own @ own.T).max(axis=1), 0)
            cross = np.maximum(found.max(axis=1), 0)
            shared = weights * np.minimum(inside, cross), weights * np.maximum(inside, cross)
            parts.append((cross, found.argmax(axis=1), *shared))
        union = sum(float(part[3].sum()) for part in parts)
        sides = [
            tuple(
                TokenMatch(word, other.words[place], float(cross), float(share / union))
                for word, cross, place, share in zip(one.words, *part[:3], strict=True)
            )
            for one, other, part in ((left, right, parts[0]), (right, left, parts[1]))
        ]
        score = sum(match.share for side in sides for match in side)
        return TokenExplanation(score, *sides)

    def _encode(self, texts: list[str]) -> list[TokenSet]:
        """The sets of texts, each distinct text encoded once."""
        distinct = list(dict.fromkeys(texts))
        found = dict(zip(distinct, self.encoder.encode(distinct), strict=True))
        return [found[text] for text in texts]

    def _batch(self, sets: list[TokenSet]) -> tuple[Any, Any, Any]:
        """Padded words, mask and weights: (n, k, d), (n, k), (n, k)."""
        import torch

        room = max(1, *(len(one.words) for one in sets))
        size, device = sets[0].vectors.shape[1], sets[0].vectors.device
        words = torch.zeros((len(sets), room, size), device=device)
        weights = torch.zeros((len(sets), room))
        mask = torch.zeros((len(sets), room), dtype=torch.bool)
        for row, one in enumerate(sets):
            words[row, : len(one.words)] = one.vectors
            weights[row, : len(one.words)] = torch.tensor([*map(self._weight, one.words)])
            mask[row, : len(one.words)] = True
        return words, mask.to(device), weights.to(device)

    def _weight(self, word: str) -> float:
        """Return the weight of a word: its inverse document frequency, or 1."""
        if self.frequencies is None:
            return 1.0
        return log((self.documents + 1) / (self.frequencies[word] + 0.5))


def contextual(encoder: Any, *, collection: Iterable[str] | None = None) -> ContextualModel:
    """A model that compares texts by the vectors of their words in context.

    `encoder` is a folder with an encoder of transformers, a SentenceTransformer, or a model
    and its tokenizer as a tuple. Words are compared by cosine. All count the same, unless
    a `collection` of texts says how rare each is.
    """
    from fuzzbow.model.token_sets import TokenEncoder

    reader = TokenEncoder.of(encoder)
    if collection is None:
        return ContextualModel(reader)
    texts = check_texts(collection, "collection")
    counts = Counter(word for one in reader.encode(texts) for word in set(one.words))
    return ContextualModel(reader, counts, len(texts))


def _compared(function: Any, left: tuple[Any, Any, Any], right: tuple[Any, Any, Any]) -> Floats:
    """Scores of two batches by a function of `fuzzbow.torch`."""
    found = function(
        left[0], right[0], x_mask=left[1], y_mask=right[1], weights=(left[2], right[2]),
        word_similarity="cosine",
    )  # fmt: skip
    return np.asarray(found.double().cpu().numpy())


def _unit(one: TokenSet) -> Floats:
    """Vectors at length 1: (k, d)."""
    vectors = one.vectors.double().cpu().numpy()
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-30))

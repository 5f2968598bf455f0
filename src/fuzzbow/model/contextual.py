"""Texts as fuzzy sets of contextual word vectors by an encoder of transformers."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.encoding import check_text, check_texts
from fuzzbow.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    import torch

PAIRS_PER_BATCH = 256
TEXTS_PER_BATCH = 64  # of about the same length, which are encoded together


@dataclass(frozen=True)
class TokenSet:
    """Text as words, without special tokens, and their vectors."""

    words: tuple[str, ...]  # (k,)
    vectors: torch.Tensor  # (k, d)


@dataclass(frozen=True)
class TokenEncoder:
    """Encoder with its tokenizer; the vector of a word is the mean of its pieces."""

    model: Any
    tokenizer: Any

    @classmethod
    def of(cls, encoder: Any) -> TokenEncoder:
        """Load a local folder, or take the parts of a SentenceTransformer or of a tuple."""
        if isinstance(encoder, str | os.PathLike):
            return cls(*_from_folder(os.fspath(encoder)))
        if isinstance(encoder, tuple) and len(encoder) == 2:
            model, tokenizer = encoder
        else:  # a SentenceTransformer, whose first module holds the model
            try:
                model, tokenizer = encoder[0].auto_model, encoder.tokenizer
            except (TypeError, AttributeError, IndexError, KeyError):
                raise InputError(
                    "encoder must be a local folder, a SentenceTransformer, or a model and its"
                    f" tokenizer; got {type(encoder).__name__}"
                ) from None
        if not getattr(tokenizer, "is_fast", False):
            raise InputError(
                "the tokenizer must be a fast one, which knows the words of its pieces;"
                f" got {type(tokenizer).__name__}"
            )
        return cls(model, tokenizer)

    def encode(self, texts: Sequence[str]) -> list[TokenSet]:
        """Encode texts; a text without words has an empty set."""
        found: list[TokenSet | None] = [None] * len(texts)
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for start in range(0, len(order), TEXTS_PER_BATCH):
            places = order[start : start + TEXTS_PER_BATCH]
            for place, one in zip(places, self._sets([texts[i] for i in places]), strict=True):
                found[place] = one
        return [one for one in found if one is not None]

    def _sets(self, texts: list[str]) -> Iterator[TokenSet]:
        """Encode one batch."""
        import torch

        read = self.tokenizer(
            texts, padding=True, truncation=True, return_offsets_mapping=True, return_tensors="pt"
        )
        offsets = read.pop("offset_mapping").tolist()
        device = next(self.model.parameters()).device
        self.model.eval()
        with torch.inference_mode():
            hidden = self.model(**{name: part.to(device) for name, part in read.items()})
        states = hidden.last_hidden_state.float()
        for row, text in enumerate(texts):
            numbers = read.word_ids(row)  # None for special tokens and padding
            pieces = [place for place, number in enumerate(numbers) if number is not None]
            words, owner = _words(text, pieces, numbers, offsets[row])
            vectors = states.new_zeros((len(words), states.shape[-1]))
            index = torch.tensor(owner, dtype=torch.long, device=device)
            vectors.index_add_(0, index, states[row, pieces])
            counts = torch.bincount(index, minlength=len(words)).clamp(min=1)
            yield TokenSet(tuple(words), vectors / counts[:, None])


@dataclass(frozen=True)
class TokenMatch:
    """Match of a word: the most similar word of the other text, and the share in the score."""

    word: str
    match: str | None  # None where the other text has no words
    similarity: float
    share: float


@dataclass(frozen=True)
class TokenExplanation:
    """Explanation: the score of two texts as a sum of the shares of their words."""

    score: float
    left: tuple[TokenMatch, ...]
    right: tuple[TokenMatch, ...]


@dataclass(frozen=True)
class ContextualModel:
    """Model that compares texts by the vectors of their words in context."""

    encoder: TokenEncoder = field(repr=False)
    frequencies: Counter[str] | None = field(default=None, repr=False)  # texts that have a word
    documents: int = 0

    def similarity(self, a: str, b: str) -> float:
        """Compare two texts: a number from 0 to 1."""
        return float(self.pairs([check_text(a, "a")], [check_text(b, "b")])[0])

    def pairs(self, lefts: Iterable[str], rights: Iterable[str]) -> Floats:
        """Compare texts row by row: n texts, n texts -> (n,)."""
        from fuzzbow.torch import similarity

        left, right = check_texts(lefts, "lefts"), check_texts(rights, "rights")
        if len(left) != len(right):
            raise InputError(
                f"lefts and rights must have equal length; got {len(left)} and {len(right)}"
            )
        sets = self._encode([*left, *right])
        scores: list[Floats] = [np.zeros(0)]
        for start in range(0, len(left), PAIRS_PER_BATCH):
            part = slice(start, start + PAIRS_PER_BATCH)
            sides = self._batch(sets[: len(left)][part]), self._batch(sets[len(left) :][part])
            scores.append(_compared(similarity, *sides))
        return np.concatenate(scores)

    def matrix(self, rows: Iterable[str], columns: Iterable[str]) -> Floats:
        """Compare every row text with every column text: n texts, m texts -> (n, m)."""
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
        parts = []  # best similarity, its position, the weight times both memberships
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
        """Encode texts, each distinct one once."""
        distinct = list(dict.fromkeys(texts))
        found = dict(zip(distinct, self.encoder.encode(distinct), strict=True))
        return [found[text] for text in texts]

    def _batch(self, sets: list[TokenSet]) -> tuple[Any, Any, Any]:
        """Make padded words, mask and weights: (n, k, d), (n, k), (n, k)."""
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
    """Make a model that compares texts by the vectors of their words in context.

    Texts are compared by DynaMax-Jaccard, their words by cosine.

    Parameters
    ----------
    encoder
        Folder with an encoder of transformers, SentenceTransformer, or tuple of a model and its
        tokenizer.
    collection
        Texts whose document frequencies weight the words; all words have weight 1 unless given.
    """
    try:
        import torch  # noqa: F401 - so that the error names the extra
    except ImportError as error:
        raise MissingExtraError("torch", "contextual") from error
    reader = TokenEncoder.of(encoder)
    if collection is None:
        return ContextualModel(reader)
    texts = check_texts(collection, "collection")
    counts = Counter(word for one in reader.encode(texts) for word in set(one.words))
    return ContextualModel(reader, counts, len(texts))


def _compared(function: Any, left: tuple[Any, Any, Any], right: tuple[Any, Any, Any]) -> Floats:
    """Score two batches by a function of `fuzzbow.torch`."""
    found = function(
        left[0], right[0], x_mask=left[1], y_mask=right[1], weights=(left[2], right[2]),
        word_similarity="cosine",
    )  # fmt: skip
    return np.asarray(found.double().cpu().numpy())


def _unit(one: TokenSet) -> Floats:
    """Scale vectors to length 1: (k, d)."""
    vectors = one.vectors.double().cpu().numpy()
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-30))


def _words(
    text: str, pieces: list[int], numbers: list[int | None], offsets: list[list[int]]
) -> tuple[list[str], list[int]]:
    """Return the words that pieces belong to, and the position of each piece's word."""
    spans: dict[int | None, list[int]] = {}
    owner = []
    for piece in pieces:
        start, end = offsets[piece]
        span = spans.setdefault(numbers[piece], [start, end])
        span[1] = max(span[1], end)
        owner.append(list(spans).index(numbers[piece]))
    return [text[start:end].lower() for start, end in spans.values()], owner


def _from_folder(folder: str) -> tuple[Any, Any]:
    """Load model and tokenizer from a folder; nothing is downloaded."""
    if not os.path.isdir(folder):
        raise InputError(f"encoder must be a local folder; {folder!r} is none")
    try:
        from transformers import AutoModel, AutoTokenizer
    except ImportError as error:
        raise MissingExtraError("transformers", "contextual") from error
    model = AutoModel.from_pretrained(folder, local_files_only=True)
    return model, AutoTokenizer.from_pretrained(folder, local_files_only=True)

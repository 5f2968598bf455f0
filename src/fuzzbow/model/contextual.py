"""Texts as fuzzy sets of contextual word vectors by an encoder of transformers."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzbow.arrays import Floats, blocks
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
            return cls._from_folder(os.fspath(encoder))
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

    @classmethod
    def _from_folder(cls, folder: str) -> TokenEncoder:
        """Load model and tokenizer from a folder; nothing is downloaded."""
        if not os.path.isdir(folder):
            raise InputError(f"encoder must be a local folder; {folder!r} is none")
        try:
            from transformers import AutoModel, AutoTokenizer
        except ImportError as error:
            raise MissingExtraError("transformers", "contextual") from error
        parts = (AutoModel, AutoTokenizer)
        return cls(*(part.from_pretrained(folder, local_files_only=True) for part in parts))

    def encode(self, texts: Sequence[str]) -> list[TokenSet]:
        """Encode texts, each distinct one once; a text without words has an empty set."""
        order = sorted(set(texts), key=lambda text: (len(text), text))
        found: dict[str, TokenSet] = {}
        for part in blocks(len(order), TEXTS_PER_BATCH):
            found.update(zip(order[part], self._sets(order[part]), strict=True))
        return [found[text] for text in texts]

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
            pieces = [at for at, number in enumerate(numbers) if number is not None]
            spans: dict[int, list[int]] = {}  # start and end of each word
            for piece in pieces:
                start, end = offsets[row][piece]
                span = spans.setdefault(numbers[piece], [start, end])
                span[1] = max(span[1], end)
            words = tuple(text[start:end].lower() for start, end in spans.values())
            order = {number: word for word, number in enumerate(spans)}
            owner = torch.tensor([order[numbers[piece]] for piece in pieces], dtype=torch.long)
            vectors = states.new_zeros((len(words), states.shape[-1]))
            vectors.index_add_(0, owner.to(device), states[row, pieces])
            counts = torch.bincount(owner, minlength=len(words)).clamp(min=1).to(device)
            yield TokenSet(words, vectors / counts[:, None])


@dataclass(frozen=True)
class TokenMatch:
    """Match of a word: the most similar word of the other text, and the share in the score."""

    word: str
    match: str | None  # None where the other text has no words
    similarity: float
    share: float


@dataclass(frozen=True)
class TokenExplanation:
    """Score of two texts as a sum of the shares of their words."""

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
        sets = self.encoder.encode([*left, *right])
        ours, others = sets[: len(left)], sets[len(left) :]
        scores = [
            self._compare(similarity, ours[part], others[part])
            for part in blocks(len(left), PAIRS_PER_BATCH)
        ]
        return np.concatenate([np.zeros(0), *scores])

    def matrix(self, rows: Iterable[str], columns: Iterable[str]) -> Floats:
        """Compare every row text with every column text: n texts, m texts -> (n, m)."""
        from fuzzbow.torch import matrix

        down, across = check_texts(rows, "rows"), check_texts(columns, "columns")
        if not down or not across:
            return np.zeros((len(down), len(across)))
        sets = self.encoder.encode([*down, *across])
        return self._compare(matrix, sets[: len(down)], sets[len(down) :])

    def explain(self, a: str, b: str) -> TokenExplanation:
        """Return the words that match, and the share of each in the score."""
        sets = self.encoder.encode([check_text(a, "a"), check_text(b, "b")])
        vectors = [one.vectors.double().cpu().numpy() for one in sets]
        x, y = (
            rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-30)
            for rows in vectors
        )
        universe = np.concatenate([x, y])
        weights = np.array([self._weight(word) for one in sets for word in one.words])
        left, right = ((universe @ rows.T).max(axis=1, initial=0.0) for rows in (x, y))
        union = float(weights @ np.maximum(left, right)) or 1.0
        shares = weights * np.minimum(left, right) / union

        def matches(own: TokenSet, other: TokenSet, between: Floats, shares: Floats) -> Any:
            best = between.argmax(axis=1) if other.words else np.zeros(len(own.words), np.int64)
            similarities = between.max(axis=1, initial=0.0)
            names = other.words or (None,)
            columns = (best.tolist(), similarities.tolist(), shares.tolist())
            for word, at, similarity, share in zip(own.words, *columns, strict=True):
                yield TokenMatch(word, names[at], similarity, share)

        size, between = len(x), x @ y.T
        own, other = sets
        return TokenExplanation(
            float(shares.sum()),
            tuple(matches(own, other, between, shares[:size])),
            tuple(matches(other, own, between.T, shares[size:])),
        )

    def _compare(self, function: Any, left: list[TokenSet], right: list[TokenSet]) -> Floats:
        """Score two batches by a function of `fuzzbow.torch`."""
        (x, x_mask, x_weights), (y, y_mask, y_weights) = self._batch(left), self._batch(right)
        weights = (x_weights, y_weights)
        found = function(
            x, y, x_mask=x_mask, y_mask=y_mask, weights=weights, word_similarity="cosine"
        )
        return np.asarray(found.double().cpu().numpy())

    def _batch(self, sets: list[TokenSet]) -> tuple[Any, Any, Any]:
        """Make padded words, mask and weights: (n, k, d), (n, k), (n, k)."""
        import torch
        from torch.nn.utils.rnn import pad_sequence

        vectors = [one.vectors for one in sets]
        longest = vectors[0].new_zeros((1, vectors[0].shape[1]))  # so that k is at least 1
        words = pad_sequence([*vectors, longest], batch_first=True)[:-1]
        weights = words.new_zeros(words.shape[:2])
        for row, one in enumerate(sets):
            weights[row, : len(one.words)] = torch.tensor([*map(self._weight, one.words)])
        sizes = torch.tensor([len(one.words) for one in sets], device=words.device)
        mask = torch.arange(words.shape[1], device=words.device) < sizes[:, None]
        return words, mask, weights

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

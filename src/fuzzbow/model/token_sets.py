"""Words of texts with the vectors that an encoder of transformers gives them in their context."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fuzzbow.errors import InputError, MissingExtraError

try:
    import torch
except ImportError as error:
    raise MissingExtraError("torch", "contextual") from error

BATCH = 64  # texts that are encoded at a time, of about the same length


@dataclass(frozen=True)
class TokenSet:
    """One text: its words, with special tokens dropped, and their vectors."""

    words: tuple[str, ...]  # (k,)
    vectors: torch.Tensor  # (k, d)


@dataclass(frozen=True)
class TokenEncoder:
    """An encoder with its tokenizer; the pieces of a word are pooled to their mean."""

    model: Any
    tokenizer: Any

    @classmethod
    def of(cls, encoder: Any) -> TokenEncoder:
        """From a local folder, a SentenceTransformer, or a model and tokenizer of transformers."""
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
        """The set of each text; a text without words has an empty one."""
        found: list[TokenSet | None] = [None] * len(texts)
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            for place, one in zip(places, self._sets([texts[i] for i in places]), strict=True):
                found[place] = one
        return [one for one in found if one is not None]

    def _sets(self, texts: list[str]) -> Iterator[TokenSet]:
        """The sets of one batch."""
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


def _words(
    text: str, pieces: list[int], numbers: list[int | None], offsets: list[list[int]]
) -> tuple[list[str], list[int]]:
    """The words that pieces belong to, and the place of each piece's word among them."""
    spans: dict[int | None, list[int]] = {}
    owner = []
    for piece in pieces:
        start, end = offsets[piece]
        span = spans.setdefault(numbers[piece], [start, end])
        span[1] = max(span[1], end)
        owner.append(list(spans).index(numbers[piece]))
    return [text[start:end].lower() for start, end in spans.values()], owner


def _from_folder(folder: str) -> tuple[Any, Any]:
    """Model and tokenizer from a folder; nothing is downloaded."""
    if not os.path.isdir(folder):
        raise InputError(f"encoder must be a local folder; {folder!r} is none")
    try:
        from transformers import AutoModel, AutoTokenizer
    except ImportError as error:
        raise MissingExtraError("transformers", "contextual") from error
    model = AutoModel.from_pretrained(folder, local_files_only=True)
    return model, AutoTokenizer.from_pretrained(folder, local_files_only=True)

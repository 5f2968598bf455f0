"""Words made of pieces, by a tokenizer such as those of model2vec and WordLlama."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import index
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Floats
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.vectors.subwords.inference import sum_of_rows
from fuzzbow.vectors.tables import Table

WORD_START = ("\u2581", "\u0120")  # how SentencePiece and byte-level BPE mark a new word
CONTINUATION = "##"
# what reading damaged or unexpected JSON can raise
BAD_JSON = (
    ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, MemoryError,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class PieceInference:
    """The sum of the vectors of a word's pieces; `tokenizer` is the text of a tokenizer.json."""

    pieces: Table  # (P, d)
    tokenizer: str = field(repr=False)
    origin: str

    def infer(self, words: Sequence[str]) -> tuple[Floats, Booleans]:
        """Sum of the pieces' rows, and which words have any: (n, d) float32, (n,)."""
        texts = [word.encode("utf-8", "replace").decode("utf-8") for word in words]
        try:
            encodings = self._cutter.encode_batch(texts, add_special_tokens=False)
        except Exception as error:  # the library raises bare Exception
            raise InputError(f"{self.origin}: unusable tokenizer: {error}") from error
        rows = self.pieces.shape[0]
        known = [
            [piece for piece in item.ids if piece != self._unknown and piece < rows]
            for item in encodings
        ]
        lengths = np.fromiter((len(row) for row in known), dtype=np.int64, count=len(known))
        ids = np.fromiter((piece for row in known for piece in row), dtype=np.int64)
        return sum_of_rows(self.pieces, ids, lengths), lengths > 0

    @cached_property
    def _cutter(self) -> Any:
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingExtraError("tokenizers", "model2vec") from error
        try:
            cutter = Tokenizer.from_str(self.tokenizer)
        except Exception as error:  # the library raises bare Exception
            raise InputError(f"{self.origin}: unusable tokenizer: {error}") from error
        cutter.no_truncation()
        cutter.no_padding()
        return cutter

    @cached_property
    def _unknown(self) -> int | None:
        """The id of the piece that stands for unknown input and is left out of the sums."""
        model = json.loads(self.tokenizer).get("model", {})
        if isinstance(model.get("unk_id"), int):
            return int(model["unk_id"])
        token = model.get("unk_token")
        found = None if token is None else self._cutter.token_to_id(token)
        return None if found is None else int(found)


def tokens_of(tokenizer: str, origin: str) -> list[str]:
    """The vocabulary of a tokenizer.json in id order."""
    try:
        content = json.loads(tokenizer)
        vocabulary = content["model"]["vocab"]
        if isinstance(vocabulary, list):  # Unigram: [piece, score] in id order
            ids = {str(item[0]): place for place, item in enumerate(vocabulary)}
        else:
            ids = {str(token): index(place) for token, place in vocabulary.items()}
        added = content.get("added_tokens") or []
        ids.update({str(item["content"]): index(item["id"]) for item in added})
    except BAD_JSON as error:
        raise InputError(f"{origin}: no vocabulary in this tokenizer: {error!r}") from error
    ordered = sorted(ids, key=ids.__getitem__)
    if sorted(ids.values()) != list(range(len(ids))):
        raise InputError(f"{origin}: the tokenizer's ids must be 0 to {len(ids) - 1}, each once")
    return ordered


def words_of(tokens: Sequence[str]) -> list[str]:
    """Tokens as words: without the mark of a word's start; pieces without that mark get "##"."""
    for mark in WORD_START:
        if sum(token.startswith(mark) for token in tokens) * 10 > len(tokens):
            return [
                token[len(mark) :] if token.startswith(mark) else CONTINUATION + token
                for token in tokens
            ]
    return list(tokens)

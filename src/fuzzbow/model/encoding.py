"""From strings to a batch: distinct texts over distinct words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzzbow.arrays import Integers, Ragged
from fuzzbow.errors import InputError
from fuzzbow.measures import Texts
from fuzzbow.text import Tokenizer
from fuzzbow.vectors import WordVectors


@dataclass(frozen=True)
class Encoder:
    """Splits texts and finds their words in the vocabulary."""

    tokenizer: Tokenizer
    vectors: WordVectors

    def encode(self, texts: Sequence[str]) -> tuple[Texts, Integers]:
        """The distinct texts, and which of them each given text is: texts, (n,)."""
        order: dict[str, int] = {}
        which = [order.setdefault(text, len(order)) for text in texts]
        tokens: dict[str, int] = {}
        rows = Ragged.from_rows(
            [tokens.setdefault(word, len(tokens)) for word in self.tokenizer.words(text) if word]
            for text in order
        )
        words, ids, place = self.find(list(tokens))
        return Texts(words, ids, rows.map(place)), np.array(which, dtype=np.int64)

    def find(self, tokens: Sequence[str]) -> tuple[list[str], Integers, Integers]:
        """Distinct words, their vocabulary ids, and which word each token is.

        Tokens are lower-cased where the vocabulary is, and tried in the other case if
        that finds nothing.
        """
        lowered = [token.lower() for token in tokens]
        first, second = (lowered, tokens) if self.vectors.lowercase else (tokens, lowered)
        ids = self.vectors.ids(first)
        words = list(first)
        missing = np.flatnonzero(ids < 0)
        again = self.vectors.ids([second[token] for token in missing.tolist()])
        for token, found in zip(missing.tolist(), again.tolist(), strict=True):
            if found >= 0:
                words[token], ids[token] = second[token], found
        order: dict[str, int] = {}
        place = np.array([order.setdefault(word, len(order)) for word in words], dtype=np.int64)
        distinct = np.zeros(len(order), dtype=np.int64)
        distinct[place] = ids
        return list(order), distinct, place


def check_text(text: object, name: str) -> str:
    """A string, or an error that says what came."""
    if not isinstance(text, str):
        raise InputError(f"{name} must be a string; got {type(text).__name__}")
    return text


def check_texts(texts: Iterable[Any], name: str) -> list[str]:
    """A list of strings, or an error that says which item is not one."""
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
        raise InputError(f"{name} must be a list of strings; got {type(texts).__name__}")
    items = texts.to_pylist() if hasattr(texts, "to_pylist") else list(texts)
    for position, item in enumerate(items):
        if not isinstance(item, str):
            raise InputError(
                f"{name} must hold strings; item {position} is {type(item).__name__}: {item!r:.40}"
            )
    return items

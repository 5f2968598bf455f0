"""Texts as ids of their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fuzzbow.arrays import Integers, Ragged


@dataclass(frozen=True)
class TokenIds:
    """Texts as ids of words: those of a vocabulary, then those outside it, numbered on."""

    rows: Ragged  # row per text
    unknown: Sequence[str]  # the words outside the vocabulary, each once

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, rows: Integers) -> TokenIds:
        """Return some of the texts."""
        return TokenIds(self.rows.take(rows), self.unknown)

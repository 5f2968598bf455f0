"""A batch of texts: distinct texts over the distinct words that they use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from fuzzbow.arrays import Booleans, Integers, Ragged


@dataclass(frozen=True)
class SomeWords(Sequence[str]):
    """Some of a batch's words, fetched when they are asked for."""

    words: Sequence[str]
    places: Integers

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> SomeWords: ...
    def __getitem__(self, place: int | slice) -> str | SomeWords:
        if isinstance(place, slice):
            return SomeWords(self.words, self.places[place])
        return self.words[int(self.places[place])]


@dataclass(frozen=True)
class Texts:
    """Distinct texts, as ids over the distinct words that they use."""

    words: Sequence[str]  # (m,)
    vocabulary_ids: Integers  # (m,), -1 for a word outside the vocabulary
    rows: Ragged  # row per text: ids into `words`

    def take(self, rows: Integers) -> Texts:
        """Some of the texts, with the words that those use."""
        chosen = self.rows.take(rows)
        used, places = np.unique(chosen.values, return_inverse=True)
        return Texts(
            SomeWords(self.words, used), self.vocabulary_ids[used], Ragged(places, chosen.offsets)
        )


def known_rows(texts: Texts, known: Booleans) -> Ragged:
    """The texts without their unknown words."""
    return texts.rows if known.all() else texts.rows.keep(known[texts.rows.values])

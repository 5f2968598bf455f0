"""Words of names of people, compared by their letters alone.

They are compared as other words are by their letters, but with the first letter doubled. So

* the first letter is a trigram of its own: an initial is like every name that it begins;
* edits are counted in names of 3 letters or more, and cost less in short ones: `Jon` and `John`;
* another first letter costs two edits: `Anna` and `Hanna`, `Kim` and `Tim`.

Words of 4 letters or more have the same weight, shorter ones less, an initial a quarter. No list
says how rare a name is; a collection does, where the model has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, Ragged
from fuzzbow.encoding import Texts
from fuzzbow.measures.words.letters import LetterWords
from fuzzbow.measures.words.weighted import LETTERS_VERSION

WHOLE_NAME = 4  # letters of a name that weighs 1
NAMES_VERSION = 1  # of the rules above


@dataclass(frozen=True)
class NameWords(LetterWords):
    """Words of letters with the rules of names."""

    name = "names"
    covers_by_query = False

    def _weights(self, texts: Texts) -> Floats:
        """Weigh each word of the batch by its length, and by the collection: (m,)."""
        lengths = np.array([len(word) for word in texts.words], dtype=np.float64)
        weights = np.minimum(lengths, WHOLE_NAME) / WHOLE_NAME
        collection = self.space.collection
        return weights if collection is None else weights * collection.idf(texts)

    def _spellings(self, words: Sequence[str], ids: dict[int, int]) -> tuple[Ragged, Ragged]:
        return super()._spellings([word[:1] + word for word in words], ids)

    def identity(self) -> dict[str, Any]:
        """Without a list of frequencies."""
        return super().identity() | {"frequencies": None}

    def constants(self) -> dict[str, float]:
        """The rules of letters and of names."""
        return {"letters": LETTERS_VERSION, "names": NAMES_VERSION, "whole name": WHOLE_NAME}

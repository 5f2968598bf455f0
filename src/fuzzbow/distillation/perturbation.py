"""Perturbed copies of texts: words dropped, replaced, or a part kept.

What a text loses or gains with a single word is what neighbours in a corpus seldom show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from fuzzbow.arrays import Integers, Ragged
from fuzzbow.encoding import TokenIds

DROP, REPLACE = 0.35, 0.50  # of the copies; the others keep a part
MOST_CHANGED = 3  # words
NEAREST = 20
NEAR_SHARE = 0.5  # of the words put in; the others are any words


@dataclass
class Perturbation:
    """Makes copies, one after the other from a seed."""

    words: Sequence[str]  # (V,)
    near: Integers  # (V, k): words that resemble each; -1 for none
    usable: Sequence[int]  # words that may stand in for another
    random: Random

    def copies(self, tokens: TokenIds) -> tuple[Ragged, list[str]]:
        """Copy each text with changes, as ids and as text."""
        size, unknown = len(self.words), tokens.unknown
        made = [self._changed(row.tolist()) for row in tokens.rows]
        written = [
            " ".join([self.words[word] if word < size else unknown[word - size] for word in ids])
            for ids in made
        ]
        return Ragged.from_rows(made), written

    def _changed(self, ids: list[int]) -> list[int]:
        random, kind = self.random, self.random.random()
        if kind < DROP + REPLACE:
            count = random.randint(1, MOST_CHANGED)
            if kind < DROP:
                gone = set(random.sample(range(len(ids)), min(count, len(ids) - 1)))
                return [word for place, word in enumerate(ids) if place not in gone]
            for place in random.sample(range(len(ids)), min(count, len(ids))):
                ids[place] = self._other(ids[place])
            return ids
        size = random.randint(1, len(ids))
        start = random.randint(0, len(ids) - size)
        return ids[start : start + size]

    def _other(self, word: int) -> int:
        """Another word: a near one, or any."""
        if word < len(self.near) and self.random.random() < NEAR_SHARE:
            near = int(self.near[word, self.random.randrange(self.near.shape[1])])
            if near >= 0:
                return near
        return self.random.choice(self.usable)

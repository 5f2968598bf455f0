"""Measures, and the abilities that only some have."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers
from fuzzbow.encoding import Encoder, Texts
from fuzzbow.engine import WHOLE, Engine, Matches, Share
from fuzzbow.errors import InputError
from fuzzbow.measures.decomposition import Decomposition
from fuzzbow.measures.space import WordSpace
from fuzzbow.progress import Progress

if TYPE_CHECKING:
    from fuzzbow.measures.document_frequencies import DocumentFrequencies
    from fuzzbow.measures.ready_words import ReadyPairs
    from fuzzbow.measures.searcher import Searcher
    from fuzzbow.measures.word_matches import WordMatches


class Ability(str, Enum):
    """Ability that only some measures have."""

    SEARCH = "be searched"
    JOIN = "find duplicates"
    EXPLAIN = "be explained"
    FIT = "be fitted to texts"
    MEMBERSHIPS = "give a text a row of its own"


class Measure(ABC):
    """Scores texts of a batch; the arrays are indices into `texts.rows`.

    A measure needs a name, `pairs` and `matrix`. Whatever else it can do, it says in
    `abilities`, and does in a method of its own in place of the one here, which refuses.
    """

    name: str
    abilities: frozenset[Ability] = frozenset()
    symmetric: bool = True  # whether both orders of two texts score the same
    depends_on_batch: bool = False  # whether a score depends on the other texts of the call
    uses_collection: bool = False  # whether a collection may decide the weights of words
    uses_vectors: bool = True  # whether words are compared by vectors

    @abstractmethod
    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Text left[i] with text right[i]: (n,), (n,) -> (n,)."""

    @abstractmethod
    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Every row text with every column text: (n,), (m,) -> (n, m)."""

    @property
    def self_score(self) -> float:
        """The score of a text of mean length, whose words differ, with itself."""
        return 1.0

    def ready_pairs(self, encoder: Encoder) -> ReadyPairs | None:
        """Pairs of strings without a batch, where the measure has a way; None where it has not."""
        return None

    def searcher(self, encoder: Encoder) -> Searcher:
        """An empty searcher."""
        raise cannot(self, Ability.SEARCH)

    def join(
        self,
        texts: Texts,
        *,
        threshold: float,
        boundary: int | None,
        progress: Progress,
        share: Share = WHOLE,
    ) -> Iterator[Matches]:
        """Pairs i < j at or above the threshold; with a boundary, only those that straddle it.

        A `share` has those that are found from some of the texts, as the engine's join says.
        """
        raise cannot(self, Ability.JOIN)

    def word_matches(self, texts: Texts) -> WordMatches:
        """The words of the texts as they are compared, to say which matched."""
        raise cannot(self, Ability.JOIN)

    def decompose(self, texts: Texts, left: int, right: int, *, dimensions: int) -> Decomposition:
        """The score of two texts as a sum of exact shares of their words."""
        raise cannot(self, Ability.EXPLAIN)

    def memberships(self, texts: Texts) -> tuple[Floats, Booleans]:
        """The row of each text over a fixed universe, and which have words: (n, u), (n,)."""
        raise cannot(self, Ability.MEMBERSHIPS)

    def element_names(self) -> list[str]:
        """A name for each element of the fixed universe: u names."""
        raise cannot(self, Ability.MEMBERSHIPS)

    def fit(self, texts: Texts, rows: Integers) -> Measure:
        """Return this measure with its statistics of these texts stored."""
        raise cannot(self, Ability.FIT)

    def fitted(self, texts: Texts, rows: Integers) -> Measure:
        """The measure as it scores these texts with each other: itself, unless they decide."""
        return self

    def weighed(self, frequencies: DocumentFrequencies) -> Measure:
        """The measure by the document frequencies of a collection that is not at hand."""
        raise InputError(
            f"the measure {self.name} takes more from a collection than how many texts hold each"
            " word, and cannot be had in shards"
        )

    def for_columns(self, texts: Texts, columns: Integers) -> Measure:
        """The measure as it scores with these texts as columns: itself, unless they decide."""
        return self

    def require(self, ability: Ability) -> None:
        """Refuse, before any work, what the measure cannot do."""
        if ability not in self.abilities:
            raise cannot(self, ability)

    def identity(self) -> dict[str, Any]:
        """Return all that decides a score besides vectors and tokenizer, as data for JSON."""
        return {"measure": {"name": self.name}}


@dataclass(frozen=True)
class GivenMeasure(Measure):
    """Any object with a name, `pairs` and `matrix` as a measure that can do no more."""

    given: Any

    @property
    def name(self) -> str:  # type: ignore[override]
        """Return the name of the object."""
        return str(self.given.name)

    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        return np.asarray(self.given.pairs(texts, left, right))

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Every row text with every column text: (n,), (m,) -> (n, m)."""
        return np.asarray(self.given.matrix(texts, rows, columns))


MeasureFactory = Callable[[WordSpace, Engine], Measure]


def cannot(measure: Measure, ability: Ability) -> InputError:
    """The error of a measure that is asked for what it cannot do."""
    from fuzzbow.measures.registry import names_with

    why = "" if measure.symmetric else ", whose score depends on the order of the two texts"
    return InputError(
        f"the measure {measure.name}{why} cannot {ability.value};"
        f" these can: {', '.join(names_with(ability))}"
    )

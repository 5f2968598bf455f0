"""Base of measures, and their optional abilities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers
from fuzzbow.encoding import Encoder, Texts, WordCache
from fuzzbow.engine import Engine, JoinOptions, Matches
from fuzzbow.errors import InputError
from fuzzbow.measures.decomposition import Decomposition
from fuzzbow.measures.space import WordSpace
from fuzzbow.vectors.weights import Weights

if TYPE_CHECKING:
    from fuzzbow.measures.frequencies import DocumentFrequencies
    from fuzzbow.measures.word_matches import WordMatches
    from fuzzbow.measures.words_measure import Searcher


class Ability(str, Enum):
    """Optional ability of a measure."""

    SEARCH = "be searched"
    JOIN = "find duplicates"
    EXPLAIN = "be explained"
    FIT = "be fitted to texts"
    MEMBERSHIPS = "give a text a row of its own"


Side = TypeVar("Side")


def part_of(path: str) -> Any:
    """Make a property of a measure that is an attribute of one of its parts."""
    return property(attrgetter(path))


class Measure(ABC):
    """Comparison of texts of a batch; the arrays are indices into `texts.rows`.

    A measure needs a name, `pairs` and `matrix`. It declares optional abilities in `abilities`, and
    overrides their methods, which raise InputError here.
    """

    name: str
    abilities: frozenset[Ability] = frozenset()
    symmetric: bool = True  # whether both orders of two texts score the same
    depends_on_batch: bool = False  # whether a score depends on the other texts of the call
    uses_collection: bool = False  # whether a collection may decide the weights of words
    uses_vectors: bool = True  # whether words are compared by vectors

    @abstractmethod
    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Compare text left[i] with text right[i]: (n,), (n,) -> (n,)."""

    @abstractmethod
    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Compare every row text with every column text: (n,), (m,) -> (n, m)."""

    @property
    def self_score(self) -> float:
        """Score of a text of mean length, whose words differ, with itself."""
        return 1.0

    def collection_sides(self, *sides: Side) -> list[Side]:
        """Return the sides of pairs whose texts decide the weights of words.

        These are none if no collection is used, and the last side if the left one has queries.
        """
        if not (self.uses_collection and self.depends_on_batch):
            return []
        return list(sides) if self.symmetric else [sides[-1]]

    def word_cache(self, encoder: Encoder) -> WordCache | None:
        """Return a cache of words to compare texts without a batch, or None."""
        return None

    def searcher(self, encoder: Encoder) -> Searcher:
        """Return an empty searcher."""
        raise cannot(self, Ability.SEARCH)

    def join(self, texts: Texts, options: JoinOptions) -> Iterator[Matches]:
        """Yield pairs i < j at or above the threshold, as the engine's join does."""
        raise cannot(self, Ability.JOIN)

    def word_matches(self, texts: Texts) -> WordMatches:
        """Return the words of the texts as they are compared, for their best matches."""
        raise cannot(self, Ability.JOIN)

    def decompose(self, texts: Texts, left: int, right: int, *, dimensions: int) -> Decomposition:
        """Split the score of two texts into exact shares of their words."""
        raise cannot(self, Ability.EXPLAIN)

    def memberships(self, texts: Texts) -> tuple[Floats, Booleans]:
        """Return rows over a fixed universe, and mark texts with words: (n, u), (n,)."""
        raise cannot(self, Ability.MEMBERSHIPS)

    def element_names(self) -> list[str]:
        """Name each element of the fixed universe: u names."""
        raise cannot(self, Ability.MEMBERSHIPS)

    def fit(self, texts: Texts, rows: Integers) -> Measure:
        """Return this measure with its statistics of these texts stored."""
        raise cannot(self, Ability.FIT)

    def fitted(self, texts: Texts, rows: Integers) -> Measure:
        """Return the measure for a comparison of these texts; itself unless it depends on them."""
        return self

    def with_frequencies(self, frequencies: DocumentFrequencies) -> Measure:
        """Return the measure by the document frequencies of a collection."""
        raise InputError(
            f"the measure {self.name} takes more from a collection than how many texts hold each"
            " word, and cannot be had in shards"
        )

    def for_columns(self, texts: Texts, rows: Integers) -> Measure:
        """Return the measure for a matrix with these columns; itself unless it depends on them."""
        return self

    def require(self, ability: Ability) -> None:
        """Raise InputError if the measure lacks an ability."""
        if ability not in self.abilities:
            raise cannot(self, ability)

    def identity(self) -> dict[str, Any]:
        """Return all that decides a score besides vectors and tokenizer, as data for JSON."""
        return {"measure": {"name": self.name}}


@dataclass(frozen=True)
class CustomMeasure(Measure):
    """Adapter of a user's object with a name, `pairs` and `matrix`."""

    given: Any

    @property
    def name(self) -> str:  # type: ignore[override]
        """Return the name of the object."""
        return str(self.given.name)

    def pairs(self, texts: Texts, left: Integers, right: Integers) -> Floats:
        """Compare text left[i] with text right[i]: (n,), (n,) -> (n,)."""
        return np.asarray(self.given.pairs(texts, left, right))

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Compare every row text with every column text: (n,), (m,) -> (n, m)."""
        return np.asarray(self.given.matrix(texts, rows, columns))


MeasureFactory = Callable[[WordSpace, Engine], Measure]


@dataclass(frozen=True, eq=False)
class Factory:
    """Maker of a measure for vectors and an engine, with what is known before there are any."""

    build: MeasureFactory = field(repr=False)
    name: str = ""
    abilities: frozenset[Ability] = frozenset()
    scalings: frozenset[Weights] = frozenset(Weights)  # weights that a model may have with it
    uses_collection: bool = False

    def __call__(self, space: WordSpace, engine: Engine) -> Measure:
        """Return the measure on some vectors."""
        return self.build(space, engine)


def cannot(measure: Measure, ability: Ability) -> InputError:
    """Return the error for a measure that lacks an ability."""
    from fuzzbow.measures.registry import names_with

    why = "" if measure.symmetric else ", whose score depends on the order of the two texts"
    return InputError(
        f"the measure {measure.name}{why} cannot {ability.value};"
        f" these can: {', '.join(names_with(ability))}"
    )

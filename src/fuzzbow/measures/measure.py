"""Base of measures, and their optional abilities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers, blocks
from fuzzbow.encoding import Encoder, Texts, TrigramIds, WordCache
from fuzzbow.engine import Batch, DynamicOptions, Engine, JoinOptions, Matches
from fuzzbow.errors import InputError
from fuzzbow.measures.decomposition import Decomposition
from fuzzbow.measures.frequencies import (
    Counting,
    DocumentFrequencies,
    count_words,
    document_frequencies,
)
from fuzzbow.measures.space import WordSpace
from fuzzbow.measures.words import Words
from fuzzbow.vectors.weights import Weights

if TYPE_CHECKING:
    from typing_extensions import Self

    from fuzzbow.measures.searcher import Searcher
    from fuzzbow.measures.word_matches import WordMatches


class Ability(str, Enum):
    """Optional ability of a measure."""

    SEARCH = "be searched"
    JOIN = "find duplicates"
    EXPLAIN = "be explained"
    FIT = "be fitted to texts"
    MEMBERSHIPS = "encode single texts"


Side = TypeVar("Side")
BLOCK_PAIRS = 1_000_000  # of a matrix that is made of pairs


def part_of(path: str) -> Any:
    """Make a property that returns an attribute of a part, such as "options.name"."""
    return property(attrgetter(path))


class Measure(ABC):
    """Comparison of texts of a batch; the arrays are indices into `texts.rows`.

    A measure needs a name and `pairs`. It declares optional abilities in `abilities`, and overrides
    their methods, which raise InputError here.
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

    def matrix(self, texts: Texts, rows: Integers, columns: Integers) -> Floats:
        """Compare every row text with every column text, by pairs: (n,), (m,) -> (n, m)."""
        measure, width = self.for_columns(texts, columns), len(columns)
        scores = np.zeros((len(rows), width))
        for part in blocks(len(rows) if width else 0, max(BLOCK_PAIRS // max(width, 1), 1)):
            left, right = np.repeat(rows[part], width), np.tile(columns, len(rows[part]))
            scores[part] = measure.pairs(texts, left, right).reshape(-1, width)
        return scores

    @property
    def self_score(self) -> float:
        """Score of a text of mean length, whose words differ, with itself."""
        return 1.0

    def collection_sides(self, *sides: Side) -> list[Side]:
        """Return the sides of pairs whose texts are the collection that weights words.

        There are none if no collection is used, and only the last if the left one has queries.
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
        """Return the measure with the document frequencies of a collection."""
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
        """Return everything that decides a score except vectors and tokenizer, for JSON."""
        return {"measure": {"name": self.name}}


class WordsMeasure(Measure):
    """Measure over the words that a maker of words prepares.

    If the model's counts are "collection", the weights of words depend on the frequencies of a
    collection of texts: those of a call, an index or `fit`. Pairs of texts alone are no collection:
    their words have their own weights.
    """

    words: Words
    engine: Engine
    counting: Counting
    all_abilities: frozenset[Ability]  # once the weights of words are known

    uses_collection = part_of("words.uses_collection")
    uses_vectors = part_of("words.uses_vectors")

    @property
    def depends_on_batch(self) -> bool:  # type: ignore[override]
        """Return whether the texts of a call are the collection."""
        return self.words.space.by_collection and self.words.space.collection is None

    @property
    def abilities(self) -> frozenset[Ability]:  # type: ignore[override]
        """Return the abilities of this measure; one without its collection can be fitted."""
        if not self.depends_on_batch:
            return self.all_abilities
        return self.all_abilities - {Ability.MEMBERSHIPS} | {Ability.FIT}

    def fit(self, texts: Texts, rows: Integers) -> Self:
        """Return the measure with the document frequencies of these texts."""
        tokens = texts.tokens().take(rows)
        return self.with_frequencies(document_frequencies(tokens, len(self.words.space.vectors)))

    def with_frequencies(self, frequencies: DocumentFrequencies) -> Self:
        """Return the measure with the document frequencies of a collection."""
        self.require(Ability.FIT)
        space = replace(self.words.space, collection=frequencies)
        return replace(self, words=replace(self.words, space=space))  # type: ignore[type-var]

    def fitted(self, texts: Texts, rows: Integers) -> Self:
        """Return the measure with these texts as the collection, unless it has one."""
        return self.fit(texts, rows) if self.depends_on_batch and len(rows) else self

    for_columns = fitted

    def prepare(self, texts: Texts, trigram_ids: TrigramIds | None = None) -> Batch:
        """Return the words as they are compared, and the texts as bags of them."""
        table, rows = self.words.prepare(texts, self.engine.precision, trigram_ids)
        return Batch(table, count_words(rows, self.counting))


def option_names(options: DynamicOptions, counting: Counting) -> dict[str, Any]:
    """Return options of any universe as data for JSON."""
    return {
        "pooling": options.pooling.value,
        "similarity": options.similarity.name,
        "word_similarity": options.word_similarity.value,
        "counting": counting.value,
    }


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
    """Factory of a measure for vectors and an engine, with properties known in advance."""

    build: MeasureFactory = field(repr=False)
    name: str = ""
    abilities: frozenset[Ability] = frozenset()
    scalings: frozenset[Weights] = frozenset(Weights)  # weights that a model may have with it
    uses_collection: bool = False

    def __call__(self, space: WordSpace, engine: Engine) -> Measure:
        """Make the measure for vectors and an engine."""
        return self.build(space, engine)


def cannot(measure: Measure, ability: Ability) -> InputError:
    """Return the error for a measure that lacks an ability."""
    from fuzzbow.measures.registry import names_with

    why = "" if measure.symmetric else ", whose score depends on the order of the two texts"
    return InputError(
        f"the measure {measure.name}{why} cannot {ability.value};"
        f" these can: {', '.join(names_with(ability))}"
    )

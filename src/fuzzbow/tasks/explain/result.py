"""An explanation as a value: what was compared, and what each part adds to the score."""

from __future__ import annotations

import json
import reprlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from fuzzbow.measures.decomposition import Dimension, Status

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class StandInWord:
    """A word of the other text that counts for a word, where several do."""

    place: int  # among the words of the other text
    word: str
    similarity: float
    share: float  # its part of that word's share


@dataclass(frozen=True)
class Word:
    """One word of a text, and its exact part of the score.

    Over the words of both texts, `intersection`, `union` and `share` add up to those of
    the explanation: intersection, union and score. A word that was left out has no part.
    """

    word: str  # as it was looked up
    start: int  # where it stands in the text, in characters
    end: int
    status: Status
    note: str  # how it was treated, where that is not by its vector; else empty
    weight: float | None  # None over a fixed universe, where dimensions have weights
    membership_left: float | None  # degree to which it belongs to the left text; None likewise
    membership_right: float | None
    match: int | None  # its best match: a place among the words of the other text
    match_word: str | None
    similarity: float | None  # with its best match
    intersection: float  # its part, weighted
    union: float  # its part, weighted
    share: float  # its part of the score
    dimensions: int | None = None  # how many it owns, over a fixed universe
    stand_ins: tuple[StandInWord, ...] = ()  # under fuzzy-bm25, the strongest first


@dataclass(frozen=True)
class Side:
    """One of the two texts."""

    text: str  # as it was given
    words: tuple[Word, ...]  # in its order

    @property
    def share(self) -> float:
        """What the words of this text add to the score."""
        return sum(word.share for word in self.words)


@dataclass(frozen=True, repr=False)
class Explanation:
    """The score of two texts as a sum over their words; made by `model.explain(a, b)`.

    `score = intersection / denominator`. With weights w and memberships l and r of each
    element, the intersection is Σ w·min(l, r), the sizes are Σ w·l and Σ w·r, and the
    union is their sum less the intersection, which is Σ w·max(l, r). For cosine the
    intersection is Σ w·l·r and the sizes are Σ w·l² and Σ w·r².

    A dynamic measure has one element for each word. Over a fixed universe elements are
    `dimensions`; the largest are listed, and each gives half of its share to the word
    that owns it in either text.
    """

    measure: str  # its name
    vectors: str  # name of the word vectors
    formula: str  # what is divided by what
    score: float  # that of `model.similarity`
    intersection: float  # what both texts have
    union: float  # what either has
    left_size: float  # what the left text has
    right_size: float
    denominator: float  # what the intersection is divided by
    left: Side  # the first text
    right: Side
    dimensions: tuple[Dimension, ...] = ()  # largest share first
    dimension_count: int = 0  # how many there are in all; 0 for a dynamic measure

    def __repr__(self) -> str:
        texts = f"{reprlib.repr(self.left.text)}, {reprlib.repr(self.right.text)}"
        return f"Explanation({texts}, score={self.score:.4f}, measure={self.measure!r})"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dicts, lists, strings, numbers and None.

        The keys are the fields: measure, vectors, formula, score, intersection, union,
        left_size, right_size, denominator, dimension_count; `left` and `right`, each with
        text, share and words, a list of the fields of `Word`; and `dimensions`, a list of
        the fields of `Dimension`, empty for a dynamic measure.
        """
        plain = asdict(self)
        for side, name in ((self.left, "left"), (self.right, "right")):
            words = [
                asdict(word)
                | {"status": word.status.value, "stand_ins": list(map(asdict, word.stand_ins))}
                for word in side.words
            ]
            plain[name] = {"text": side.text, "share": side.share, "words": words}
        plain["dimensions"] = [
            asdict(dimension) | {"nearest": list(dimension.nearest)}
            for dimension in self.dimensions
        ]
        return plain

    def to_json(self, *, indent: int | None = None) -> str:
        """The same as JSON, in ASCII, so that any text survives."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def to_html(self) -> str:
        """A fragment of HTML that needs nothing else: no script, no font, no outside file."""
        from fuzzbow.tasks.explain.fragment import html_fragment

        return html_fragment(self)

    def __rich__(self) -> RenderableType:
        """Tables with bars for a terminal: `rich.print(explanation)`."""
        from fuzzbow.tasks.explain.terminal import rich_explanation

        return rich_explanation(self)

    def __str__(self) -> str:
        """What Rich shows, without colour, 100 characters wide."""
        from fuzzbow.tasks.explain.terminal import plain_explanation

        return plain_explanation(self)

    def _repr_html_(self) -> str:
        """For notebooks."""
        return self.to_html()

"""Explanation as a value: the texts, and the part of the score of each word."""

from __future__ import annotations

import io
import json
import reprlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from fuzzbow.measures.decomposition import Dimension, Status

if TYPE_CHECKING:
    from rich.console import RenderableType

PLAIN_WIDTH = 100  # characters of a line of text


@dataclass(frozen=True)
class StandInWord:
    """Word of the other text that counts for a word, possibly with others."""

    place: int  # among the words of the other text
    word: str
    similarity: float
    share: float  # its part of that word's share


@dataclass(frozen=True)
class Word:
    """Word of a text, and its exact part of the score.

    Over the words of both texts, `intersection`, `union` and `share` add up to those of
    the explanation: intersection, union and score. A word that was left out has no part.
    """

    word: str  # as it was looked up
    start: int  # span in the text, in characters
    end: int
    status: Status
    note: str  # how it was treated, where that is not by its vector; else empty
    weight: float | None = None  # None over a fixed universe, where dimensions have weights
    membership_left: float | None = None  # degree of membership in the left text, or None
    membership_right: float | None = None
    match: int | None = None  # position of its best match among the words of the other text
    match_word: str | None = None
    similarity: float | None = None  # with its best match
    intersection: float = 0.0  # its part, weighted
    union: float = 0.0  # its part, weighted
    share: float = 0.0  # its part of the score
    dimensions: int | None = None  # how many it owns, over a fixed universe
    stand_ins: tuple[StandInWord, ...] = ()  # under fuzzy-bm25, the strongest first


@dataclass(frozen=True)
class Side:
    """Text of an explanation with its words."""

    text: str  # as it was given
    words: tuple[Word, ...]  # in its order

    @property
    def share(self) -> float:
        """Sum the shares of the words of this text."""
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
        """Convert to plain dicts, lists, strings, numbers and None.

        The keys are the fields: measure, vectors, formula, score, intersection, union,
        left_size, right_size, denominator, dimension_count; `left` and `right`, each with
        text, share and words, a list of the fields of `Word`; and `dimensions`, a list of
        the fields of `Dimension`, empty for a dynamic measure.
        """
        plain: dict[str, Any] = asdict(self, dict_factory=_plain)
        for name, side in (("left", self.left), ("right", self.right)):
            plain[name]["share"] = side.share
        return plain

    def to_json(self, *, indent: int | None = None) -> str:
        """Convert to JSON, in ASCII, which every encoding preserves."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def to_html(self) -> str:
        """Convert to a fragment of HTML without scripts, fonts and external files."""
        from fuzzbow.explain.fragment import html_figure

        return html_figure(self)

    def __rich__(self) -> RenderableType:
        """Show tables with bars in a terminal: `rich.print(explanation)`."""
        from fuzzbow.explain.terminal import rich_explanation

        return rich_explanation(self)

    def __str__(self) -> str:
        """Format as Rich does, without colour, 100 characters wide."""
        from rich.console import Console

        file = io.StringIO()
        Console(file=file, width=PLAIN_WIDTH, color_system=None).print(self)
        return file.getvalue()

    def _repr_html_(self) -> str:
        """Show the fragment of HTML in a notebook."""
        return self.to_html()


def _plain(items: list[tuple[str, Any]]) -> dict[str, Any]:
    """Convert tuples to lists and statuses to strings."""
    found = dict(items)
    for name, value in items:
        if isinstance(value, tuple | Status):
            found[name] = value.value if isinstance(value, Status) else list(value)
    return found

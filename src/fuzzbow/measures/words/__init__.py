"""Registry of makers of words, which convert the words of a batch to a table."""

from __future__ import annotations

from collections.abc import Callable

from fuzzbow.engine import Engine
from fuzzbow.errors import InputError, nearest
from fuzzbow.measures.space import WordSpace
from fuzzbow.measures.words.base import Words, digest
from fuzzbow.measures.words.letters import LetterWords, NameWords
from fuzzbow.measures.words.weighted import RecordWords, WeightedWords
from fuzzbow.measures.words.whitened import PlainWords, WhitenedWords
from fuzzbow.vectors.weights import Weights

WordsFactory = Callable[[WordSpace, Engine], Words]

WORDS: dict[str, type[Words]] = {
    made.name: made
    for made in (PlainWords, WhitenedWords, WeightedWords, RecordWords, LetterWords, NameWords)
}


def paper_words(space: WordSpace, engine: Engine) -> Words:
    """Return words of the paper's measures, by the model's weights: plain or whitened."""
    return (WhitenedWords if space.weights is Weights.WHITENED else PlainWords)(space, engine)


def parse_words(choice: str | WordsFactory | None) -> WordsFactory:
    """Return a factory by its name, or the given one; None is that of the model's weights."""
    if choice is None:
        return paper_words
    if isinstance(choice, str):
        if choice in WORDS:
            return WORDS[choice]
    elif callable(choice):
        return choice
    raise InputError(
        f"words must be one of {', '.join(WORDS)}; got {choice!r}{nearest(str(choice), WORDS)}"
    )


__all__ = [
    "WORDS",
    "LetterWords",
    "NameWords",
    "PlainWords",
    "RecordWords",
    "WeightedWords",
    "WhitenedWords",
    "Words",
    "WordsFactory",
    "digest",
    "paper_words",
    "parse_words",
]

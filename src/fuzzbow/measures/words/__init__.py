"""Makers of words: how the words of a text become a table. One file each, one line here."""

from __future__ import annotations

from collections.abc import Callable

from fuzzbow.engine import Engine
from fuzzbow.errors import InputError, nearest
from fuzzbow.measures.space import WordSpace
from fuzzbow.measures.words.base import Words
from fuzzbow.measures.words.letters import LetterWords
from fuzzbow.measures.words.names import NameWords
from fuzzbow.measures.words.plain import PlainWords
from fuzzbow.measures.words.records import RecordWords
from fuzzbow.measures.words.weighted import WeightedWords
from fuzzbow.measures.words.whitened import WhitenedWords
from fuzzbow.vectors.weights import Weights

WordsFactory = Callable[[WordSpace, Engine], Words]

WORDS: dict[str, type[Words]] = {
    made.name: made
    for made in (PlainWords, WhitenedWords, WeightedWords, RecordWords, LetterWords, NameWords)
}


def paper_words(space: WordSpace, engine: Engine) -> Words:
    """The words of the paper's measures, by the model's weights: plain ones, or whitened."""
    return (WhitenedWords if space.weights is Weights.WHITENED else PlainWords)(space, engine)


def parse_words(choice: str | WordsFactory | None) -> WordsFactory:
    """The maker of that name, the given one, or for None what the model's weights say."""
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
    "paper_words",
    "parse_words",
]

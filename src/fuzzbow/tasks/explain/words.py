"""The words of the two texts: where they stand, and how the measure treated them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.errors import InputError
from fuzzbow.measures import Texts, WeightedJaccard
from fuzzbow.measures.dynamic import DynamicMeasure
from fuzzbow.measures.fixed import FixedMeasure
from fuzzbow.tasks.explain.result import Side, Status, Word
from fuzzbow.tasks.explain.shares import Shares
from fuzzbow.text import Tokenizer, is_number
from fuzzbow.text.tokenizers import Span

Explainable = DynamicMeasure | WeightedJaccard | FixedMeasure

LEFT_OUT = "no vector: left out"
BY_LETTERS = "no vector: compared by its letters, in threes"
FROM_PARTS = "not in the vocabulary: its vector is made of its parts"
NUMBER = "a number: has nothing in common with other numbers"
COUNTED_ONCE = "repeated: counted with its first occurrence"
OWNS_NOTHING = "owns no dimension: in each, another word reaches further"


@dataclass(frozen=True)
class Parts:
    """What the elements of one text have to do with the score: arrays (k,), in their order."""

    places: Integers  # which word of the text each is
    match: Integers  # place of its best match among the words of the other text, or -1
    similarity: Floats
    intersection: Floats
    union: Floats
    share: Floats
    weight: Floats | None = None
    membership_left: Floats | None = None
    membership_right: Floats | None = None
    dimensions: Integers | None = None


@dataclass(frozen=True)
class Decomposition:
    """The shares of all elements, and what they mean for the words of the two texts."""

    shares: Shares
    left: Parts
    right: Parts


def places_of(words: Integers, elements: Integers) -> Integers:
    """Where each element stands among a text's words, repeats at their first: (k,) -> (k,)."""
    used = np.flatnonzero(np.isin(words, elements))
    if np.array_equal(words[used], elements):
        return used
    distinct, first = np.unique(words, return_index=True)
    return np.asarray(first[np.searchsorted(distinct, elements)])


def spans_of(tokenizer: Tokenizer, text: str, expected: int) -> list[Span]:
    """Where the words of a text stand; a tokenizer must give as many spans as words."""
    spans = tokenizer.spans(text)
    words = tokenizer.words(text)
    if len(spans) != len(words):
        raise InputError(
            f"tokenizer {tokenizer.name} must give a span for each word; got {len(spans)}"
            f" spans and {len(words)} words"
        )
    kept = [span for span, word in zip(spans, words, strict=True) if word]
    if len(kept) != expected:
        raise InputError(f"tokenizer {tokenizer.name} must split a text the same way each time")
    return kept


def treatments(measure: Explainable, texts: Texts) -> list[tuple[Status, str]]:
    """How each distinct word of the batch was treated: (m,)."""
    _, known = measure.space.raw_vectors(texts)
    found = []
    for word, has_vector, place in zip(
        texts.words, known.tolist(), texts.vocabulary_ids.tolist(), strict=True
    ):
        note = "" if place >= 0 else FROM_PARTS if has_vector else LEFT_OUT
        status = Status.KNOWN if has_vector else Status.UNKNOWN
        by_rules = isinstance(measure, WeightedJaccard) and _by_rules(measure, word, has_vector)
        found.append(by_rules or (status, note))
    return found


def _by_rules(measure: WeightedJaccard, word: str, has_vector: bool) -> tuple[Status, str] | None:
    """How letters decided, if they did."""
    if not has_vector and not measure.unknown:
        return None
    if measure.numbers and is_number(word):
        return Status.NUMBER, NUMBER if has_vector else f"{NUMBER}; {BY_LETTERS}"
    return None if has_vector else (Status.UNKNOWN, BY_LETTERS)


@dataclass(frozen=True)
class TextWords:
    """One text of the batch with its words, where they stand, and how each was treated."""

    text: str
    words: list[str]
    spans: list[Span]
    treated: list[tuple[Status, str]]


def side_of(text: TextWords, other: TextWords, parts: Parts) -> Side:
    """The words of a text with their parts; those that are no element have none."""
    element_of = {place: element for element, place in enumerate(parts.places.tolist())}
    return Side(
        text.text,
        tuple(
            _word(text, place, other, parts, element_of.get(place))
            for place in range(len(text.words))
        ),
    )


def _word(text: TextWords, place: int, other: TextWords, parts: Parts, element: int | None) -> Word:
    """One word, with the parts of its element if it is one."""
    (start, end), (status, note) = text.spans[place], text.treated[place]
    word = text.words[place]
    if element is None:
        reason = note if status is Status.UNKNOWN else COUNTED_ONCE
        return Word(
            word, start, end, status, reason, None, None, None, None, None, None, 0.0, 0.0, 0.0
        )
    match = int(parts.match[element])
    owned = None if parts.dimensions is None else int(parts.dimensions[element])
    return Word(
        word,
        start,
        end,
        status,
        OWNS_NOTHING if owned == 0 else note,
        _at(parts.weight, element),
        _at(parts.membership_left, element),
        _at(parts.membership_right, element),
        match if match >= 0 else None,
        other.words[match] if match >= 0 else None,
        float(parts.similarity[element]) if match >= 0 else None,
        float(parts.intersection[element]),
        float(parts.union[element]),
        float(parts.share[element]),
        owned,
    )


def _at(values: Floats | None, element: int) -> float | None:
    return None if values is None else float(values[element])

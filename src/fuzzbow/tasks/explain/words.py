"""From a model and two texts to an explanation: each word, where it stands, what it adds."""

from __future__ import annotations

from dataclasses import dataclass

from fuzzbow.arrays import Floats
from fuzzbow.encoding import Texts, check_text
from fuzzbow.errors import InputError, check_count
from fuzzbow.measures import TextMeasure
from fuzzbow.measures.decomposition import Parts, Status, Treatment
from fuzzbow.plurals import counted
from fuzzbow.tasks.explain.result import Explanation, Side, StandInWord, Word
from fuzzbow.text import Span, Tokenizer

COUNTED_ONCE = "repeated: counted with its first occurrence"
OWNS_NOTHING = "owns no dimension: in each, another word reaches further"


def explain(model: TextMeasure, a: str, b: str, *, dimensions: int = 20) -> Explanation:
    """The score of two texts as a sum of exact shares of their words.

    Computed in float64, as the reference engine does. Over a fixed universe the
    `dimensions` with the largest shares are listed.
    """
    dimensions = check_count(dimensions, "dimensions", least=0)
    strings = check_text(a, "a"), check_text(b, "b")
    texts, which = model.encoder.encode([*strings])
    left, right = which.tolist()
    split = model.measure.decompose(texts, left, right, dimensions=dimensions)
    shares = split.shares
    words = (
        _text_words(model, texts, left, strings[0], split.treatments),
        _text_words(model, texts, right, strings[1], split.treatments),
    )
    return Explanation(
        measure=model.measure.name,
        vectors=model.vectors.name,
        formula=split.formula,
        score=min(float(shares.score.sum()), 1.0),
        intersection=float(shares.intersection.sum()),
        union=float(shares.union.sum()),
        left_size=float(shares.left_size.sum()),
        right_size=float(shares.right_size.sum()),
        denominator=shares.denominator,
        left=side_of(words[0], words[1], split.left),
        right=side_of(words[1], words[0], split.right),
        dimensions=split.dimensions,
        dimension_count=split.dimension_count,
    )


def _text_words(
    model: TextMeasure, texts: Texts, row: int, text: str, treatments: list[Treatment]
) -> TextWords:
    """The words of one text, where they stand, and how they were treated."""
    ids = texts.rows[row].tolist()
    return TextWords(
        text,
        [texts.words[word] for word in ids],
        spans_of(model.tokenizer, model.encoder.readable([text])[0], len(ids)),
        [treatments[word] for word in ids],
    )


def spans_of(tokenizer: Tokenizer, text: str, expected: int) -> list[Span]:
    """Where the words of a text stand; a tokenizer must give as many spans as words."""
    spans = tokenizer.spans(text)
    if len(spans) == expected:
        return spans
    words = tokenizer.words(text)  # some may be empty, and are then left out
    if len(spans) != len(words):
        raise InputError(
            f"tokenizer {tokenizer.name} must give a span for each word; got {len(spans)}"
            f" spans and {counted(len(words), 'word')}"
        )
    kept = [span for span, word in zip(spans, words, strict=True) if word]
    if len(kept) != expected:
        raise InputError(f"tokenizer {tokenizer.name} must split a text the same way each time")
    return kept


@dataclass(frozen=True)
class TextWords:
    """One text of the batch with its words, where they stand, and how each was treated."""

    text: str
    words: list[str]
    spans: list[Span]
    treatments: list[Treatment]


def side_of(text: TextWords, other: TextWords, parts: Parts) -> Side:
    """The words of a text with their parts; a word that is no element has no parts."""
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
    (start, end), treatment = text.spans[place], text.treatments[place]
    word, status, note = text.words[place], treatment.status, treatment.note
    if element is None:
        left_out = status in (Status.UNKNOWN, Status.PUNCTUATION)
        reason = note if left_out else COUNTED_ONCE
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
        _stand_ins(parts, element, other),
    )


def _stand_ins(parts: Parts, element: int, other: TextWords) -> tuple[StandInWord, ...]:
    """The words of the other text that count for an element."""
    if parts.stand_ins is None:
        return ()
    return tuple(
        StandInWord(found.place, other.words[found.place], found.similarity, found.share)
        for found in parts.stand_ins[element]
    )


def _at(values: Floats | None, element: int) -> float | None:
    return None if values is None else float(values[element])

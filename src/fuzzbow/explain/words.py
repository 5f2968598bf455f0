"""Explanation of two texts by a model: each word, its position, its part of the score."""

from __future__ import annotations

from fuzzbow.arrays import Floats
from fuzzbow.encoding import check_text
from fuzzbow.errors import InputError, check_count
from fuzzbow.explain.result import Explanation, Side, StandInWord, Word
from fuzzbow.measures import TextMeasure
from fuzzbow.measures.decomposition import Parts, Status, Treatment
from fuzzbow.plurals import counted
from fuzzbow.text import Span, Tokenizer

COUNTED_ONCE = "repeated: counted with its first occurrence"
OWNS_NOTHING = "owns no dimension: in each, another word reaches further"


def explain(model: TextMeasure, a: str, b: str, *, dimensions: int = 20) -> Explanation:
    """Explain the score of two texts as a sum of exact shares of their words.

    Computed in float64, as the reference engine does. Over a fixed universe the
    `dimensions` with the largest shares are listed.
    """
    dimensions = check_count(dimensions, "dimensions", least=0)
    strings = check_text(a, "a"), check_text(b, "b")
    texts, which = model.encoder.encode([*strings])
    left, right = which.tolist()
    split = model.measure.decompose(texts, left, right, dimensions=dimensions)
    shares = split.shares
    words: list[list[PlacedWord]] = []
    for row, text in zip((left, right), strings, strict=True):
        ids = texts.rows[row].tolist()
        spans = spans_of(model.tokenizer, model.encoder.readable([text])[0], len(ids))
        treated = [(texts.words[word], split.treatments[word]) for word in ids]
        placed = zip(treated, spans, strict=True)
        words.append([(word, span, treatment) for (word, treatment), span in placed])
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
        left=_side(strings[0], words[0], words[1], split.left),
        right=_side(strings[1], words[1], words[0], split.right),
        dimensions=split.dimensions,
        dimension_count=split.dimension_count,
    )


# a word of a text with its span and how it was treated
PlacedWord = tuple[str, Span, Treatment]


def spans_of(tokenizer: Tokenizer, text: str, expected: int) -> list[Span]:
    """Return the spans of the words of a text; a tokenizer must give one for each word."""
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


def _side(text: str, words: list[PlacedWord], others: list[PlacedWord], parts: Parts) -> Side:
    """Make the side of a text, whose words that are no elements have no parts."""
    element_of = {position: element for element, position in enumerate(parts.places.tolist())}
    described = (
        _word(word, others, parts, element_of.get(position)) for position, word in enumerate(words)
    )
    return Side(text, tuple(described))


def _word(placed: PlacedWord, others: list[PlacedWord], parts: Parts, element: int | None) -> Word:
    """Describe a word, with the parts of its element if it is one."""
    word, (start, end), treatment = placed
    status, note = treatment.status, treatment.note
    if element is None:
        left_out = status in (Status.UNKNOWN, Status.PUNCTUATION)
        return Word(word, start, end, status, note if left_out else COUNTED_ONCE)
    match = int(parts.match[element])
    owned = None if parts.dimensions is None else int(parts.dimensions[element])
    stand_ins = () if parts.stand_ins is None else parts.stand_ins[element]
    return Word(
        word,
        start,
        end,
        status,
        OWNS_NOTHING if owned == 0 else note,
        weight=_at(parts.weight, element),
        membership_left=_at(parts.membership_left, element),
        membership_right=_at(parts.membership_right, element),
        match=match if match >= 0 else None,
        match_word=others[match][0] if match >= 0 else None,
        similarity=float(parts.similarity[element]) if match >= 0 else None,
        intersection=float(parts.intersection[element]),
        union=float(parts.union[element]),
        share=float(parts.share[element]),
        dimensions=owned,
        stand_ins=tuple(
            StandInWord(place, others[place][0], similarity, share)
            for place, similarity, share in stand_ins
        ),
    )


def _at(values: Floats | None, element: int) -> float | None:
    return None if values is None else float(values[element])

"""Explanation of two texts by a model: each word, its position, its part of the score."""

from __future__ import annotations

from fuzzbow.encoding import Encoder, check_text
from fuzzbow.errors import InputError, check_count
from fuzzbow.explain.result import Explanation, Side, StandInWord, Word
from fuzzbow.measures import TextMeasure
from fuzzbow.measures.decomposition import Parts, Status, Treatment
from fuzzbow.plurals import counted
from fuzzbow.text import Span

COUNTED_ONCE = "repeated: counted with its first occurrence"
OWNS_NOTHING = "owns no dimension: another word has a larger value in each"
# fields of a word that are numbers of its element
NUMBERS = ("weight", "membership_left", "membership_right", "intersection", "union", "share")

PlacedWord = tuple[str, Span, Treatment]  # a word of a text with its span and how it was treated


def explain(model: TextMeasure, a: str, b: str, *, dimensions: int = 20) -> Explanation:
    """Explain the score of two texts as a sum of exact shares of their words.

    Shares are computed in float64, as by the reference engine. Over a fixed universe the
    `dimensions` with the largest shares are listed.
    """
    dimensions = check_count(dimensions, "dimensions", least=0)
    strings = check_text(a, "a"), check_text(b, "b")
    texts, which = model.encoder.encode([*strings])
    rows = which.tolist()
    split = model.measure.decompose(texts, *rows, dimensions=dimensions)
    words: list[list[PlacedWord]] = []
    for row, text in zip(rows, strings, strict=True):
        ids = texts.rows[row].tolist()
        spans = _spans(model.encoder, text, len(ids))
        named = ((texts.words[word], split.treatments[word]) for word in ids)
        placed = zip(named, spans, strict=True)
        words.append([(word, span, treatment) for (word, treatment), span in placed])
    shares = split.shares
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


def _spans(encoder: Encoder, text: str, expected: int) -> list[Span]:
    """Return the spans of the words of a text; a tokenizer must give one for each word."""
    tokenizer, spans = encoder.tokenizer, encoder.spans(text)
    if len(spans) == expected:
        return spans
    words = tokenizer.words(*encoder.readable([text]))  # some may be empty, and are then left out
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
    """Describe the words of a text, with the parts of those that are elements."""
    element_of = {position: element for element, position in enumerate(parts.places.tolist())}
    arrays = {name: getattr(parts, name) for name in NUMBERS if getattr(parts, name) is not None}
    found = []
    for position, (word, (start, end), treatment) in enumerate(words):
        status, note, element = treatment.status, treatment.note, element_of.get(position)
        if element is None:
            left_out = status in (Status.UNKNOWN, Status.PUNCTUATION)
            found.append(Word(word, start, end, status, note if left_out else COUNTED_ONCE))
            continue
        match = int(parts.match[element])
        owned = None if parts.dimensions is None else int(parts.dimensions[element])
        stand_ins = () if parts.stand_ins is None else parts.stand_ins[element]
        found.append(
            Word(
                word,
                start,
                end,
                status,
                OWNS_NOTHING if owned == 0 else note,
                match=match if match >= 0 else None,
                match_word=others[match][0] if match >= 0 else None,
                similarity=float(parts.similarity[element]) if match >= 0 else None,
                dimensions=owned,
                stand_ins=tuple(StandInWord(at, others[at][0], *rest) for at, *rest in stand_ins),
                **{name: float(values[element]) for name, values in arrays.items()},
            )
        )
    return Side(text, tuple(found))

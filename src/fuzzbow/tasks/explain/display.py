"""What every way of showing an explanation shares: which words, which notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate

from fuzzbow.tasks.explain.result import Explanation, Side, Word
from fuzzbow.text import visible_line

SMALLEST_SHARE = 0.00005  # that is not shown as 0.0000
SHOWN_STAND_INS = 8  # of one word, the strongest
SHOWN_WORDS = 40  # of one text; those with the largest parts of the union, in the text's order


@dataclass(frozen=True)
class Shown:
    """The words of a text that are shown, by their places, and what the others add up to."""

    places: tuple[int, ...]
    others: int
    others_share: float


NO_STRENGTHS: Mapping[int, float] = {}


def shown_words(
    side: Side,
    most: int = SHOWN_WORDS,
    strengths: Mapping[int, float] = NO_STRENGTHS,
    *,
    counting: bool = False,
) -> Shown:
    """The words that matter most, in the order of the text.

    Those with the largest `strengths` by place come first, then those with the largest parts of
    the union. With `counting`, words without a share are left out.
    """

    def importance(place: int) -> tuple[float, float]:
        return strengths.get(place, 0.0), side.words[place].union

    ranked = sorted(range(len(side.words)), key=importance, reverse=True)
    if counting:
        ranked = [place for place in ranked if side.words[place].share >= SMALLEST_SHARE]
    kept = tuple(sorted(ranked[:most]))
    others_share = side.share - sum(side.words[place].share for place in kept)
    return Shown(kept, len(side.words) - len(kept), max(others_share, 0.0))


def best_passage(side: Side, length: int) -> range:
    """The places of so many words in a row that add most to the score; all, if there are fewer."""
    added = [0.0, *accumulate(word.share for word in side.words)]
    starts = range(max(len(side.words) - length, 0) + 1)
    start = max(
        starts, key=lambda place: added[min(place + length, len(side.words))] - added[place]
    )
    return range(start, min(start + length, len(side.words)))


def largest_union(explanation: Explanation) -> float:
    """The largest part of the union that any word has, which is the longest bar; never 0."""
    words = (*explanation.left.words, *explanation.right.words)
    return max((word.union for word in words), default=0.0) or 1.0


def matches_of(word: Word) -> list[str]:
    """Its best match, or the words that stand for it, with their similarities."""
    found = Counter((item.similarity, item.word) for item in word.stand_ins)
    if not found and word.match_word is not None:
        found[word.similarity or 0.0, word.match_word] = 1
    return [
        f"{similarity:.2f} {visible_line(other)}" + (f" ×{count}" if count > 1 else "")
        for (similarity, other), count in list(found.items())[:SHOWN_STAND_INS]
    ]


def notes_of(words: Iterable[Word]) -> dict[str, list[str]]:
    """Each note with the words that it is about, once each."""
    found: dict[str, list[str]] = {}
    for word in words:
        if word.note and word.word not in found.setdefault(word.note, []):
            found[word.note].append(word.word)
    return found

"""Choice of the words and notes of an explanation that are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from fuzzbow.explain.result import Explanation, Side, Word
from fuzzbow.plurals import counted
from fuzzbow.text import visible_line

SMALLEST_SHARE = 0.00005  # that is not shown as 0.0000
SHOWN_STAND_INS = 8  # of one word, the strongest
SHOWN_WORDS = 40  # of one text; those with the largest parts of the union, in the text's order
# positions of the words of a text that are shown, and the number and total share of the others
Shown = tuple[list[int], int, float]


def shown_words(
    side: Side,
    most: int = SHOWN_WORDS,
    strengths: Mapping[int, float] | None = None,
    *,
    counting: bool = False,
) -> Shown:
    """Choose the words that matter most, in the order of the text.

    Words with the largest `strengths`, by position, come first, then those with the largest parts
    of the union. With `counting`, words without a share are left out.
    """
    added, words = strengths or {}, side.words
    ranked = sorted(
        range(len(words)), key=lambda at: (added.get(at, 0.0), words[at].union), reverse=True
    )
    if counting:
        ranked = [at for at in ranked if words[at].share >= SMALLEST_SHARE]
    kept = sorted(ranked[:most])
    others_share = side.share - sum(words[at].share for at in kept)
    return kept, len(words) - len(kept), max(others_share, 0.0)


def largest_union(explanation: Explanation) -> float:
    """Return the largest part of the union of a word, which is the longest bar; never 0."""
    words = (*explanation.left.words, *explanation.right.words)
    return max((word.union for word in words), default=0.0) or 1.0


def matches_of(word: Word) -> list[str]:
    """Write the best match of a word, or the words that count for it, with their similarities."""
    found = Counter((item.similarity, item.word) for item in word.stand_ins)
    if not found and word.match_word is not None:
        found[word.similarity or 0.0, word.match_word] = 1
    return [
        f"{similarity:.2f} {visible_line(other)}" + (f" ×{count}" if count > 1 else "")
        for (similarity, other), count in list(found.items())[:SHOWN_STAND_INS]
    ]


def notes_of(explanation: Explanation) -> dict[str, list[str]]:
    """Collect the distinct notes, each with the words to which it applies."""
    found: dict[str, list[str]] = {}
    for word in (*explanation.left.words, *explanation.right.words):
        if word.note and word.word not in found.setdefault(word.note, []):
            found[word.note].append(word.word)
    return found


def dimension_table(explanation: Explanation) -> tuple[str, list[str], list[list[str]]]:
    """Write the largest dimensions of a fixed universe: title, header and rows."""
    listed = explanation.dimensions
    title = f"The {len(listed)} largest of {counted(explanation.dimension_count, 'dimension')}"
    rows = []
    for found in listed:
        near = f" ({', '.join(map(visible_line, found.nearest))})" if found.nearest else ""
        left, right = (
            f"{value:.2f} {visible_line(owner or '–')}"
            for value, owner in (
                (found.membership_left, found.owner_left_word),
                (found.membership_right, found.owner_right_word),
            )
        )
        rows.append([visible_line(found.name) + near, f"{found.share:.4f}", left, right])
    return title, ["dimension", "share", "left owner", "right owner"], rows

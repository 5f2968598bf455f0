"""Unicode folding: one form of each character, before texts are split into words.

Invisible characters are dropped, quotes and dashes become plain ones, and everything else takes its
compatibility form (NFKC): full-width letters, ligatures, superscripts, accents in two characters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from fuzzbow.text.characters import marks, ranges
from fuzzbow.text.patterns import lazy_pattern

# the byte order mark, soft hyphens, joiners, marks of direction, selectors of variants, skin tones
INVISIBLE = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x180B, 0x180F), (0x200B, 0x200F),
    (0x202A, 0x202E), (0x2060, 0x206F), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0x1F3FB, 0x1F3FF),
    (0xE0000, 0xE0FFF),
)  # fmt: skip
PLAIN = (
    ("'", "’‘‚‛ʼ′＇´"),
    ('"', "“”„‟″«»＂"),
    ("-", "‐‑‒–−﹘﹣－"),
    ("--", "—―"),
)
ZERO_WIDTH_JOINER = "\u200d"
FRACTION_SLASH = "⁄"  # in compatibility forms such as that of ½
_FOLDED: dict[int, str | None] = {
    code: None for first, last in INVISIBLE for code in range(first, last + 1)
} | {ord(character): plain for plain, characters in PLAIN for character in characters}
# what a joiner adds to an emoji, as in a family: the first one stands for all
_JOINED_EMOJI = lazy_pattern("\u200d[\u2600-\u27bf\U0001f000-\U0001faff]")
# NFKC would make letters of these signs, or a space and a mark
_KEPT = lazy_pattern("([™℠¨¯¸])")
ACCENTS = lazy_pattern("[\u0300-\u036f]")  # of letters taken apart
# letters that are written without their stroke, or as two, where a keyboard lacks them
STROKES = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "þ": "th", "ß": "ss"}
    | {"æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ı": "i"}
)


@cache
def _cluster_pattern() -> re.Pattern[str]:
    """Make the pattern of a character with combining marks, or with Korean vowels and finals."""
    combining = rf"[{ranges(marks())}\u1160-\u11ff\uff9e\uff9f]"
    return re.compile(rf".(?:{combining}|{_JOINED_EMOJI.pattern})*", re.DOTALL)


def fold(text: str) -> str:
    """Fold a text; plain ASCII is returned as it is.

    >>> fold("ﬁle № ５ — “cafe\\u0301” x²\\ufeff")
    'file No 5 -- "café" x2'
    """
    if text.isascii():
        return text
    if ZERO_WIDTH_JOINER in text:
        text = _JOINED_EMOJI.sub("", text)
    return _compatible(text.translate(_FOLDED))


def fold_offsets(text: str) -> list[int]:
    """Return the offset of each character of the folded text, and the length of the text last."""
    offsets: list[int] = []
    for cluster in _cluster_pattern().finditer(text):
        offsets += [cluster.start()] * len(fold(cluster[0]))
    length = len(fold(text))
    # Characters that combine across clusters are rare, and cost precision only.
    offsets += [len(text)] * (length + 1 - len(offsets))
    return [*offsets[:length], len(text)]


def plain_letters(word: str) -> str:
    """Return a word with plain Latin letters for those with accents or strokes.

    >>> plain_letters("Zürich"), plain_letters("Straße"), plain_letters("москва")
    ('Zurich', 'Strasse', 'москва')
    """
    plain = ACCENTS.sub("", unicodedata.normalize("NFKD", word.translate(STROKES)))
    return plain if plain.isascii() else word


def _compatible(text: str) -> str:
    if _KEPT.search(text) is None:
        return unicodedata.normalize("NFKC", text).replace(FRACTION_SLASH, "/")
    parts = _KEPT.split(text)
    parts[::2] = [_compatible(part) for part in parts[::2]]
    return "".join(parts)

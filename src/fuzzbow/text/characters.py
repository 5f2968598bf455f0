"""Table of Python's Unicode properties for the kernels' splitter.

The kernels are built with the table of one Unicode version (`tools/build_character_table.py` writes
it from here). If Python has another version, a table is made at run time, so that both always split
equally.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

# classes of characters; `CharacterClass` in cpp/text/characters.hpp has the same
SPACE, DIGIT, LETTER, UNDERSCORE, MARK, UNSPACED, CASED, IGNORABLE = (1 << bit for bit in range(8))

CODES = 0x110000
BLOCK = 128  # characters of a block of the table
# the others are empty or for private use: nothing in them is a letter, a mark or a space
PLANES = (0, 1, 2, 3, 14)
CASED_PLANES = (0, 1, 14)  # with letters of two cases, or tags and selectors
PLANE = 0x10000
MARKED = (0x300, 0x20000)  # where marks are
CAPITAL_I_WITH_DOT = 0x130  # the one character with two in lower case

# scripts that are written without spaces between words
UNSPACED_RANGES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),  # Han: 々, 〆, 〇
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),  # Katakana
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xA9E0, 0xA9FF),  # Myanmar
    (0xAA60, 0xAA7F),
    (0xF900, 0xFAFF),  # Han
    (0xFF66, 0xFF9F),  # Katakana of half width
    (0x1AFF0, 0x1B16F),  # Kana
    (0x20000, 0x3FFFD),  # Han
)


@dataclass(frozen=True)
class CharacterTable:
    """Two-stage table: the block of a character, and its record in the block."""

    version: str  # of Unicode
    index: NDArray[np.uint16]  # (CODES / BLOCK,) block of each run of characters
    blocks: NDArray[np.uint8]  # (b * BLOCK,) record of each character of a block
    classes: NDArray[np.uint8]  # (r,) of each record
    lower: NDArray[np.int32]  # (r,) of each record: what to add for lower case


def table_instead_of(version: str) -> CharacterTable | None:
    """Make the table of this Python's Unicode version; None if it is the given version."""
    return None if version == unicodedata.unidata_version else character_table()


def character_table() -> CharacterTable:
    """Make the table of the Unicode version of this Python."""
    classes, lower = np.zeros(CODES, dtype=np.uint8), np.zeros(CODES, dtype=np.int64)
    for plane in PLANES:
        part = slice(plane * PLANE, (plane + 1) * PLANE)
        codes = np.arange(part.start, part.stop, dtype="<u4")
        text = _text(codes)
        # as regular expressions have them
        for pattern, value in (r"\s+", SPACE), (r"\d+", DIGIT), (r"[^\W\d_]+", LETTER):
            for found in re.finditer(pattern, text):
                classes[part][found.start() : found.end()] = value
        if plane in CASED_PLANES:  # by the effect on a final Σ in `str.lower`
            behind_letter, alone = _ends_word("A", codes), _ends_word(" ", codes)
            case = np.where(alone, CASED, np.where(behind_letter, IGNORABLE, 0))
            classes[part] |= case.astype(np.uint8)
            lower[part] = _codes(_text(_without_two(codes)).lower()).astype(np.int64) - codes
    classes[ord("_")] |= UNDERSCORE
    for mark in marks():
        classes[ord(mark)] |= MARK
    for first, last in UNSPACED_RANGES:
        within = classes[first : last + 1]
        within[(within & LETTER) > 0] |= UNSPACED
    keys = (lower << 8 | classes).reshape(-1, BLOCK)
    numbers: dict[bytes, int] = {}
    index = [numbers.setdefault(block.tobytes(), len(numbers)) for block in keys]
    distinct = np.frombuffer(b"".join(numbers), dtype=np.int64)
    records, blocks = np.unique(distinct, return_inverse=True)
    if len(records) > 256:
        raise OverflowError(f"records of characters must fit a byte; got {len(records)}")
    return CharacterTable(
        unicodedata.unidata_version,
        np.array(index, dtype=np.uint16),
        blocks.astype(np.uint8).ravel(),
        (records & 0xFF).astype(np.uint8),
        (records >> 8).astype(np.int32),
    )


@lru_cache(maxsize=1)
def marks() -> str:
    """Return the characters that belong to the letter before them: vowel signs, accents, tones.

    Selectors of a variant (U+FE00 to U+FE0F) choose a picture and belong to no word.
    """
    found = re.findall(r"[^\w\s\ufe00-\ufe0f]", _text(np.arange(*MARKED, dtype="<u4")))
    return "".join(mark for mark in found if unicodedata.category(mark) in ("Mn", "Mc"))


def ranges(characters: str) -> str:
    """Write characters in ascending order as the inside of a set of a regular expression."""
    codes = np.array([ord(character) for character in characters])
    runs = np.split(codes, np.flatnonzero(np.diff(codes) > 1) + 1)
    return "".join(f"\\U{run[0]:08x}-\\U{run[-1]:08x}" for run in runs)


def _text(codes: NDArray[np.uint32]) -> str:
    return codes.tobytes().decode("utf-32-le", "surrogatepass")


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _without_two(codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Replace İ by I, since the lower case of İ has two characters."""
    return np.where(codes == CAPITAL_I_WITH_DOT, ord("I"), codes).astype("<u4")


def _ends_word(before: str, codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Mark characters before which Σ, after a given letter, ends a word: (n,)."""
    probes = np.empty((len(codes), 4), dtype="<u4")
    probes[:, 0], probes[:, 1], probes[:, 2:] = ord(before), _without_two(codes), (0x3A3, 0x20)
    return np.asarray(_codes(_text(probes).lower()).reshape(-1, 4)[:, 2] == ord("ς"))

"""Words of scripts that are written without spaces: Chinese, Japanese, Thai, Lao, Khmer, Burmese.

From the left, a text is cut into the longest words of a vocabulary that match; without a match,
into one letter with its marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fuzzbow.text.characters import UNSPACED_RANGES, marks, ranges

Span = tuple[int, int]

LONGEST = 20  # characters of a word that is looked for; kLongestSegment in cpp/text/vocabulary.hpp


class Dictionary(Protocol):
    """Words that segments are looked for in; `WordVectors` is one."""

    @property
    def lowercase(self) -> bool:
        """Return whether all words are in lower case."""

    def position(self, word: str) -> int:
        """Return the id of one word as it is written, -1 if it is unknown."""

    def ids(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the id of each word as it is written, -1 where unknown: (n,)."""


def segment_spans(word: str, dictionary: Dictionary | None) -> Iterator[Span]:
    """Cut a word into segments; parts of other scripts, and digits, are not cut."""
    done, signs = 0, marks()
    for run in _run().finditer(word):
        if done < run.start():
            yield done, run.start()
        begin, done = run.span()
        starts = [start for start in range(begin, done) if word[start] not in signs]
        ends = dict(zip(starts, [*starts[1:], done], strict=True))  # of single letters
        if dictionary is not None:
            ends |= _longest_words(word, [*starts, done], dictionary)
        while begin < done:
            yield begin, ends[begin]
            begin = ends[begin]
    if done < len(word):
        yield done, len(word)


def _longest_words(word: str, edges: list[int], dictionary: Dictionary) -> dict[int, int]:
    """Map each start of a word of the dictionary to the end of the longest one."""
    spans = [
        (begin, end)
        for number, begin in enumerate(edges)
        for end in edges[number + 2 : number + LONGEST + 1]
        if end - begin <= LONGEST
    ]
    found = dictionary.ids([word[begin:end] for begin, end in spans]) >= 0
    return {begin: end for (begin, end), is_word in zip(spans, found, strict=True) if is_word}


@lru_cache(maxsize=1)
def _run() -> re.Pattern[str]:
    """Make the pattern of a run of letters of scripts without spaces, with their marks."""
    inside = "".join(f"{chr(first)}-{chr(last)}" for first, last in UNSPACED_RANGES)
    letter = rf"(?=[{inside}])[^\W\d_]"
    return re.compile(rf"{letter}(?:{letter}|[{ranges(marks())}])*")

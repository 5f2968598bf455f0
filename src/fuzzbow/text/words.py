"""The usual tokenizer: words of any script, numbers, punctuation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import ClassVar

from fuzzbow.text.characters import marks, ranges
from fuzzbow.text.languages import Clitics, Language
from fuzzbow.text.segments import Dictionary, Span, segment_spans
from fuzzbow.text.tokenizers import name_in

# vocabularies know only the plain quotes
PLAIN_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"'})
KERNEL_PREFIXES = {Clitics.ENGLISH: "", Clitics.NONE: "plain ", Clitics.FRENCH: "french "}
BEYOND_LATIN = re.compile(
    "[\u0300-\U0010ffff]"
)  # where there are marks, and scripts without spaces


# what is elided before a vowel, and one word that has an apostrophe inside
ELIDED = (
    *("c", "d", "j", "l", "m", "n", "s", "t"),
    *("qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "quelqu", "presqu"),
)
TODAY = "aujourd'hui"


@lru_cache(maxsize=6)
def word_pattern(clitics: Clitics, *, with_marks: bool) -> re.Pattern[str]:
    """The rules of a language; marks need a larger pattern, which is slower."""
    mark = rf"[{ranges(marks())}]*" if with_marks else ""
    part = rf"[\w{ranges(marks())}]" if with_marks else r"\w"
    return re.compile(
        rf"""
          (?:[^\W\d_]{mark}\.){{2,}}       # u.s., p.m.
        | \d+(?:[.,]\d+)+                  # 1,650 and 3.5
        {_clitic_rules(clitics, part)}
        | \w{part}*                        # words with their marks, numbers, 1990s
        | \.{{2,}} | -{{2,}}
        | [^\w\s]                          # other punctuation and symbols, one at a time
        """,
        re.VERBOSE | re.IGNORECASE,
    )


def _clitic_rules(clitics: Clitics, part: str) -> str:
    """Alternatives of the pattern; `part` is a character of a word."""
    if clitics is Clitics.ENGLISH:
        return rf"""
        | \w{part}*?(?=n't(?!{part}))      # do|n't
        | n't(?!{part})
        | '(?:s|m|d|re|ve|ll)(?!{part})    # it|'s, they|'re
        """
    if clitics is Clitics.FRENCH:
        elided = "|".join(map(_in_either_case, ELIDED))
        return rf"""
        | (?-i:{_in_either_case(TODAY)})(?!{part})
        | (?-i:{elided})'(?=[^\W\d_])      # l'|homme, qu'|il
        """
    return ""


def _in_either_case(letters: str) -> str:
    """A pattern without the odd letters that are equal where case does not count."""
    return "".join(f"[{letter}{letter.upper()}]" for letter in letters)


@dataclass(frozen=True)
class WordTokenizer:
    """Unicode words, numbers such as 1,650 and 3.5, and punctuation.

    >>> WordTokenizer().words("Don't pay $1,650.50: it's U.S. money!")
    ['Do', "n't", 'pay', '$', '1,650.50', ':', 'it', "'s", 'U.S.', 'money', '!']
    """

    rules: ClassVar[int] = 2  # to be raised with every change; the first knew no marks or segments

    name: str = "words"
    clitics: Clitics = Clitics.ENGLISH
    segmenting: bool = True  # whether words of scripts without spaces are cut
    dictionary: Dictionary | None = field(default=None, repr=False, compare=False)

    def words(self, text: str) -> list[str]:
        """The words of a text."""
        plain = text.translate(PLAIN_QUOTES)
        if not _goes_beyond_latin(plain):
            return word_pattern(self.clitics, with_marks=False).findall(plain)
        return [plain[start:end] for start, end in self._spans(plain)]

    def spans(self, text: str) -> list[Span]:
        """Where each word begins and ends; replaced quotes are one character for one."""
        return list(self._spans(text.translate(PLAIN_QUOTES)))

    def adapted(self, language: Language, dictionary: Dictionary) -> WordTokenizer:
        """By the rules of a language, with segments looked for in a vocabulary."""
        name = name_in(language, self.name)
        return replace(self, name=name, clitics=language.clitics, dictionary=dictionary)

    def kernel_splitting(self, vocabulary: Dictionary) -> str | None:
        """The name by which the kernels split in the same way, over that vocabulary."""
        if self.segmenting and self.dictionary is not vocabulary:
            return None
        rules = "words" if self.segmenting else "unsegmented"
        return KERNEL_PREFIXES[self.clitics] + rules

    def _spans(self, plain: str) -> Iterator[Span]:
        beyond = _goes_beyond_latin(plain)
        pattern = word_pattern(self.clitics, with_marks=beyond)
        for found in pattern.finditer(plain):
            if beyond and self.segmenting:
                start = found.start()
                for first, last in segment_spans(found[0], self.dictionary):
                    yield start + first, start + last
            else:
                yield found.span()


def _goes_beyond_latin(text: str) -> bool:
    """Whether a text may hold marks or letters of scripts without spaces."""
    return not text.isascii() and BEYOND_LATIN.search(text) is not None

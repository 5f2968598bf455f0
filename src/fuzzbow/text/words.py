"""Tokenizers of words of any script, numbers and punctuation: the usual one, and one for records.

A text is cut into chunks by a few rules; no word extends over two chunks. A chunk is a
run of letters, digits and underscores that single signs may join (`don't`, `U.S.`, `2024-01-05`,
`x@y.org`), a web address, a phone number, or a run of one symbol. The kernels find the same
chunks (`cpp/text/splitter.cpp`); the words of a chunk are decided once for each distinct one, by
`forms.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import ClassVar

from fuzzbow.text.characters import UNSPACED_RANGES, marks, ranges
from fuzzbow.text.folding import fold, fold_offsets
from fuzzbow.text.forms import POINTED, Form, FormRules, date_words, joined_code
from fuzzbow.text.languages import Clitics, Language
from fuzzbow.text.patterns import lazy_pattern
from fuzzbow.text.tokenizer import ChunkRules, Dictionary, Span, Tokenizer, name_in

CACHED_RANKS = 1 << 16
LONGEST = 20  # characters of a word that is looked for; kLongestSegment in cpp/text/vocabulary.hpp
# where there are marks, and scripts without spaces
BEYOND_LATIN = lazy_pattern("[\u0300-\U0010ffff]")
JOINT = lazy_pattern("[-/]")
WITH_UNIT = lazy_pattern(r"(\d+(?:[.,]\d+)*)([^\W\d_]{1,3})")


@lru_cache(maxsize=2)
def chunk_pattern(*, with_marks: bool) -> re.Pattern[str]:
    """Return the pattern of a chunk; marks need a larger one, which is slower."""
    part = rf"[\w{ranges(marks())}]" if with_marks else r"\w"
    gap = "[ ().-]{1,2}"
    currency = "$€£¥₹"
    return re.compile(
        rf"""
          (?i:https?://|www\.)[^\s<>"]+                 # a web address
        | (?<!{part})(?:
            \(?(?:\d{gap})?\d{{3}}{gap}\d{{3}}{gap}\d{{4}}(?!{part})  # (555) 123-4567
          | (?:\+|00)\d+(?:{gap}\d+)+(?!{part})         # +44 20 7946 0958
          )
        | (?:                                           # the sign of -5, +5 and -$5
            (?<![^\s(\[{{:;="'~<>|/]) [-+] (?=(?:[{currency}][ ]?)?\.?\d)
          )?
          (?:[{currency}][ ]?(?=\.?\d))?                # $5, $ 5
          (?:(?<!{part})\.(?=\d))?                      # .5
          \w{part}*                                     # a word, or words joined by signs
          (?:(?:[-./'@&]|(?<=\d)[,:](?=\d))\w{part}*)*
          (?:
            (?<=\.[^\W\d_])\.(?!{part})                # U.S., p.m.
          | (?<=\d)[ ]?[%°{currency}](?![\d{currency}])  # 6 %, 5 €, 20°
          | (?<=(?<!\w)[^\W\d_])(?:\+\+|\#)(?!{part})   # C++, C#
          )?
        | [\U0001f1e6-\U0001f1ff]{{2}}                  # a flag
        | ([^\w\s\x00-\x1f\x7f])\1*                   # a symbol, and how often it is repeated
        """,
        re.VERBOSE,
    )


@dataclass(frozen=True)
class WordTokenizer(Tokenizer):
    """Unicode words, numbers in their shortest form, and punctuation.

    A text is folded (`folding.py`) and cut into chunks, each of which becomes words (`forms.py`).

    >>> WordTokenizer().words("Don't pay $1,650.50: it's U.K. money!")
    ['Do', "n't", 'pay', 'dollars', '1650.5', ':', 'it', "'s", 'UK', 'money', '!']
    """

    rules: ClassVar[int] = 3  # to be raised with every change of the rules
    whole_chunks: ClassVar[bool] = False
    kernel_chunks: ClassVar[bool] = True  # whether the kernels find these chunks

    name: str = "words"
    clitics: Clitics = Clitics.ENGLISH
    segmenting: bool = True  # whether words of scripts without spaces are cut
    whole_addresses: bool = True  # whether a web address is one word
    dictionary: Dictionary | None = field(default=None, repr=False, compare=False)

    def __init_subclass__(cls) -> None:
        """Disable kernels for a subclass, which may split differently; it may enable them."""
        cls.kernel_chunks = cls.__dict__.get("kernel_chunks", False)

    def words(self, text: str) -> list[str]:
        return [word for chunk in self.chunks(text) for word, _, _ in self.forms(chunk)]

    def spans(self, text: str) -> list[Span]:
        folded = fold(text)
        found = [
            (start + first, start + last)
            for start, end in self._chunk_spans(folded)
            for _, first, last in self.forms(folded[start:end])
        ]
        if text.isascii():
            return found
        offsets = fold_offsets(text)
        return [(offsets[start], offsets[end]) for start, end in found]

    def chunks(self, text: str) -> list[str]:
        """Split a text into chunks, as the kernels do with a folded text."""
        folded = fold(text)
        return [folded[start:end] for start, end in self._chunk_spans(folded)]

    def chunk_words(self, chunk: str) -> list[str]:
        return [word for word, _, _ in self.forms(chunk)]

    def keeps(self, chunk: str, known: bool) -> bool:
        return self.form_rules.keeps(chunk, known)

    @property
    def chunk_rules(self) -> ChunkRules | None:
        return self.form_rules.chunk_rules if self.kernel_chunks else None

    def forms(self, chunk: str) -> list[Form]:
        """Return the words of a chunk, with their start and end offsets in it."""
        spelled = self._spell(chunk)
        forms = self.form_rules.forms(spelled)
        if len(spelled) == len(chunk):
            return forms
        return [(word, min(start, len(chunk)), min(end, len(chunk))) for word, start, end in forms]

    @cached_property
    def form_rules(self) -> FormRules:
        """Return the rules by which chunks become words."""
        dictionary = self.dictionary

        @lru_cache(CACHED_RANKS)
        def rank(word: str) -> int:
            if dictionary is None:
                return -1
            small = word.lower()
            found = dictionary.position(small)
            return found if small == word else max(found, dictionary.position(word))

        return FormRules(rank, self.clitics, self.whole_addresses)

    def adapted(self, language: Language, dictionary: Dictionary) -> WordTokenizer:
        name = name_in(language, self.name)
        return replace(self, name=name, clitics=language.clitics, dictionary=dictionary)

    def for_search(self) -> WordTokenizer:
        """Return this tokenizer with web addresses split into words that queries may contain."""
        return replace(self, whole_addresses=False)

    def kernel_splitting(self, vocabulary: Dictionary) -> str | None:
        if not self.kernel_chunks or (self.segmenting and self.dictionary is not vocabulary):
            return None
        return "chunks" if self.segmenting else "unsegmented"

    def _spell(self, chunk: str) -> str:
        """Return a chunk as the vocabulary spells it, where it knows it."""
        small, dictionary = chunk.lower(), self.dictionary
        if small == chunk or dictionary is None or dictionary.position(small) < 0:
            return chunk
        return small if dictionary.lowercase or dictionary.position(chunk) < 0 else chunk

    def _chunk_spans(self, folded: str) -> Iterator[Span]:
        beyond = not folded.isascii() and BEYOND_LATIN.search(folded) is not None
        for found in chunk_pattern(with_marks=beyond).finditer(folded):
            if beyond and self.segmenting:
                start = found.start()
                for first, last in _segment_spans(found[0], self.dictionary):
                    yield start + first, start + last
            else:
                yield found.span()


def _segment_spans(word: str, dictionary: Dictionary | None) -> Iterator[Span]:
    """Cut a word in scripts without spaces between words: Chinese, Japanese, Thai, Khmer, ….

    From the left, into the longest words of a vocabulary that match; without a match, into one
    letter with its marks. Parts of other scripts, and digits, are not cut.
    """
    done, signs = 0, marks()
    for run in _unspaced_run().finditer(word):
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
def _unspaced_run() -> re.Pattern[str]:
    """Make the pattern of a run of letters of scripts without spaces, with their marks."""
    inside = "".join(f"{chr(first)}-{chr(last)}" for first, last in UNSPACED_RANGES)
    letter = rf"(?=[{inside}])[^\W\d_]"
    return re.compile(rf"{letter}(?:{letter}|[{ranges(marks())}])*")


@dataclass(frozen=True)
class RecordTokenizer(WordTokenizer):
    """Words of records, such as product names, addresses and references, in which codes decide.

    Besides the forms of words (`forms.py`):

    * words joined by single hyphens or slashes are one code, in lower case and without these,
      if one of them mixes letters and digits or is a whole number of three or more digits:
      `KX-TGA450B`, `MB111LL/A`, `010-00715-20`; but not `18-year-old` or `F-16`, nor a date;
    * a number with two or more points loses them: `010.00715.20`; but not `3.5`;
    * a unit of up to three letters after a number is a separate word: `64GB`, `13in`.

    >>> RecordTokenizer().words("Garmin 010-00715-20, 64GB")
    ['Garmin', '0100071520', ',', '64', 'GB']
    """

    kernel_chunks = True

    name: str = "records"

    def forms(self, chunk: str) -> list[Form]:
        end = len(chunk)
        if not any(map(str.isdigit, chunk)) or date_words(chunk):
            return super().forms(chunk)
        code = joined_code(JOINT.split(chunk))
        if code is not None:
            return [(code[0], 0, end)]
        if POINTED.fullmatch(chunk):
            return [(chunk.replace(".", ""), 0, end)]
        unit = WITH_UNIT.fullmatch(chunk)
        if unit is not None:
            return [*super().forms(unit[1]), (unit[2], unit.end(1), end)]
        return super().forms(chunk)

"""The usual tokenizer: words of any script, numbers, punctuation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import ClassVar

from fuzzbow.text.chunks import chunk_pattern, goes_beyond_latin
from fuzzbow.text.folding import fold, fold_offsets
from fuzzbow.text.forms import Form, FormRules
from fuzzbow.text.languages import Clitics, Language
from fuzzbow.text.segments import Dictionary, Span, segment_spans
from fuzzbow.text.tokenizers import name_in

CACHED_RANKS = 1 << 16


@dataclass(frozen=True)
class WordTokenizer:
    """Unicode words, numbers in their shortest form, and punctuation.

    A text is folded (`folding.py`), cut into chunks (`chunks.py`), and each distinct chunk becomes
    words (`forms.py`).

    >>> WordTokenizer().words("Don't pay $1,650.50: it's U.K. money!")
    ['Do', "n't", 'pay', 'dollars', '1650.5', ':', 'it', "'s", 'UK', 'money', '!']
    """

    rules: ClassVar[int] = 3  # to be raised with every change of the rules

    name: str = "words"
    clitics: Clitics = Clitics.ENGLISH
    segmenting: bool = True  # whether words of scripts without spaces are cut
    whole_addresses: bool = True  # whether an address of the web is one word
    dictionary: Dictionary | None = field(default=None, repr=False, compare=False)

    def words(self, text: str) -> list[str]:
        """Split a text into words."""
        return [word for chunk in self.chunks(text) for word, _, _ in self.forms(chunk)]

    def spans(self, text: str) -> list[Span]:
        """Return where each word begins and ends."""
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

    def forms(self, chunk: str) -> list[Form]:
        """Return the words of a chunk, and where each begins and ends in it."""
        spelled = self._spelled(chunk)
        forms = self.form_rules.forms(spelled)
        if len(spelled) == len(chunk):
            return forms
        return [(word, min(start, len(chunk)), min(end, len(chunk))) for word, start, end in forms]

    @cached_property
    def form_rules(self) -> FormRules:
        """Return the rules by which chunks become words."""
        rank = lru_cache(CACHED_RANKS)(self._rank)
        return FormRules(rank, self.clitics, self.whole_addresses)

    def adapted(self, language: Language, dictionary: Dictionary) -> WordTokenizer:
        """Return this tokenizer with the rules of a language and the words of a vocabulary."""
        name = name_in(language, self.name)
        return replace(self, name=name, clitics=language.clitics, dictionary=dictionary)

    def for_search(self) -> WordTokenizer:
        """Return this tokenizer with addresses of the web as words, which queries may hold."""
        return replace(self, whole_addresses=False)

    def kernel_splitting(self, vocabulary: Dictionary) -> str | None:
        """Return the name by which the kernels find the same chunks over that vocabulary."""
        if self.segmenting and self.dictionary is not vocabulary:
            return None
        return "chunks" if self.segmenting else "unsegmented"

    def _rank(self, word: str) -> int:
        """Return the position of a word in the vocabulary, in either case; -1 if unknown."""
        if self.dictionary is None:
            return -1
        small = word.lower()
        found = self.dictionary.position(small)
        return found if small == word else max(found, self.dictionary.position(word))

    def _spelled(self, chunk: str) -> str:
        """Return a chunk as the vocabulary spells it, where it knows it."""
        small, dictionary = chunk.lower(), self.dictionary
        if small == chunk or dictionary is None or dictionary.position(small) < 0:
            return chunk
        return small if dictionary.lowercase or dictionary.position(chunk) < 0 else chunk

    def _chunk_spans(self, folded: str) -> Iterator[Span]:
        beyond = goes_beyond_latin(folded)
        for found in chunk_pattern(with_marks=beyond).finditer(folded):
            if beyond and self.segmenting:
                start = found.start()
                for first, last in segment_spans(found[0], self.dictionary):
                    yield start + first, start + last
            else:
                yield found.span()

"""The limits on the texts of a request and on the size of its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from operator import mul

from fuzzbow.errors import InputError
from fuzzbow.plurals import counted
from fuzzbow.server.batching import IsWanted, Result, Workers
from fuzzbow.server.errors import ApiError
from fuzzbow.server.settings import Limits
from fuzzbow.text import Span, Tokenizer

# characters up to which requests share a call: nobody waits for the long text of another
SHORT = 2_000

Split = Callable[[str], Sequence[str]]  # from a text to its words


class TextLimits:
    """Checks the texts of one request, or of some that share a call; counts each text once."""

    def __init__(self, limits: Limits, words: Split) -> None:
        self._limits = limits
        self._count_words = cache(lambda text: len(words(text)))

    def check_lengths(self, texts: Sequence[str]) -> None:
        """Refuse a text of too many characters or words."""
        limits = self._limits
        for place, text in enumerate(texts):
            if len(text) > limits.characters:
                raise InputError(
                    f"a text may have at most {counted(limits.characters, 'character')};"
                    f" text {place} has {len(text)}"
                )
            if words := self._words_above(limits.words, text):
                raise InputError(
                    f"a text may have at most {counted(limits.words, 'word')};"
                    f" text {place} has {words}"
                )

    def check_query(self, query: str) -> None:
        """Refuse a query of too many characters or words."""
        self.check_lengths([query])
        most = self._limits.query_words
        if words := self._words_above(most, query):
            raise InputError(f"a query may have at most {counted(most, 'word')}; got {words}")

    def check_comparisons(
        self, lefts: Sequence[str], rights: Sequence[str], *, before: int = 0
    ) -> list[int]:
        """Comparisons of words with words that each row takes, at most: (n,), (n,) -> (n,).

        `before` is how many the request has made already.
        """
        if len(lefts) != len(rights):
            raise InputError(
                f"lefts and rights must have equal length; got {len(lefts)} and {len(rights)}"
            )
        most = self._limits.comparisons
        # characters first, since no text has more words than characters
        products = list(map(mul, map(len, lefts), map(len, rights)))
        if before + sum(products) > most:
            left, right = (map(self._count_words, side) for side in (lefts, rights))
            products = list(map(mul, left, right))
        if before + sum(products) > most:
            raise InputError(
                f"a request may compare at most {counted(most, 'word')} with words,"
                f" the sum over its rows of words times words;"
                f" got {before + sum(products)}: send fewer or shorter texts"
            )
        return products

    def _words_above(self, most: int, text: str) -> int:
        """The number of words if it is above `most`, or else 0."""
        words = self._count_words(text) if len(text) > most else 0
        return words if words > most else 0


@dataclass(frozen=True)
class RememberedWords:
    """A tokenizer that splits each text once, for the few texts of one request."""

    tokenizer: Tokenizer
    _words: dict[str, list[str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the name of the tokenizer."""
        return self.tokenizer.name

    def words(self, text: str) -> list[str]:
        """The words of a text."""
        if text not in self._words:
            self._words[text] = self.tokenizer.words(text)
        return self._words[text]

    def spans(self, text: str) -> list[Span]:
        """Return where each word begins and ends."""
        return self.tokenizer.spans(text)


@dataclass(frozen=True)
class CheckedWork:
    """Work on reader threads: texts are checked before it, the size of its answer after it."""

    workers: Workers
    limits: Limits
    words: Split  # as the model does that the texts are for

    async def read(
        self,
        texts: Sequence[str],
        call: Callable[[IsWanted], Result],
        checks: TextLimits | None = None,
    ) -> Result:
        """Check the texts, then call; for what changes nothing."""
        most = self.limits.texts
        if len(texts) > most:
            raise InputError(
                f"a request may hold at most {counted(most, 'text')}; got {len(texts)}"
            )

        def checked(is_wanted: IsWanted) -> Result:
            (checks or self.checks()).check_lengths(texts)
            return call(is_wanted)

        return await self.workers.read(checked)

    def checks(self, words: Split | None = None) -> TextLimits:
        """New checks; they remember the counts of the texts that they have seen."""
        return TextLimits(self.limits, words or self.words)

    def checked_answer(self, body: bytes, fewer: str) -> bytes:
        """An answer, unless it is too large; `fewer` says what to ask for instead."""
        self.check_answer(len(body), fewer)
        return body

    def check_answer(self, size: int, fewer: str) -> None:
        """Refuse to send more bytes than an answer may have."""
        most = self.limits.answer_bytes
        if size > most:
            raise ApiError(
                422,
                f"an answer may have at most {most} bytes; this one has {size}: ask for {fewer}",
                code="answer_too_large",
            )

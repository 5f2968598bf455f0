"""Texts of requests, and what is answered, against the limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Any

from fuzzbow.errors import InputError
from fuzzbow.server.errors import ApiError, json_bytes
from fuzzbow.server.settings import Limits
from fuzzbow.server.work import Result, Wanted, Workers
from fuzzbow.text import Tokenizer

# characters up to which requests may share a call: a long text keeps nobody waiting but itself
SHORT = 2_000


@dataclass(frozen=True)
class CheckedWork:
    """Work on texts that are within the limits, off the event loop."""

    workers: Workers
    limits: Limits
    tokenizer: Tokenizer

    async def read(self, texts: Sequence[str], call: Callable[[Wanted], Result]) -> Result:
        """Check the texts, then call; for what changes nothing."""
        self.check_number(texts)

        def checked(wanted: Wanted) -> Result:
            self.check_lengths(texts)
            return call(wanted)

        return await self.workers.read(checked)

    def check_number(self, texts: Sequence[str]) -> None:
        """Refuse more texts than a request may hold."""
        most = self.limits.texts
        if len(texts) > most:
            raise InputError(f"a request may hold at most {most} texts; got {len(texts)}")

    def check_lengths(self, texts: Sequence[str]) -> None:
        """Refuse a text of too many characters or words; takes the time of splitting them."""
        limits = self.limits
        for place, text in enumerate(texts):
            if len(text) > limits.characters:
                raise InputError(
                    f"a text may have at most {limits.characters} characters;"
                    f" text {place} has {len(text)}"
                )
            words = self._words_beyond(limits.words, text)
            if words > limits.words:
                raise InputError(
                    f"a text may have at most {limits.words} words; text {place} has {words}"
                )

    def check_query(self, query: str) -> None:
        """Refuse a query of too many characters or words."""
        self.check_lengths([query])
        most = self.limits.query_words
        words = self._words_beyond(most, query)
        if words > most:
            raise InputError(f"a query may have at most {most} words; got {words}")

    def check_comparisons(self, lefts: Sequence[str], rights: Sequence[str]) -> list[int]:
        """Comparisons of words that each row takes, or more: (n,), (n,) -> (n,)."""
        if len(lefts) != len(rights):
            raise InputError(
                f"lefts and rights must have equal length; got {len(lefts)} and {len(rights)}"
            )
        most = self.limits.comparisons
        products = list(map(mul, map(len, lefts), map(len, rights)))  # of characters
        if sum(products) > most:
            left, right = (map(len, map(self.tokenizer.words, side)) for side in (lefts, rights))
            products = list(map(mul, left, right))
        if sum(products) > most:
            raise InputError(
                f"a request may compare at most {most} words with words, the sum over its rows of"
                f" words times words; got {sum(products)}: send fewer or shorter texts"
            )
        return products

    def answer(self, content: Any, fewer: str) -> bytes:
        """The JSON of an answer, unless it is too large; `fewer` says what to ask for instead."""
        body = json_bytes(content)
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

    def _words_beyond(self, most: int, text: str) -> int:
        """The number of words where it can be above `most`, or else 0."""
        # no text has more words than characters
        return len(self.tokenizer.words(text)) if len(text) > most else 0

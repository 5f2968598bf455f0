"""Texts of requests against the limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fuzzbow.errors import InputError
from fuzzbow.server.settings import Limits
from fuzzbow.server.work import Result, Workers
from fuzzbow.text import Tokenizer

# characters up to which requests may share a call: a long text keeps nobody waiting but itself
SHORT = 2_000


@dataclass(frozen=True)
class CheckedWork:
    """Work on texts that are within the limits, off the event loop."""

    workers: Workers
    limits: Limits
    tokenizer: Tokenizer

    async def read(self, texts: Sequence[str], call: Callable[[], Result]) -> Result:
        """Check the texts, then call; for what changes nothing."""
        self.check_number(texts)

        def checked() -> Result:
            self.check_lengths(texts)
            return call()

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
            # no text has more words than characters
            words = len(self.tokenizer.words(text)) if len(text) > limits.words else 0
            if words > limits.words:
                raise InputError(
                    f"a text may have at most {limits.words} words; text {place} has {words}"
                )

"""Registry of tokenizers by name, and small tokenizers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from fuzzbow.errors import InputError, MissingExtraError, check_choice
from fuzzbow.text.languages import ENGLISH, Language
from fuzzbow.text.names import NameTokenizer
from fuzzbow.text.tokenizer import Dictionary, Span, Tokenizer, align, checked_words, name_in
from fuzzbow.text.words import RecordTokenizer, WordTokenizer


@dataclass(frozen=True)
class WhitespaceTokenizer(Tokenizer):
    """Tokenizer for tokenised data: words are separated by white space."""

    name: str = "whitespace"

    def words(self, text: str) -> list[str]:
        return text.split()

    def kernel_splitting(self, vocabulary: Dictionary) -> str | None:
        return "whitespace"


@dataclass(frozen=True)
class MosesTokenizer(Tokenizer):
    """Tokenizer of the paper's protocol: Moses tokens, lower-cased."""

    name: str = "moses"
    language: str = ENGLISH.code
    _moses: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            from sacremoses import MosesTokenizer as Moses
        except ImportError as error:
            raise MissingExtraError("sacremoses", "moses") from error
        object.__setattr__(self, "_moses", Moses(lang=self.language))

    def words(self, text: str) -> list[str]:
        return [word.lower() for word in self._moses.tokenize(text, escape=False)]

    def spans(self, text: str) -> list[Span]:
        return align(text, self._moses.tokenize(text, escape=False))

    def adapted(self, language: Language, dictionary: Dictionary) -> MosesTokenizer:
        """Return this tokenizer with the abbreviations and apostrophes of a language."""
        return replace(self, name=name_in(language, self.name), language=language.code)


@dataclass(frozen=True)
class CallableTokenizer(Tokenizer):
    """Tokenizer that calls a function from a text to a list of words."""

    split: Callable[[str], Sequence[str]]

    @property
    def name(self) -> str:
        return getattr(self.split, "__qualname__", type(self.split).__name__)

    def words(self, text: str) -> list[str]:
        return checked_words(self.split(text), self.name)


# a new tokenizer is registered here, and nowhere else
TOKENIZERS: dict[str, Callable[[], Tokenizer]] = {
    "words": WordTokenizer,
    "unsegmented": partial(WordTokenizer, "unsegmented", segmenting=False),
    "whitespace": WhitespaceTokenizer,
    "moses": MosesTokenizer,
    "records": RecordTokenizer,
    "names": NameTokenizer,
}


def parse_tokenizer(choice: str | Tokenizer | Callable[[str], Sequence[str]]) -> Tokenizer:
    """Return the tokenizer of a name, or make one of a function."""
    if isinstance(choice, str):
        return TOKENIZERS[check_choice(choice, TOKENIZERS, "tokenizer")]()
    if isinstance(choice, Tokenizer):
        return choice
    if callable(choice):
        return CallableTokenizer(choice)
    raise InputError(
        f"tokenizer must be a name, a Tokenizer or callable; got {type(choice).__name__}"
    )

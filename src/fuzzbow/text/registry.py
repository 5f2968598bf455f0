"""Every tokenizer by name. A new one is registered here, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from fuzzbow.errors import InputError, nearest
from fuzzbow.text.names import NameTokenizer
from fuzzbow.text.records import RecordTokenizer
from fuzzbow.text.tokenizers import (
    CallableTokenizer,
    MosesTokenizer,
    Tokenizer,
    WhitespaceTokenizer,
)
from fuzzbow.text.words import WordTokenizer

TOKENIZERS: dict[str, Callable[[], Tokenizer]] = {
    "words": WordTokenizer,
    "unsegmented": partial(WordTokenizer, "unsegmented", segmenting=False),
    "whitespace": WhitespaceTokenizer,
    "moses": MosesTokenizer,
    "records": RecordTokenizer,
    "names": NameTokenizer,
}


def parse_tokenizer(choice: str | Tokenizer | Callable[[str], Sequence[str]]) -> Tokenizer:
    """The tokenizer of that name, or one made of the given function."""
    if isinstance(choice, str):
        if choice in TOKENIZERS:
            return TOKENIZERS[choice]()
        names = ", ".join(TOKENIZERS)
        hint = nearest(choice, TOKENIZERS)
        raise InputError(f"tokenizer must be one of {names} or callable; got {choice!r}{hint}")
    if isinstance(choice, Tokenizer):
        return choice
    if callable(choice):
        return CallableTokenizer(choice)
    raise InputError(f"tokenizer must be a name or callable; got {type(choice).__name__}")

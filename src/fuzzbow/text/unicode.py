"""Making text safe to write as UTF-8 and to show on a terminal."""

from __future__ import annotations

import re
from typing import Any

# control characters, line and paragraph separators, marks that change the direction of the text,
# and lone surrogates
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


# white space, controls, and characters that Unicode lets a font leave out: the byte order mark,
# soft hyphens, joiners, fillers, variation selectors and tags
BLANK = re.compile(
    r"[\s\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u2028-\u202f\u205f-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*"
)


def is_blank(text: str) -> bool:
    """Whether a text has nothing to see: no character, or only space and invisible ones.

    >>> [is_blank(text) for text in ("", " \\t\\n", "\\ufeff\\u200b", "!", "0")]
    [True, True, True, False, False]
    """
    return BLANK.fullmatch(text) is not None


def whole_text(text: str) -> str:
    """The text as UTF-8 can hold it: a lone surrogate becomes U+FFFD.

    >>> whole_text("a\\ud800b")
    'a\ufffdb'
    """
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def whole_value(value: Any) -> Any:
    """The same for all text in a value: in lists, and in keys and values of dictionaries."""
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, dict):
        return {whole_value(key): whole_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [whole_value(item) for item in value]
    return value


def visible(text: str) -> str:
    """The text with control characters written as escapes; line feeds and tabs stay.

    >>> visible("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    return UNSAFE.sub(_escape, text)


def visible_line(text: str) -> str:
    """The same on one line: white space of any kind becomes a space.

    >>> visible_line("a\\r\\nb\\u202e")
    'a  b\\\\u202e'
    """
    return visible("".join(" " if letter.isspace() else letter for letter in text))


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"

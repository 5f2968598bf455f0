"""Text that any file can hold, and that any terminal can show."""

from __future__ import annotations

import re
from typing import Any

# what a terminal obeys instead of showing it, what turns the direction of the text around it,
# and halves of characters
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


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
    """A value with all text in it whole: of lists, and of dictionaries with their keys."""
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, dict):
        return {whole_value(key): whole_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [whole_value(item) for item in value]
    return value


def visible(text: str) -> str:
    """The text with what a terminal would obey written as escapes; lines and tabs stay.

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

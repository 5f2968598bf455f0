"""Conversion of text so that it is safe to encode as UTF-8 and to print."""

from __future__ import annotations

import json
import re
from typing import Any

# control characters, line and paragraph separators, marks that change the direction of the text,
# and lone surrogates
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


# white space, controls, and characters that Unicode lets a font leave out: the byte order mark,
# soft hyphens, joiners, fillers, variation selectors and tags
BLANK = [
    (0x00, 0x20), (0x7F, 0xA0), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160),
    (0x1680, 0x1680), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2000, 0x200F), (0x2028, 0x202F),
    (0x205F, 0x206F), (0x2800, 0x2800), (0x3000, 0x3000), (0x3164, 0x3164), (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
]  # fmt: skip
BLANK_TEXT = re.compile("[" + "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in BLANK) + "]*")
# for the regular expressions of Arrow, which are those of RE2
ARROW_BLANK_TEXT = r"\A[" + "".join(f"\\x{{{a:x}}}-\\x{{{b:x}}}" for a, b in BLANK) + r"]*\z"


def is_blank(text: str) -> bool:
    """Return whether a text is blank: no character, or only space and invisible ones.

    >>> [is_blank(text) for text in ("", " \\t\\n", "\\ufeff\\u200b", "!", "0")]
    [True, True, True, False, False]
    """
    return BLANK_TEXT.fullmatch(text) is not None


def whole_text(text: str) -> str:
    """Replace lone surrogates by U+FFFD, so that the text can be encoded as UTF-8.

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
    """Apply `whole_text` to all text in a value, in lists and dictionaries too."""
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, dict):
        return {whole_value(key): whole_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [whole_value(item) for item in value]
    return value


def escaped_json(text: str, encoding: str | None) -> str:
    """Escape JSON to ASCII if an encoding (None is UTF-8) cannot hold it."""
    try:
        text.encode(encoding or "utf-8")
    except UnicodeEncodeError:
        return re.sub(r"[^\x00-\x7f]+", lambda found: json.dumps(found[0])[1:-1], text)
    return text


def visible(text: str) -> str:
    """Write control characters as escapes; line feeds and tabs are kept.

    >>> visible("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    return UNSAFE.sub(_escape, text)


def visible_line(text: str) -> str:
    """Return visible text on one line: white space of any kind becomes a space.

    >>> visible_line("a\\r\\nb\\u202e")
    'a  b\\\\u202e'
    """
    return visible("".join(" " if letter.isspace() else letter for letter in text))


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"

"""Text that any file can hold."""

from __future__ import annotations

from typing import Any


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

"""The exceptions and warnings that fuzzbow raises, and the one parser of choices."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from enum import Enum
from operator import index
from typing import TypeVar


class InputError(ValueError):
    """The caller gave something that cannot be used; the message says what was needed."""


class DataError(InputError):
    """A file holds something that cannot be used, though it was named rightly."""


class BadRowError(DataError):
    """A row of a table is malformed; a reader with `skip_bad` counts and skips such rows."""


class KnownIdError(InputError):
    """A new text was given an id that another one has."""


class UnknownIdError(InputError, KeyError):
    """An id was asked for that no text has."""

    __str__ = Exception.__str__  # that of KeyError shows the message in quotes


class LockedError(InputError):
    """Another process was writing an index, or an output, for longer than a writer would wait."""


class MissingExtraError(ImportError):
    """An optional dependency is absent; the message names the extra that brings it."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f'this needs the package {package}: pip install "fuzzbow[{extra}]", or in a clone of'
            f' the project pip install ".[{extra}]"',
            name=package,
        )


class FuzzbowWarning(UserWarning):
    """Something was odd but usable."""


class LanguageWarning(FuzzbowWarning):
    """Few words of the texts have a vector; they may be in another language."""


def nearest(word: str, choices: Iterable[str]) -> str:
    """A hint such as " (did you mean 'dice'?)", or nothing when no choice is near."""
    found = difflib.get_close_matches(word, list(choices), n=1)
    return f" (did you mean {found[0]!r}?)" if found else ""


def check_count(value: object, name: str, *, least: int = 1) -> int:
    """A whole number of at least `least`, NumPy's too; anything else is an InputError.

    >>> check_count(3, "k")
    3
    """
    try:
        number = least - 1 if isinstance(value, bool) else index(value)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if number >= least:
        return number
    raise InputError(f"{name} must be a whole number of at least {least}; got {_brief(value)}")


def _brief(value: object) -> str:
    """A value as an error shows it; a number of thousands of digits cannot be written out."""
    if isinstance(value, int) and value.bit_length() > 256:
        return f"a number of {value.bit_length()} bits"
    return repr(value)[:80]


Choice = TypeVar("Choice", bound=Enum)


def parse_choice(kind: type[Choice], value: Choice | str, name: str) -> Choice:
    """The member of the enum `kind` that `value` names; an InputError lists them all."""
    if isinstance(value, kind):
        return value
    values = [str(member.value) for member in kind]
    if value in values:
        return kind(value)
    hint = nearest(value, values) if isinstance(value, str) else ""
    raise InputError(f"{name} must be one of {', '.join(values)}; got {value!r}{hint}")

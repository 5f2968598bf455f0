"""Exceptions and warnings of fuzzbow, and parsing of choices."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from enum import Enum
from operator import index
from typing import TypeVar


class InputError(ValueError):
    """Input that cannot be used; the message says what was needed."""


class DataError(InputError):
    """Content of a file that cannot be used."""


class BadRowError(DataError):
    """Malformed row of a table; a reader with `skip_bad` counts and skips such rows."""


class KnownIdError(InputError):
    """Id of a new text that exists already."""


class UnknownIdError(InputError, KeyError):
    """Id that no text has."""

    __str__ = Exception.__str__  # that of KeyError shows the message in quotes


class LockedError(InputError):
    """Index or output that another process still locks after the waiting time."""


class MissingExtraError(ImportError):
    """Optional dependency that is not installed; the message names the extra that installs it."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f'this needs the package {package}: pip install "fuzzbow[{extra}]", or in a clone of'
            f' the project pip install ".[{extra}]"',
            name=package,
        )


class FuzzbowWarning(UserWarning):
    """Warning about input that is unusual but usable."""


class LanguageWarning(FuzzbowWarning):
    """Warning that few words of the texts have a vector, as in another language."""


def nearest(word: str, choices: Iterable[str]) -> str:
    """Return a hint such as " (did you mean 'dice'?)", or nothing if no choice is near."""
    found = difflib.get_close_matches(word, list(choices), n=1)
    return f" (did you mean {found[0]!r}?)" if found else ""


def check_count(value: object, name: str, *, least: int = 1) -> int:
    """Check that a value is a whole number of at least `least`, of Python or NumPy.

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
    """Show a value in an error; a number of thousands of digits cannot be written out."""
    if isinstance(value, int) and value.bit_length() > 256:
        return f"a number of {value.bit_length()} bits"
    return repr(value)[:80]


Choice = TypeVar("Choice", bound=Enum)


def parse_choice(kind: type[Choice], value: Choice | str, name: str) -> Choice:
    """Return the member of the enum `kind` that `value` names; an InputError lists them all."""
    if isinstance(value, kind):
        return value
    return kind(check_choice(value, [str(member.value) for member in kind], name))


def check_choice(value: object, choices: Iterable[str], name: str) -> str:
    """Check that a value is one of the `choices`; an InputError lists them all."""
    known = list(choices)
    if isinstance(value, str) and value in known:
        return value
    hint = nearest(value, known) if isinstance(value, str) else ""
    raise InputError(f"{name} must be one of {', '.join(known)}; got {value!r}{hint}")

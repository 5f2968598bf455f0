"""Numbers with their nouns, and lists in words."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: float, noun: str) -> str:
    """Write a number with its noun in the right form.

    >>> [counted(1, "pair"), counted(2, "pair"), counted(0, "query"), counted(3, "batch")]
    ['1 pair', '2 pairs', '0 queries', '3 batches']
    """
    return f"{number} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """Form the plural of a regular noun.

    >>> [plural("exact copy"), plural("day"), plural("process")]
    ['exact copies', 'days', 'processes']
    """
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def singular(noun: str) -> str:
    """Form the singular of a regular plural.

    >>> [singular("queries"), singular("days"), singular("matches"), singular("exact copies")]
    ['query', 'day', 'match', 'exact copy']
    """
    if noun.endswith("ies"):
        return noun[:-3] + "y"
    return noun[: -2 if noun.endswith(("ses", "xes", "ches", "shes")) else -1]


def listed(items: Sequence[str], last: str = "and") -> str:
    """Join items by commas, the last one by a word.

    >>> listed(["csv", "tsv", "jsonl"]), listed(["csv", "tsv"], "or"), listed(["csv"])
    ('csv, tsv and jsonl', 'csv or tsv', 'csv')
    """
    *others, end = items
    return f"{', '.join(others)} {last} {end}" if others else end

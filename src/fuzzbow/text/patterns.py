"""Regular expressions that are compiled at their first use, so that imports are quick."""

from __future__ import annotations

import re
from typing import Any, cast

METHODS = ("finditer", "findall", "fullmatch", "match", "search", "split", "sub", "subn")


class LazyPattern:
    """Regular expression with the methods of `re.Pattern`, compiled when one is first needed."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self.flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        """Compile the pattern, and store its methods for later calls."""
        if name not in METHODS:
            raise AttributeError(f"a pattern has no attribute {name!r}")
        compiled = re.compile(self.pattern, self.flags)
        self.__dict__.update({method: getattr(compiled, method) for method in METHODS})
        return getattr(compiled, name)


def lazy_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return a regular expression that is compiled at its first use.

    >>> lazy_pattern("[0-9]+").sub("#", "7 cats, 12 dogs")
    '# cats, # dogs'
    """
    return cast("re.Pattern[str]", LazyPattern(text, flags))

"""Which words of two texts are each other's best matches, and what each match adds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fuzzbow.tasks.explain.result import Side, Word

STRONG = 0.05  # of what the strongest match adds; a weaker one is in the tables only


@dataclass(frozen=True)
class Link:
    """Two words of which one is the other's best match, or each the other's."""

    left: int
    right: int
    similarity: float
    share: float  # of the words that chose it
    mutual: bool


def links_of(left: Side, right: Side) -> list[Link]:
    """The links of both texts, the strongest first; over them the shares add up to the score."""
    choosing: dict[tuple[int, int], list[Word]] = {}
    for place, word in enumerate(left.words):
        if word.match is not None:
            choosing.setdefault((place, word.match), []).append(word)
    for place, word in enumerate(right.words):
        if word.match is not None:
            choosing.setdefault((word.match, place), []).append(word)
    links = [
        Link(*ends, words[0].similarity or 0.0, sum(word.share for word in words), len(words) == 2)
        for ends, words in choosing.items()
    ]
    return sorted(links, key=lambda link: -link.share)


def strong_links(links: list[Link]) -> list[Link]:
    """Those that a picture shows, of links with the strongest first."""
    least = STRONG * links[0].share if links else 0.0
    return [link for link in links if link.share > 0 and link.share >= least]


def strengths(ends: Iterable[tuple[int, float]]) -> dict[int, float]:
    """Place of a word -> what its strongest match adds, from places and shares of matches."""
    found: dict[int, float] = {}
    for place, share in ends:
        found[place] = max(share, found.get(place, 0.0))
    return found

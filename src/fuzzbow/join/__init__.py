"""Fuzzy joins: the rows of one table with the most similar rows of another."""

from fuzzbow.join.frames import join_frames
from fuzzbow.join.matches import (
    How,
    JoinOptions,
    Matches,
    index_to_match,
    match_batches,
    match_one_to_one,
)

__all__ = [
    "How",
    "JoinOptions",
    "Matches",
    "index_to_match",
    "join_frames",
    "match_batches",
    "match_one_to_one",
]

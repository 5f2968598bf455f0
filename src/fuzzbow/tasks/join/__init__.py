"""A fuzzy join: the rows of one table with the most similar rows of another."""

from fuzzbow.tasks.join.frames import join_frames
from fuzzbow.tasks.join.matches import (
    How,
    Matches,
    index_to_match,
    match_batches,
    match_one_to_one,
)

__all__ = ["How", "Matches", "index_to_match", "join_frames", "match_batches", "match_one_to_one"]

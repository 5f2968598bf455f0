"""Fuzzy joins: the rows of one table with the most similar rows of another."""

from fuzzbow.join.frames import join_frames
from fuzzbow.join.matches import How, JoinOptions, Matches

__all__ = ["How", "JoinOptions", "Matches", "join_frames"]

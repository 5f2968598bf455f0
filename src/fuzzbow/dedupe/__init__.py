"""Near-duplicates: every pair at or above a threshold, groups, what to keep, and why."""

from fuzzbow.dedupe.details import DetailRules, parse_details
from fuzzbow.dedupe.duplicates import DedupeOptions, Duplicates, find_duplicates
from fuzzbow.dedupe.groups import Groups
from fuzzbow.dedupe.pairs import Pairs
from fuzzbow.dedupe.reasons import Reason, WordMatch
from fuzzbow.defaults import ALL_DETAILS, DEFAULT_THRESHOLD

__all__ = [
    "ALL_DETAILS",
    "DEFAULT_THRESHOLD",
    "DedupeOptions",
    "DetailRules",
    "Duplicates",
    "Groups",
    "Pairs",
    "Reason",
    "WordMatch",
    "find_duplicates",
    "parse_details",
]

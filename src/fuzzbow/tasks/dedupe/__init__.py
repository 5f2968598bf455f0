"""Near-duplicates: every pair at or above a threshold, groups, what to keep, and why."""

from fuzzbow.defaults import ALL_DETAILS, DEFAULT_THRESHOLD
from fuzzbow.tasks.dedupe.details import DetailRules, parse_details
from fuzzbow.tasks.dedupe.duplicate_join import find_duplicates
from fuzzbow.tasks.dedupe.duplicates import Duplicates
from fuzzbow.tasks.dedupe.groups import Groups, Linkage
from fuzzbow.tasks.dedupe.pairs import Pairs
from fuzzbow.tasks.dedupe.reasons import Reason, WordMatch
from fuzzbow.tasks.dedupe.removal import Keep

__all__ = [
    "ALL_DETAILS",
    "DEFAULT_THRESHOLD",
    "DetailRules",
    "Duplicates",
    "Groups",
    "Keep",
    "Linkage",
    "Pairs",
    "Reason",
    "WordMatch",
    "find_duplicates",
    "parse_details",
]

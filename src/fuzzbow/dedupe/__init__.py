"""Near-duplicates: every pair at or above a threshold, groups, what to keep, and why."""

from fuzzbow.dedupe.duplicates import DedupeOptions, Duplicates, find_duplicates
from fuzzbow.dedupe.groups import Groups
from fuzzbow.dedupe.pairs import Pairs
from fuzzbow.dedupe.reasons import Reason, WordMatch

__all__ = ["DedupeOptions", "Duplicates", "Groups", "Pairs", "Reason", "WordMatch"]
__all__ += ["find_duplicates"]

"""Defaults that several packages and the command line share."""

DEFAULT_THRESHOLD = 0.9  # minimum score of a duplicate pair
COVERING = 0.5  # minimum score at which a representative covers a text
ALL_DETAILS = ("numbers", "codes", "negation")  # kinds of detail in which duplicates agree

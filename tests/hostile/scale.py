"""How much of a hostile test to run: a sample, or with FUZZBOW_SLOW=1 all of it."""

from __future__ import annotations

import os


def steps(sample: int, full: int) -> int:
    """`full` when FUZZBOW_SLOW=1 is set, else `sample`."""
    return full if os.environ.get("FUZZBOW_SLOW") == "1" else sample

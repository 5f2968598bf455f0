"""Chunks: the parts of a text between which no word can reach, found by a few rules.

A chunk is a run of letters, digits and underscores that single signs may join (`don't`, `U.S.`,
`2024-01-05`, `x@y.org`), an address of the web, a phone number, or a run of one symbol. The kernels
find the same chunks (`cpp/text/splitter.cpp`); what words a chunk holds is decided once for each
distinct one, by `forms.py`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from fuzzbow.text.characters import marks, ranges
from fuzzbow.text.patterns import lazy_pattern

# where there are marks, and scripts without spaces
BEYOND_LATIN = lazy_pattern("[\u0300-\U0010ffff]")


@lru_cache(maxsize=2)
def chunk_pattern(*, with_marks: bool) -> re.Pattern[str]:
    """Return the pattern of a chunk; marks need a larger one, which is slower."""
    part = rf"[\w{ranges(marks())}]" if with_marks else r"\w"
    gap = "[ ().-]{1,2}"
    currency = "$€£¥₹"
    return re.compile(
        rf"""
          (?i:https?://|www\.)[^\s<>"]+                 # an address of the web
        | (?<!{part})(?:
            \(?(?:\d{gap})?\d{{3}}{gap}\d{{3}}{gap}\d{{4}}(?!{part})  # (555) 123-4567
          | (?:\+|00)\d+(?:{gap}\d+)+(?!{part})         # +44 20 7946 0958
          )
        | (?:                                           # the sign of -5, +5 and -$5
            (?<![^\s(\[{{:;="'~<>|/]) [-+] (?=(?:[{currency}][ ]?)?\.?\d)
          )?
          (?:[{currency}][ ]?(?=\.?\d))?                # $5, $ 5
          (?:(?<!{part})\.(?=\d))?                      # .5
          \w{part}*                                     # a word, or words joined by signs
          (?:(?:[-./'@&]|(?<=\d)[,:](?=\d))\w{part}*)*
          (?:
            (?<=\.[^\W\d_])\.(?!{part})                # U.S., p.m.
          | (?<=\d)[ ]?[%°{currency}](?![\d{currency}])  # 6 %, 5 €, 20°
          | (?<=(?<!\w)[^\W\d_])(?:\+\+|\#)(?!{part})   # C++, C#
          )?
        | [\U0001f1e6-\U0001f1ff]{{2}}                  # a flag
        | ([^\w\s\x00-\x1f\x7f])\1*                   # a symbol, and how often it is repeated
        """,
        re.VERBOSE,
    )


def goes_beyond_latin(text: str) -> bool:
    """Return whether a text may hold marks or letters of scripts without spaces."""
    return not text.isascii() and BEYOND_LATIN.search(text) is not None

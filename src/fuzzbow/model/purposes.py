"""What people compare texts for, and the model that is best at it (docs/how-to/choose.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fuzzbow.errors import InputError, nearest


@dataclass(frozen=True)
class Purpose:
    """One line of the guide: when to take it, and what it chooses of a `ModelSpec`."""

    meaning: str
    fields: Mapping[str, Any]


PURPOSES = {
    "sentences": Purpose(
        "two texts of the same kind and about the same length: sentences, titles, questions",
        {"measure": "weighted-jaccard"},
    ),
    "passages": Purpose("a query and documents of any length: search", {"measure": "fuzzy-bm25"}),
    "answers": Purpose(
        "a question and sentences that may answer it: how much of it each holds",
        {"measure": "weighted-coverage"},
    ),
    "records": Purpose(
        "names of things with codes and numbers: products, papers, addresses",
        {"measure": "records-otsuka", "tokenizer": "records", "counts": "collection"},
    ),
}


def fields_for(purpose: str) -> dict[str, Any]:
    """What a purpose chooses of a `ModelSpec`."""
    if purpose not in PURPOSES:
        raise InputError(
            f"purpose must be one of {', '.join(PURPOSES)};"
            f" got {purpose!r}{nearest(purpose, PURPOSES)}"
        )
    return dict(PURPOSES[purpose].fields)

"""What people compare texts for, and the model that is best at it (docs/how-to/choose.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fuzzbow.errors import InputError, nearest
from fuzzbow.text import ENGLISH
from fuzzbow.vectors.sources import EMBEDDED
from fuzzbow.vectors.weights import COLLECTION


@dataclass(frozen=True)
class Purpose:
    """One line of the guide: when to take it, and what it chooses of a `ModelSpec`."""

    meaning: str
    fields: Mapping[str, Any]
    without_vectors: Mapping[str, Any] | None = None  # instead, for texts in other languages


PURPOSES = {
    "sentences": Purpose(
        "two texts of the same kind and about the same length: sentences, titles, questions",
        {"measure": "weighted-jaccard"},
        {"measure": "letters-otsuka", "counts": COLLECTION},
    ),
    "passages": Purpose("a query and documents of any length: search", {"measure": "fuzzy-bm25"}),
    "answers": Purpose(
        "a question and sentences that may answer it: how much of it each holds",
        {"measure": "weighted-coverage"},
        {"measure": "letters-coverage", "counts": COLLECTION},
    ),
    "records": Purpose(
        "names of things with codes and numbers: products, papers, addresses",
        {"measure": "records-otsuka", "tokenizer": "records", "counts": "collection"},
    ),
}


def fields_for(purpose: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a `ModelSpec`: the given ones, and for the rest what the purpose chooses.

    Texts in another language than English are compared by their letters where no vectors are
    given, unless the measure is.
    """
    if purpose not in PURPOSES:
        raise InputError(
            f"purpose must be one of {', '.join(PURPOSES)};"
            f" got {purpose!r}{nearest(purpose, PURPOSES)}"
        )
    chosen = PURPOSES[purpose]
    source = given.get("source", EMBEDDED)
    is_english = given.get("language", ENGLISH.code) == ENGLISH.code
    lacks_vectors = isinstance(source, str) and source == EMBEDDED and not is_english
    if lacks_vectors and chosen.without_vectors is not None and "measure" not in given:
        return {**chosen.without_vectors, **given}
    return {**chosen.fields, **given}

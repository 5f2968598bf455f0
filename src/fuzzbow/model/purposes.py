"""Purposes of comparing texts, and the best model for each (docs/how-to/choose.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fuzzbow.errors import InputError, nearest
from fuzzbow.measures import find_factory
from fuzzbow.text import ENGLISH
from fuzzbow.vectors.sources import EMBEDDED
from fuzzbow.vectors.weights import COLLECTION


@dataclass(frozen=True)
class Purpose:
    """Purpose of comparing texts: its description, and the fields of `ModelSpec` that it sets."""

    meaning: str
    fields: Mapping[str, Any]
    without_vectors: Mapping[str, Any] | None = None  # instead, for texts in other languages
    join_threshold: float | None = None  # benchmarks/quality/join_thresholds.py chooses it


PURPOSES = {
    "sentences": Purpose(
        "two texts of the same kind and about the same length: sentences, titles, questions",
        {"measure": "weighted-jaccard"},
        {"measure": "letters-otsuka", "counts": COLLECTION},
        join_threshold=0.8,
    ),
    "passages": Purpose("a query and documents of any length: search", {"measure": "fuzzy-bm25"}),
    "answers": Purpose(
        "a question and sentences that may answer it: how much of it each holds",
        {"measure": "weighted-coverage"},
        {"measure": "letters-coverage", "counts": COLLECTION},
        join_threshold=0.8,
    ),
    "records": Purpose(
        "names of things with codes and numbers: products, papers, addresses",
        {"measure": "records-otsuka", "tokenizer": "records", "counts": "collection"},
        join_threshold=0.55,
    ),
    "names": Purpose(
        "names of people, in any spelling",
        {"measure": "names-jaccard", "tokenizer": "names"},
        join_threshold=0.75,
    ),
}


JOIN_THRESHOLD = 0.8  # of measures that no purpose chooses


def join_threshold(measure: str) -> float:
    """Return the usual threshold of a join by the measure of this name.

    >>> join_threshold("weighted-jaccard"), join_threshold("records-otsuka")
    (0.8, 0.55)
    """
    known = {item.fields["measure"]: item.join_threshold for item in PURPOSES.values()}
    return known.get(measure) or JOIN_THRESHOLD


def fields_for(purpose: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields of a `ModelSpec`: the given ones, and others that the purpose chooses.

    Without vectors or a measure, texts in other languages than English are compared by letters.
    Counts of a purpose are left out if the measure cannot use them.
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
    fields = {**chosen.fields, **given}
    measure = fields["measure"]
    named = isinstance(measure, str) and "counts" not in given
    if named and not find_factory(measure).uses_collection:
        fields.pop("counts", None)
    return fields

"""Columns of texts of which some may be missing, as data frames and databases have them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers
from fuzzbow.defaults import ALL_DETAILS
from fuzzbow.encoding import TextList, column_texts, is_missing
from fuzzbow.errors import InputError
from fuzzbow.model import Model


def column_similarity(
    model: Model, lefts: Iterable[Any], rights: Iterable[Any], *, threads: int | None = None
) -> tuple[Floats, Booleans]:
    """Similarity row by row, and in which rows a text is missing: n, n -> (n,), (n,)."""
    left, left_missing = filled(lefts)
    right, right_missing = filled(rights)
    scores = model.pairs(left, right, threads=threads)
    return scores, left_missing | right_missing


def rows_to_keep(
    model: Model,
    texts: Iterable[Any],
    *,
    threshold: float,
    keep: str = "first",
    linkage: str = "leader",
    details: Iterable[str] = ALL_DETAILS,
    ignore_details: str | None = None,
    drop_empty: bool = False,
    threads: int | None = None,
) -> Integers:
    """Positions of the rows that stay: n -> (kept,)."""
    found = model.duplicates(
        filled(texts)[0],
        threshold=threshold,
        details=details,
        ignore_details=ignore_details,
        threads=threads,
    )
    return found.kept(keep=keep, linkage=linkage, drop_empty=drop_empty)


def check_scores_of_rows(model: Model) -> Model:
    """The model, if a score is that of its two texts, whatever other rows stand beside them."""
    if model.measure.depends_on_batch:
        raise InputError(
            f"the scores of {model.measure.name} depend on the other texts of a call, and the rows"
            " of a column come in parts; fit the model to a collection first: model.fit(texts)"
        )
    return model


def filled(values: Iterable[Any]) -> tuple[TextList, Booleans]:
    """The values with empty texts for missing ones, and which those were: n -> n, (n,)."""
    found = column_texts(values, "texts")
    if found is not None:
        return found
    items = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
    missing = np.fromiter(map(is_missing, items), dtype=np.bool_, count=len(items))
    for place in np.flatnonzero(missing).tolist():
        items[place] = ""
    return items, missing

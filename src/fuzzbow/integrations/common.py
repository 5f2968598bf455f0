"""Helpers of the integrations: models, columns with missing texts, methods of frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers
from fuzzbow.dedupe.reasons import sentence
from fuzzbow.defaults import DEFAULT_THRESHOLD
from fuzzbow.encoding import TextList, column_of, column_texts, is_missing
from fuzzbow.errors import InputError
from fuzzbow.explain import explain
from fuzzbow.index import Hit, Index, Where
from fuzzbow.measures import Ability
from fuzzbow.model import Model, default_model, load


def given_model(model: Any, purpose: str | None = None) -> Model:
    """Return a given model, or load one by the name or path of its vectors.

    None loads the embedded model for `purpose`.
    """
    if model is None:
        return default_model(purpose)
    if isinstance(model, str):
        return load(model)
    if not isinstance(model, Model):
        raise InputError(
            f"model must be a fuzzbow.Model, the name of vectors, or None; got {type(model)}"
        )
    return model


def column_similarity(
    model: Model, lefts: Any, rights: Iterable[Any], *, threads: int | None = None
) -> tuple[Floats, Booleans]:
    """Score row by row, or all rows with one text, and mark missing texts: (n,), (n,)."""
    left, left_missing = filled(lefts)
    right, right_missing = filled([rights] * len(left) if isinstance(rights, str) else rights)
    scores = model.pairs(left, right, threads=threads)
    return scores, left_missing | right_missing


def rows_to_keep(
    model: Model,
    texts: Iterable[Any],
    *,
    threshold: float,
    keep: str = "first",
    linkage: str = "leader",
    drop_empty: bool = False,
    **options: Any,
) -> Integers:
    """Return the positions of the rows that are kept, by options of `Model.duplicates`: (kept,)."""
    found = model.duplicates(filled(texts)[0], threshold=threshold, **options)
    return found.kept(keep=keep, linkage=linkage, drop_empty=drop_empty)


def filled(values: Iterable[Any]) -> tuple[TextList, Booleans]:
    """Replace missing values by empty texts and mark them: n -> n, (n,)."""
    found = column_texts(values, "texts")
    if found is not None:
        return found
    items = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
    missing = np.fromiter(map(is_missing, items), dtype=np.bool_, count=len(items))
    for position in np.flatnonzero(missing).tolist():
        items[position] = ""
    return items, missing


def found_documents(
    index: Index, query: str, k: int, min_score: float, where: Where | None, reasons: bool
) -> list[tuple[Hit, dict[str, Any]]]:
    """Return hits, best first, each with its metadata, score and, if `reasons` is set, reason.

    A reason is the words of the query and their matches.
    """
    hits = index.search(query, k, min_score, where)
    explained = reasons and len(hits) and Ability.EXPLAIN in index.model.measure.abilities
    model = index.fitted_model() if explained else None
    found = []
    for hit in hits:
        added = without_missing(hit.metadata) | {"score": hit.score}
        if model is not None:
            words = explain(model, query, hit.text).left.words
            matches = [(w.word, w.match_word, w.similarity or 0.0, w.share) for w in words]
            added["reason"] = sentence(matches)
        found.append((hit, added))
    return found


def without_missing(metadata: dict[str, Any]) -> dict[str, Any]:
    """Drop metadata with missing values."""
    return {key: value for key, value in metadata.items() if value is not None}


class FrameVerbs:
    """Methods of a frame; subclasses define how they are applied and how rows are taken."""

    def __init__(self, frame: Any, model: Any = None) -> None:
        self._frame, self._model = frame, model

    @staticmethod
    def _rows(frame: Any, positions: Integers) -> Any:
        """Return the rows of a frame at these positions."""
        return frame[positions]

    def _apply(self, verb: Callable[..., Any], *others: Any) -> Any:
        """Call a method on the frame and others; a lazy frame defers it."""
        return verb(self._frame, *others)

    def join(self, right: Any, *, model: Any = None, **options: Any) -> Any:
        """Join each row with the most similar rows of `right`, by the options of `Model.join`.

        A missing text is treated as empty, with a warning, and matches nothing.

        Parameters
        ----------
        right
            The other frame.
        model
            Model that compares the texts, by default that of the purpose "records".
        **options
            Columns `on`, `left_on` and `right_on`, `k`, `threshold` and others of `Model.join`.
        """
        chosen = given_model(self._model if model is None else model, "records")
        return self._apply(lambda left, other: chosen.join(left, other, **options), right)

    def dedupe(
        self,
        column: str,
        *,
        threshold: float = DEFAULT_THRESHOLD,
        model: Any = None,
        **options: Any,
    ) -> Any:
        """Drop near-duplicate rows by the texts of `column`; the others keep their order.

        A row whose text is missing or blank is kept, unless `drop_empty` is True.

        Parameters
        ----------
        column
            Name of the column of texts.
        threshold
            Minimum score of a duplicate.
        model
            Model that compares the texts, by default the embedded one.
        **options
            `details`, `ignore_details` and `threads` of `Model.duplicates`, and `keep`, `linkage`
            and `drop_empty` of `Duplicates.kept`.
        """
        chosen = given_model(self._model if model is None else model)

        def deduped(frame: Any) -> Any:
            texts = column_of(frame, column, "frame")
            return self._rows(frame, rows_to_keep(chosen, texts, threshold=threshold, **options))

        return self._apply(deduped)

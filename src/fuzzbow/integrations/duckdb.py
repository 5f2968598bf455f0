"""DuckDB: similarities and explanations in SQL, and exact search, join and dedupe of relations."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from fuzzbow.arrays import Integers
from fuzzbow.defaults import DEFAULT_THRESHOLD
from fuzzbow.encoding import column_of
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.integrations.common import (
    FrameVerbs,
    column_similarity,
    filled,
    given_model,
    rows_to_keep,
)
from fuzzbow.model import Model

try:
    import duckdb
    import pyarrow as pa
    import pyarrow.compute as pc
except ImportError as error:
    raise MissingExtraError("duckdb", "duckdb") from error

__all__ = ["FuzzyRelation", "register"]

# exact, by scoring every row; the texts are in the column that `field` names
SEARCH = """
CREATE OR REPLACE TEMP MACRO {prefix}_search(source, field, query, k := 10, min_score := 0.0)
AS TABLE SELECT * FROM (
  SELECT *, {prefix}_similarity(query, COLUMNS(lambda name : name = field)) AS score
  FROM query_table(source)
) WHERE score >= min_score ORDER BY score DESC LIMIT k
"""
# A macro passes a whole column to a function as one list, and numbers rows by position in it.
JOIN = """
CREATE OR REPLACE TEMP MACRO {prefix}_join(
  lefts, left_field, rights, right_field, k := 1, threshold := {join_threshold}
) AS TABLE WITH
  l AS MATERIALIZED (SELECT row_number() OVER () - 1 AS {prefix}_l, * FROM query_table(lefts)),
  r AS MATERIALIZED (SELECT row_number() OVER () - 1 AS {prefix}_r, * FROM query_table(rights)),
  found AS MATERIALIZED (SELECT unnest({prefix}_matches(
    (SELECT list(COLUMNS(lambda name : name = left_field) ORDER BY {prefix}_l) FROM l),
    (SELECT list(COLUMNS(lambda name : name = right_field) ORDER BY {prefix}_r) FROM r),
    k, threshold
  ), recursive := true))
SELECT l.* EXCLUDE ({prefix}_l), r.* EXCLUDE ({prefix}_r), found.score
FROM found JOIN l ON {prefix}_l = found.left_row JOIN r ON {prefix}_r = found.right_row
ORDER BY {prefix}_l, found.score DESC, {prefix}_r
"""
DEDUPE = """
CREATE OR REPLACE TEMP MACRO {prefix}_dedupe(source, field, threshold := {threshold})
AS TABLE WITH numbered AS MATERIALIZED (
  SELECT row_number() OVER () - 1 AS {prefix}_row, * FROM query_table(source)
)
SELECT * EXCLUDE ({prefix}_row) FROM numbered WHERE {prefix}_row IN (SELECT unnest({prefix}_kept(
  (SELECT list(COLUMNS(lambda name : name = field) ORDER BY {prefix}_row) FROM numbered), threshold
))) ORDER BY {prefix}_row
"""
TEXTS, MATCHES = "VARCHAR[]", "STRUCT(left_row BIGINT, right_row BIGINT, score DOUBLE)[]"
MATCH = pa.struct({"left_row": pa.int64(), "right_row": pa.int64(), "score": pa.float64()})


def register(
    con: Any, model: Any = None, *, prefix: str = "fuzzbow"
) -> Callable[[Any], FuzzyRelation]:
    """Register functions of `model` on the connection `con`, named with `prefix`.

    The result is a function from a relation, or the name of a table or view, to its search, join
    and dedupe: `relations("docs").dedupe("text")`.

    - `fuzzbow_similarity(a, b)`: a DOUBLE from 0 to 1
    - `fuzzbow_explain(a, b)`: the explanation of the score, as JSON
    - `fuzzbow_search(table, column, query, k := 10, min_score := 0)`: the rows that score highest
    - `fuzzbow_join(table, column, other, column, k := 1, threshold := …)`: rows that match
    - `fuzzbow_dedupe(table, column, threshold := 0.9)`: the rows without near-duplicates

    Texts are VARCHAR; NULL gives NULL. Functions take Arrow vectors, not single rows. Register
    another model under another `prefix`; the same prefix replaces the functions.
    """
    if not isinstance(prefix, str) or not prefix.isidentifier():
        raise InputError(f"prefix must be a name such as 'fuzzbow'; got {prefix!r}")
    chosen = given_model(model)
    if chosen.measure.depends_on_batch:
        raise InputError(
            f"the scores of {chosen.measure.name} depend on the other texts of a call, and the rows"
            " of a column come in parts; fit the model to a collection first: model.fit(texts)"
        )

    def similarity(lefts: Any, rights: Any) -> Any:
        scores, _ = column_similarity(chosen, lefts, rights)
        return pa.array(scores, pa.float64())

    def explanation(lefts: Any, rights: Any) -> Any:
        both = zip(lefts.to_pylist(), rights.to_pylist(), strict=True)
        return pa.array([chosen.explain(a, b).to_json() for a, b in both], pa.string())

    def matches(lefts: Any, rights: Any, counts: Any, thresholds: Any) -> Any:
        rows = zip(lefts, rights, counts.to_pylist(), thresholds.to_pylist(), strict=True)
        found = [_matches(chosen, left.values, right.values, *row) for left, right, *row in rows]
        return pa.array(found, pa.list_(MATCH))

    def kept(columns: Any, thresholds: Any) -> Any:
        rows = zip(columns, thresholds.to_pylist(), strict=True)
        found = [rows_to_keep(chosen, column.values, threshold=least) for column, least in rows]
        return pa.array(found, pa.list_(pa.int64()))

    _create(con, f"{prefix}_similarity", similarity, ["VARCHAR", "VARCHAR"], "DOUBLE")
    _create(con, f"{prefix}_explain", explanation, ["VARCHAR", "VARCHAR"], "VARCHAR")
    _create(con, f"{prefix}_matches", matches, [TEXTS, TEXTS, "BIGINT", "DOUBLE"], MATCHES)
    _create(con, f"{prefix}_kept", kept, [TEXTS, "DOUBLE"], "BIGINT[]")
    thresholds = {"threshold": DEFAULT_THRESHOLD, "join_threshold": chosen.join_threshold}
    for macro in (SEARCH, JOIN, DEDUPE):
        con.execute(macro.format(prefix=prefix, **thresholds))
    return partial(FuzzyRelation, con, chosen)


def _create(con: Any, name: str, function: Callable[..., Any], given: list[str], kind: str) -> None:
    """Create a function, replacing one of that name; DuckDB maps NULL to NULL."""
    with suppress(duckdb.InvalidInputException):  # there is none yet
        con.remove_function(name)
    con.create_function(name, function, given, kind, type="arrow")


def _matches(
    model: Model, lefts: Any, rights: Any, k: int, threshold: float
) -> list[dict[str, Any]]:
    """Return the rows of texts that match, and their scores; NULL matches nothing."""
    sides = []
    for rows, texts in (("left_row", lefts), ("right_row", rights)):
        text = pa.array(filled(texts)[0], pa.large_string())
        sides.append(pa.table({rows: np.arange(len(text)), "text": text}))
    found = model.join(*sides, on="text", k=k, threshold=threshold)
    return list(found.select(MATCH.names).to_pylist())


class FuzzyRelation(FrameVerbs):
    """Search, join and dedupe of one relation, read as Arrow; each returns a relation."""

    def __init__(self, con: Any, model: Model, relation: Any) -> None:
        super().__init__(con.table(relation) if isinstance(relation, str) else relation, model)
        self._con = con

    def search(
        self,
        query: str,
        column: str,
        *,
        k: int = 10,
        min_score: float = 0.0,
        score: str = "score",
        threads: int | None = None,
    ) -> Any:
        """Find the `k` rows whose text in `column` scores highest with `query`, best first.

        Rows that score less than `min_score` are left out; `score` names the column of scores.
        For more than one search, keep an index: `model.index(relation.to_arrow_table(), …)`.
        """

        def searched(table: Any) -> Any:
            texts = column_of(table, column, "the relation")
            there = pc.indices_nonzero(texts.is_valid())
            index = self._model.index(texts.take(there), threads=threads)
            hits = index.search(query, k, min_score, threads=threads)
            rows = table.take(there.take(pa.array(hits.ids, pa.int64())))
            return rows.append_column(score, pa.array(hits.scores, pa.float64()))

        return self._apply(searched)

    @staticmethod
    def _rows(frame: Any, positions: Integers) -> Any:
        return frame.take(positions)

    def _apply(self, verb: Callable[..., Any], *others: Any) -> Any:
        return self._con.from_arrow(verb(*map(_table, (self._frame, *others))))


def _table(relation: Any) -> Any:
    """Return an Arrow table of a relation, and anything else unchanged."""
    return relation.to_arrow_table() if hasattr(relation, "to_arrow_table") else relation

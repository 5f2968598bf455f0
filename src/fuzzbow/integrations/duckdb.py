"""DuckDB: similarities and explanations in SQL, and exact search, join and dedupe of relations."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from fuzzbow.arrays import Integers
from fuzzbow.encoding import column_of
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.integrations.columns import check_scores_of_rows, column_similarity
from fuzzbow.integrations.frame_verbs import FrameVerbs
from fuzzbow.integrations.given_model import given_model
from fuzzbow.model import Model

try:
    import duckdb
    import pyarrow as pa
    import pyarrow.compute as pc
except ImportError as error:
    raise MissingExtraError("duckdb", "duckdb") from error

__all__ = ["FuzzyRelation", "FuzzyRelations", "register"]

# exact, by scoring every row; the texts are in the column that `field` names
SEARCH = """
CREATE OR REPLACE TEMP MACRO {prefix}_search(source, field, query, k := 10, min_score := 0.0)
AS TABLE SELECT * FROM (
  SELECT *, {prefix}_similarity(query, COLUMNS(lambda name : name = field)) AS score
  FROM query_table(source)
) WHERE score >= min_score ORDER BY score DESC LIMIT k
"""


def register(con: Any, model: Any = None, *, prefix: str = "fuzzbow") -> FuzzyRelations:
    """Give the connection `con` the functions of `model`, by names that begin with `prefix`.

    What comes back works on whole relations.

    - `fuzzbow_similarity(a, b)`: a DOUBLE from 0 to 1
    - `fuzzbow_explain(a, b)`: the explanation of the score, as JSON
    - `fuzzbow_search(table, column, query, k := 10, min_score := 0)`: the rows that score highest

    Texts are VARCHAR; NULL gives NULL. They get Arrow vectors, not one row after the other. Another
    `prefix` names the functions of another model; the same one replaces them.
    """
    if not isinstance(prefix, str) or not prefix.isidentifier():
        raise InputError(f"prefix must be a name such as 'fuzzbow'; got {prefix!r}")
    chosen = check_scores_of_rows(given_model(model))

    def similarity(lefts: Any, rights: Any) -> Any:
        scores, _ = column_similarity(chosen, lefts, rights)
        return pa.array(scores, pa.float64())

    def explanation(lefts: Any, rights: Any) -> Any:
        both = zip(lefts.to_pylist(), rights.to_pylist(), strict=True)
        return pa.array([chosen.explain(a, b).to_json() for a, b in both], pa.string())

    _create(con, f"{prefix}_similarity", similarity, "DOUBLE")
    _create(con, f"{prefix}_explain", explanation, "VARCHAR")
    con.execute(SEARCH.format(prefix=prefix))
    return FuzzyRelations(con, chosen)


def _create(con: Any, name: str, function: Callable[..., Any], kind: str) -> None:
    """A function of two texts, in place of one of that name; NULL gives NULL by itself."""
    with suppress(duckdb.InvalidInputException):  # there is none yet
        con.remove_function(name)
    con.create_function(name, function, ["VARCHAR", "VARCHAR"], kind, type="arrow")


@dataclass(frozen=True)
class FuzzyRelations:
    """Whole relations of a connection under a model: `relations("docs").dedupe("text")`."""

    con: Any
    model: Model

    def __call__(self, relation: Any) -> FuzzyRelation:
        """The verbs of a relation, or of the table or view of that name."""
        given = self.con.table(relation) if isinstance(relation, str) else relation
        return FuzzyRelation(self, given)


class FuzzyRelation(FrameVerbs):
    """Search, join and dedupe of one relation, which is read as Arrow; each gives a relation."""

    def __init__(self, relations: FuzzyRelations, relation: Any) -> None:
        super().__init__(relation, relations.model)
        self._con = relations.con

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
        """The `k` rows whose text in `column` scores highest with `query`, best first, by an index.

        Rows that score less than `min_score` are none; `score` names the column of the scores.
        For more than one search, keep the index: `model.index(relation.to_arrow_table(), …)`.
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
    """An Arrow table of a relation; anything else as it is."""
    return relation.to_arrow_table() if hasattr(relation, "to_arrow_table") else relation

"""Hits of a search: rows with scores, best first."""

from __future__ import annotations

import json
import math
import reprlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple, overload

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.errors import InputError, check_count
from fuzzbow.index.condition import Where, parse_where
from fuzzbow.index.store import Read, RowsRemovedError
from fuzzbow.io.frames import to_pandas
from fuzzbow.notebook import html_table, plain_table, short_line
from fuzzbow.text import visible_line

EXPLAINER = "_explain"  # attribute of a hit that is no field: from its text to an explanation
Explain = Callable[[str, str], Any]


@dataclass(frozen=True, repr=False)
class Hit:
    """Text that was found, with its score."""

    rank: int  # 1 is the best
    id: int | str  # as it was given, or the number of the text
    score: float  # similarity with the query
    text: str
    metadata: dict[str, Any] = field(default_factory=dict)  # column -> value

    def __repr__(self) -> str:
        more = f", metadata={reprlib.repr(self.metadata)}" if self.metadata else ""
        text = f"text={reprlib.repr(self.text)}{more}"
        return f"Hit(rank={self.rank}, id={self.id!r}, score={self.score:.4f}, {text})"

    def explain(self) -> Any:
        """Explain the score: the exact share of every word of the query and of the text.

        The model is that of the index, with the statistics of its current texts.
        """
        explain = self.__dict__.get(EXPLAINER)
        if explain is None:
            raise InputError("this hit is a copy without its index; use model.explain(query, text)")
        return explain(self.text)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the fields without the index."""
        return Hit, (self.rank, self.id, self.score, self.text, self.metadata)


@dataclass(frozen=True)
class SearchOptions:
    """Options of a search."""

    k: int = 10  # maximum number of hits of a query
    min_score: float = 0.0  # minimum score of a hit
    where: Where | None = None  # condition in SQL, or a mapping of columns to their values
    threads: int | None = None  # of each process that searches; all cores if None

    def __post_init__(self) -> None:
        check_count(self.k, "k")
        score = self.min_score
        if isinstance(score, bool) or not isinstance(score, int | float | np.number):
            raise InputError(f"min_score must be a number; got {score!r}")
        try:
            finite = math.isfinite(score)
        except (OverflowError, TypeError):  # beyond all floats, or complex
            finite = False
        if not finite:
            raise InputError(f"min_score must be a finite number; got {type(score).__name__}")
        self.__dict__.update(k=int(self.k), min_score=float(score), where=parse_where(self.where))


class FoundDocuments(NamedTuple):
    """Documents that a search found: those of query n are ends[n] to ends[n + 1], best first."""

    documents: Integers  # (hits,)
    scores: Floats  # (hits,)
    ids: Integers | None  # (hits,), None where ids are strings, which are read with the rows
    ends: list[int]


Search = Callable[[], tuple[FoundDocuments, Read]]


class SharedRows:
    """Rows of the hits of all queries of a search, read together when the first is needed.

    If their version was removed meanwhile, the search is repeated, and must find the same scores
    and ids if these were read before. `search` returns the hits, and a function that reads their
    rows as an Arrow table; `follow` loads the newest version.
    """

    def __init__(self, search: Search, follow: Callable[[], None]) -> None:
        self._search, self._follow = search, follow
        self.found, self._read = search()
        self.seen = False  # whether scores or ids were read

    @cached_property
    def table(self) -> Any:
        """Columns id, text and metadata, as an Arrow table."""
        while True:
            try:
                return self._read()
            except RowsRemovedError:
                self._follow()
                found, read = self._search()
            before = self.found
            if self.seen and not (
                found.ends == before.ends
                and np.array_equal(found.scores, before.scores)
                and np.array_equal(found.ids, before.ids)  # type: ignore[arg-type]
            ):
                raise InputError(
                    "the index has changed, and the version that was searched was removed;"
                    " search again"
                )
            self.found, self._read = found, read


class Hits(Sequence[Hit]):
    """Hits of a query, best first, equal scores in the order of insertion.

    Texts and metadata are read at first use, from the version that was searched.
    """

    def __init__(self, query: str, rows: SharedRows, number: int, explain: Explain) -> None:
        self.query = query
        self._rows, self._number, self._explain = rows, number, explain

    @property
    def _part(self) -> slice:
        return slice(*self._rows.found.ends[self._number : self._number + 2])

    @cached_property
    def _table(self) -> Any:
        return self._rows.table[self._part]  # the table first: a repeated search may find others

    @property
    def scores(self) -> Floats:
        """Scores, best first: (hits,)."""
        self._rows.seen = True
        return self._rows.found.scores[self._part]

    @cached_property
    def ids(self) -> list[int] | list[str]:
        """Ids, best first."""
        if self._rows.found.ids is None:
            found: list[Any] = self._table.column("id").to_pylist()
        else:
            self._rows.seen = True
            found = self._rows.found.ids[self._part].tolist()
        return found

    @property
    def nbytes(self) -> int:
        """Bytes of ids, texts and metadata in Arrow's memory."""
        return int(self._table.nbytes)

    def __len__(self) -> int:
        return len(self.scores)

    @overload
    def __getitem__(self, position: int) -> Hit: ...
    @overload
    def __getitem__(self, position: slice) -> list[Hit]: ...
    def __getitem__(self, position: int | slice) -> Hit | list[Hit]:
        return self._hits[position]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self._hits)

    @cached_property
    def _hits(self) -> list[Hit]:
        rows = self._table.to_pylist()
        hits = [
            Hit(rank, row.pop("id"), score, row.pop("text"), row)
            for rank, (score, row) in enumerate(zip(self.scores.tolist(), rows, strict=True), 1)
        ]
        for hit in hits:
            hit.__dict__[EXPLAINER] = partial(self._explain, self.query)
        return hits

    def rerank(self, model: Any, *, k: int | None = None) -> Hits:
        """Sort the hits by another model's score of query and text.

        Parameters
        ----------
        model : Model or contextual model
            Scorer of pairs of texts, with the methods `pairs` and `explain`.
        k : int, optional
            Maximum number of hits; all by default.

        Returns
        -------
        Hits
            Best first, equal scores in their previous order.
        """
        if k is not None:
            check_count(k, "k")
        table = self._table
        scores = np.asarray(model.pairs([self.query] * len(self), table.column("text").to_pylist()))
        order = np.argsort(-scores, kind="stable")[:k]
        kept = FoundDocuments(order, scores[order], None, [0, len(order)])
        rows = SharedRows(lambda: (kept, lambda: table.take(order)), lambda: None)
        return Hits(self.query, rows, 0, lambda query, text: model.explain(query, text))

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return each hit as rank, id, score, text and metadata."""
        return [asdict(hit) for hit in self]

    def to_json(self, *, indent: int | None = None) -> str:
        """Write the query and its hits as JSON."""
        return json.dumps(self.as_record(), ensure_ascii=False, indent=indent, allow_nan=False)

    def as_record(self, explanations: Sequence[Any] | None = None) -> dict[str, Any]:
        """Return the query and its hits, with their explanations if given, as plain data for JSON.

        NaN and infinities become None; values of types that JSON lacks, such as dates, become
        strings.
        """
        hits = [_plain(hit) for hit in self.to_dicts()]
        if explanations is not None:
            for hit, explanation in zip(hits, explanations, strict=True):
                hit["explanation"] = explanation.to_dict()
        return {"query": self.query, "hits": hits}

    def to_arrow(self) -> Any:
        """Return an Arrow table: rank, id, score, text and metadata columns."""
        import pyarrow as pa

        table = self._table
        columns = {
            "rank": pa.array(range(1, len(self) + 1), pa.int64()),
            "id": table.column("id"),
            "score": pa.array(self.scores, pa.float64()),
        }
        rest = {name: table.column(name) for name in table.column_names if name != "id"}
        return pa.table(columns | rest)

    def to_pandas(self) -> Any:
        """Return the table of `to_arrow` as a pandas frame."""
        return to_pandas(self.to_arrow())

    def __repr__(self) -> str:
        best = f", best score {self.scores[0]:.4f}" if len(self) else ""
        return f"Hits({len(self)} for {reprlib.repr(self.query)}{best})"

    def __str__(self) -> str:
        """Format the hits as a table; long texts and metadata are cut."""
        if not len(self):
            return f"no hits for {self.query!r}"
        header, *rows = self._cells()
        return plain_table(header, rows, left=("id", "text", "metadata"))

    def _repr_html_(self) -> str:
        """Format the hits as a table for notebooks."""
        header, *rows = self._cells()
        return html_table(self.query, header, rows)

    def _cells(self) -> list[list[str]]:
        """Return a header, and rank, score, id, text and any metadata of each hit."""
        header, rows = ["rank", "score", "id", "text"], []
        if any(hit.metadata for hit in self):
            header.append("metadata")
        for hit in self:
            metadata = ", ".join(f"{key}={value}" for key, value in hit.metadata.items())
            cells = [str(hit.rank), f"{hit.score:.4f}", visible_line(str(hit.id))]
            rows.append([*cells, short_line(hit.text), short_line(metadata)][: len(header)])
        return [header, *rows]


def _plain(value: Any) -> Any:
    """Convert a value for JSON: NaN and infinities to None, other types to strings."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)

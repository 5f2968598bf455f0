"""What a search found: rows with scores, best first."""

from __future__ import annotations

import json
import math
import reprlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from typing import Any, Protocol, overload

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.engine import Found
from fuzzbow.errors import InputError, check_count
from fuzzbow.tasks.frames import to_pandas
from fuzzbow.tasks.index.ids import DocumentIds
from fuzzbow.tasks.index.rows import Rows, RowsRemovedError
from fuzzbow.tasks.notebook import html_table, short_line
from fuzzbow.text import visible_line

EXPLAINER = "_explain"  # of a hit, besides its fields: from its text to an explanation
Explain = Callable[[str, str], Any]


class Scorer(Protocol):
    """What can score texts pair by pair: a model, or one of contextual vectors."""

    def pairs(self, lefts: list[str], rights: list[str], /) -> Floats:
        """Similarity row by row: n texts, n texts -> (n,)."""
        ...

    def explain(self, a: str, b: str, /) -> Any:
        """Why two texts score what they score."""
        ...


@dataclass(frozen=True, repr=False)
class Hit:
    """One text that was found."""

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

        By the model of the index, with the weights of the texts that it holds now.
        """
        explain = self.__dict__.get(EXPLAINER)
        if explain is None:
            raise InputError("this hit is a copy without its index; use model.explain(query, text)")
        return explain(self.text)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles hold what was found, not the index."""
        return Hit, (self.rank, self.id, self.score, self.text, self.metadata)


@dataclass(frozen=True)
class Results:
    """What one search found, for all its queries: hits of query n are ends[n] to ends[n + 1]."""

    scores: Floats  # (hits,)
    ids: Integers | None  # (hits,), None where they are strings, which are read with the rows
    ends: list[int]
    read: Callable[[], Any]  # gives the rows, as an Arrow table

    def agrees(self, other: Results) -> bool:
        """Whether scores and ids are the same."""
        same = self.ends == other.ends and np.array_equal(self.scores, other.scores)
        if self.ids is None or other.ids is None:
            return same and self.ids is other.ids
        return same and np.array_equal(self.ids, other.ids)


class SharedRows:
    """The results of one search, whose rows are read together when the first is asked for.

    Where they can no longer be read, since their version was removed, the search is made again.
    If anybody has looked at its scores or ids before, it must then find the same.
    """

    def __init__(self, results: Results, again: Callable[[], Results]) -> None:
        self.results, self._again = results, again
        self.seen = False  # somebody has looked

    @cached_property
    def table(self) -> Any:
        """Columns id, text and metadata, as an Arrow table."""
        while True:
            try:
                return self.results.read()
            except RowsRemovedError:
                found = self._again()
            if self.seen and not self.results.agrees(found):
                raise InputError(
                    "the index has changed since, and the version that was searched is removed;"
                    " search again"
                )
            self.results = found


class Hits(Sequence[Hit]):
    """The hits of one query, best first, equal scores in the order of insertion.

    Texts and metadata are read when they are first asked for, as the index was at the search.
    """

    def __init__(self, query: str, rows: SharedRows, place: int, explain: Explain) -> None:
        self.query = query
        self._rows, self._place, self._explain = rows, place, explain

    @property
    def _part(self) -> slice:
        ends = self._rows.results.ends
        return slice(ends[self._place], ends[self._place + 1])

    @cached_property
    def _table(self) -> Any:
        table = self._rows.table  # first, since a search that is made again may find others
        part = self._part
        return table.slice(part.start, part.stop - part.start)

    @property
    def scores(self) -> Floats:
        """The scores, best first."""
        self._rows.seen = True
        return self._rows.results.scores[self._part]

    @cached_property
    def ids(self) -> list[int] | list[str]:
        """The ids, best first."""
        if self._rows.results.ids is None:
            found: list[Any] = self._table.column("id").to_pylist()
        else:
            self._rows.seen = True
            found = self._rows.results.ids[self._part].tolist()
        return found

    @property
    def nbytes(self) -> int:
        """Bytes of ids, texts and metadata, as they are before they become Python objects."""
        return int(self._table.nbytes)

    def __len__(self) -> int:
        return len(self.scores)

    @overload
    def __getitem__(self, place: int) -> Hit: ...
    @overload
    def __getitem__(self, place: slice) -> list[Hit]: ...
    def __getitem__(self, place: int | slice) -> Hit | list[Hit]:
        return self._hits[place]

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

    def rerank(self, model: Scorer, *, k: int | None = None) -> Hits:
        """The same hits by another model's score of query and text, best first, at most `k`.

        Equal scores stay in the order that they had.
        """
        if k is not None:
            check_count(k, "k")
        table = self._table
        scores = np.asarray(model.pairs([self.query] * len(self), table.column("text").to_pylist()))
        order = np.argsort(-scores, kind="stable")[:k]
        kept = Results(scores[order], None, [0, len(order)], lambda: table.take(order))
        return Hits(self.query, SharedRows(kept, lambda: kept), 0, lambda a, b: model.explain(a, b))

    def to_dicts(self) -> list[dict[str, Any]]:
        """Each hit as rank, id, score, text and metadata."""
        return [asdict(hit) for hit in self]

    def to_json(self, *, indent: int | None = None) -> str:
        """The query and its hits as JSON."""
        return json.dumps(self.as_record(), ensure_ascii=False, indent=indent, allow_nan=False)

    def as_record(self) -> dict[str, Any]:
        """The query and its hits as plain data for JSON.

        NaN and infinities become None; values of types that JSON lacks, such as dates, become
        strings.
        """
        return {"query": self.query, "hits": [_plain(hit) for hit in self.to_dicts()]}

    def to_arrow(self) -> Any:
        """A table with the columns rank, id, score, text, and those of the metadata."""
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
        """The same as a data frame."""
        return to_pandas(self.to_arrow())

    def __repr__(self) -> str:
        best = f", best score {self.scores[0]:.4f}" if len(self) else ""
        return f"Hits({len(self)} for {reprlib.repr(self.query)}{best})"

    def __str__(self) -> str:
        """A table for people; long texts and metadata are cut."""
        if not len(self):
            return f"no hits for {self.query!r}"
        cells = self._cells()
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = []
        for rank, score, *rest in cells:
            left = [rank.rjust(widths[0]), score.rjust(widths[1])]
            right = [cell.ljust(width) for cell, width in zip(rest, widths[2:], strict=True)]
            lines.append("  ".join(left + right).rstrip())
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        header, *rows = self._cells()
        return html_table(self.query, header, rows)

    def _cells(self) -> list[list[str]]:
        """Rank, score, id and text of each hit, under a header, then metadata if there is any."""
        rows = [
            [str(hit.rank), f"{hit.score:.4f}", visible_line(str(hit.id)), short_line(hit.text)]
            for hit in self
        ]
        header = ["rank", "score", "id", "text"]
        if any(hit.metadata for hit in self):
            header.append("metadata")
            for row, hit in zip(rows, self, strict=True):
                row.append(
                    short_line(", ".join(f"{key}={value}" for key, value in hit.metadata.items()))
                )
        return [header, *rows]


def _plain(value: Any) -> Any:
    """A value as JSON can hold it: no NaN, no infinity, other types as strings."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)


def check_limits(k: object, min_score: object) -> None:
    """Refuse a number of hits or a smallest score that is no usable number."""
    check_count(k, "k")
    if isinstance(min_score, bool) or not isinstance(min_score, int | float | np.number):
        raise InputError(f"min_score must be a number; got {min_score!r}")
    try:
        finite = math.isfinite(min_score)
    except (OverflowError, TypeError):  # beyond all floats, or complex
        finite = False
    if not finite:
        raise InputError(f"min_score must be a finite number; got {type(min_score).__name__}")


def hits_of(found: Found) -> tuple[Integers, Floats, list[int]]:
    """Documents and scores of all hits, (hits,), and where those of each query begin."""
    queries, k = found.documents.shape
    last = found.documents[:, -1:]  # -1 where there are fewer than k
    if last.size and (last.item() if queries == 1 else last.min()) >= 0:  # the usual case
        documents, scores = found.documents.ravel(), found.scores.ravel()
        ends = list(range(0, queries * k + 1, k))
    else:
        there = found.documents >= 0
        documents, scores = found.documents[there], found.scores[there]
        ends = [0, *np.cumsum(there.sum(axis=1)).tolist()]
    return documents, scores, ends


def results_of(found: Found, rows: Rows, ids: DocumentIds) -> Results:
    """What a search found; the rows of all hits are read together, once somebody needs them."""
    documents, scores, ends = hits_of(found)
    return Results(scores, ids.of(documents), ends, rows.reader(documents))

"""Outliers and representatives of a collection of texts.

Outliers: the score of a text is the mean of its n best similarities to other texts. A search of the
distinct strings for n + 1 texts finds the string and its n best others, each of which counts as
often as it occurs; a copy of the string has a similarity of 1.

Representatives: greedy facility location over exact neighbours. A text is covered by the largest
similarity with a chosen one, where similarities below a threshold count 0. The next text chosen is
the one that adds most to the sum of coverage, among equal ones the first. That sum is submodular,
so a greedy choice reaches at least 63 % of the best possible one, and the gain of a text only
falls: gains are kept in a heap and computed again only at its top. The join finds the similarities;
memory is linear in their number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from heapq import heapify, heapreplace
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from fuzzbow.arrays import Floats, Integers, Ragged, blocks
from fuzzbow.dedupe.duplicates import DedupeOptions, check_threshold, find_duplicates
from fuzzbow.dedupe.pairs import PairArrays
from fuzzbow.defaults import COVERING
from fuzzbow.encoding import TextList, blank_texts, distinct_texts, texts_where
from fuzzbow.errors import check_count
from fuzzbow.index import build_index
from fuzzbow.io.frames import to_pandas
from fuzzbow.measures import Ability, TextMeasure
from fuzzbow.notebook import html_table, plain_table, table_cell
from fuzzbow.plurals import counted
from fuzzbow.progress import Progress

SEARCH_BLOCK = 4096  # texts whose neighbours are searched together
DIGITS = 9  # of gains that are compared

Item = TypeVar("Item", bound=Any)


@dataclass(frozen=True, repr=False)
class Selected(Sequence[Item], Generic[Item]):
    """Chosen texts with their scores, in the order of choice; prints as a table.

    Positions are those of the given texts.
    """

    items: tuple[Item, ...]
    texts: int  # number of given texts
    empty: Integers  # positions of the texts that are missing or blank, which are never chosen
    item_type: ClassVar[type]

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, position: Any) -> Any:
        return self.items[position]

    @property
    def noun(self) -> str:
        """Name of a chosen text: outlier or representative."""
        return self.item_type.__name__.lower()

    @property
    def positions(self) -> Integers:
        """Positions of the chosen texts, in the order of choice: (chosen,)."""
        return np.array([item.position for item in self.items], dtype=np.int64)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the fields of each chosen text."""
        return [asdict(item) for item in self.items]

    def to_json(self, *, indent: int | None = None) -> str:
        """Write the chosen texts as JSON."""
        return json.dumps(self.to_dicts(), ensure_ascii=False, indent=indent, allow_nan=False)

    def to_arrow(self) -> Any:
        """Return an Arrow table with a column for each field."""
        import pyarrow as pa

        kinds = {"int": pa.int64(), "float": pa.float64(), "str": pa.string()}
        types = {
            field.name: str(field.type).partition(" | ")[0] for field in fields(self.item_type)
        }
        schema = pa.schema([(name, kinds[kind]) for name, kind in types.items()])
        return pa.Table.from_pylist(self.to_dicts(), schema=schema)

    def to_pandas(self) -> Any:
        """Return a data frame with a column for each field."""
        return to_pandas(self.to_arrow())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} of {counted(self.texts, 'text')})"

    def __str__(self) -> str:
        """Format as a table; long texts are cut."""
        return plain_table(*self._cells())

    def _repr_html_(self) -> str:
        """Draw a table for notebooks."""
        return html_table(repr(self), *self._cells())

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        """Return the names of the fields, and the fields of each chosen text."""
        rows = [[table_cell(value) for value in item.values()] for item in self.to_dicts()]
        return [field.name.replace("_", " ") for field in fields(self.item_type)], rows


@dataclass(frozen=True)
class Outlier:
    """Text, and the other text that is most similar to it."""

    rank: int  # 1 is the least similar to others
    position: int
    score: float  # mean of its best similarities to other texts
    text: str
    nearest: int | None  # position of the most similar other text, None if there is none
    nearest_text: str | None


@dataclass(frozen=True, repr=False)
class Outliers(Selected[Outlier]):
    """Texts that are least similar to others, equal scores in the order of the texts.

    `scores` are those of all texts, (texts,): the lower, the less similar; NaN for blank ones.
    """

    scores: Floats
    item_type = Outlier


@dataclass(frozen=True)
class Representative:
    """Representative text, and the number of texts that it covers."""

    rank: int  # 1 covers most
    position: int
    size: int  # texts that it covers best, itself among them
    gain: float  # coverage that it added, in texts
    text: str


@dataclass(frozen=True, repr=False)
class Representatives(Selected[Representative]):
    """Texts that cover a collection, in the order of choice.

    `assigned`, (texts,), has the position of the one that covers each text best, of equal ones the
    first chosen; -1 for uncovered texts. `coverage` is the mean over all texts that are not
    blank.
    """

    assigned: Integers
    coverage: float
    item_type = Representative


@dataclass(frozen=True)
class OutlierOptions:
    """Options for choosing outliers."""

    k: int | None = 10  # maximum number of outliers, None for all
    neighbours: int = 1  # number of best similarities whose mean is the score
    threshold: float | None = None  # score below which a text is an outlier, if given
    # columns that are added to a file of the outliers, each a field of them
    columns: ClassVar[dict[str, str]] = {
        "outlier_score": "score",
        "nearest": "nearest",
        "nearest_text": "nearest_text",
    }

    def select(
        self, model: TextMeasure, texts: TextList, *, threads: int | None, progress: Progress
    ) -> Selected[Any]:
        """Find the outliers of texts."""
        return find_outliers(model, texts, self, threads=threads, progress=progress)


@dataclass(frozen=True)
class RepresentativeOptions:
    """Options for choosing representatives."""

    k: int = 10  # number of texts to choose
    threshold: float = COVERING  # similarity below which coverage is 0
    columns: ClassVar[dict[str, str]] = {"represents": "size"}

    def select(
        self, model: TextMeasure, texts: TextList, *, threads: int | None, progress: Progress
    ) -> Selected[Any]:
        """Choose the representatives of texts."""
        return find_representatives(model, texts, self, threads=threads, progress=progress)


SelectionOptions = OutlierOptions | RepresentativeOptions


def find_outliers(
    model: TextMeasure,
    texts: TextList,
    options: OutlierOptions,
    *,
    threads: int | None,
    progress: Progress,
) -> Outliers:
    """Find the k texts, all if None, with the lowest mean of best similarities to others."""
    k, neighbours, threshold = options.k, options.neighbours, options.threshold
    check_count(neighbours, "neighbours")
    if k is not None:
        check_count(k, "k")
    bound = np.inf if threshold is None else check_threshold(threshold)
    model.measure.require(Ability.SEARCH)
    distinct, first, copies, which = _filled_texts(texts)
    size = len(first)
    most = min(neighbours, max(int(copies.sum()) - 1, 0))
    scores, nearest = np.zeros(size), np.full(size, -1)
    index = build_index(model, distinct if most else [], threads=threads)
    for part in blocks(size if most else 0, SEARCH_BLOCK):
        hits = index.search(list(distinct[part]), most + 1, threads=threads)
        for text, found in enumerate(hits, part.start):
            ids = np.array(found.ids, dtype=np.int64)
            other = ids != text
            best = ids[other][:most]
            own = np.ones(min(int(copies[text]) - 1, most))
            others = np.repeat(found.scores[other][:most], np.minimum(copies[best], most))
            scores[text] = np.concatenate([own, others])[:most].sum() / most
            nearest[text] = best[0] if len(best) else -1
        progress(part.stop, size)
    filled = which >= 0
    of_all = np.full(len(texts), np.nan)
    of_all[filled] = scores[which[filled]]
    order = np.argsort(of_all, kind="stable")[: np.count_nonzero(filled)]
    items = []
    for rank, position in enumerate(order[of_all[order] < bound][:k].tolist(), 1):
        text, near = which[position], None
        if copies[text] > 1:  # the nearest text is the first copy
            near = next(int(n) for n in np.flatnonzero(which == text)[:2] if n != position)
        elif nearest[text] >= 0:
            near = int(first[nearest[text]])
        other_text = None if near is None else texts[near]
        score = float(of_all[position])
        items.append(Outlier(rank, position, score, texts[position], near, other_text))
    return Outliers(tuple(items), len(texts), np.flatnonzero(~filled), of_all)


def find_representatives(
    model: TextMeasure,
    texts: TextList,
    options: RepresentativeOptions,
    *,
    threads: int | None,
    progress: Progress,
) -> Representatives:
    """Choose k texts, or all distinct ones if there are fewer."""
    k = check_count(options.k, "k")
    _, first, copies, which = _filled_texts(texts)
    joined = DedupeOptions(options.threshold, details=())
    found = find_duplicates(model, texts, joined, threads=threads, progress=progress)
    neighbours, similar = _graph(found.pairs.parts(), which, len(first))
    weights = copies.astype(np.float64)
    chosen, covers, coverage = _greedy(neighbours, similar, weights, k)
    filled = which >= 0
    assigned = np.full(len(texts), -1, dtype=np.int64)
    best = covers[which[filled]]
    assigned[filled] = np.where(best >= 0, first[best], -1)
    items = []
    for rank, (text, gain) in enumerate(chosen, 1):
        position = int(first[text])
        size = int((assigned == position).sum())
        items.append(Representative(rank, position, size, gain, texts[position]))
    mean = float(coverage @ weights / weights.sum()) if len(weights) else 0.0
    return Representatives(tuple(items), len(texts), np.flatnonzero(~filled), assigned, mean)


def _filled_texts(texts: TextList) -> tuple[TextList, Integers, Integers, Integers]:
    """Find the texts that are not blank, each string once, in the order of first positions.

    Return them with the position of the first copy of each and their number of copies,
    (distinct,), and for each given text which of them it is, -1 for blank ones, (texts,).
    """
    blank = blank_texts(texts)
    filled = np.flatnonzero(~blank)
    which = np.full(len(texts), -1, dtype=np.int64)
    if not len(filled):
        return [], filled, filled, which
    kept, which[filled] = distinct_texts(texts_where(texts, ~blank))
    first = filled[np.unique(which[filled], return_index=True)[1]]
    return kept, first, np.bincount(which[filled]), which


def _graph(parts: Iterable[PairArrays], which: Integers, size: int) -> tuple[Ragged, Floats]:
    """Find the neighbours of each distinct text, including itself, and their similarities."""
    itself = np.arange(size)
    found: list[tuple[Integers, Integers, Floats]] = [(itself, itself, np.ones(size))]
    for part in parts:
        near = part.where(~part.exact)
        left, right = which[near.left], which[near.right]
        found += [(left, right, near.score), (right, left, near.score)]
    lefts, rights, scores = map(np.concatenate, zip(*found, strict=True))
    order = np.lexsort((rights, lefts))
    neighbours = Ragged.from_lengths(rights[order], np.bincount(lefts, minlength=size))
    return neighbours, scores[order]


def _greedy(
    neighbours: Ragged, similar: Floats, weights: Floats, k: int
) -> tuple[list[tuple[int, float]], Integers, Floats]:
    """Choose texts with their gains; return also the cover of each text, with its score."""
    covered = np.zeros(len(neighbours))
    covers = np.full(len(neighbours), -1, dtype=np.int64)
    scores = Ragged(similar, neighbours.offsets)  # type: ignore[arg-type]

    def gain(text: int) -> float:
        near = neighbours[text]
        added = np.maximum(scores[text] - covered[near], 0.0)
        return round(float(added @ weights[near]), DIGITS)

    heap = [(-gain(text), text) for text in range(len(neighbours))]
    heapify(heap)
    chosen: list[tuple[int, float]] = []
    while heap and len(chosen) < k and heap[0][0] < np.inf:
        stale, text = heap[0]
        now = gain(text)
        if -now > stale:
            heapreplace(heap, (-now, text))
            continue
        chosen.append((text, now))
        near = neighbours[text]
        better = scores[text] > covered[near]
        covered[near[better]], covers[near[better]] = scores[text][better], text
        heapreplace(heap, (np.inf, text))
    return chosen, covers, covered

"""The join of two frames: pandas, Polars, Arrow, or plain lists of texts."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzzbow.arrays import Integers
from fuzzbow.encoding import TextList, check_texts, column_names, column_of, is_frame
from fuzzbow.engine import limited_threads
from fuzzbow.errors import InputError, check_count, parse_choice
from fuzzbow.measures import Ability, Measure, TextMeasure
from fuzzbow.progress import Progress, no_progress
from fuzzbow.tasks.dedupe.duplicates import check_threshold
from fuzzbow.tasks.dedupe.reasons import reasoner
from fuzzbow.tasks.files import BATCH_ROWS
from fuzzbow.tasks.frames import like_frame, to_arrow
from fuzzbow.tasks.index import Index
from fuzzbow.tasks.join.matches import (
    NOTHING,
    How,
    Matches,
    index_to_match,
    match_batches,
    match_one_to_one,
)

RIGHT = "_right"  # behind a column of the right side whose name the left side has, too
REASON = "reason"


def join_frames(
    model: TextMeasure,
    left: Any,
    right: Any,
    *,
    on: str | None = None,
    left_on: str | None = None,
    right_on: str | None = None,
    k: int = 1,
    threshold: float,
    how: str | How = "inner",
    one_to_one: bool = False,
    score: str = "score",
    reasons: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Any:
    """What `Model.join` does."""
    kind, bound = parse_choice(How, how, "how"), check_reach(model.measure, threshold)
    check_join(k, one_to_one)
    texts = _texts(left, left_on or on, "left")
    others = _texts(right, right_on or on, "right")
    with limited_threads(threads):
        index = index_to_match(model, others)
        found = _find(index, texts, k, bound, one_to_one, progress or no_progress)
    chosen = found.rows(kind)
    why = pair_reasons(index, texts, others, chosen) if reasons and kind is not How.ANTI else None
    if is_frame(left):
        return _frame(left, right, others, chosen, kind, score, why)
    return _rows(texts, others, chosen, kind, score, why)


def check_reach(measure: Measure, threshold: object) -> float:
    """Refuse a measure that cannot be searched, or whose scores hardly reach the threshold."""
    measure.require(Ability.SEARCH)
    bound = check_threshold(threshold)
    if bound > measure.self_score:
        raise InputError(
            f"the scores of {measure.name} hardly reach the threshold {bound:g}: a text of mean"
            f" length scores {measure.self_score:.2g} with itself; join by another measure, such as"
            " that of purpose='records' (--for records), or with a lower threshold"
        )
    return bound


def check_join(k: object, one_to_one: bool) -> None:
    """A join of one to one has one match for each text."""
    if check_count(k, "k") > 1 and one_to_one:
        raise InputError(f"a join of one to one has one match each: k must be 1; got {k}")


def _texts(side: Any, column: str | None, name: str) -> TextList:
    """The texts of a side: a list, or the named column of a frame."""
    if is_frame(side) and column is None:
        columns = ", ".join(map(str, column_names(side)))
        raise InputError(f"on, or {name}_on, must name the column of texts; {name} has {columns}")
    return check_texts(column_of(side, column if is_frame(side) else None, name), name)


def _find(
    index: Index, texts: TextList, k: int, threshold: float, one_to_one: bool, progress: Progress
) -> Matches:
    if one_to_one:
        return match_one_to_one(index, texts, threshold=threshold)
    parts = []
    done = 0
    batches = (texts[start : start + BATCH_ROWS] for start in range(0, len(texts), BATCH_ROWS))
    for part in match_batches(index, batches, k=k, threshold=threshold):
        parts.append(part)
        done = min(done + BATCH_ROWS, len(texts))
        progress(done, len(texts))
    if not parts:
        return Matches(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
    columns = ((part.left, part.right, part.score) for part in parts)
    return Matches(*map(np.concatenate, zip(*columns, strict=True)))


def pair_reasons(
    index: Index, texts: TextList, others: TextList, found: Matches
) -> list[str | None]:
    """Why the texts of each match are alike; None where there is none."""
    batch, which = index.model.encoder.encode(texts + others)
    words = reasoner(index.fitted_model().measure, batch)
    there = found.right != NOTHING
    a, b = which[found.left[there]], which[found.right[there] + len(texts)]
    sentences = words.sentences(a, b)
    return [next(sentences) if match else None for match in there.tolist()]


def right_names(left: list[Any], right: list[Any], added: list[str]) -> dict[Any, str]:
    """What columns of the right side are called beside those of the left."""
    names = {name: f"{name}{RIGHT}" if name in left else str(name) for name in right}
    every = [*map(str, left), *names.values(), *added]
    twice = {name for name in every if every.count(name) > 1}
    if twice:
        raise InputError(
            f"columns of the join must differ; {', '.join(sorted(twice))} would be there twice"
            " (name the score another way, or rename a column)"
        )
    return names


def _rows(
    texts: TextList,
    others: TextList,
    found: Matches,
    kind: How,
    score: str,
    why: list[str | None] | None,
) -> list[dict[str, Any]]:
    """The rows of a join of two lists as dictionaries."""
    rows: list[dict[str, Any]] = []
    columns = (found.left.tolist(), found.right.tolist(), found.score.tolist())
    for a, b, value in zip(*columns, strict=True):
        row: dict[str, Any] = {"left": a, "left_text": texts[a]}
        if kind is not How.ANTI:
            there = b != NOTHING
            row |= {"right": b, "right_text": others[b]} if there else EMPTY_MATCH
            row[score] = value if there else None
        rows.append(row)
    for row, reason in zip(rows, why or [], strict=False):
        row[REASON] = reason
    return rows


EMPTY_MATCH = {"right": None, "right_text": None}


def _frame(
    left: Any,
    right: Any,
    others: TextList,
    found: Matches,
    kind: How,
    score: str,
    why: list[str | None] | None,
) -> Any:
    """The rows of a join as a frame of the kind of the left one."""
    import pyarrow as pa

    added = [] if kind is How.ANTI else [score, *([] if why is None else [REASON])]
    beside = right if is_frame(right) else pa.table({"text": others})
    if hasattr(left, "iloc"):
        return _pandas(left, beside, found, kind, added, why)
    table = to_arrow(left).take(found.left)
    if kind is not How.ANTI:
        other = to_arrow(beside)
        names = right_names(table.column_names, other.column_names, added)
        matched = other.take(_optional(found.right))
        for name in other.column_names:
            table = table.append_column(names[name], matched.column(name))
        none = found.right == NOTHING
        table = table.append_column(score, pa.array(found.score, mask=none))
        if why is not None:
            table = table.append_column(REASON, pa.array(why, pa.string()))
    return like_frame(table, left)


def _optional(positions: Integers) -> Any:
    """Positions of which -1 is none, as Arrow has it."""
    import pyarrow as pa

    return pa.array(positions, mask=positions == NOTHING)


def _pandas(
    left: Any, right: Any, found: Matches, kind: How, added: list[str], why: list[str | None] | None
) -> Any:
    """A pandas frame; its rows keep the labels of the left one."""
    import pandas

    rows = left.iloc[found.left]
    if kind is How.ANTI:
        return rows
    other = right if hasattr(right, "iloc") else to_arrow(right).to_pandas()
    names = right_names(list(left.columns), list(other.columns), added)
    # a label that is not there gives a row of missing values
    matched = other.reset_index(drop=True).reindex(found.right).rename(columns=names)
    matched.index = rows.index
    extra = {added[0]: found.score} | ({} if why is None else {REASON: why})
    return pandas.concat([rows, matched, pandas.DataFrame(extra, index=rows.index)], axis=1)

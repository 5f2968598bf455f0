"""Joins of pandas, Polars or Arrow frames, or of lists of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from fuzzbow.dedupe.duplicates import check_threshold
from fuzzbow.dedupe.reasons import Reasoner
from fuzzbow.encoding import TextList, check_texts, column_names, column_of, is_frame
from fuzzbow.engine import limited_threads
from fuzzbow.errors import InputError, check_choice, check_count
from fuzzbow.index import Index
from fuzzbow.io.frames import like_frame, to_arrow
from fuzzbow.io.tables import BATCH_ROWS
from fuzzbow.join import matches
from fuzzbow.join.matches import NOTHING, How, JoinOptions, Matches
from fuzzbow.measures import Ability, Measure, TextMeasure
from fuzzbow.progress import Progress, no_progress

RIGHT = "_right"  # suffix of a column of the right side whose name the left side has, too
REASON = "reason"


def join_frames(
    model: TextMeasure,
    left: Any,
    right: Any,
    options: JoinOptions,
    *,
    left_on: str | None = None,
    right_on: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Any:
    """Join frames or lists as `Model.join` does."""
    kind, score = check_choice(options.how, get_args(How), "how"), options.score
    bound = check_reach(model.measure, options.threshold)
    check_join(options.k, options.one_to_one)
    texts, others = _texts(left, left_on, "left"), _texts(right, right_on, "right")
    with limited_threads(threads):
        index = matches.index_to_match(model, others)
        found = _find(index, texts, options.k, bound, options.one_to_one, progress or no_progress)
    chosen = found.rows(kind)
    explained = options.reasons and kind != "anti"
    why = pair_reasons(index, texts, others, chosen) if explained else None
    if not is_frame(left):
        return _rows(texts, others, chosen, kind, score, why)
    import pyarrow as pa

    other = right if is_frame(right) else pa.table({"text": others})
    if hasattr(left, "iloc"):
        return _pandas(left, other, chosen, kind, score, why)
    names = () if kind == "anti" else (score,) if why is None else (score, REASON)
    return like_frame(joined_table(to_arrow(left), to_arrow(other), chosen, names, why), left)


def check_reach(measure: Measure, threshold: object) -> float:
    """Raise InputError for a measure without search, or whose scores hardly reach the threshold."""
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
    """Raise InputError if a one-to-one join has k above 1."""
    if check_count(k, "k") > 1 and one_to_one:
        raise InputError(f"a join of one to one has one match each: k must be 1; got {k}")


def _texts(side: Any, column: str | None, name: str) -> TextList:
    """Return the texts of a side: a list, or the named column of a frame."""
    if is_frame(side) and column is None:
        columns = ", ".join(map(str, column_names(side)))
        raise InputError(f"on, or {name}_on, must name the column of texts; {name} has {columns}")
    return check_texts(column_of(side, column if is_frame(side) else None, name), name)


def _find(
    index: Index, texts: TextList, k: int, threshold: float, one_to_one: bool, progress: Progress
) -> Matches:
    if one_to_one:
        return matches.match_one_to_one(index, texts, threshold=threshold)
    parts = []
    done = 0
    batches = (texts[start : start + BATCH_ROWS] for start in range(0, len(texts), BATCH_ROWS))
    for part in matches.match_batches(index, batches, k=k, threshold=threshold):
        parts.append(part)
        done = min(done + BATCH_ROWS, len(texts))
        progress(done, len(texts))
    return Matches.join(parts)


def pair_reasons(
    index: Index, texts: TextList, others: TextList, found: Matches
) -> list[str | None]:
    """Describe why the texts of each match are similar; None where there is no match."""
    batch, which = index.model.encoder.encode(texts + others)
    words = Reasoner.of(index.fitted_model().measure, batch)
    there = found.right != NOTHING
    a, b = which[found.left[there]], which[found.right[there] + len(texts)]
    sentences = words.sentences(a, b)
    return [next(sentences) if match else None for match in there.tolist()]


def right_names(left: list[Any], right: list[Any], added: Sequence[str]) -> dict[Any, str]:
    """Name the columns of the right side in the join: name -> new name."""
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
    kind: str,
    score: str,
    why: list[str | None] | None,
) -> list[dict[str, Any]]:
    """Return the rows of a join of two lists as dictionaries."""
    rows: list[dict[str, Any]] = []
    for a, b, value in found.to_rows():
        row: dict[str, Any] = {"left": a, "left_text": texts[a]}
        if kind != "anti":
            there = b != NOTHING
            row |= {"right": b if there else None, "right_text": others[b] if there else None}
            row[score] = value if there else None
        rows.append(row)
    for row, reason in zip(rows, why or [], strict=False):
        row[REASON] = reason
    return rows


def joined_table(
    left: Any, right: Any, found: Matches, added: Sequence[str], why: list[str | None] | None
) -> Any:
    """Return the rows of a join as an Arrow table: both sides, and the columns `added`.

    These are the score and, if `why` is given, the reason; without any, only left rows are
    returned.
    """
    import pyarrow as pa

    table = left.take(pa.array(found.left))
    if not added:
        return table
    names = right_names(left.schema.names, right.schema.names, added)
    none = found.right == NOTHING
    matched = right.take(pa.array(found.right, mask=none))
    for name in right.schema.names:
        field = right.schema.field(name).with_name(names[name])
        table = table.append_column(field, matched.column(name))
    table = table.append_column(added[0], pa.array(found.score, mask=none))
    return table if why is None else table.append_column(REASON, pa.array(why, pa.string()))


def _pandas(
    left: Any, right: Any, found: Matches, kind: str, score: str, why: list[str | None] | None
) -> Any:
    """Return a pandas frame; its rows keep the labels of the left one."""
    import pandas

    rows = left.iloc[found.left]
    if kind == "anti":
        return rows
    other = right if hasattr(right, "iloc") else to_arrow(right).to_pandas()
    extra = {score: found.score} | ({} if why is None else {REASON: why})
    names = right_names(list(left.columns), list(other.columns), list(extra))
    # a label that is not there gives a row of missing values
    matched = other.reset_index(drop=True).reindex(found.right).rename(columns=names)
    matched.index = rows.index
    return pandas.concat([rows, matched, pandas.DataFrame(extra, index=rows.index)], axis=1)

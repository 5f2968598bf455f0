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
from fuzzbow.join import matches
from fuzzbow.join.matches import NOTHING, How, JoinOptions, Matches
from fuzzbow.measures import Ability, Measure, TextMeasure
from fuzzbow.progress import Progress

RIGHT = "_right"  # suffix of a column of the right side whose name the left side has, too
REASON = "reason"


def join_frames(
    model: TextMeasure,
    left: Any,
    right: Any,
    options: JoinOptions,
    *,
    left_on: str | None,
    right_on: str | None,
    threads: int | None,
    progress: Progress,
) -> Any:
    """Join frames or lists as `Model.join` does."""
    kind, k = check_choice(options.how, get_args(How), "how"), options.k
    threshold = check_reach(model.measure, options.threshold)
    check_join(k, options.one_to_one)
    texts, others = _texts(left, left_on, "left"), _texts(right, right_on, "right")
    with limited_threads(threads):
        index = matches.index_to_match(model, others)
        if options.one_to_one:
            found = matches.match_one_to_one(index, texts, threshold=threshold)
        else:
            found = matches.match_texts(index, texts, k=k, threshold=threshold, progress=progress)
    found = found.rows(kind)
    added, why = [], None
    if kind != "anti":
        added = [options.score, REASON] if options.reasons else [options.score]
        why = pair_reasons(index, texts, others, found) if options.reasons else None
    import pyarrow as pa

    if not is_frame(left):
        whole = pa.table(
            {"left": range(len(texts)), "left_text": pa.array(texts, pa.large_string())}
        )
        other = pa.table(
            {"right": range(len(others)), "right_text": pa.array(others, pa.large_string())}
        )
        return joined_table(whole, other, found, added, why).to_pylist()
    other = right if is_frame(right) else pa.table({"text": others})
    if hasattr(left, "iloc"):
        return _pandas(left, other, found, added, why)
    return like_frame(joined_table(to_arrow(left), to_arrow(other), found, added, why), left)


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
        raise InputError(f"k must be 1 in a one-to-one join; got {k}")


def _texts(side: Any, column: str | None, name: str) -> TextList:
    """Return the texts of a side: a list, or the named column of a frame."""
    if is_frame(side) and column is None:
        columns = ", ".join(map(str, column_names(side)))
        raise InputError(f"on, or {name}_on, must name the column of texts; {name} has {columns}")
    return check_texts(column_of(side, column if is_frame(side) else None, name), name)


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
            f"columns of the join must differ; {', '.join(sorted(twice))} would occur twice"
            " (rename the score or a column)"
        )
    return names


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
    for field, column in zip(right.schema, matched.columns, strict=True):
        table = table.append_column(field.with_name(names[field.name]), column)
    table = table.append_column(added[0], pa.array(found.score, mask=none))
    return table if why is None else table.append_column(REASON, pa.array(why, pa.string()))


def _pandas(
    left: Any, right: Any, found: Matches, added: Sequence[str], why: list[str | None] | None
) -> Any:
    """Return a pandas frame; its rows keep the labels of the left one."""
    import pandas

    rows = left.iloc[found.left]
    if not added:
        return rows
    other = right if hasattr(right, "iloc") else to_arrow(right).to_pandas()
    names = right_names(list(left.columns), list(other.columns), added)
    # a label that is not there gives a row of missing values
    matched = other.reset_index(drop=True).reindex(found.right).rename(columns=names)
    matched.index = rows.index
    extra = pandas.DataFrame(dict(zip(added, (found.score, why), strict=False)), index=rows.index)
    return pandas.concat([rows, matched, extra], axis=1)

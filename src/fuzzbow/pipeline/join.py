"""Fuzzy joins of files, in memory or in shards: each left shard searched for in each right one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import product
from os import PathLike
from pathlib import Path
from typing import Any, get_args

import numpy as np

from fuzzbow.encoding import TextList
from fuzzbow.engine import limited_threads
from fuzzbow.errors import InputError, check_choice, check_count
from fuzzbow.index import Index
from fuzzbow.io.atomic import replacing
from fuzzbow.io.file_digest import DigestedFile
from fuzzbow.io.tables import AS_IT_IS, Reading, table_writer
from fuzzbow.join import How, JoinOptions, Matches
from fuzzbow.join.frames import (
    REASON,
    check_join,
    check_reach,
    joined_table,
    pair_reasons,
    right_names,
)
from fuzzbow.join.matches import NOTHING, index_to_match, match_one_to_one, match_texts
from fuzzbow.join.report import BestScores, preview_lines, summary_lines
from fuzzbow.model import Model, load
from fuzzbow.pipeline.models import ModelReference, fit_to_shards
from fuzzbow.pipeline.rows import Files, Rows, Sink, Source, check_outputs
from fuzzbow.pipeline.shards import RunContext, RunOptions, Shard, open_run
from fuzzbow.progress import ProgressOption, open_progress


@dataclass(frozen=True)
class JoinedFile:
    """Result of `join_files`."""

    summary: dict[str, Any]  # numbers of rows, thresholds, and the nearest matches of a preview
    lines: list[str]  # the summary, or the preview, for people
    notes: list[str]  # messages about the input and the run
    matches: list[DigestedFile]  # in shards, files of left row, right row (-1 for none) and score


def join_files(
    left: Files,
    right: Files,
    out: str | PathLike[str] | None = None,
    *,
    options: JoinOptions | None = None,
    left_on: str | Sequence[str] | None = None,
    right_on: str | Sequence[str] | None = None,
    model: Model | None = None,
    reading: Reading = AS_IT_IS,
    right_reading: Reading | None = None,
    preview: bool = False,
    sink: Sink | None = None,
    run: RunOptions | None = None,
) -> JoinedFile:
    """Match each row of a table with the most similar rows of another, exactly.

    A row of the output has the columns of both tables (`…_right` where they share a name) and the
    score. The left table is read once, in batches; the right one is held in memory.

    Parameters
    ----------
    left, right : path or list of paths
        Tables, or folders of tables.
    out : path, optional
        File of the joined rows; without it nothing is written.
    options : JoinOptions, optional
        Number of matches, threshold, kind of join.
    left_on, right_on : str or list of str, optional
        Columns of the texts, such as "title" or "title=2"; by default the only one, or "text".
    model : Model, optional
        Model that compares the texts, by default `fuzzbow.load(purpose="records")`.
    reading, right_reading : Reading
        Format, delimiter and encoding of the tables.
    preview : bool
        List the matches nearest to the threshold.
    sink : callable, optional
        In place of `out`: opens a writer of the rows, given their schema and delimiter.
    run : RunOptions, optional
        Executor, shards (the number of each side), threads, progress.

    Raises
    ------
    InputError
        If a file or a column cannot be used, or the measure hardly reaches the threshold.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("left.csv").write_text("name\\na plane landed\\n")
    >>> _ = Path("right.csv").write_text("title\\na cat\\nthe plane has landed\\n")
    >>> join_files("left.csv", "right.csv", "out.csv").summary["matched"]
    1
    """
    options, work = options or JoinOptions(), run or RunOptions()
    sources = [
        Source.of(files, name, on, reading=read, option=f"--on or --{name}-on")
        for files, name, on, read in (
            (left, "left", left_on, reading),
            (right, "right", right_on, right_reading or reading),
        )
    ]
    if out is not None:
        check_outputs({"the output": Path(out)}, sources)
        sink = partial(table_writer, Path(out))
    model = load(purpose="records") if model is None else model
    how = check_choice(options.how, get_args(How), "how")
    check_join(check_count(options.k, "k"), options.one_to_one)
    wanted = model.join_threshold if options.threshold is None else options.threshold
    best = BestScores(check_reach(model.measure, wanted))
    added = [options.score, *([REASON] if options.reasons else [])] if how != "anti" else []
    if added:
        right_names(sources[0].columns, sources[1].columns, added)
    if work.divided and (options.one_to_one or options.reasons):
        raise InputError("--shards and --ray go with neither --one-to-one nor --explain")
    notes: list[str] = []
    found_files: list[DigestedFile] = []
    with ExitStack() as stack:
        if work.divided:
            facts: dict[str, Any] = {"k": options.k, "threshold": best.floor}
            context = stack.enter_context(open_run("join", model, sources, facts, out, work))
            found_files = _shard_matches(context, options.k, best.floor, work.progress)
            notes.append(str(context.run.counts))
            sides = zip(context.sides, sources, strict=True)
            lefts, rights = (texts.rows(source) for texts, source in sides)
        else:
            lefts, rights = map(Rows.streamed, sources)
        with open_progress(work.progress, "reading"):
            right_table = rights.read_all()
        others = sources[1].text.column(right_table)
        index = index_to_match(model, [] if work.divided else others)

        def matched() -> Iterator[tuple[Any, TextList, Matches]]:
            """Yield left rows, their texts and their matches, numbered in these rows."""
            done = 0
            take = stored_matches(found_files)
            tables = iter([lefts.read_all()]) if options.one_to_one else lefts.tables()
            for table in tables:
                texts = sources[0].text.column(table, done)
                if work.divided:
                    found = take(len(table))
                elif options.one_to_one:
                    found = match_one_to_one(index, texts, threshold=best.floor)
                else:
                    found = match_texts(index, texts, k=options.k, threshold=best.floor)
                yield table, texts, found
                done += len(table)

        empty = lefts.schema.empty_table(), right_table.slice(0, 0), Matches.join([])
        schema = joined_table(*empty, added, [] if REASON in added else None).schema
        write = None
        if sink is not None and not preview:
            write = stack.enter_context(sink(schema, lefts.delimiter))
        done = rows = count = 0
        with limited_threads(work.threads), open_progress(work.progress, "joining") as on_progress:
            for table, texts, found in matched():
                best.add(found, texts, others, done)
                good = found.at_least(best.threshold)
                chosen = good.rows(how)
                if write is not None and len(chosen):
                    why = pair_reasons(index, texts, others, chosen) if REASON in added else None
                    write(joined_table(table, right_table, chosen, added, why))
                done += len(table)
                count += good.matched
                rows += len(chosen)
                on_progress(done, lefts.total(done))
    facts = {
        "left": done,
        "right": len(others),
        "matched": count,
        "rows": rows,
        "without_text": sum(source.text.missing for source in sources),
        "threshold": best.threshold,
        "thresholds": best.counts(),
    }
    if preview:
        facts["nearest"] = best.nearest()
    lines = preview_lines(facts) if preview else summary_lines(facts)
    bad = [note for side in (rights, lefts) for note in side.messages()]
    return JoinedFile(facts, lines, bad + notes, found_files)


def match_shards(
    out: str, model: ModelReference, left: Shard, right: Shard, k: int, threshold: float
) -> None:
    """Write the k best matches of each text of a left shard in a right one, by their rows."""
    found = match_texts(_index(model, right), left.texts(), k=k, threshold=threshold)
    found = found.where(found.right != NOTHING)
    rows = found.left + left.start, found.right + right.start
    _write(out, Matches(*rows, found.score))


@lru_cache(maxsize=1)  # tasks of one right shard follow each other; files count by content
def _index(model: ModelReference, shard: Shard) -> Index:
    return index_to_match(model.load(), shard.texts())


def merge_matches(out: str, parts: Sequence[DigestedFile], start: int, rows: int, k: int) -> None:
    """Write the k best matches of each row of a left shard, given those in each right one.

    Ties are ordered by the right row; a row without any match has -1.
    """
    found = Matches.join(map(read_matches, parts))
    found = found.where(np.lexsort((found.right, -found.score, found.left)))
    rank = np.arange(len(found)) - np.searchsorted(found.left, found.left)
    alone = np.setdiff1d(np.arange(start, start + rows), found.left)
    nothing = Matches(alone, np.full(len(alone), NOTHING), np.full(len(alone), np.nan))
    kept = Matches.join([found.where(rank < k), nothing])
    _write(out, kept.where(np.argsort(kept.left, kind="stable")))


def _shard_matches(
    context: RunContext, k: int, threshold: float, progress: ProgressOption
) -> list[DigestedFile]:
    """Find the matches of each left shard in all right ones: a file for each left shard."""
    run, (lefts, rights) = context.run, (side.shards for side in context.sides)
    context.model.measure.searcher(context.model.encoder)  # refuses a measure before any work
    fitted = fit_to_shards(run, context.executor, context.model, [(part,) for part in rights])
    tasks = [
        (run.path("tiles", f"{a.name}-{b.name}.parquet"), fitted, a, b, k, threshold)
        for b, a in product(rights, lefts)
    ]
    try:
        with open_progress(progress, "joining") as on_progress:
            parts = run.do(context.executor, match_shards, tasks, on_progress)
    finally:
        _index.cache_clear()  # an index that this process may have built takes memory
    merges = []
    for number, left in enumerate(lefts):
        tiles = [file for file, _ in parts[number :: len(lefts)]]
        out = run.path("matches", f"{left.name}.parquet")
        merges.append((out, tiles, left.start, len(left), k))
    return [file for file, _ in run.do(context.executor, merge_matches, merges)]


def stored_matches(files: Sequence[DigestedFile]) -> Callable[[int], Matches]:
    """Return a function that reads the matches of the next n left rows, from row 0."""
    unread, waiting, done = iter(files), Matches.join([]), 0

    def take(rows: int) -> Matches:
        nonlocal waiting, done
        start, done = done, done + rows
        while rows and not (len(waiting) and waiting.left[-1] >= done - 1):
            waiting = Matches.join([waiting, read_matches(next(unread))])
        now = waiting.left < done
        found, waiting = waiting.where(now), waiting.where(~now)
        return replace(found, left=found.left - start)

    return take


def _write(out: str, found: Matches) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with replacing(Path(out)) as partial_file:
        pq.write_table(pa.table(vars(found)), partial_file)


def read_matches(file: DigestedFile) -> Matches:
    """Read the matches of a left shard."""
    import pyarrow.parquet as pq

    with file.reading() as path:
        table = pq.read_table(path)
    return Matches(*(table[name].to_numpy() for name in ("left", "right", "score")))

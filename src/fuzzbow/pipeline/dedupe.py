"""Near-duplicates of the rows of files, in memory or in shards.

A tile is a pair of shards, or a shard with itself; each tile is an exact join.
If the executor can run more tasks at the same time than there are tiles, a tile is divided into
shares, which compare equal texts and find different pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, product
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans, Integers
from fuzzbow.dedupe import DedupeOptions, Duplicates, Pairs, find_duplicates
from fuzzbow.dedupe.duplicates import check_across
from fuzzbow.dedupe.pairs import PairArrays, store_pairs, write_pairs
from fuzzbow.dedupe.report import Report, groups_table, preview_lines
from fuzzbow.encoding import TextList
from fuzzbow.encoding.arrow_texts import texts_where
from fuzzbow.engine import Share
from fuzzbow.errors import InputError
from fuzzbow.explain import Titled
from fuzzbow.io.atomic import replacing, replacing_all
from fuzzbow.io.file_digest import DigestedFile
from fuzzbow.io.streams import WRITERS
from fuzzbow.io.tables import AS_IT_IS, Reading, Write, format_of, part_writer, with_columns
from fuzzbow.measures import Ability
from fuzzbow.model import Model, default_model
from fuzzbow.pipeline.models import ModelReference, fit_to_shards
from fuzzbow.pipeline.rows import Files, Rows, Sink, Source, check_outputs, open_rows
from fuzzbow.pipeline.run import Counted
from fuzzbow.pipeline.shards import RunContext, RunOptions, Shard, open_run
from fuzzbow.pipeline.strings import collect_shards
from fuzzbow.progress import ProgressOption, open_progress

# columns of a removed row: the row that is kept for it, its text, their score, and why
ADDED = {
    "duplicate_of": "string",  # its id, or its number from 1 on
    "duplicate_text": "string",
    "duplicate_score": "double",
    "duplicate_reason": "string",
}


@dataclass(frozen=True)
class DedupedFile:
    """Result of `dedupe_file`."""

    found: Duplicates  # pairs, groups and texts; in shards read from the folder of the run
    summary: dict[str, Any]  # numbers of rows, pairs, groups and removals
    line: str  # the summary in one line
    groups: list[dict[str, Any]]  # the largest: size, first rows and text, explained removals
    explanations: list[Titled]  # removals of these groups, with titles
    least_similar: list[dict[str, Any]]  # of a preview: rows that would be removed
    thresholds: list[dict[str, Any]]  # of a preview: number of removals at each threshold
    notes: list[str]  # messages about the input and the run

    def to_dict(self) -> dict[str, Any]:
        """Return the summary, and the largest groups or the preview, as plain data."""
        if self.thresholds:
            preview = {"least_similar": self.least_similar, "thresholds": self.thresholds}
            return self.summary | preview
        return self.summary | {"largest_groups": self.groups}

    def __str__(self) -> str:
        """Write the summary and largest groups, or the preview."""
        if self.thresholds:
            return f"{self.line}\n{preview_lines(self.least_similar, self.thresholds)}"
        return "\n".join(filter(None, [self.line, groups_table(self.groups)]))


def dedupe_file(
    files: Files,
    out: str | PathLike[str] | None = None,
    *,
    options: DedupeOptions | None = None,
    text: str | Sequence[str] | None = None,
    id_name: str | None = None,
    against: Files | None = None,
    against_text: str | Sequence[str] | None = None,
    against_id: str | None = None,
    model: Model | None = None,
    reading: Reading = AS_IT_IS,
    against_reading: Reading | None = None,
    pairs: str | PathLike[str] | None = None,
    html: str | PathLike[str] | None = None,
    explain: bool = False,
    preview: bool = False,
    sink: Sink | None = None,
    run: RunOptions | None = None,
) -> DedupedFile:
    """Remove near-duplicate rows of a file, exactly.

    The file is read once. The removed rows are written to `removed_path(out)`, with the row kept
    for each, their score and the words that match. Both files appear when both are complete.

    Parameters
    ----------
    files : path or list of paths
        Table, several, or a folder of tables.
    out : path, optional
        File of the kept rows; without it nothing is written.
    options : DedupeOptions, optional
        Threshold, linkage and the other choices of what is removed.
    text, against_text : str or list of str, optional
        Columns of the texts, such as "title" or "title=2"; by default the only one, or "text".
    id_name, against_id : str, optional
        Column that names rows; by default they are numbered from 1.
    against : path or list of paths, optional
        Other tables: remove the rows that are similar to a row of these.
    model : Model, optional
        Model that compares the texts, by default `fuzzbow.load()`.
    reading, against_reading : Reading
        Format, delimiter and encoding of the files.
    pairs : path, optional
        Parquet file of all pairs.
    html : path, optional
        Page that explains the first 100 removed rows.
    explain, preview : bool
        Explain the removals of the largest groups; list rows that would be removed.
    sink : callable, optional
        In place of `out`: opens a writer of the kept rows, given their schema and delimiter.
    run : RunOptions, optional
        Executor, shards, threads, progress; a task holds two shards in memory.

    Raises
    ------
    InputError
        If a file, a column or an option cannot be used, or a new column exists already.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("animals.csv").write_text("text\\na cat\\na dog\\na cat\\n")
    >>> dedupe_file("animals.csv", "kept.csv").line
    '3 rows, 1 pair at ≥ 0.9 (1 exact), 1 group: kept 2, removed 1'
    >>> Path("kept.csv").read_text()
    'text\\na cat\\na dog\\n'
    """
    chosen, work = (options or DedupeOptions()).checked(), run or RunOptions()
    target = None if out is None else Path(out)
    if pairs is not None and Path(pairs).suffix != ".parquet":
        raise InputError(f"--pairs must end in .parquet; got '{pairs}'")
    sources = [Source.of(files, "files", text, reading=reading, id_name=id_name)]
    if against is not None:
        check_across(chosen.keep, chosen.linkage)
        text, id_name = against_text or text, against_id or id_name
        reading = against_reading or reading
        sources.append(Source.of(against, "against", text, reading=reading, id_name=id_name))
    if target is not None or sink is not None:
        sources[0].check_new(ADDED)
    if target is not None:
        outputs = {"the kept rows": target, "the removed rows": removed_path(target)}
        check_outputs(outputs, sources)
    model = default_model() if model is None else model
    if explain or html is not None:
        model.measure.require(Ability.EXPLAIN)
    # options that decide which pairs there are
    joined = replace(chosen, keep="first", linkage="leader", drop_empty=False)
    with ExitStack() as stack:
        notes: list[str] = []
        if not work.divided:
            rows = [stack.enter_context(open_rows(source, work.progress)) for source in sources]
            with open_progress(work.progress, "comparing") as on_progress:
                found = find_duplicates(
                    model,
                    rows[0].texts,
                    joined,
                    others=rows[1].texts if len(rows) > 1 else None,
                    threads=work.threads,
                    progress=on_progress,
                    path=pairs,
                )
        else:
            opened = open_run("dedupe", model, sources, vars(joined), target, work)
            context = stack.enter_context(opened)
            found = _shard_duplicates(context, joined, work.progress)
            sides = zip(context.sides, sources, strict=True)
            rows = [texts.rows(source) for texts, source in sides]
            notes.append(str(context.run.counts))
            if pairs is not None:
                store_pairs(found.pairs.parts(), chosen.threshold, Path(pairs))
        report = Report(found, chosen, rows[0].ids, rows[-1].ids, model.explain)
        notes = [note for side in rows for note in side.messages()] + notes
        if target is not None or sink is not None:
            with open_progress(work.progress, "writing") as on_progress:
                _write_rows(report, rows, target, sink, on_progress)
        if html is not None:
            notes.append(report.write_page(Path(html)))
        largest, summary = report.largest(explain=explain), report.summary(rows[0].bad.count)
        near, steps = (report.least_similar(), report.thresholds()) if preview else ([], [])
        return DedupedFile(found, summary, report.line(summary), *largest, near, steps, notes)


def removed_path(out: Path) -> Path:
    """Return the path of the removed rows: kept.csv.gz -> kept.removed.csv.gz."""
    compressed = out.suffix if out.suffix in WRITERS else ""
    base = Path(out.name[: len(out.name) - len(compressed)])
    return out.with_name(f"{base.stem}.removed{base.suffix}{compressed}")


def _write_rows(
    report: Report,
    rows: list[Rows],
    out: Path | None,
    sink: Sink | None,
    on_progress: Callable[[int, int | None], None],
) -> None:
    """Write the kept rows and, to a file next to them, the removed ones."""
    import pyarrow as pa

    own, found = rows[0], report.found
    kept = np.zeros(len(found.texts), dtype=np.bool_)
    kept[found.kept(**report.choice, drop_empty=report.options.drop_empty)] = True
    write_removed: Write | None = None
    with ExitStack() as stack:
        if out is None:
            assert sink is not None  # for mypy: the caller has checked it
            write_kept = stack.enter_context(sink(own.schema, own.delimiter))
        else:
            paths = [removed_path(out), out]
            written = stack.enter_context(replacing_all(paths))
            one_line = format_of(out).one_line
            notes = partial(_notes, report, rows[-1].ids, one_line)
            nothing = np.zeros(0, dtype=np.int64)
            added = notes(nothing).schema
            schemas = (pa.schema([*own.schema, *added]), own.schema)
            write_removed, write_kept = (
                stack.enter_context(part_writer(*some, delimiter=own.delimiter))
                for some in zip(written, paths, schemas, strict=True)
            )
        done = 0
        for table in own.tables():
            mask = kept[done : done + len(table)]
            # a file takes its types from its first rows, so never write an empty list
            if mask.any():
                write_kept(table.filter(mask))
            if write_removed is not None and not mask.all():
                some = notes(np.flatnonzero(~mask) + done)
                columns = {name: some[name] for name in ADDED}
                write_removed(with_columns(table.filter(~mask), columns))
            done += len(table)
            on_progress(done, len(kept))


def _notes(report: Report, ids: Any, one_line: bool, positions: Integers) -> Any:
    """Return the added columns of removed rows, null except the reason if a text is blank."""
    import pyarrow as pa

    found, removed = report.found, report.removed
    blank: Booleans = found.collection.blank[positions]
    row = np.searchsorted(removed["position"].to_numpy(), positions)
    near = removed.take(row[~blank])
    kept = near["kept"].to_numpy()
    names: Any = pa.array(kept + 1) if ids is None else ids.take(kept)
    if not pa.types.is_integer(names.type):
        text = (None if name is None else str(name) for name in names.to_pylist())
        names = pa.array(text, pa.string())
    texts = found.collection.texts_at(kept + found.collection.shift)
    if one_line:
        texts = [" ".join(text.split()) for text in texts]
    reasons = found.sentences(near["position"].to_numpy(), kept)
    where = pa.array(np.cumsum(~blank) - 1, mask=blank)
    columns = [names, pa.array(texts, pa.string()), near["score"]]
    why = pa.array(["no text" if empty else next(reasons) for empty in blank.tolist()], pa.string())
    taken = (column.take(where) for column in columns)
    return pa.table([*taken, why], names=list(ADDED))


# a shard of a tile, and the file of the first row with the string of each row
Side = tuple[Shard, DigestedFile]


def _read_distinct(shard: Shard, firsts: DigestedFile) -> tuple[Integers, TextList]:
    """Read the rows of a shard that are not copies of earlier ones, and their texts."""
    rows = np.arange(shard.start, shard.start + len(shard))
    with firsts.reading() as path:
        first = np.load(path, mmap_mode="r", allow_pickle=False)[rows]
    kept = np.asarray(first == rows)
    return rows[kept], texts_where(shard.texts(), kept)


def join_tile(
    out: str,
    reference: ModelReference,
    left: Side,
    right: Side | None,
    options: DedupeOptions,
    share: Share,
) -> Counted:
    """Write the pairs of a tile, or of a share of it, except copies, by rows of the data set.

    A tile is a shard with itself, or with another one.
    """
    model = reference.load()
    rows, texts = _read_distinct(*left)
    other_rows, others = (rows, None) if right is None else _read_distinct(*right)
    found = find_duplicates(model, texts, options, others=others, share=share)

    def near() -> Iterator[PairArrays]:
        for part in found.pairs.parts():
            chosen = part.where(~part.exact)  # equal strings of two data sets are known
            yield replace(chosen, left=rows[chosen.left], right=other_rows[chosen.right])

    with replacing(Path(out)) as partial_file:
        write_pairs(partial_file, near())
    return {"apart": found.apart}


def _shard_duplicates(
    context: RunContext, options: DedupeOptions, progress: ProgressOption
) -> Duplicates:
    """Find in shards the duplicates that `Model.duplicates` finds in all texts."""
    run = context.run
    context.model.measure.require(Ability.JOIN)
    collection, firsts = collect_shards(context)
    sides = [side.shards for side in context.sides]
    everything = [(shard,) for side in sides for shard in side]
    fitted = fit_to_shards(run, context.executor, context.model, everything)
    left, *right = (
        [(shard, first) for shard in side] for side, first in zip(sides, firsts, strict=True)
    )
    couples: list[tuple[Side, Side | None]] = []
    if right:
        couples += product(left, right[0])
    else:  # tiles of two shards take longer
        couples += combinations(left, 2)
        couples += [(side, None) for side in left]
    shares = max(-(-context.plan["parallel"] // max(len(couples), 1)), 1)
    tiles = []
    for (a, b), number in product(couples, range(shares)):
        name = f"{a[0].name}-{(b or a)[0].name}-{number:03d}.parquet"
        out = run.path("pairs", name)
        tiles.append((out, fitted, a, b, options, (number, shares)))
    with open_progress(progress, "comparing") as on_progress:
        done = run.do(context.executor, join_tile, tiles, on_progress)
    # copies are found without a comparison
    exact = [collection.exact_pairs()]
    copies = run.write("copies", "pairs.parquet", lambda path: write_pairs(path, exact))
    near = sorted((file for file, _ in done), key=lambda file: file.path)
    pairs = Pairs(options.threshold, files=(*near, copies))
    apart = sum(report["apart"] for _, report in done)
    return Duplicates(options.threshold, pairs, collection, fitted.load().measure, apart)

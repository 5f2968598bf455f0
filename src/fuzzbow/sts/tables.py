"""The paper's tables from results, each number beside the published one where there is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from fuzzbow.sts.evaluation import Evaluation
from fuzzbow.sts.published import PublishedRow, literature, published_rows, published_values
from fuzzbow.sts.sources import PAPER_VECTORS, Source

OURS = "weighted-jaccard"
MEAN = "mean"


@dataclass(frozen=True)
class Cell:
    """A mean Pearson correlation × 100 of ours and of the paper; `partial` if subtasks lack."""

    ours: float | None = None
    published: float | None = None
    best: bool = False
    partial: bool = False

    @property
    def difference(self) -> float | None:
        """Ours less theirs."""
        if self.ours is None or self.published is None:
            return None
        return self.ours - self.published


@dataclass(frozen=True)
class TableRow:
    """One approach; `measured` tells ours from rows that only repeat the paper."""

    group: str
    approach: str
    cells: tuple[Cell, ...]
    measured: bool = True
    note: str | None = None


@dataclass(frozen=True)
class ResultTable:
    """Table of the paper."""

    key: str
    title: str
    source: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]


@dataclass(frozen=True)
class Spec:
    """Systems of a table, with the names that it gives them."""

    title: str
    source: str
    caption: str
    rows: tuple[tuple[str, str], ...]  # approach, system


_OWN = (f"{OURS} (fuzzbow)", OURS)
SPECS: dict[str, Spec] = {
    "main": Spec(
        "Main results",
        "Table 1",
        "Averaged word vectors with cosine against DynaMax-Jaccard.",
        (("avg-cos", "avg-cosine"), ("DynaMax", "dynamax-jaccard"), _OWN),
    ),
    "sif": Spec(
        "SIF weights",
        "Table 2",
        "All of the paper's methods with SIF word weights; avg-SIF+PCA is fitted to each subtask."
        " Whitened words and weighted-jaccard are fuzzbow's: whitened by word probability, with"
        " weights of their own.",
        (
            ("avg-SIF", "avg-cosine+sif"),
            ("avg-SIF+PCA", "sif-pca"),
            ("DynaMax-SIF", "dynamax-jaccard+sif"),
            ("avg-whitened (fuzzbow)", "avg-cosine+whitened"),
            ("DynaMax-whitened (fuzzbow)", "dynamax-jaccard+whitened"),
            _OWN,
        ),
    ),
    "normalised": Spec(
        "Normalised word vectors",
        "Table 3 (Appendix A)",
        "Word vectors of unit length. weighted-jaccard whitens the vectors itself, so its row is"
        " the same as without.",
        (("avg-cos", "avg-cosine+norm"), ("DynaMax", "dynamax-jaccard+norm"), _OWN),
    ),
    "ssm": Spec(
        "Fuzzy set similarity measures",
        "Table 4 (Appendix B)",
        "DynaMax with three set similarities.",
        (
            ("Jaccard", "dynamax-jaccard"),
            ("Otsuka", "dynamax-otsuka"),
            ("Dice", "dynamax-dice"),
            _OWN,
        ),
    ),
    "ablation": Spec(
        "Ablation",
        "Table 5 (Appendix C)",
        "DynaMax-Jaccard with one part replaced, then with two.",
        (
            ("DynaMax Jaccard", "dynamax-jaccard"),
            ("universe: Max Jaccard", "max-jaccard"),
            ("universe: RandomMax Jaccard", "randommax-jaccard"),
            ("similarity: DynaMax cosine", "dynamax-cosine"),
            ("pooling: DynaAvg Jaccard", "dynaavg-jaccard"),
            ("pooling: DynaSum Jaccard", "dynasum-jaccard"),
            ("pooling: DynaMin Jaccard", "dynamin-jaccard"),
            ("pool & sim.: DynaAvg cosine", "dynaavg-cosine"),
            _OWN,
        ),
    ),
    "figure1": Spec(
        "Numbers of Figure 1",
        "Figure 1",
        "Averaged, max-pooled and DynaMax with cosine and with Jaccard; the paper prints no"
        " numbers, and leaves averaged with Jaccard out of the plot.",
        (
            ("avg cosine", "avg-cosine"),
            ("avg Jaccard", "avg-jaccard"),
            ("max cosine", "max-cosine"),
            ("max Jaccard", "max-jaccard"),
            ("DynaMax cosine", "dynamax-cosine"),
            ("DynaMax Jaccard", "dynamax-jaccard"),
            _OWN,
        ),
    ),
    "figure2": Spec(
        "Numbers of Figure 2",
        "Figure 2",
        "Other bag-of-words methods against fuzzy Jaccard; the paper prints no numbers.",
        (
            ("crisp Jaccard", "set-jaccard"),
            ("WMD", "wmd"),
            ("soft cardinality", "soft-cardinality"),
            ("max Jaccard", "max-jaccard"),
            ("DynaMax Jaccard", "dynamax-jaccard"),
            _OWN,
        ),
    ),
}

Found = Mapping[tuple[str, str], Evaluation]  # (label of vectors, name of system)


def needed_systems() -> list[str]:
    """Every system that some table shows, once."""
    return list(dict.fromkeys(system for spec in SPECS.values() for _, system in spec.rows))


def make_tables(sources: Sequence[Source], found: Found, tasks: Sequence[str]) -> list[ResultTable]:
    """All of the paper's tables."""
    return [_table(key, spec, sources, found, tasks) for key, spec in SPECS.items()]


def _table(
    key: str, spec: Spec, sources: Sequence[Source], found: Found, tasks: Sequence[str]
) -> ResultTable:
    columns = (*tasks, MEAN)
    rows = []
    for source in sources:
        vectors = None if source.paper is None else source.paper.key
        group = [
            TableRow(
                source.title,
                approach,
                _measured(
                    found[source.label, system], tasks, published_values(key, vectors, system)
                ),
            )
            for approach, system in spec.rows
        ]
        rows += _mark_best(group, lambda cell: cell.ours)
    rows += _published_only(key, spec, sources, tasks)
    return ResultTable(key, spec.title, spec.source, spec.caption, columns, tuple(rows))


def _measured(
    evaluation: Evaluation, tasks: Sequence[str], published: dict[str, float]
) -> tuple[Cell, ...]:
    """Ours beside theirs for each task, and the mean over the tasks."""
    cells = []
    for name in tasks:
        task = evaluation.task(name)
        ours = None if task is None else task.pearson.mean
        partial = task is None or not task.complete
        cells.append(Cell(ours, published.get(name), partial=partial))
    partial = any(cell.partial for cell in cells)
    return (*cells, Cell(evaluation.mean_pearson, _mean(published, tasks), partial=partial))


def _published_only(
    key: str, spec: Spec, sources: Sequence[Source], tasks: Sequence[str]
) -> list[TableRow]:
    """Return the published rows of vectors that were not given, and of other literature."""
    given = {source.paper.key for source in sources if source.paper is not None}
    names = {system: approach for approach, system in spec.rows}
    titles = {vectors.key: vectors.title for vectors in PAPER_VECTORS}
    rows: list[TableRow] = []
    for vectors, title in titles.items():
        if vectors not in given:
            group = [
                TableRow(title, names[row.system], _published(row, tasks), measured=False)
                for row in published_rows(key)
                if row.vectors == vectors
            ]
            rows += _mark_best(group, lambda cell: cell.published)
    if key == "main":
        rows += [
            TableRow("literature", row.system, _published(row, tasks), False, row.note)
            for row in literature()
        ]
    return rows


def _published(row: PublishedRow, tasks: Sequence[str]) -> tuple[Cell, ...]:
    cells = [Cell(published=row.values.get(name)) for name in tasks]
    return (*cells, Cell(published=_mean(row.values, tasks)))


def _mean(values: dict[str, float], tasks: Sequence[str]) -> float | None:
    """The mean over the tasks, if the paper has all of them."""
    numbers = [values[name] for name in tasks if name in values]
    return sum(numbers) / len(numbers) if numbers and len(numbers) == len(tasks) else None


def _mark_best(rows: list[TableRow], value: Callable[[Cell], float | None]) -> list[TableRow]:
    """Mark the best of each column, as printed: equal to one decimal is equally good."""
    if not rows:
        return rows
    marked = [list(row.cells) for row in rows]
    for column in range(len(rows[0].cells)):
        printed = [_rounded(value(row.cells[column])) for row in rows]
        best = max((number for number in printed if number is not None), default=None)
        for place, number in enumerate(printed):
            if number is not None and number == best:
                marked[place][column] = replace(marked[place][column], best=True)
    return [replace(row, cells=tuple(cells)) for row, cells in zip(rows, marked, strict=True)]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)

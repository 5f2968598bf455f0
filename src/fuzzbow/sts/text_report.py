"""A reproduction as Markdown and as LaTeX (booktabs)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from fuzzbow.plurals import counted
from fuzzbow.sts.claims import Evidence, Outcome
from fuzzbow.sts.comparison import Comparison
from fuzzbow.sts.published import PublishedInterval, published_interval
from fuzzbow.sts.reproduction import Reproduction
from fuzzbow.sts.sources import Source
from fuzzbow.sts.tables import Cell, ResultTable, TableRow

LATEX_SPECIAL = re.compile(r"[&%$#_{}~^\\]")
PARTIAL = "*"


def to_markdown(result: Reproduction) -> str:
    """The whole report; figures are named files beside it."""
    parts = [
        "# The paper, reproduced",
        " · ".join(source.title for source in result.sources),
        *_notes(result),
        "## Claims",
        _markdown_claims(result),
        "## Tables",
        "Mean Pearson correlation × 100 over the subtasks of each year. Where the vectors are the"
        " paper's: ours (published, difference). Best of each group in bold."
        " Rows marked † repeat the paper.",
    ]
    for table in result.tables:
        parts += [f"### {table.title} ({table.source})", table.caption, _markdown_table(table)]
    parts += ["## Significance (Table 6, Appendix D)", significance_summary(result)]
    for source, comparison in zip(result.sources, result.comparisons, strict=True):
        parts += [f"### {source.title}", _markdown_comparison(source, comparison)]
    parts.append("### weighted-jaccard against the same baseline")
    parts += [f"- {source.title}: {counts_text(item)}" for source, item in _own(result)]
    parts += ["## Figures", "![Figure 1](figure1.svg)", "![Figure 2](figure2.svg)"]
    parts += ["## Data", _markdown_data(result)]
    return _lists_together("\n\n".join(parts)) + "\n"


def _lists_together(text: str) -> str:
    """Items of a list without blank lines between them."""
    return re.sub(r"(?<=\n)(- [^\n]*)\n\n(?=- )", r"\1\n", text)


def _notes(result: Reproduction) -> list[str]:
    return [f"**Incomplete:** {note}" for note in result.notes]


def cell_text(cell: Cell, *, bold: str = "**{}**") -> str:
    """`58.2`, or `58.2 (58.1, +0.1)` where the paper has a number too."""
    value = cell.published if cell.ours is None else cell.ours
    if value is None:
        return "–"
    text = f"{value:.1f}"
    text = bold.format(text) if cell.best else text
    text += PARTIAL if cell.partial else ""
    if cell.difference is None:
        return text
    return f"{text} ({cell.published:.1f}, {cell.difference:+.1f})"


def _markdown_table(table: ResultTable) -> str:
    rows = [
        [
            row.group if row.measured else f"{row.group} †",
            row.approach + (f" ({row.note})" if row.note else ""),
            *(cell_text(cell) for cell in row.cells),
        ]
        for row in table.rows
    ]
    return _pipes(["vectors", "approach", *table.columns], rows, text_columns=2)


def _pipes(header: Sequence[str], rows: Iterable[Sequence[str]], text_columns: int = 1) -> str:
    """A Markdown table; columns after the first few are aligned right."""
    rule = ["---"] * text_columns + ["---:"] * (len(header) - text_columns)
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in (list(header), rule, *escaped))


def _markdown_claims(result: Reproduction) -> str:
    lines = [
        _pipes(
            ["claim", *(source.label for source in result.sources)],
            [
                [
                    claim.sentence,
                    *(_outcome(result, source, claim.key) for source in result.sources),
                ]
                for claim in result.claims
            ],
            text_columns=1 + len(result.sources),
        )
    ]
    for claim in result.claims:
        lines += ["", f"**{claim.sentence}** ({claim.place})", ""]
        for source in result.sources:
            outcome = result.outcomes[source.label][claim.key]
            lines.append(f"- {source.label}: *{outcome.verdict.value}*; {outcome_text(outcome)}")
    return "\n".join(lines)


def _outcome(result: Reproduction, source: Source, key: str) -> str:
    return result.outcomes[source.label][key].verdict.value


def outcome_text(outcome: Outcome) -> str:
    """The numbers behind a verdict."""
    reason = [outcome.reason] if outcome.reason else []
    return "; ".join([*reason, *(evidence_text(item) for item in outcome.evidence)])


def evidence_text(item: Evidence) -> str:
    """One comparison as a line."""
    where = "" if item.where in ("mean of tasks", "subtasks") else f"{item.where}: "
    counts = item.counts
    return (
        f"{where}{item.system} − {item.baseline} = {_signed(item.difference.delta)}"
        f" {interval_text(item.difference.low, item.difference.high)},"
        f" {counts.better} better and {counts.worse} worse of {counted(counts.total, 'subtask')}"
    )


def interval_text(low: float | None, high: float | None) -> str:
    """`[1.20, 3.40]`."""
    return "–" if low is None or high is None else f"[{low:.2f}, {high:.2f}]"


def _signed(value: float | None) -> str:
    return "undefined" if value is None else f"{round(value, 2) + 0.0:+.2f}"  # never -0.00


def _plain(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"


def published_text(found: PublishedInterval | None) -> str:
    """The paper's cell of significance."""
    if found is None:
        return "–"
    return f"{found.system:.2f}, {found.baseline:.2f}, {interval_text(found.low, found.high)}"


def counts_text(comparison: Comparison) -> str:
    """Write the decisions of the subtasks."""
    counts, holm = comparison.counts, comparison.corrected_counts
    undefined = f", {counts.undefined} undefined" if counts.undefined else ""
    return (
        f"{counts.better} better, {counts.worse} worse, {counts.not_significant} not significant"
        f"{undefined} of {counts.total}; after Holm's correction {holm.better} better,"
        f" {holm.worse} worse"
    )


def significance_summary(result: Reproduction) -> str:
    """All subtasks of all vectors in a sentence, beside the paper's."""
    counts, total = result.counts, result.counts.total
    shares = [
        f"{number} ({100 * number / total:.1f} %)"
        for number in (counts.better, counts.worse, counts.not_significant)
    ]
    return (
        f"DynaMax-Jaccard against averaged vectors with cosine, {counted(total, 'experiment')}:"
        " significantly"
        f" better in {shares[0]}, worse in {shares[1]}, no significant difference in {shares[2]}."
        " The paper: better in 56 (77.8 %) of 72, worse in 1 (1.39 %), no difference in 15"
        f" (20.8 %). Paired BCa bootstrap, 95 %, {result.settings.resamples} resamples, seed"
        f" {result.settings.seed}."
    )


def _markdown_comparison(source: Source, comparison: Comparison) -> str:
    key = None if source.paper is None else source.paper.key
    header = ["subtask", "DynaMax-J", "avg. cos.", "Δ", "95 % interval", "decision"]
    rows = []
    for row in comparison.rows:
        item = row.difference
        cells = [
            row.dataset.key, _plain(row.system), _plain(row.baseline), _signed(item.delta),
            interval_text(item.low, item.high), item.decision.value,
        ]  # fmt: skip
        rows.append(
            cells + ([published_text(published_interval(key, row.dataset.key))] * bool(key))
        )
    header += ["published"] * bool(key)
    return f"{counts_text(comparison)}.\n\n" + _pipes(header, rows)


def _own(result: Reproduction) -> Iterable[tuple[Source, Comparison]]:
    return zip(result.sources, result.own_comparisons, strict=True)


def _markdown_data(result: Reproduction) -> str:
    rows = [
        [item.key, str(len(item)), str(item.skipped), f"`{item.fingerprint[:16]}`"]
        for item in result.datasets
    ]
    settings = result.settings
    facts = (
        f"fuzzbow {settings.fuzzbow}, Python {settings.python}, NumPy {settings.numpy};"
        f" tokenizer {settings.tokenizer}; word frequencies: {settings.counts}."
    )
    return facts + "\n\n" + _pipes(["subtask", "pairs", "skipped", "SHA-256"], rows)


def to_latex(result: Reproduction) -> str:
    """Every table with booktabs, ready for \\input."""
    parts = ["% made by `fuzzbow sts reproduce`; needs \\usepackage{booktabs}"]
    parts += [_latex_table(table) for table in result.tables]
    parts += [
        _latex_comparison(source, comparison)
        for source, comparison in zip(result.sources, result.comparisons, strict=True)
    ]
    return "\n\n".join(parts) + "\n"


def _latex_table(table: ResultTable) -> str:
    lines = []
    for group, rows in groupby(table.rows, key=lambda row: (row.group, row.measured)):
        mark = "" if group[1] else r"$^\dagger$"
        for place, row in enumerate(rows):
            name = latex(group[0]) + mark if place == 0 else ""
            lines.append(_latex_row(name, row))
        lines.append(r"\midrule")
    header = " & ".join(["Vectors", "Approach", *map(latex, table.columns)])
    caption = f"{table.title} ({table.source}). {table.caption} $\\dagger$ as published."
    return _float(caption, f"tab:{table.key}", "ll" + "r" * len(table.columns), header, lines[:-1])


def _latex_row(name: str, row: TableRow) -> str:
    cells = [cell_text(cell, bold=r"\textbf{{{}}}") for cell in row.cells]
    return " & ".join([name, latex(row.approach), *(cell.replace("–", "--") for cell in cells)])


def _latex_comparison(source: Source, comparison: Comparison) -> str:
    lines = []
    for task, rows in groupby(comparison.rows, key=lambda row: row.dataset.task):
        for place, row in enumerate(rows):
            item = row.difference
            lines.append(
                " & ".join(
                    [
                        latex(task) if place == 0 else "", latex(row.dataset.name),
                        _plain(row.system), _plain(row.baseline),
                        f"${interval_text(item.low, item.high)}$", item.decision.value,
                    ]
                )
            )  # fmt: skip
        lines.append(r"\midrule")
    header = r"& & DynaMax-J & Avg. cos. & $\Delta$ 95\% CI & decision"
    caption = f"Significance on {latex(source.title)}: {latex(counts_text(comparison))}."
    label = re.sub(r"[^a-z0-9]+", "-", source.label.lower()).strip("-")
    return _float(caption, f"tab:significance-{label}", "llrrrl", header, lines[:-1])


def _float(caption: str, label: str, columns: str, header: str, lines: Sequence[str]) -> str:
    body = "\n".join(line if line == r"\midrule" else rf"{line} \\" for line in lines)
    return "\n".join(
        [
            r"\begin{table}", r"\centering", rf"\caption{{{caption}}}", rf"\label{{{label}}}",
            rf"\begin{{tabular}}{{{columns}}}", r"\toprule", rf"{header} \\", r"\midrule", body,
            r"\bottomrule", r"\end{tabular}", r"\end{table}",
        ]
    )  # fmt: skip


def latex(text: str) -> str:
    """Plain text for LaTeX."""
    named = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return LATEX_SPECIAL.sub(lambda match: named.get(match[0], "\\" + match[0]), text)

"""The report of a reproduction: one HTML page, Markdown, LaTeX, JSON and the figures."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

from fuzzbow import palette
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.io.atomic import replacing
from fuzzbow.io.outputs import Paths, check_paths
from fuzzbow.plurals import counted
from fuzzbow.research.sts.evaluation import Comparison
from fuzzbow.research.sts.figures import Figure, draw_figures
from fuzzbow.research.sts.paper import paper, published_interval, study
from fuzzbow.research.sts.reproduction import (
    Cell,
    Evidence,
    Outcome,
    PaperTable,
    Reproduction,
)
from fuzzbow.research.sts.results import (
    AVERAGES_NOTE,
    comparison_table,
    comparison_to_dict,
    counts_text,
    dataset_to_dict,
    evaluation_to_dict,
)
from fuzzbow.research.sts.systems import VectorSource
from fuzzbow.research.tables import (
    ResultTable,
    interval,
    latex,
    number,
    results_dict,
    signed,
    to_latex,
    to_markdown,
)

PAGES = ("report.html", "report.md", "tables.tex", "report.json")
NAMES = ("DynaMax-J", "avg. cos.")  # of the table of significance


def render_report(result: Reproduction) -> dict[str, bytes]:
    """Render the report as files: name -> content."""
    drawn = draw_figures(result)
    pages = {
        "report.html": report_html(result, drawn),
        "report.md": report_markdown(result),
        "tables.tex": report_latex(result),
        "report.json": json.dumps(to_dict(result), indent=1, ensure_ascii=False, allow_nan=False),
    }
    pictures = {
        f"{name}.{kind}": content
        for name, figure in drawn.items()
        for kind, content in figure[0].items()
    }
    return {**{name: text.encode() for name, text in pages.items()}, **pictures}


def check_report(folder: Path, inputs: Paths, *, overwrite: bool = True) -> None:
    """Check that the report can be written and does not replace its inputs.

    Without `overwrite` no file of an older report is replaced.
    """
    if os.path.lexists(folder) and not folder.is_dir():
        raise InputError(f"--out must be a folder; '{folder}' is a file")
    pictures = [f"{name}.{kind}" for name in study()["figures"] for kind in ("svg", "png")]
    if folder.is_dir():
        written = {f"--out ({name})": folder / name for name in (*PAGES, *pictures)}
        check_paths(inputs=inputs, outputs=written, overwrite=overwrite)


def write_report(folder: Path, rendered: Mapping[str, bytes]) -> list[Path]:
    """Write the files atomically into a folder, which is created if it does not exist."""
    check_report(folder, {})
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in rendered.items():
        with replacing(folder / name) as new:
            new.write_bytes(content)
    return [folder / name for name in rendered]


def cell_text(cell: Cell, *, bold: str = "**{}**") -> str:
    """Format a cell: `58.2`, or `58.2 (58.1, +0.1)` if the paper has a number."""
    value = cell.published if cell.ours is None else cell.ours
    if value is None:
        return "–"
    text = f"{value:.1f}"
    text = (bold.format(text) if cell.best else text) + ("*" if cell.partial else "")
    if cell.difference is None:
        return text
    return f"{text} ({cell.published:.1f}, {cell.difference:+.1f})"


def paper_table(table: PaperTable, *, as_latex: bool = False) -> ResultTable:
    """Make one of the paper's tables for Markdown or LaTeX."""
    escape, bold = (latex, r"\textbf{{{}}}") if as_latex else (str, "**{}**")
    mark = r"$^\dagger$" if as_latex else " †"
    rows, rules, above = [], set(), None
    for row_number, row in enumerate(table.rows):
        if above not in (None, (row.group, row.measured)):
            rules.add(row_number)
        above = (row.group, row.measured)
        note = f" ({row.note})" if row.note and not as_latex else ""
        cells = (cell_text(cell, bold=bold) for cell in row.cells)
        group = escape(row.group) + ("" if row.measured else mark)
        rows.append([group, escape(row.approach) + note, *cells])
    names = ("Vectors", "Approach") if as_latex else ("vectors", "approach")
    return ResultTable(
        columns=[*names, *map(escape, table.columns)],
        rows=rows,
        align="ll" + "r" * len(table.columns),
        caption=f"{table.title} ({table.source}). {table.caption} $\\dagger$ as published.",
        rules=frozenset(rules),
    )


def significance_table(
    source: VectorSource, comparison: Comparison, *, as_latex: bool = False
) -> ResultTable:
    """Make the paper's Table 6 on one set of vectors, for Markdown or LaTeX."""
    found = comparison_table(comparison)
    key = None if source.paper is None else source.paper.key
    rows = [list(row) for row in found.rows[:-1]]  # without the mean over tasks
    columns, align, rules = ["subtask", *NAMES, *found.columns[3:]], found.align, set()
    if as_latex:
        columns[3:5] = [r"$\Delta$", r"95\% CI"]
        for row_number, row in enumerate(comparison.rows):
            rows[row_number][0] = latex(row.dataset.key)
            rows[row_number][3:5] = [f"${text}$" for text in rows[row_number][3:5]]
            if row_number and row.dataset.task != comparison.rows[row_number - 1].dataset.task:
                rules.add(row_number)
    elif key:
        rows = [[*row, published_text(key, row[0])] for row in rows]
        columns, align = [*columns, "published"], "l" + "r" * 6
    caption = f"Significance on {latex(source.title)}: {latex(counts_of(comparison))}."
    align = align if as_latex else "l" + "r" * (len(columns) - 1)
    return ResultTable(columns, rows, align, caption=caption, rules=frozenset(rules))


def published_text(key: str | None, subtask: str) -> str:
    """Write the paper's entry for a subtask in its table of significance."""
    found = published_interval(key, subtask)
    if found is None:
        return "–"
    ends = interval(found["low"], found["high"])
    return f"{found['system']:.2f}, {found['baseline']:.2f}, {ends}"


def counts_of(comparison: Comparison) -> str:
    """Write the decisions of the subtasks, without and with Holm's correction."""
    counts, holm = comparison.counts, comparison.corrected_counts
    return (
        f"{counts_text(counts)} of {counts.total}; after Holm's correction {holm.better} better,"
        f" {holm.worse} worse"
    )


def evidence_text(item: Evidence) -> str:
    """Write one comparison as a line."""
    where = "" if item.where in ("mean of tasks", "subtasks") else f"{item.where}: "
    counts = item.counts
    return (
        f"{where}{item.system} − {item.baseline} = {signed(item.difference.delta)}"
        f" {interval(item.difference.low, item.difference.high)},"
        f" {counts.better} better and {counts.worse} worse of {counted(counts.total, 'subtask')}"
    )


def outcome_text(outcome: Outcome) -> str:
    """Write the numbers of a verdict."""
    reason = [outcome.reason] if outcome.reason else []
    return "; ".join([*reason, *(evidence_text(item) for item in outcome.evidence)])


def significance_summary(result: Reproduction) -> str:
    """Summarise all subtasks of all vectors, with the paper's numbers."""
    counts, total = result.counts, result.counts.total
    shares = [
        f"{share} ({100 * share / total:.1f} %)"
        for share in (counts.better, counts.worse, counts.not_significant)
    ]
    return (
        f"DynaMax-Jaccard against averaged vectors with cosine, {counted(total, 'experiment')}:"
        " significantly"
        f" better in {shares[0]}, worse in {shares[1]}, no significant difference in {shares[2]}."
        " The paper: better in 56 (77.8 %) of 72, worse in 1 (1.39 %), no difference in 15"
        f" (20.8 %). Paired BCa bootstrap, 95 %, {result.settings['resamples']} resamples, seed"
        f" {result.settings['seed']}."
    )


def report_markdown(result: Reproduction) -> str:
    """Write the report as Markdown; figures are named files in the same folder."""
    labels = [source.label for source in result.sources]
    outcomes = [[result.outcomes[label][claim.key] for label in labels] for claim in result.claims]
    claims = [
        [claim.sentence, *(outcome.verdict for outcome in row)]
        for claim, row in zip(result.claims, outcomes, strict=True)
    ]
    parts = [
        "# The paper, reproduced",
        " · ".join(source.title for source in result.sources),
        *(f"**Incomplete:** {note}" for note in result.notes),
        "## Claims",
        to_markdown(ResultTable(["claim", *labels], claims, "l" * (len(labels) + 1))),
    ]
    for claim, row in zip(result.claims, outcomes, strict=True):
        parts.append(f"**{claim.sentence}** ({claim.place})")
        parts += [
            f"- {label}: *{outcome.verdict}*; {outcome_text(outcome)}"
            for label, outcome in zip(labels, row, strict=True)
        ]
    parts += [
        "## Tables",
        "Mean Pearson correlation × 100 over the subtasks of each year. Where the vectors are the"
        " paper's: ours (published, difference). Best of each group in bold."
        " Rows marked † repeat the paper.",
    ]
    for table in result.tables:
        head = f"### {table.title} ({table.source})"
        parts += [head, table.caption, to_markdown(paper_table(table))]
    parts += ["## Significance (Table 6, Appendix D)", significance_summary(result)]
    for source, comparison in zip(result.sources, result.comparisons, strict=True):
        parts += [f"### {source.title}", f"{counts_of(comparison)}."]
        parts.append(to_markdown(significance_table(source, comparison)))
    parts.append("### weighted-jaccard against the same baseline")
    for source, comparison in zip(result.sources, result.own_comparisons, strict=True):
        parts.append(f"- {source.title}: {counts_of(comparison)}")
    parts += ["## Figures", "![Figure 1](figure1.svg)", "![Figure 2](figure2.svg)"]
    settings = result.settings
    sizes = [
        [item.key, str(len(item)), str(item.skipped), f"`{item.fingerprint[:16]}`"]
        for item in result.datasets
    ]
    parts += [
        "## Data",
        f"fuzzbow {settings['fuzzbow']}, Python {settings['python']}, NumPy {settings['numpy']};"
        f" tokenizer {settings['tokenizer']}; word frequencies: {settings['counts']}.",
        to_markdown(ResultTable(["subtask", "pairs", "skipped", "SHA-256"], sizes, "lrrr")),
    ]
    # items of a list without blank lines between them
    return re.sub(r"(?<=\n)(- [^\n]*)\n\n(?=- )", r"\1\n", "\n\n".join(parts)) + "\n"


def report_latex(result: Reproduction) -> str:
    r"""Write all tables as LaTeX with booktabs, for \input."""
    parts = ["% made by `fuzzbow sts reproduce`; needs \\usepackage{booktabs}"]
    for table in result.tables:
        parts.append(to_latex(paper_table(table, as_latex=True), f"tab:{table.key}"))
    for source, comparison in zip(result.sources, result.comparisons, strict=True):
        label = re.sub(r"[^a-z0-9]+", "-", source.label.lower()).strip("-")
        made = significance_table(source, comparison, as_latex=True)
        parts.append(to_latex(made, f"tab:significance-{label}"))
    return "\n\n".join(parts) + "\n"


def report_html(result: Reproduction, drawn: Mapping[str, Figure]) -> str:
    """Write a self-contained page with its style and figures."""
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        raise MissingExtraError("jinja2", "sts") from error
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        cell=lambda cell: cell_text(cell, bold="{}"),
        number=number,
        interval=lambda item: interval(item.low, item.high),
        evidence=lambda item: _unbroken(evidence_text(item)),
        counts=counts_of,
        groups=lambda rows: [
            (key, list(part)) for key, part in groupby(rows, lambda row: row.group)
        ],
        short=lambda decision: decision.replace("not significant", "n.s."),
        css=lambda verdict: verdict.replace(" ", "-"),
    )
    template = files("fuzzbow.research.sts").joinpath("templates/report.html.j2").read_text("utf-8")
    return environment.from_string(template).render(
        result=result,
        source=paper()["source"],
        palette=palette.themed_page(),
        figures={name: list(map(_inline, figure[1])) for name, figure in drawn.items()},
        captions={name: figure["title"] for name, figure in study()["figures"].items()},
        summary=significance_summary(result),
        totals=result.verdicts,
        published=lambda source, key: published_text(
            source.paper.key if source.paper else None, key
        ),
    )


def _unbroken(text: str) -> str:
    """Keep the intervals of a text on one line."""
    return re.sub(r"\[[^\]]*\]", lambda found: found[0].replace(" ", "\u00a0"), text)


def _inline(svg: bytes) -> str:
    """Prepare an SVG picture for HTML: without its head, in the colours of the page."""
    text = svg.decode("utf-8")
    picture = text[text.index("<svg") :]
    picture = re.sub(r"<metadata>.*?</metadata>", "", picture, flags=re.DOTALL)
    picture = re.sub(r'<g id="[^"]*">', "<g>", picture)  # each picture has the same ones
    for name in palette.COLOURS:
        picture = picture.replace(palette.light(name), f"var(--{name})")
    head, end, rest = picture.partition(">")
    return re.sub(r' (width|height)="[^"]*"', "", head) + end + rest  # the page sets the size


def to_dict(result: Reproduction) -> dict[str, Any]:
    """Convert a reproduction to plain data."""
    return results_dict(
        paper=paper()["source"],
        averages=AVERAGES_NOTE,
        settings=result.settings,
        vectors=[
            {
                "label": source.label,
                "title": source.title,
                "paper_vectors": None if source.paper is None else source.paper.key,
                "fingerprint": source.fingerprint,
            }
            for source in result.sources
        ],
        datasets=[dataset_to_dict(dataset) for dataset in result.datasets],
        notes=result.notes,
        claims=[
            {
                "key": claim.key,
                "sentence": claim.sentence,
                "place": claim.place,
                "ours": claim.ours,
                "outcomes": {
                    label: asdict(outcomes[claim.key])
                    for label, outcomes in result.outcomes.items()
                },
            }
            for claim in result.claims
        ],
        tables=[asdict(table) for table in result.tables],
        significance=[comparison_to_dict(item) for item in result.comparisons],
        significance_weighted_jaccard=[comparison_to_dict(item) for item in result.own_comparisons],
        results=[evaluation_to_dict(item) for item in result.found.values()],
    )

"""The report of a reproduction: one HTML page, Markdown, LaTeX, JSON and the figures.

The pages are made of the templates in `templates/`, with the filters of FILTERS.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

from fuzzbow import palette
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.io.outputs import Paths, check_paths
from fuzzbow.plurals import counted
from fuzzbow.research.loading import write_file
from fuzzbow.research.sts import results
from fuzzbow.research.sts.evaluation import Comparison
from fuzzbow.research.sts.figures import draw_figures
from fuzzbow.research.sts.paper import paper, published_interval, study
from fuzzbow.research.sts.reproduction import Plain, Reproduction
from fuzzbow.research.sts.systems import VectorSource
from fuzzbow.research.tables import interval, results_dict, signed

PAGES = ("report.html", "report.md", "tables.tex")
DATA = "report.json"
NAMES = ["DynaMax-J", "avg. cos."]  # of the table of significance
LATEX_SPECIAL = re.compile(r"[&%$#_{}~^\\]")
# since LaTeX is full of braces
LATEX_DELIMITERS: dict[str, Any] = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
}


def render_report(result: Reproduction) -> dict[str, bytes]:
    """Render the report as files: name -> content."""
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        raise MissingExtraError("jinja2", "sts") from error
    drawn, rendered = draw_figures(result), {}
    for page in PAGES:
        environment = Environment(
            autoescape=page.endswith(".html"),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=not page.endswith(".html"),
            **(LATEX_DELIMITERS if page.endswith(".tex") else {}),
        )
        environment.filters.update(FILTERS)
        template = files("fuzzbow.research.sts").joinpath(f"templates/{page}.j2").read_text("utf-8")
        text = environment.from_string(template).render(
            result=result,
            labels=[source.label for source in result.sources],
            names=NAMES,
            source=paper()["source"],
            palette=palette.themed_page(),
            figures={name: list(map(_inline, figure[1])) for name, figure in drawn.items()},
            captions={name: figure["title"] for name, figure in study()["figures"].items()},
            summary=significance_summary(result),
            totals=result.verdicts,
            published=published_text,
        )
        rendered[page] = text.encode()
    data = json.dumps(to_dict(result), indent=1, ensure_ascii=False, allow_nan=False)
    pictures = {
        f"{name}.{kind}": content
        for name, figure in drawn.items()
        for kind, content in figure[0].items()
    }
    return {**rendered, DATA: data.encode(), **pictures}


def check_report(folder: Path, inputs: Paths, *, overwrite: bool = True) -> None:
    """Check that the report can be written and does not replace its inputs.

    Without `overwrite` no file of an older report is replaced.
    """
    if os.path.lexists(folder) and not folder.is_dir():
        raise InputError(f"--out must be a folder; '{folder}' is a file")
    pictures = [f"{name}.{kind}" for name in study()["figures"] for kind in ("svg", "png")]
    if folder.is_dir():
        written = {f"--out ({name})": folder / name for name in (*PAGES, DATA, *pictures)}
        check_paths(inputs=inputs, outputs=written, overwrite=overwrite)


def write_report(folder: Path, rendered: Mapping[str, bytes]) -> list[Path]:
    """Write the files atomically into a folder, which is created if it does not exist."""
    check_report(folder, {})
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in rendered.items():
        write_file(folder / name, content)
    return [folder / name for name in rendered]


def cell_text(cell: Plain, bold: str = "{}") -> str:
    """Format a cell: `58.2`, or `58.2 (58.1, +0.1)` if the paper has a number."""
    ours, published = cell["ours"], cell["published"]
    if ours is None and published is None:
        return "–"
    text = f"{published if ours is None else ours:.1f}"
    text = (bold.format(text) if cell["best"] else text) + ("*" if cell["partial"] else "")
    both = ours is not None and published is not None
    return f"{text} ({published:.1f}, {ours - published:+.1f})" if both else text


def latex(text: str) -> str:
    """Escape plain text for LaTeX."""
    named = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    escaped = LATEX_SPECIAL.sub(lambda match: named.get(match[0], "\\" + match[0]), text)
    return escaped.replace("–", "--")


def published_text(source: VectorSource, subtask: str) -> str:
    """Write the paper's entry for a subtask in its table of significance."""
    found = published_interval(source.paper["key"] if source.paper else None, subtask)
    if found is None:
        return "–"
    ends = interval(found["low"], found["high"])
    return f"{found['system']:.2f}, {found['baseline']:.2f}, {ends}"


def counts_of(comparison: Comparison) -> str:
    """Write the decisions of the subtasks, without and with Holm's correction."""
    counts, holm = comparison.counts, comparison.counts_holm
    return (
        f"{results.counts_text(counts)} of {sum(counts.values())};"
        f" after Holm's correction {holm['better']} better, {holm['worse']} worse"
    )


def evidence_text(item: Plain) -> str:
    """Write one comparison as a line."""
    where = "" if item["where"] in ("mean of tasks", "subtasks") else f"{item['where']}: "
    counts, found = item["counts"], item["difference"]
    return (
        f"{where}{item['system']} − {item['baseline']} = {signed(found['delta'])}"
        f" {interval(found['low'], found['high'])}, {counts['better']} better and"
        f" {counts['worse']} worse of {counted(sum(counts.values()), 'subtask')}"
    )


def outcome_text(outcome: Plain) -> str:
    """Write the numbers of a verdict."""
    reason = [outcome["reason"]] if outcome["reason"] else []
    return "; ".join([*reason, *map(evidence_text, outcome["evidence"])])


def significance_summary(result: Reproduction) -> str:
    """Summarise all subtasks of all vectors, with the paper's numbers."""
    counts = result.counts
    total = sum(counts.values())
    better, worse, neither = (
        f"{counts[name]} ({100 * counts[name] / total:.1f} %)"
        for name in ("better", "worse", "not_significant")
    )
    return (
        f"DynaMax-Jaccard against averaged vectors with cosine, {counted(total, 'experiment')}:"
        f" significantly better in {better}, worse in {worse}, no significant difference in"
        f" {neither}. The paper: better in 56 (77.8 %) of 72, worse in 1 (1.39 %), no difference in"
        f" 15 (20.8 %). Paired BCa bootstrap, 95 %, {result.settings['resamples']} resamples, seed"
        f" {result.settings['seed']}."
    )


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


def _grouped(items: Iterable[Any], key: Callable[[Any], str]) -> list[tuple[str, list[Any]]]:
    return [(name, list(part)) for name, part in groupby(items, key)]


FILTERS: dict[str, Callable[..., Any]] = {
    "cell": cell_text,
    "counts": counts_of,
    "css": lambda verdict: verdict.replace(" ", "-"),
    "escaped": lambda text: text.replace("|", "\\|"),  # in a table of Markdown
    "evidence": evidence_text,
    "groups": lambda rows: _grouped(rows, lambda row: str(row["group"])),
    "outcome": outcome_text,
    "short": lambda decision: decision.replace("not significant", "n.s."),
    "slug": lambda label: re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-"),
    "tasks": lambda rows: _grouped(rows, lambda row: row[0].partition("/")[0]),
    "tex": latex,
    "texts": results.row_texts,
    # an interval stays on one line
    "unbroken": lambda text: re.sub(r"\[[^]]*]", lambda s: s[0].replace(" ", "\u00a0"), text),
}


def to_dict(result: Reproduction) -> Plain:
    """Convert a reproduction to plain data."""
    return results_dict(
        paper=paper()["source"],
        averages=results.AVERAGES_NOTE,
        settings=result.settings,
        vectors=[
            {
                "label": source.label,
                "title": source.title,
                "paper_vectors": source.paper and source.paper["key"],
                "fingerprint": source.fingerprint,
            }
            for source in result.sources
        ],
        datasets=list(map(results.set_to_dict, result.datasets)),
        notes=result.notes,
        claims=[
            {name: getattr(claim, name) for name in ("key", "sentence", "place", "ours")}
            | {"outcomes": {label: found[claim.key] for label, found in result.outcomes.items()}}
            for claim in result.claims
        ],
        tables=result.tables,
        significance=list(map(results.comparison_to_dict, result.comparisons)),
        significance_weighted_jaccard=list(map(results.comparison_to_dict, result.own_comparisons)),
        results=list(map(results.evaluation_to_dict, result.found.values())),
    )

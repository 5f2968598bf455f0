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
from fuzzbow.atomic import replacing
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.paths import Paths, check_paths
from fuzzbow.sts import results, text_report
from fuzzbow.sts.claims import Evidence, Outcome, Verdict
from fuzzbow.sts.figures import FIGURES, Drawn, draw_figures
from fuzzbow.sts.published import paper, published_interval
from fuzzbow.sts.reproduction import Reproduction
from fuzzbow.sts.sources import Source
from fuzzbow.sts.tables import ResultTable, TableRow

PAGES = ("report.html", "report.md", "tables.tex", "report.json")


def render_report(result: Reproduction) -> dict[str, bytes]:
    """File name -> content, for everything that is written."""
    drawn = draw_figures(result)
    pages = {
        "report.html": to_html(result, drawn),
        "report.md": text_report.to_markdown(result),
        "tables.tex": text_report.to_latex(result),
        "report.json": json.dumps(to_dict(result), indent=1, ensure_ascii=False, allow_nan=False),
    }
    pictures = {
        f"{name}.{kind}": content
        for name, figure in drawn.items()
        for kind, content in figure.files.items()
    }
    return {**{name: text.encode() for name, text in pages.items()}, **pictures}


def check_report(folder: Path, inputs: Paths, *, overwrite: bool = True) -> None:
    """Before long work: the report must have a place, and must not be written over its inputs.

    Without `overwrite` no file of an older report is replaced.
    """
    if os.path.lexists(folder) and not folder.is_dir():
        raise InputError(f"the report goes into a folder; '{folder}' is a file")
    pictures = [f"{name}.{kind}" for name in FIGURES for kind in ("svg", "png")]
    if folder.is_dir():
        written = {f"--out ({name})": folder / name for name in (*PAGES, *pictures)}
        check_paths(inputs=inputs, outputs=written, overwrite=overwrite)


def write_report(folder: Path, rendered: Mapping[str, bytes]) -> list[Path]:
    """Write the files, each whole or not at all; the folder is made if need be."""
    check_report(folder, {})
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, content in rendered.items():
        with replacing(folder / name) as beside:
            beside.write_bytes(content)
        paths.append(folder / name)
    return paths


def to_html(result: Reproduction, drawn: Mapping[str, Drawn]) -> str:
    """One page that needs nothing else: style and figures are in it."""
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        raise MissingExtraError("jinja2", "sts") from error
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        cell=lambda cell: text_report.cell_text(cell, bold="{}"),
        interval=lambda item: text_report.interval_text(item.low, item.high),
        evidence=lambda item: _unbroken(text_report.evidence_text(item)),
        counts=text_report.counts_text,
        groups=lambda rows: [(key, list(part)) for key, part in groupby(rows, _group)],
        short=lambda decision: decision.value.replace("not significant", "n.s."),
        css=lambda verdict: verdict.value.replace(" ", "-"),
    )
    template = files("fuzzbow.sts").joinpath("templates/report.html.j2").read_text("utf-8")
    return environment.from_string(template).render(
        result=result,
        source=paper()["source"],
        palette=palette.themed_page(),
        figures={name: list(map(_inline, drawn[name].panels)) for name in FIGURES},
        captions={name: title for name, (title, _) in FIGURES.items()},
        summary=text_report.significance_summary(result),
        totals=verdict_counts(result),
        published=lambda source, key: text_report.published_text(
            published_interval(source.paper.key if source.paper else None, key)
        ),
    )


def _group(row: TableRow) -> str:
    return row.group


def _unbroken(text: str) -> str:
    """The text with its intervals kept on one line."""
    return re.sub(r"\[[^\]]*\]", lambda found: found[0].replace(" ", "\u00a0"), text)


def _inline(svg: bytes) -> str:
    """An SVG picture to stand inside HTML: without its head, in the colours of the page."""
    text = svg.decode("utf-8")
    picture = text[text.index("<svg") :]
    picture = re.sub(r"<metadata>.*?</metadata>", "", picture, flags=re.DOTALL)
    picture = re.sub(r'<g id="[^"]*">', "<g>", picture)  # each picture has the same ones
    for name in palette.COLOURS:
        picture = picture.replace(palette.light(name), f"var(--{name})")
    head, end, rest = picture.partition(">")
    return re.sub(r' (width|height)="[^"]*"', "", head) + end + rest  # the page sets the size


def verdict_counts(result: Reproduction) -> dict[str, dict[str, int]]:
    """Label of vectors -> verdict -> number of the paper's claims."""
    keys = [claim.key for claim in result.claims if not claim.ours]
    return {
        source.label: {
            verdict.value: sum(
                result.outcomes[source.label][key].verdict is verdict for key in keys
            )
            for verdict in Verdict
        }
        for source in result.sources
    }


def to_dict(result: Reproduction) -> dict[str, Any]:
    """Convert a reproduction to plain data."""
    return {
        "paper": paper()["source"],
        "scale": results.SCALE_NOTE,
        "averages": results.AVERAGES_NOTE,
        "settings": asdict(result.settings),
        "vectors": [_source(source) for source in result.sources],
        "datasets": [results.dataset_to_dict(dataset) for dataset in result.datasets],
        "notes": result.notes,
        "claims": [
            {
                "key": claim.key,
                "sentence": claim.sentence,
                "place": claim.place,
                "ours": claim.ours,
                "outcomes": {
                    label: _outcome(outcomes[claim.key])
                    for label, outcomes in result.outcomes.items()
                },
            }
            for claim in result.claims
        ],
        "tables": [_table(table) for table in result.tables],
        "significance": [results.comparison_to_dict(item) for item in result.comparisons],
        "significance_weighted_jaccard": [
            results.comparison_to_dict(item) for item in result.own_comparisons
        ],
        "results": [results.evaluation_to_dict(item) for item in result.found.values()],
    }


def _source(source: Source) -> dict[str, Any]:
    return {
        "label": source.label,
        "title": source.title,
        "paper_vectors": None if source.paper is None else source.paper.key,
        "fingerprint": source.fingerprint,
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "verdict": outcome.verdict.value,
        "reason": outcome.reason,
        "evidence": [_evidence(item) for item in outcome.evidence],
    }


def _evidence(item: Evidence) -> dict[str, Any]:
    return {
        "system": item.system,
        "baseline": item.baseline,
        "where": item.where,
        **results.difference_to_dict(item.difference),
        "subtasks": asdict(item.counts),
        "verdict": item.verdict.value,
    }


def _table(table: ResultTable) -> dict[str, Any]:
    return {
        "key": table.key,
        "title": table.title,
        "source": table.source,
        "rows": [_row(table, row) for row in table.rows],
    }


def _row(table: ResultTable, row: TableRow) -> dict[str, Any]:
    return {
        "vectors": row.group,
        "approach": row.approach,
        "measured": row.measured,
        "note": row.note,
        "cells": {
            column: {
                "ours": cell.ours,
                "published": cell.published,
                "difference": cell.difference,
                "complete": not cell.partial,
            }
            for column, cell in zip(table.columns, row.cells, strict=True)
        },
    }

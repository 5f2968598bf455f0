"""Explanations as one HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from fuzzbow.errors import InputError
from fuzzbow.palette import themed_page
from fuzzbow.tasks.explain.fragment import html_figure
from fuzzbow.tasks.explain.result import Explanation
from fuzzbow.tasks.explain.style import STYLE
from fuzzbow.text import visible_line

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
<h1>{title}</h1>
{body}
</main>
</body>
</html>
"""
PAGE_STYLE = (
    themed_page()
    + """body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 var(--sans)}
main{max-width:820px;margin:0 auto;padding:8px 16px 48px}
h1{font:600 clamp(22px,16px + 2vw,30px)/1.2 var(--serif);margin:20px 0}
h2{font:600 17px/1.3 var(--serif);margin:28px 0 -4px;overflow-wrap:anywhere}
@media (max-width:480px){main{padding:4px 10px 32px}.fuzzbow-explanation{padding:12px}}"""
)


def html_page(
    explanations: Iterable[Explanation],
    *,
    title: str = "Why these texts are alike",
    headings: Sequence[str] = (),
    intro: str = "",
) -> str:
    """One page that needs nothing else, with a figure for each explanation.

    `headings`, if there are any, stand above the figures, one each; `intro`, which is HTML,
    above all of them.
    """
    figures = [html_figure(found) for found in explanations]
    if headings and len(headings) != len(figures):
        raise InputError(
            f"headings must be as many as explanations, {len(figures)}; got {len(headings)}"
        )
    above = [f"<h2>{escape(visible_line(text))}</h2>\n" for text in headings] or [""] * len(figures)
    body = "\n".join(map("".join, zip(above, figures, strict=True)))
    return PAGE.format(
        title=escape(title),
        style=STYLE + PAGE_STYLE,
        body=f"{intro}\n{body}" if intro else body,
    )

"""Explanations as one HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from fuzzbow.errors import InputError
from fuzzbow.tasks.explain.result import Explanation
from fuzzbow.text import visible_line

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>body{{margin:0 auto;max-width:860px;padding:12px;background:#f4f6fa}}
h2{{margin:24px 0 -4px;font:600 14px system-ui,sans-serif;overflow-wrap:anywhere}}
@media (prefers-color-scheme:dark){{body{{background:#0e121a}}h2{{color:#dde3ee}}}}</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


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
    figures = [found.to_html() for found in explanations]
    if headings and len(headings) != len(figures):
        raise InputError(
            f"headings must be as many as explanations, {len(figures)}; got {len(headings)}"
        )
    above = [f"<h2>{escape(visible_line(text))}</h2>\n" for text in headings] or [""] * len(figures)
    body = "\n".join(map("".join, zip(above, figures, strict=True)))
    return PAGE.format(title=escape(title), body=f"{intro}\n{body}" if intro else body)

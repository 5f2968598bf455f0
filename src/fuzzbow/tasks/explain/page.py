"""Explanations as one HTML page."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from fuzzbow.tasks.explain.result import Explanation

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>body{{margin:0 auto;max-width:860px;padding:12px;background:#f4f6fa}}
@media (prefers-color-scheme:dark){{body{{background:#0e121a}}}}</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def html_page(
    explanations: Iterable[Explanation], *, title: str = "Why these texts are alike"
) -> str:
    """One page that needs nothing else, with a figure for each explanation."""
    return PAGE.format(
        title=escape(title), body="\n".join(found.to_html() for found in explanations)
    )

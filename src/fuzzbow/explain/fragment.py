"""Explanations as HTML, a fragment or a page: texts, picture, tables; without scripts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import accumulate
from pathlib import Path
from string import Template

from fuzzbow.errors import InputError
from fuzzbow.explain.display import notes_of
from fuzzbow.explain.picture import described, picture
from fuzzbow.explain.result import Explanation, Side, Word
from fuzzbow.measures.decomposition import Status
from fuzzbow.palette import themed, themed_page
from fuzzbow.plurals import counted
from fuzzbow.text import visible_line

FOLDER = Path(__file__).parent
# every rule is bound to the class of the figure
STYLE = themed(".fuzzbow-explanation") + (FOLDER / "fragment.css").read_text("utf-8")
PAGE = Template((FOLDER / "page.html").read_text("utf-8"))
LEGEND = (
    "Words are shaded and underlined by their share of the score. A bar is a word’s part of the"
    " union, filled as far as both texts have it. Lines join the strongest of the best matches,"
    " with their similarity, as thick as what they add; a dashed one is the choice of one side"
    " only."
)
LONG = 80  # words; of a longer text only the best passage is shown unfolded
PASSAGE = 50  # words


def html_fragment(explanation: Explanation) -> str:
    """Write one figure with its own style sheet, for any page or a shadow root."""
    return _figure(explanation, style=f"<style>{STYLE}</style>\n")


def html_page(
    explanations: Iterable[Explanation],
    *,
    title: str = "Why these texts are alike",
    headings: Sequence[str] = (),
    intro: str = "",
) -> str:
    """Write a self-contained page with a figure for each explanation.

    Parameters
    ----------
    explanations : iterable of Explanation
        Explanations to show, in this order.
    title : str
        Title of the page.
    headings : sequence of str
        Texts above the figures, one for each, or none.
    intro : str
        HTML above all figures.

    Returns
    -------
    str
        The page.

    Raises
    ------
    InputError
        If the headings are not as many as the explanations.
    """
    figures = [_figure(found) for found in explanations]
    if headings and len(headings) != len(figures):
        raise InputError(
            f"headings must be as many as explanations, {len(figures)}; got {len(headings)}"
        )
    above = [f"<h2>{escape(visible_line(text))}</h2>\n" for text in headings] or [""] * len(figures)
    body = "\n".join(map("".join, zip(above, figures, strict=True)))
    style, body = STYLE + themed_page(), f"{intro}\n{body}" if intro else body
    return PAGE.substitute(title=escape(title), style=style, body=body)


def _figure(explanation: Explanation, style: str = "") -> str:
    """Write one figure; without `style`, for a page that has the style sheet already."""
    label = f"Explanation of the similarity {explanation.score:.4f} of two texts"
    terms = f"{explanation.intersection:.3f} / {explanation.denominator:.3f}"
    parts = [
        f'<figure class="fuzzbow-explanation" aria-label="{escape(label)}">',
        style,
        f'<p class="fz-score"><strong>{explanation.score:.4f}</strong>'
        f"<span>{escape(explanation.measure)}</span>"
        f'<span class="fz-muted">{escape(explanation.formula)} = {terms}</span></p>',
        *_sentences(explanation),
    ]
    if explanation.left.words and explanation.right.words:  # which the picture joins
        parts += [picture(explanation), f'<figcaption class="fz-muted">{LEGEND}</figcaption>']
    parts += [
        f'<p class="fz-muted"><b>{escape(visible_line(", ".join(about)))}</b>: {escape(note)}</p>'
        for note, about in notes_of(explanation).items()
    ]
    parts += [_dimensions(explanation), _details(explanation), "</figure>"]
    return "\n".join(filter(None, parts))


def _sentences(explanation: Explanation) -> Iterator[str]:
    """Write both texts, each word shaded and underlined by its share; fold a long text."""
    words = (*explanation.left.words, *explanation.right.words)
    largest = max((word.share for word in words), default=0.0) or 1.0
    for name, side in (("left", explanation.left), ("right", explanation.right)):
        marked = _marked(side.text, side.words, largest, 0, len(side.text))
        whole = _paragraph(name, marked or "<em>(empty)</em>")
        if len(side.words) <= LONG:
            yield whole
            continue
        yield _paragraph(name, _passage(side, largest))
        count = f"{len(side.words):,}"
        yield f"<details><summary>The whole {name} text, {count} words</summary>{whole}</details>"


def _paragraph(name: str, content: str) -> str:
    """Write a text under its name, which is hidden except for screen readers."""
    return f'<p class="fz-text fz-{name}"><span class="fz-hidden">{name} text: </span>{content}</p>'


def _passage(side: Side, largest: float) -> str:
    """Mark the consecutive words of a long text that add most to the score."""
    added = [0.0, *accumulate(word.share for word in side.words)]
    first = max(range(len(added) - PASSAGE), key=lambda at: added[at + PASSAGE] - added[at])
    words = side.words[first : first + PASSAGE]
    start, end = min(word.start for word in words), max(word.end for word in words)
    before, after = "… " * (start > 0), " …" * (end < len(side.text))
    return f"{before}{_marked(side.text, words, largest, start, end)}{after}"


def _marked(text: str, words: Iterable[Word], largest: float, start: int, end: int) -> str:
    """Mark the words of a text from start to end, and escape all of it."""
    parts, position = [], start
    for word in words:
        if word.start < position or word.end <= word.start:
            continue  # a user's tokenizer may give words that are not in the text
        kinds = "fz-word" + " fz-out" * (word.union == 0)
        kinds += " fz-unknown" * (word.status is Status.UNKNOWN)
        parts.append(
            f'{_safe(text[position : word.start])}<span class="{kinds}"'
            f' style="--s:{word.share / largest:.3f}" title="{escape(described(word))}">'
            f"{_safe(text[word.start : word.end])}</span>"
        )
        position = word.end
    return "".join([*parts, _safe(text[position:end])])


def _safe(text: str) -> str:
    """Escape a text; line breaks are kept, other control characters made visible."""
    return "\n".join(escape(visible_line(line)) for line in text.split("\n"))


def _dimensions(explanation: Explanation) -> str:
    """Write the largest dimensions of a fixed universe, if it is one."""
    if not explanation.dimensions:
        return ""
    rows = [
        [
            visible_line(found.name),
            visible_line(", ".join(found.nearest)) or "–",
            f"{found.share:.4f}",
            *(_number(found.membership_left), visible_line(found.owner_left_word or "–")),
            *(_number(found.membership_right), visible_line(found.owner_right_word or "–")),
        ]
        for found in explanation.dimensions
    ]
    title = f"The {len(rows)} largest of {counted(explanation.dimension_count, 'dimension')}"
    header = ["dimension", "nearest words", "share", "left", "owner", "right", "owner"]
    return _folded(title, [_table(title, header, rows)])


def _details(explanation: Explanation) -> str:
    """Write all numbers of all words."""
    fixed = bool(explanation.dimension_count)
    middle = ["dimensions"] if fixed else ["in left", "in right", "weight"]
    header = ["word", "share", "intersection", "union", *middle, "best match", "similarity"]

    def row(word: Word) -> list[str]:
        values = [word.membership_left, word.membership_right, word.weight]
        return [
            visible_line(word.word),
            f"{word.share:.4f}",
            _number(word.intersection),
            _number(word.union),
            *([str(word.dimensions or 0)] if fixed else map(_number, values)),
            visible_line(word.match_word or "–"),
            _number(word.similarity),
        ]

    tables = [
        _table(f"{name} text", header, map(row, side.words))
        for name, side in (("left", explanation.left), ("right", explanation.right))
    ]
    return _folded("All numbers; shares add up to the score", tables)


def _folded(title: str, tables: Iterable[str]) -> str:
    """Fold tables under a title; tables that are too wide scroll, by keyboard too."""
    scrolled = "".join(
        f'<div class="fz-scroll" role="group" aria-label="table" tabindex="0">{table}</div>'
        for table in tables
    )
    return f"<details><summary>{title}</summary>{scrolled}</details>"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _table(caption: str, header: Iterable[str], rows: Iterable[list[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    body = "".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )

"""Explanations as HTML, a fragment or a page: texts, picture, tables; without scripts.

The picture has the words of both texts in two columns, their bars outside, their matches between.
Rows are HTML, which adapts to the width of the page; the lines are an SVG that is as high as the
rows, one unit each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template

import numpy as np

from fuzzbow.errors import InputError
from fuzzbow.explain import display
from fuzzbow.explain.display import Shown
from fuzzbow.explain.result import Explanation, Side, Word
from fuzzbow.io.atomic import replacing
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
MOST_ROWS = 20  # of one text; the strongest matches come first
LABEL_SHARE = 0.1  # of the largest; below it a line carries no number
LABEL_GAP = 0.6  # rows; closer, two similarities would stand on each other; tables have all of them
STRONG = 0.05  # of what the strongest match adds; a weaker one is in the tables only


MOST_ON_PAGE = 100  # explanations of one page: a browser has to draw them all
Titled = tuple[str, Explanation]  # an explanation with what it is about, such as a hit's id


def html_page(
    explanations: Iterable[Explanation],
    *,
    title: str = "Why these texts are similar",
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
    """
    figures = [html_figure(found, styled=False) for found in explanations]
    if headings and len(headings) != len(figures):
        raise InputError(
            f"headings must be as many as explanations, {len(figures)}; got {len(headings)}"
        )
    above = [f"<h2>{escape(visible_line(text))}</h2>\n" for text in headings] or [""] * len(figures)
    body = "\n".join(map("".join, zip(above, figures, strict=True)))
    style, body = STYLE + themed_page(), f"{intro}\n{body}" if intro else body
    return PAGE.substitute(title=escape(title), style=style, body=body)


def write_page(
    path: Path, explanations: Sequence[Titled], total: int | None = None, *, intro: str = ""
) -> str:
    """Write a page of the first explanations of `total`, and return a message about it."""
    shown, total = explanations[:MOST_ON_PAGE], total or len(explanations)
    titles = [title for title, _ in shown if title]
    page = html_page((found for _, found in shown), headings=titles, intro=intro)
    with replacing(path) as partial:
        partial.write_text(page, encoding="utf-8")
    if len(shown) < total:
        return f"the first {len(shown)} of {total} explanations written to {path}"
    return f"{counted(total, 'explanation')} written to {path}"


def html_figure(explanation: Explanation, *, styled: bool = True) -> str:
    """Write one figure; with `styled` it has a style sheet, for any page or a shadow root."""
    label = f"Explanation of the similarity {explanation.score:.4f} of two texts"
    terms = f"{explanation.intersection:.3f} / {explanation.denominator:.3f}"
    parts = [
        f'<figure class="fuzzbow-explanation" aria-label="{escape(label)}">',
        f"<style>{STYLE}</style>\n" if styled else "",
        f'<p class="fz-score"><strong>{explanation.score:.4f}</strong>'
        f"<span>{escape(explanation.measure)}</span>"
        f'<span class="fz-muted">{escape(explanation.formula)} = {terms}</span></p>',
        *_sentences(explanation),
    ]
    if explanation.left.words and explanation.right.words:  # which the picture joins
        parts += [_picture(explanation), f'<figcaption class="fz-muted">{LEGEND}</figcaption>']
    parts += [
        f'<p class="fz-muted"><b>{escape(visible_line(", ".join(about)))}</b>: {escape(note)}</p>'
        for note, about in display.notes_of(explanation).items()
    ]
    if explanation.dimensions:
        title, header, rows = display.dimension_table(explanation)
        parts.append(_fold_tables(title, [_table(title, header, rows)]))
    parts += [_details(explanation), "</figure>"]
    return "\n".join(filter(None, parts))


def _sentences(explanation: Explanation) -> Iterator[str]:
    """Write both texts, each word shaded and underlined by its share.

    A long text is folded, except for the run of words that adds most to the score.
    """
    sides = (("left", explanation.left), ("right", explanation.right))
    largest = max((word.share for _, side in sides for word in side.words), default=0.0) or 1.0
    for name, side in sides:
        text, words = side.text, side.words
        whole = _mark_words(text, words, largest, 0, len(text)) or "<em>(empty)</em>"
        if len(words) <= LONG:
            yield _paragraph(name, whole)
            continue
        added = np.cumsum([0.0, *(word.share for word in words)])
        first = int(np.argmax(added[PASSAGE:] - added[:-PASSAGE]))
        best = words[first : first + PASSAGE]
        start, end = min(word.start for word in best), max(word.end for word in best)
        before, after = "… " * (start > 0), " …" * (end < len(text))
        yield _paragraph(name, f"{before}{_mark_words(text, best, largest, start, end)}{after}")
        title = f"The whole {name} text, {len(words):,} words"
        yield f"<details><summary>{title}</summary>{_paragraph(name, whole)}</details>"


def _paragraph(name: str, content: str) -> str:
    """Write a text under its name, which is hidden except for screen readers."""
    return f'<p class="fz-text fz-{name}"><span class="fz-hidden">{name} text: </span>{content}</p>'


def _mark_words(text: str, words: Iterable[Word], largest: float, start: int, end: int) -> str:
    """Mark the words of a text from start to end, and escape all of it."""
    parts, position = [], start
    for word in words:
        if word.start < position or word.end <= word.start:
            continue  # a user's tokenizer may give words that are not in the text
        kinds = "fz-word" + " fz-out" * (word.union == 0)
        kinds += " fz-unknown" * (word.status is Status.UNKNOWN)
        parts.append(
            f'{_safe(text[position : word.start])}<span class="{kinds}"'
            f' style="--s:{word.share / largest:.3f}" title="{escape(_describe_word(word))}">'
            f"{_safe(text[word.start : word.end])}</span>"
        )
        position = word.end
    return "".join([*parts, _safe(text[position:end])])


def _safe(text: str) -> str:
    """Escape a text; line breaks are kept, other control characters made visible."""
    return "\n".join(escape(visible_line(line)) for line in text.split("\n"))


@dataclass(frozen=True)
class Link:
    """Pair of words of which at least one is the best match of the other."""

    left: int
    right: int
    similarity: float
    share: float  # of the words that chose it
    mutual: bool


def links_of(left: Side, right: Side) -> list[Link]:
    """Link matching words of both texts, strongest first; their shares add up to the score."""
    choosing: dict[tuple[int, int], list[Word]] = {}
    for position, word in enumerate(left.words):
        if word.match is not None:
            choosing[position, word.match] = [word]
    for position, word in enumerate(right.words):
        if word.match is not None:
            choosing.setdefault((word.match, position), []).append(word)
    links = [
        Link(*ends, words[0].similarity or 0.0, sum(word.share for word in words), len(words) == 2)
        for ends, words in choosing.items()
    ]
    return sorted(links, key=lambda link: -link.share)


def _picture(explanation: Explanation) -> str:
    """Draw both texts as bars joined by their strong matches."""
    left, right = explanation.left, explanation.right
    links = links_of(left, right)
    least = STRONG * links[0].share if links else 0.0
    links = [link for link in links if link.share > 0 and link.share >= least]
    # weakest first, so that a word has the share of its strongest link
    columns = (
        display.shown_words(left, MOST_ROWS, {link.left: link.share for link in links[::-1]}),
        display.shown_words(right, MOST_ROWS, {link.right: link.share for link in links[::-1]}),
    )
    label = (
        f"Words of the left and of the right text with their shares of the score"
        f" {explanation.score:.4f}, joined by their best matches; the table below has all numbers."
    )
    longest = display.largest_union(explanation)
    parts = [
        *_column("left", left, columns[0], longest),
        *_middle(explanation, links, columns),
        *_column("right", right, columns[1], longest),
    ]
    return f'<div class="fz-picture" role="img" aria-label="{label}">{"".join(parts)}</div>'


def _column(name: str, side: Side, shown: Shown, longest: float) -> Iterator[str]:
    """Write a heading, then for each word its name, bar and share; mirrored on the right.

    A bar is as long as the word's part of the union, filled by the part that both texts share.
    """

    def row(text: str, share: str, bar: str = "<span></span>", title: str = "") -> str:
        cells = [
            f'<span class="fz-number">{share}</span>',
            bar,
            f'<span class="fz-name">{text}</span>',
        ]
        ordered = cells if name == "left" else cells[::-1]
        kind = "fz-row" if title else "fz-row fz-faint"
        return f'<div class="{kind}"{title}>{"".join(ordered)}</div>'

    yield f'<div class="fz-{name}">'
    yield row(f"{name} text", "share")
    positions, others, others_share = shown
    for word in (side.words[position] for position in positions):
        bar = "<span></span>"
        if word.union > 0:
            length, filled = word.union / longest, word.intersection / word.union
            bar = f'<span class="fz-bar" style="--w:{length:.3f};--p:{filled:.3f}"></span>'
        title = f' title="{escape(_describe_word(word))}"'
        yield row(escape(visible_line(word.word)), _share(word.share), bar, title)
    if others:
        yield row(f"… {others} more", _share(others_share))
    yield "</div>"


def _share(share: float) -> str:
    return f"{share:.4f}" if share else ""


def _middle(
    explanation: Explanation, links: list[Link], columns: tuple[Shown, Shown]
) -> Iterator[str]:
    """Draw a line for each strong match, as thick as its share, with similarities on top."""
    rows = [{at: row for row, at in enumerate(positions)} for positions, _, _ in columns]
    count = max(len(positions) + bool(others) for positions, others, _ in columns)
    drawn = [link for link in links if link.left in rows[0] and link.right in rows[1]]
    most = drawn[0].share if drawn else 1.0
    labels: dict[float, str] = {}
    yield f'<div class="fz-middle" style="--rows:{count}">'
    yield f'<svg viewBox="0 0 100 {count or 1}" preserveAspectRatio="none">'
    for link in drawn:
        start, end = rows[0][link.left] + 0.5, rows[1][link.right] + 0.5
        strength, middle = link.share / most, (start + end) / 2
        left = visible_line(explanation.left.words[link.left].word)
        right = visible_line(explanation.right.words[link.right].word)
        title = f"{left} – {right}: similarity {link.similarity:.3f}; adds {link.share:.4f}"
        yield (
            f'<path class="fz-link{"" if link.mutual else " fz-one-way"}"'
            f' stroke-width="{0.8 + 5.2 * strength:.1f}"'
            f' stroke-opacity="{0.4 + 0.45 * strength:.2f}"'
            f' d="M0 {start}C45 {start} 55 {end} 100 {end}"><title>{escape(title)}</title></path>'
        )
        strong = link.mutual and link.share >= LABEL_SHARE * most
        if strong and all(abs(middle - other) >= LABEL_GAP for other in labels):
            labels[middle] = f"{link.similarity:.2f}"
    yield "</svg>"
    for middle, text in labels.items():
        yield f'<span class="fz-label" style="--y:{middle / count:.4f}">{text}</span>'
    yield "</div>"


def _describe_word(word: Word) -> str:
    """Describe one word in a sentence, for tooltips."""
    parts = [f"{visible_line(word.word)}: share {word.share:.4f}"]
    if word.membership_left is not None and word.membership_right is not None:
        parts.append(f"in left {word.membership_left:.2f}, in right {word.membership_right:.2f}")
    if word.weight is not None:
        parts.append(f"weight {word.weight:.3f}")
    if word.dimensions is not None:
        parts.append(f"owns {counted(word.dimensions, 'dimension')}")
    if word.match_word is not None:
        title = "stood for by" if word.stand_ins else "best match"
        parts.append(f"{title} {', '.join(display.matches_of(word))}")
    return "; ".join(filter(None, (*parts, word.note)))


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
    return _fold_tables("All numbers; shares add up to the score", tables)


def _fold_tables(title: str, tables: Iterable[str]) -> str:
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

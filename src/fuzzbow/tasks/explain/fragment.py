"""An explanation as a fragment of HTML: sentences, picture, tables; no script, nothing outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from fuzzbow.measures.decomposition import Status
from fuzzbow.plurals import counted
from fuzzbow.tasks.explain.display import best_passage, notes_of
from fuzzbow.tasks.explain.picture import described, picture
from fuzzbow.tasks.explain.result import Explanation, Side, Word
from fuzzbow.tasks.explain.style import STYLE
from fuzzbow.text import visible_line

LEGEND = (
    "Words are shaded and underlined by their share of the score. A bar is a word’s part of the"
    " union, filled as far as both texts have it. Lines join the strongest of the best matches,"
    " with their similarity, as thick as what they add; a dashed one is the choice of one side"
    " only."
)
LONG = 80  # words; of a longer text the best passage stands open and the rest is folded
PASSAGE = 50  # words


def html_fragment(explanation: Explanation) -> str:
    """One figure with its own style sheet: stands in any page, or in a shadow root."""
    return html_figure(explanation, style=f"<style>{STYLE}</style>\n")


def html_figure(explanation: Explanation, *, style: str = "") -> str:
    """One figure; without `style`, for a page that has the style sheet already."""
    label = f"Explanation of the similarity {explanation.score:.4f} of two texts"
    parts = [
        f'<figure class="fuzzbow-explanation" aria-label="{escape(label)}">',
        style,
        _headline(explanation),
        *_sentences(explanation),
        *_pictured(explanation),
        *_notes(explanation),
        _dimensions(explanation),
        _details(explanation),
        "</figure>",
    ]
    return "\n".join(filter(None, parts))


def _pictured(explanation: Explanation) -> list[str]:
    """The picture and how to read it, where both texts have words to be joined."""
    if not (explanation.left.words and explanation.right.words):
        return []
    return [picture(explanation), f'<figcaption class="fz-muted">{LEGEND}</figcaption>']


def _headline(explanation: Explanation) -> str:
    terms = f"{explanation.intersection:.3f} / {explanation.denominator:.3f}"
    return (
        f'<p class="fz-score"><strong>{explanation.score:.4f}</strong>'
        f"<span>{escape(explanation.measure)}</span>"
        f'<span class="fz-muted">{escape(explanation.formula)} = {terms}</span></p>'
    )


def _sentences(explanation: Explanation) -> Iterator[str]:
    """Both texts, each word shaded and underlined by its share; a long one is folded."""
    words = (*explanation.left.words, *explanation.right.words)
    largest = max((word.share for word in words), default=0.0) or 1.0
    for name, side in (("left", explanation.left), ("right", explanation.right)):
        whole = _paragraph(name, _marked_text(side, largest) or "<em>(empty)</em>")
        if len(side.words) <= LONG:
            yield whole
            continue
        yield _paragraph(name, _passage(side, largest))
        count = f"{len(side.words):,}"
        yield f"<details><summary>The whole {name} text, {count} words</summary>{whole}</details>"


def _paragraph(name: str, content: str) -> str:
    """A text under its name, which only those hear who do not see its colour."""
    return f'<p class="fz-text fz-{name}"><span class="fz-hidden">{name} text: </span>{content}</p>'


def _passage(side: Side, largest: float) -> str:
    """The part of a long text that adds most to the score."""
    places = best_passage(side, PASSAGE)
    words = side.words[places.start : places.stop]
    start, end = min(word.start for word in words), max(word.end for word in words)
    before, after = "… " * (start > 0), " …" * (end < len(side.text))
    return f"{before}{_marked(side.text, words, largest, start, end)}{after}"


def _marked_text(side: Side, largest: float) -> str:
    return _marked(side.text, side.words, largest, 0, len(side.text))


def _marked(text: str, words: Iterable[Word], largest: float, start: int, end: int) -> str:
    """The text from start to end, escaped, with its words marked where they stand."""
    parts, position = [], start
    for word in words:
        if word.start < position or word.end <= word.start:
            continue  # a user's tokenizer may give words that are not in the text
        parts.append(_safe(text[position : word.start]))
        parts.append(_marked_word(text[word.start : word.end], word, largest))
        position = word.end
    return "".join([*parts, _safe(text[position:end])])


def _marked_word(text: str, word: Word, largest: float) -> str:
    kinds = ["fz-word"]
    kinds += ["fz-out"] * (word.union == 0) + ["fz-unknown"] * (word.status is Status.UNKNOWN)
    return (
        f'<span class="{" ".join(kinds)}" style="--s:{word.share / largest:.3f}"'
        f' title="{escape(described(word))}">{_safe(text)}</span>'
    )


def _safe(text: str) -> str:
    """Escaped, line breaks kept, other control characters made visible."""
    return "\n".join(escape(visible_line(line)) for line in text.split("\n"))


def _notes(explanation: Explanation) -> list[str]:
    words = (*explanation.left.words, *explanation.right.words)
    return [
        f'<p class="fz-muted"><b>{escape(visible_line(", ".join(about)))}</b>: {escape(note)}</p>'
        for note, about in notes_of(words).items()
    ]


def _dimensions(explanation: Explanation) -> str:
    """The largest dimensions of a fixed universe, if it is one."""
    if not explanation.dimensions:
        return ""
    rows = [
        [
            visible_line(dimension.name),
            visible_line(", ".join(dimension.nearest)) or "–",
            f"{dimension.share:.4f}",
            f"{dimension.membership_left:.3f}",
            visible_line(dimension.owner_left_word or "–"),
            f"{dimension.membership_right:.3f}",
            visible_line(dimension.owner_right_word or "–"),
        ]
        for dimension in explanation.dimensions
    ]
    title = f"The {len(rows)} largest of {counted(explanation.dimension_count, 'dimension')}"
    header = ["dimension", "nearest words", "share", "left", "owner", "right", "owner"]
    return _folded(title, [_table(title, header, rows)])


def _details(explanation: Explanation) -> str:
    """Every number of every word."""
    fixed = bool(explanation.dimension_count)
    middle = ["dimensions"] if fixed else ["in left", "in right", "weight"]
    header = ["word", "share", "intersection", "union", *middle, "best match", "similarity"]
    tables = [
        _table(f"{name} text", header, [_row(word, fixed) for word in side.words])
        for name, side in (("left", explanation.left), ("right", explanation.right))
    ]
    return _folded("All numbers; shares add up to the score", tables)


def _folded(title: str, tables: Iterable[str]) -> str:
    """Tables behind a title; where they are too wide they scroll, by keyboard too."""
    scrolled = "".join(
        f'<div class="fz-scroll" role="group" aria-label="table" tabindex="0">{table}</div>'
        for table in tables
    )
    return f"<details><summary>{title}</summary>{scrolled}</details>"


def _row(word: Word, fixed: bool) -> list[str]:
    middle = (
        [str(word.dimensions or 0)]
        if fixed
        else [_number(word.membership_left), _number(word.membership_right), _number(word.weight)]
    )
    return [
        visible_line(word.word),
        f"{word.share:.4f}",
        _number(word.intersection),
        _number(word.union),
        *middle,
        visible_line(word.match_word or "–"),
        _number(word.similarity),
    ]


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

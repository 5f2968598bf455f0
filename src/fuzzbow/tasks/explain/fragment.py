"""An explanation as a fragment of HTML: sentences, picture, tables; no script, nothing outside."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from fuzzbow.measures.decomposition import Status
from fuzzbow.tasks.explain.display import notes_of
from fuzzbow.tasks.explain.links import described, links_svg
from fuzzbow.tasks.explain.result import Explanation, Side, Word
from fuzzbow.tasks.explain.style import STYLE
from fuzzbow.text import visible_line

LEGEND = (
    "Words are shaded and underlined by their share of the score. A bar is a word’s part of the"
    " union, filled as far as both texts have it. Lines join best matches, with their similarity,"
    " as thick as what they add; a dashed one is the choice of one side only."
)


def html_fragment(explanation: Explanation) -> str:
    """One figure, with its own style sheet."""
    label = f"Explanation of the similarity {explanation.score:.4f} of two texts"
    parts = [
        f'<figure class="fuzzbow-explanation" aria-label="{escape(label)}">',
        f"<style>{STYLE}</style>",
        _headline(explanation),
        *_sentences(explanation),
        f'<div class="fz-scroll">{links_svg(explanation)}</div>',
        f'<figcaption class="fz-muted">{LEGEND}</figcaption>',
        *_notes(explanation),
        _dimensions(explanation),
        _details(explanation),
        "</figure>",
    ]
    return "\n".join(filter(None, parts))


def _headline(explanation: Explanation) -> str:
    terms = f"{explanation.intersection:.3f} / {explanation.denominator:.3f}"
    return (
        f'<p class="fz-score"><strong>{explanation.score:.4f}</strong>'
        f"<span>{escape(explanation.measure)}</span>"
        f'<span class="fz-muted">{escape(explanation.formula)} = {terms}</span></p>'
    )


def _sentences(explanation: Explanation) -> list[str]:
    """Both texts, each word shaded and underlined by its share."""
    words = (*explanation.left.words, *explanation.right.words)
    largest = max((word.share for word in words), default=0.0) or 1.0
    return [
        f'<p class="fz-text fz-{name}" aria-label="{name} text">'
        f"{_marked_text(side, largest) or '<em>(empty)</em>'}</p>"
        for name, side in (("left", explanation.left), ("right", explanation.right))
    ]


def _marked_text(side: Side, largest: float) -> str:
    """The text itself, escaped, with its words marked where they stand."""
    parts, position = [], 0
    for word in side.words:
        if word.start < position or word.end <= word.start:
            continue  # a user's tokenizer may give words that are not in the text
        parts.append(_safe(side.text[position : word.start]))
        parts.append(_marked_word(side.text[word.start : word.end], word, largest))
        position = word.end
    return "".join([*parts, _safe(side.text[position:])])


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
    title = f"The {len(rows)} largest of {explanation.dimension_count} dimensions"
    header = ["dimension", "nearest words", "share", "left", "owner", "right", "owner"]
    return (
        f'<details class="fz-scroll"><summary>{title}</summary>{_table(title, header, rows)}'
        "</details>"
    )


def _details(explanation: Explanation) -> str:
    """Every number of every word."""
    fixed = bool(explanation.dimension_count)
    middle = ["dimensions"] if fixed else ["in left", "in right", "weight"]
    header = ["word", "share", "intersection", "union", *middle, "best match", "similarity"]
    tables = [
        _table(f"{name} text", header, [_row(word, fixed) for word in side.words])
        for name, side in (("left", explanation.left), ("right", explanation.right))
    ]
    return (
        '<details class="fz-scroll"><summary>All numbers; shares add up to the score</summary>'
        f"{''.join(tables)}</details>"
    )


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

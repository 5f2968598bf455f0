"""The picture: words of both texts in two columns, their bars outside, their matches between.

Rows are HTML, so that they grow and shrink with the room there is; the lines are an SVG that is
as high as the rows, one unit each.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from fuzzbow.plurals import counted
from fuzzbow.tasks.explain.display import Shown, largest_union, matches_of, shown_words
from fuzzbow.tasks.explain.links import Link, links_of, strengths, strong_links
from fuzzbow.tasks.explain.result import Explanation, Side, Word
from fuzzbow.text import visible_line

MOST_ROWS = 20  # of one text; the strongest matches come first
LABEL_SHARE = 0.1  # of the largest; below it a line carries no number
LABEL_GAP = 0.6  # rows; closer, two similarities would stand on each other; tables have all of them

Columns = tuple[Shown, Shown]


def picture(explanation: Explanation) -> str:
    """Both texts as bars joined by their strong matches; HTML without script."""
    left, right = explanation.left, explanation.right
    links = strong_links(links_of(left, right))
    columns = (
        shown_words(left, MOST_ROWS, strengths((link.left, link.share) for link in links)),
        shown_words(right, MOST_ROWS, strengths((link.right, link.share) for link in links)),
    )
    label = (
        f"Words of the left and of the right text with their shares of the score"
        f" {explanation.score:.4f}, joined by their best matches; the table below has all numbers."
    )
    longest = largest_union(explanation)
    parts = [
        f'<div class="fz-picture" role="img" aria-label="{escape(label)}">',
        *_column("left", left, columns[0], longest),
        *_middle(explanation, links, columns),
        *_column("right", right, columns[1], longest),
        "</div>",
    ]
    return "".join(parts)


def _column(name: str, side: Side, shown: Shown, longest: float) -> Iterator[str]:
    """Heading, then for each word its name, its bar and its share; mirrored on the right."""
    yield f'<div class="fz-{name}">'
    yield _row(name, f"{name} text", "share", kind=" fz-faint")
    for place in shown.places:
        word = side.words[place]
        yield _row(name, visible_line(word.word), _share(word.share), word, longest)
    if shown.others:
        more = f"… {shown.others} more"
        yield _row(name, more, _share(shown.others_share), kind=" fz-faint")
    yield "</div>"


def _row(
    name: str,
    text: str,
    number: str,
    word: Word | None = None,
    longest: float = 1.0,
    kind: str = "",
) -> str:
    title = f' title="{escape(described(word))}"' if word else ""
    bar = _bar(word, longest) if word else "<span></span>"
    cells = [
        f'<span class="fz-number">{number}</span>',
        bar,
        f'<span class="fz-name">{escape(text)}</span>',
    ]
    ordered = cells if name == "left" else cells[::-1]
    return f'<div class="fz-row{kind}"{title}>{"".join(ordered)}</div>'


def _bar(word: Word, longest: float) -> str:
    """As long as the word's part of the union, filled as far as both texts have it."""
    if word.union <= 0:
        return "<span></span>"
    filled = word.intersection / word.union
    return f'<span class="fz-bar" style="--w:{word.union / longest:.3f};--p:{filled:.3f}"></span>'


def _share(share: float) -> str:
    """A share of the score; nothing for nothing."""
    return f"{share:.4f}" if share else ""


def _middle(explanation: Explanation, links: list[Link], columns: Columns) -> Iterator[str]:
    """A line for each strong match, as thick as what it adds to the score; similarities on top."""
    rows = [{place: row for row, place in enumerate(shown.places)} for shown in columns]
    count = max(len(shown.places) + bool(shown.others) for shown in columns)
    drawn = [link for link in links if link.left in rows[0] and link.right in rows[1]]
    most = drawn[0].share if drawn else 1.0
    labels: dict[float, str] = {}
    yield f'<div class="fz-middle" style="--rows:{count}">'
    yield f'<svg viewBox="0 0 100 {count or 1}" preserveAspectRatio="none">'
    for link in drawn:
        ends = rows[0][link.left] + 0.5, rows[1][link.right] + 0.5
        yield _curve(ends, link.share / most, link, _described_link(explanation, link))
        middle = sum(ends) / 2
        strong = link.mutual and link.share >= LABEL_SHARE * most
        if strong and all(abs(middle - other) >= LABEL_GAP for other in labels):
            labels[middle] = f"{link.similarity:.2f}"
    yield "</svg>"
    for middle, label in labels.items():
        yield f'<span class="fz-label" style="--y:{middle / count:.4f}">{label}</span>'
    yield "</div>"


def _curve(y: tuple[float, float], strength: float, link: Link, title: str) -> str:
    kind = "fz-link" if link.mutual else "fz-link fz-one-way"
    return (
        f'<path class="{kind}" stroke-width="{0.8 + 5.2 * strength:.1f}"'
        f' stroke-opacity="{0.4 + 0.45 * strength:.2f}"'
        f' d="M0 {y[0]}C45 {y[0]} 55 {y[1]} 100 {y[1]}"><title>{escape(title)}</title></path>'
    )


def _described_link(explanation: Explanation, link: Link) -> str:
    left = visible_line(explanation.left.words[link.left].word)
    right = visible_line(explanation.right.words[link.right].word)
    return f"{left} – {right}: similarity {link.similarity:.3f}; adds {link.share:.4f}"


def described(word: Word) -> str:
    """One word in a sentence, for tooltips."""
    parts = [f"{visible_line(word.word)}: share {word.share:.4f}"]
    if word.membership_left is not None and word.membership_right is not None:
        parts.append(f"in left {word.membership_left:.2f}, in right {word.membership_right:.2f}")
    if word.weight is not None:
        parts.append(f"weight {word.weight:.3f}")
    if word.dimensions is not None:
        parts.append(f"owns {counted(word.dimensions, 'dimension')}")
    if word.match_word is not None:
        parts.append(
            f"{'stood for by' if word.stand_ins else 'best match'} {', '.join(matches_of(word))}"
        )
    return "; ".join(filter(None, (*parts, word.note)))

"""The picture: words of both texts in two columns, their bars outside, their matches between.

Rows are HTML, which adapts to the width of the page; the lines are an SVG that is as high as the
rows, one unit each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from fuzzbow.explain.display import Shown, largest_union, matches_of, shown_words
from fuzzbow.explain.result import Explanation, Side, Word
from fuzzbow.plurals import counted
from fuzzbow.text import visible_line

MOST_ROWS = 20  # of one text; the strongest matches come first
LABEL_SHARE = 0.1  # of the largest; below it a line carries no number
LABEL_GAP = 0.6  # rows; closer, two similarities would stand on each other; tables have all of them

STRONG = 0.05  # of what the strongest match adds; a weaker one is in the tables only


@dataclass(frozen=True)
class Link:
    """Two words of which one is the other's best match, or each the other's."""

    left: int
    right: int
    similarity: float
    share: float  # of the words that chose it
    mutual: bool


def links_of(left: Side, right: Side) -> list[Link]:
    """Link matching words of both texts, strongest first; their shares add up to the score."""
    choosing: dict[tuple[int, int], list[Word]] = {}
    for side, step in ((left, 1), (right, -1)):
        for position, word in enumerate(side.words):
            if word.match is not None:
                ends = (position, word.match)[::step]
                choosing.setdefault((ends[0], ends[1]), []).append(word)
    links = [
        Link(*ends, words[0].similarity or 0.0, sum(word.share for word in words), len(words) == 2)
        for ends, words in choosing.items()
    ]
    return sorted(links, key=lambda link: -link.share)


def picture(explanation: Explanation) -> str:
    """Draw both texts as bars joined by their strong matches; HTML without script."""
    left, right = explanation.left, explanation.right
    links = links_of(left, right)
    least = STRONG * links[0].share if links else 0.0
    links = [link for link in links if link.share > 0 and link.share >= least]
    # weakest first, so that a word has the share of its strongest link
    columns = (
        shown_words(left, MOST_ROWS, {link.left: link.share for link in links[::-1]}),
        shown_words(right, MOST_ROWS, {link.right: link.share for link in links[::-1]}),
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
    """Write a heading, then for each word its name, bar and share; mirrored on the right."""
    yield f'<div class="fz-{name}">'
    yield _row(name, f"{name} text", "share")
    positions, others, others_share = shown
    for position in positions:
        word = side.words[position]
        yield _row(name, visible_line(word.word), _share(word.share), word, longest)
    if others:
        yield _row(name, f"… {others} more", _share(others_share))
    yield "</div>"


def _row(name: str, text: str, share: str, word: Word | None = None, longest: float = 1.0) -> str:
    """Write a row; its bar is as long as the word's part of the union, filled by what is shared."""
    title, bar, kind = "", "<span></span>", "" if word else " fz-faint"
    if word is not None:
        title = f' title="{escape(described(word))}"'
        if word.union > 0:
            length, filled = word.union / longest, word.intersection / word.union
            bar = f'<span class="fz-bar" style="--w:{length:.3f};--p:{filled:.3f}"></span>'
    cells = [
        f'<span class="fz-number">{share}</span>',
        bar,
        f'<span class="fz-name">{escape(text)}</span>',
    ]
    ordered = cells if name == "left" else cells[::-1]
    return f'<div class="fz-row{kind}"{title}>{"".join(ordered)}</div>'


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
        kind = "fz-link" if link.mutual else "fz-link fz-one-way"
        strength, middle = link.share / most, (start + end) / 2
        left = visible_line(explanation.left.words[link.left].word)
        right = visible_line(explanation.right.words[link.right].word)
        title = f"{left} – {right}: similarity {link.similarity:.3f}; adds {link.share:.4f}"
        yield (
            f'<path class="{kind}" stroke-width="{0.8 + 5.2 * strength:.1f}"'
            f' stroke-opacity="{0.4 + 0.45 * strength:.2f}"'
            f' d="M0 {start}C45 {start} 55 {end} 100 {end}"><title>{escape(title)}</title></path>'
        )
        strong = link.mutual and link.share >= LABEL_SHARE * most
        if strong and all(abs(middle - other) >= LABEL_GAP for other in labels):
            labels[middle] = f"{link.similarity:.2f}"
    yield "</svg>"
    for middle, label in labels.items():
        yield f'<span class="fz-label" style="--y:{middle / count:.4f}">{label}</span>'
    yield "</div>"


def described(word: Word) -> str:
    """Describe one word in a sentence, for tooltips."""
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

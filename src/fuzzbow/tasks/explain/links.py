"""The picture: words of both texts in two columns, their bars outside, their matches between."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from fuzzbow.tasks.explain.display import Shown, largest_union, matches_of, shown_words
from fuzzbow.tasks.explain.result import Explanation, Side, Word
from fuzzbow.text import visible_line

WIDTH, HEAD, ROW = 760, 26, 25
BAR, THICKNESS = 124, 11
LETTERS = 15  # of a word; a longer one is cut
LABEL_SHARE = 0.1  # of the largest; below it a line carries no number
LABEL_GAP = 13  # below it two similarities would stand on each other; tables have all of them


@dataclass(frozen=True)
class Column:
    """Where one text's parts stand, from the middle outwards; `outwards` is -1 or 1."""

    name: str
    outwards: int
    link: float
    word: float
    bar: float
    number: float

    @property
    def anchor(self) -> str:
        """Words and headings grow outwards."""
        return "end" if self.outwards < 0 else "start"

    @property
    def number_anchor(self) -> str:
        """Numbers stand at the outer edge."""
        return "start" if self.outwards < 0 else "end"


LEFT = Column("left", -1, 306, 298, 182, 0)
RIGHT = Column("right", 1, 454, 462, 578, WIDTH)


def links_svg(explanation: Explanation) -> str:
    """Both texts as bars joined by their matches, as one inline SVG."""
    left, right = explanation.left, explanation.right
    shown = shown_words(left), shown_words(right)
    rows = max(len(part.places) + bool(part.others) for part in shown)
    height = HEAD + ROW * rows + 4
    label = (
        f"Words of the left and of the right text with their shares of the score"
        f" {explanation.score:.4f}, joined by their best matches; the table below has all numbers."
    )
    body = [
        *_links(left, right, shown),
        *_column(LEFT, left, shown[0], largest_union(explanation)),
        *_column(RIGHT, right, shown[1], largest_union(explanation)),
    ]
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(label)}">'
        f"{''.join(body)}</svg>"
    )


def _column(column: Column, side: Side, shown: Shown, longest: float) -> Iterator[str]:
    """Heading, then for each word its name, its bar and its share."""
    yield f'<g class="fz-{column.name}">'
    yield _text(column.word, 14, column.anchor, f"{column.name} text", "fz-faint")
    yield _text(column.number, 14, column.number_anchor, "share of score", "fz-faint")
    for row, place in enumerate(shown.places):
        word, y = side.words[place], _middle(row)
        yield f"<g><title>{escape(described(word))}</title>"
        yield _text(column.word, y + 4.5, column.anchor, _cut(word.word))
        yield _bar(column, y, "fz-part", word.intersection / longest)
        yield _bar(column, y, "fz-whole", word.union / longest)
        yield _text(column.number, y + 4.5, column.number_anchor, f"{word.share:.4f}")
        yield "</g>"
    if shown.others:
        y = _middle(len(shown.places)) + 4.5
        yield _text(column.word, y, column.anchor, f"… {shown.others} more", "fz-faint")
        yield _text(column.number, y, column.number_anchor, f"{shown.others_share:.4f}")
    yield "</g>"


def _bar(column: Column, y: float, kind: str, part: float) -> str:
    length = BAR * part
    x = column.bar - length if column.outwards < 0 else column.bar
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{y - THICKNESS / 2:.1f}"'
        f' width="{length:.1f}" height="{THICKNESS}" rx="2"/>'
    )


def _links(left: Side, right: Side, shown: tuple[Shown, Shown]) -> Iterator[str]:
    """A line for each best match, as thick as what it adds to the score; similarities on top."""
    rows = [{place: row for row, place in enumerate(part.places)} for part in shown]
    links = [link for link in _matches(left, right) if link.between(*rows)]
    most = max((link.share for link in links), default=0.0) or 1.0
    taken: list[float] = []
    labels = []
    for link in sorted(links, key=lambda link: -link.share):
        ends = _middle(rows[0][link.left]), _middle(rows[1][link.right])
        names = left.words[link.left].word, right.words[link.right].word
        yield _curve(ends, link.share / most, link, names)
        middle = sum(ends) / 2
        strong = link.mutual and link.share >= LABEL_SHARE * most
        if strong and all(abs(middle - other) >= LABEL_GAP for other in taken):
            taken.append(middle)
            label = f"{link.similarity:.2f}"
            labels.append(_text(WIDTH / 2, middle + 4, "middle", label, "fz-halo"))
    yield from labels


@dataclass(frozen=True)
class Link:
    """Two words of which one is the other's best match, or each the other's."""

    left: int
    right: int
    similarity: float
    share: float  # of the words that chose it
    mutual: bool

    def between(self, left: dict[int, int], right: dict[int, int]) -> bool:
        """Whether both ends are shown."""
        return self.left in left and self.right in right


def _matches(left: Side, right: Side) -> list[Link]:
    """The links of both texts; over them the shares add up to the score."""
    choosing: dict[tuple[int, int], list[Word]] = {}
    for place, word in enumerate(left.words):
        if word.match is not None:
            choosing.setdefault((place, word.match), []).append(word)
    for place, word in enumerate(right.words):
        if word.match is not None:
            choosing.setdefault((word.match, place), []).append(word)
    return [
        Link(*ends, words[0].similarity or 0.0, sum(word.share for word in words), len(words) == 2)
        for ends, words in choosing.items()
    ]


def _curve(y: tuple[float, float], strength: float, link: Link, names: tuple[str, str]) -> str:
    kind = "fz-link" if link.mutual else "fz-link fz-one-way"
    start, end = LEFT.link, RIGHT.link
    bend = (end - start) * 0.45
    title = f"{visible_line(names[0])} – {visible_line(names[1])}: similarity {link.similarity:.3f}"
    return (
        f'<path class="{kind}" stroke-width="{0.8 + 5.2 * strength:.1f}"'
        f' stroke-opacity="{0.4 + 0.45 * strength:.2f}"'
        f' d="M{start} {y[0]}C{start + bend:.0f} {y[0]} {end - bend:.0f} {y[1]} {end} {y[1]}">'
        f"<title>{escape(title)}; adds {link.share:.4f}</title></path>"
    )


def _middle(row: int) -> float:
    return HEAD + ROW * row + ROW / 2


def _text(x: float, y: float, anchor: str, text: str, kind: str = "") -> str:
    style = f' class="{kind}"' if kind else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{style}>{escape(text)}</text>'


def _cut(word: str) -> str:
    shown = visible_line(word)
    return shown if len(shown) <= LETTERS else f"{shown[: LETTERS - 1]}…"


def described(word: Word) -> str:
    """One word in a sentence, for tooltips."""
    parts = [f"{visible_line(word.word)}: share {word.share:.4f}"]
    if word.membership_left is not None and word.membership_right is not None:
        parts.append(f"in left {word.membership_left:.2f}, in right {word.membership_right:.2f}")
    if word.weight is not None:
        parts.append(f"weight {word.weight:.3f}")
    if word.dimensions is not None:
        parts.append(f"owns {word.dimensions} dimensions")
    if word.match_word is not None:
        parts.append(f"{'stood for by' if word.stand_ins else 'best match'} {matches_of(word)}")
    return "; ".join(filter(None, (*parts, word.note)))

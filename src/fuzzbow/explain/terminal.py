"""Tables with bars that show an explanation in a terminal."""

from __future__ import annotations

from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from fuzzbow.explain import display
from fuzzbow.explain.result import Explanation, Side
from fuzzbow.text import visible_line

BAR_CELLS = 14
SHORTEST_BAR = 5
WORD_CELLS = 16
NAME_CELLS = 36


@dataclass(frozen=True)
class Bar:
    """Bar of a length from 0 to 1, of which a share from 0 to 1 is filled."""

    length: float
    filled: float

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw blocks, or plain characters where there are no blocks."""
        full, empty = ("#", ".") if options.ascii_only else ("█", "░")
        room = min(BAR_CELLS, options.max_width)
        cells = max(round(self.length * room), 1 if self.length > 0 else 0)
        inside = round(self.filled * cells)
        yield Text.assemble((full * inside, "cyan"), (empty * (cells - inside), "dim"), end="")


def rich_explanation(explanation: Explanation, *, counting: bool = False) -> RenderableType:
    """Show the score, both texts with their words, dimensions if there are any, and notes.

    With `counting`, words that add nothing to the score are left out.
    """
    terms = f"{explanation.intersection:.3f} / {explanation.denominator:.3f}"
    line = f"  {explanation.measure} = {explanation.formula} = {terms}\n"
    parts: list[RenderableType] = [Text.assemble((f"{explanation.score:.4f}", "bold"), line)]
    for name, side in (("left", explanation.left), ("right", explanation.right)):
        tail = f"\n  adds {side.share:.4f}" if side.words else "\n  has no words"
        text = visible_line(side.text)
        parts.append(Text.assemble((f"{name}: ", "bold"), text, (tail, "dim")))
        if side.words and (side.share >= display.SMALLEST_SHARE or not counting):
            parts.append(_word_table(explanation, side, counting))
    if explanation.dimensions:
        title, header, rows = display.dimension_table(explanation)
        table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
        for name in header:
            width = NAME_CELLS if name == "dimension" else WORD_CELLS
            table.add_column(name, max_width=width, no_wrap=True)
        for row in rows:
            table.add_row(*map(Text, row))
        parts.append(table)
    for note, about in display.notes_of(explanation).items():
        parts.append(Text.assemble((visible_line(", ".join(about)), "bold"), f": {note}"))
    parts.append(Text(_legend(explanation), style="dim"))
    return Group(*parts)


def _word_table(explanation: Explanation, side: Side, counting: bool) -> Table:
    fixed = bool(explanation.dimension_count)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    # both tables have columns of one width, that of the longest word
    words = (*explanation.left.words, *explanation.right.words)
    lengths = [cell_len(visible_line(word.word)) for word in words]
    width = min(max(*lengths, len("… 99 more")), WORD_CELLS)
    table.add_column("word", width=width, no_wrap=True, overflow="ellipsis")
    table.add_column("share", justify="right", no_wrap=True)
    # bars and matches give way in a narrow terminal, numbers never do
    table.add_column("part of union", min_width=SHORTEST_BAR, max_width=BAR_CELLS)
    for name in ("owns",) if fixed else ("left", "right", "weight"):
        table.add_column(name, justify="right", no_wrap=True)
    several = any(word.stand_ins for word in side.words)
    title, width = ("stood for by", 2 * WORD_CELLS) if several else ("best match", WORD_CELLS)
    table.add_column(title, max_width=width + 6)
    positions, others, others_share = display.shown_words(side, counting=counting)
    longest = display.largest_union(explanation)
    for position in positions:
        word = side.words[position]
        style = " ".join(["dim"] * (word.union == 0) + ["italic"] * bool(word.note))
        weights = ((word.membership_left, 2), (word.membership_right, 2), (word.weight, 3))
        numbers = ((word.dimensions, 0),) if fixed else weights
        matches = "\n".join(display.matches_of(word)) or "–"  # cut after their numbers without room
        table.add_row(
            Text(visible_line(word.word), style=style),
            f"{word.share:.4f}",
            Bar(word.union / longest, word.intersection / (word.union or 1.0)),
            *("–" if value is None else f"{value:.{digits}f}" for value, digits in numbers),
            Text(matches, style="dim" * (matches == "–"), no_wrap=True, overflow="ellipsis"),
        )
    if others:
        table.add_row(f"… {others} more", f"{others_share:.4f}")
    return table


def _legend(explanation: Explanation) -> str:
    if explanation.dimension_count:
        return (
            "In each text the word with the largest value owns a dimension; the two owners"
            " share its part of the score equally. Shares add up to the score."
        )
    if any(word.stand_ins for word in explanation.left.words):
        return (
            "right: degree to which the right text has the word, tf/(tf + K) over all words that"
            " count for it. weight: how informative the word is in the collection."
            " Shares add up to the score."
        )
    return (
        "left, right: degree to which the word belongs to each text."
        " A bar is the word's part of the union, filled as far as both texts have it."
        " Shares add up to the score."
    )

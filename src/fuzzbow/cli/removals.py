"""Report of `fuzzbow dedupe`: numbers, the largest groups, and reasons of removals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table
from rich.text import Text

from fuzzbow.arrays import Integers
from fuzzbow.cli.charts import threshold_picture
from fuzzbow.cli.console import output, print_json, say, show
from fuzzbow.cli.explanations import MOST_ON_PAGE, Titled, show_anything, show_explanations
from fuzzbow.measures.blockwise_join import at_least
from fuzzbow.model import Model
from fuzzbow.plurals import counted
from fuzzbow.tasks.dedupe import Duplicates, Groups, Keep, Linkage
from fuzzbow.tasks.dedupe.file_rows import Column, removed_path
from fuzzbow.tasks.dedupe.preview import pairs_around
from fuzzbow.tasks.explain import Explanation
from fuzzbow.text import visible_line

SHOWN_GROUPS = 10
SHOWN_ROWS = 5
SHOWN_TEXT = 60
SHOWN_PREVIEW = 10
PREVIEW_TEXT = 110
SHOWN_THRESHOLDS = (0.8, 0.85, 0.9, 0.925, 0.95, 0.975, 0.99, 1.0)


@dataclass(frozen=True)
class Removal:
    """A row that goes, and the one that stays for it, by id or by number from 1 on."""

    row: Any
    duplicate_of: Any
    score: float
    explanation: Explanation | None  # None for a copy to the letter, which needs none

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data."""
        why = None if self.explanation is None else self.explanation.to_dict()
        return vars(self) | {"explanation": why}


@dataclass(frozen=True)
class Shown:
    """A group as it is shown: its size, first rows and first text, and what is removed of those."""

    size: int
    rows: list[Any]  # ids, or numbers from 1 on
    against_rows: list[Any] | None  # of the other file, where there is one
    text: str
    removed: list[Removal] | None  # None where nothing is to be explained

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data, without the fields that are None."""
        removed = None if self.removed is None else [item.to_dict() for item in self.removed]
        facts = vars(self) | {"removed": removed}
        return {name: value for name, value in facts.items() if value is not None}


@dataclass(frozen=True)
class Report:
    """Result of `fuzzbow dedupe` with the options of its report."""

    model: Model
    found: Duplicates
    keep: Keep
    linkage: Linkage
    drop_empty: bool
    explain: bool
    column: Column
    other: Column | None = None  # of the other file, where there is one

    @cached_property
    def groups(self) -> Groups:
        """All groups, the largest first."""
        return self.found.groups(self.linkage, keep=self.keep)

    @cached_property
    def _removed(self) -> Any:
        return self.found.removed(keep=self.keep, linkage=self.linkage)

    @cached_property
    def _empty(self) -> int:
        """Rows whose text is missing or blank."""
        return len(self.found.empty)

    @property
    def _dropped(self) -> int:
        """Rows that go because they have no text."""
        return self._empty if self.drop_empty else 0

    def summary(self) -> dict[str, Any]:
        """Count rows, pairs, groups and removals."""
        gone = len(self._removed) + self._dropped
        scores = self._removed["score"].to_numpy()
        return {
            "rows": len(self.found.texts),
            "threshold": self.found.threshold,
            "pairs": len(self.found.pairs),
            "exact_copies": self.found.copies,
            "kept_apart": self.found.apart,
            "empty": self._empty,
            "malformed": self.column.bad.count,
            "groups": len(self.groups),
            "kept": len(self.found.texts) - gone,
            "removed": gone,
            "removed_below_threshold": int((~at_least(scores, self.found.threshold)).sum()),
        }

    def line(self) -> str:
        """Write the counts as one line."""
        facts = self.summary()
        line = (
            f"{counted(facts['rows'], 'row')}, {counted(facts['pairs'], 'pair')} at"
            f" {facts['threshold']:g} or above ({facts['exact_copies']} exact),"
            f" {counted(facts['groups'], 'group')}:"
            f" kept {facts['kept']}, removed {facts['removed']}"
        )
        if facts["kept_apart"]:
            line += (
                f"; {counted(facts['kept_apart'], 'pair')} apart by a number, code or negation"
                " (--any-details ignores these)"
            )
        if empty := facts["empty"]:
            done = "removed" if self.drop_empty else "kept"
            line += f"; {counted(empty, 'row')} without text {done}"
        if below := facts["removed_below_threshold"]:
            line += f"; {counted(below, 'removed row')} below the threshold with the kept one"
        return line

    def around(self, count: int) -> list[dict[str, Any]]:
        """Rows that go which are least like what stays for them, by id or number."""
        found = pairs_around(self.found, None, count, keep=self.keep, linkage=self.linkage)
        return [
            {
                "row": self.column.id_of(row["position"]),
                "duplicate_of": (self.other or self.column).id_of(row["kept"]),
                "score": row["score"],
                "text": row["text"],
                "duplicate_text": row["kept_text"],
            }
            for row in found.to_pylist()
        ]

    def counts(self) -> list[tuple[float, int]]:
        """Count the rows removed at each threshold, from the given one upward."""
        at = np.unique([self.found.threshold, *(t for t in SHOWN_THRESHOLDS)])
        chosen = [float(t) for t in at if t >= self.found.threshold]
        gone = [
            len(self.found.rethreshold(t).removed(keep=self.keep, linkage=self.linkage))
            + self._dropped
            for t in chosen
        ]
        return list(zip(chosen, gone, strict=True))

    def picture(self) -> str:
        """Draw the number of rows removed at each threshold."""
        return threshold_picture(self.counts(), len(self.found.texts))

    def largest(self) -> list[Shown]:
        """The largest groups."""
        return [self._shown(self.groups[n]) for n in range(min(SHOWN_GROUPS, len(self.groups)))]

    def _shown(self, group: Integers) -> Shown:
        texts = self.found.texts
        own, behind = group[group < len(texts)][:SHOWN_ROWS], group[group >= len(texts)]
        return Shown(
            size=len(group),
            rows=[self.column.id_of(row) for row in own.tolist()],
            against_rows=(
                None
                if self.other is None
                else [self.other.id_of(row) for row in (behind - len(texts))[:SHOWN_ROWS].tolist()]
            ),
            text=self.found.collection.texts_at(group[:1])[0],
            removed=list(self._removals(own)) if self.explain else None,
        )

    def _removals(self, positions: Integers) -> Iterator[Removal]:
        """Explain the removals among these positions."""
        import pyarrow as pa
        import pyarrow.compute as pc

        chosen = pc.is_in(self._removed["position"], value_set=pa.array(positions))
        return self._explained(self._removed.filter(chosen))

    def page(self) -> tuple[list[Titled], int]:
        """The first rows that go, explained, exact copies aside; and how many there are."""
        import pyarrow.compute as pc

        near = self._removed.filter(pc.invert(self._removed["exact"]))
        return self.titled(list(self._explained(near.slice(0, MOST_ON_PAGE)))), len(near)

    def titled(self, removals: list[Removal]) -> list[Titled]:
        """Explanations with the two rows that they are about; exact copies have none."""
        stays = "stays" if self.found.others is None else "of the other file is like it"
        return [
            (f"row {item.row} goes, row {item.duplicate_of} {stays}", item.explanation)
            for item in removals
            if item.explanation is not None
        ]

    def _explained(self, removed: Any) -> Iterator[Removal]:
        collection = self.found.collection
        gone_texts = collection.texts_at(removed["position"].to_numpy())
        partners = collection.texts_at(removed["kept"].to_numpy() + collection.shift)
        for row, text, partner in zip(removed.to_pylist(), gone_texts, partners, strict=True):
            gone, stays = row["position"], row["kept"]
            why = None if row["exact"] else self.model.explain(text, partner)
            stays_as = (self.other or self.column).id_of(stays)
            yield Removal(self.column.id_of(gone), stays_as, row["score"], why)


def print_report(report: Report, out: Path | None, json: bool) -> None:
    """A summary: on stdout where that is all there is or JSON is wanted, else on stderr."""
    largest = report.largest()
    if json:
        summary = report.summary()
        if out is not None:
            summary |= {"output": str(out), "removed_output": str(removed_path(out))}
        print_json(summary | {"largest_groups": [group.to_dict() for group in largest]})
        return
    show_anything()
    if out is not None:
        say(report.line())
        say(f"kept: {out}; removed, with the reason: {removed_path(out)}")
    else:
        show(report.line())
        if largest:
            output.print(_table(largest), soft_wrap=False)
    show_explanations([found for group in largest for found in report.titled(group.removed or [])])


def print_preview(report: Report, json: bool) -> None:
    """Print the rows removed at the threshold and above, the least similar first."""
    shown, counts = report.around(SHOWN_PREVIEW), report.counts()
    if json:
        steps = [{"threshold": threshold, "removed": gone} for threshold, gone in counts]
        print_json(report.summary() | {"least_similar": shown, "thresholds": steps})
        return
    show_anything()
    show(report.line())
    for row in shown:
        goes, stays = _called(row["row"]), _called(row["duplicate_of"])
        show(f"\n{row['score']:.4f}  {goes} would go for {stays}")
        show(f"        {brief(row['text'])}")
        show(f"        {brief(row['duplicate_text'])}")
    if shown:
        show("")
    for threshold, gone in counts:
        show(f"at {threshold:g}: {gone} would go")


def _called(name: Any) -> str:
    return visible_line(f"row {name}")


def brief(text: str) -> str:
    """A text on one line of a preview."""
    line = visible_line(" ".join(text.split()))
    return line if len(line) <= PREVIEW_TEXT else line[: PREVIEW_TEXT - 1] + "…"


def _table(shown: list[Shown]) -> Table:
    """The largest groups for a person."""
    across = shown[0].against_rows is not None
    table = Table("size", "rows", *(["rows of the other"] if across else []), "first text")
    for group in shown:
        columns = [group.rows, *([] if group.against_rows is None else [group.against_rows])]
        listed = [
            ", ".join(map(str, rows)) + (", …" if sum(map(len, columns)) < group.size else "")
            for rows in columns
        ]
        text = group.text[:SHOWN_TEXT] + ("…" if len(group.text) > SHOWN_TEXT else "")
        cells = [Text(visible_line(cell)) for cell in listed]
        table.add_row(str(group.size), *cells, Text(visible_line(" ".join(text.split()))))
    return table

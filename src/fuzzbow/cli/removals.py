"""What `fuzzbow dedupe` reports: numbers, the largest groups, and why rows go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from fuzzbow.arrays import Integers
from fuzzbow.cli.console import output, print_json, say, show
from fuzzbow.cli.explanations import MOST_ON_PAGE, Titled, show_anything, show_explanations
from fuzzbow.model import Model
from fuzzbow.tasks.dedupe import Duplicates, Groups, Keep, Linkage
from fuzzbow.tasks.dedupe.file_rows import removed_path
from fuzzbow.tasks.explain import Explanation
from fuzzbow.text import visible_line

SHOWN_GROUPS = 10
SHOWN_ROWS = 5
SHOWN_TEXT = 60


@dataclass(frozen=True)
class Removal:
    """A row that goes, and the one that stays for it; rows count from 1."""

    row: int
    duplicate_of: int
    score: float
    explanation: Explanation | None  # None for a copy to the letter, which needs none

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        why = None if self.explanation is None else self.explanation.to_dict()
        return vars(self) | {"explanation": why}


@dataclass(frozen=True)
class Shown:
    """A group as it is shown: its size, first rows and first text, and what is removed of those."""

    size: int
    rows: list[int]
    against_rows: list[int] | None  # of the other file, where there is one
    text: str
    removed: list[Removal] | None  # None where nothing is to be explained

    def to_dict(self) -> dict[str, Any]:
        """As plain data, without the fields that are None."""
        removed = None if self.removed is None else [item.to_dict() for item in self.removed]
        facts = vars(self) | {"removed": removed}
        return {name: value for name, value in facts.items() if value is not None}


@dataclass(frozen=True)
class Report:
    """What was found, and what is told of it."""

    model: Model
    found: Duplicates
    keep: Keep
    linkage: Linkage
    explain: bool

    @cached_property
    def groups(self) -> Groups:
        """All groups, the largest first."""
        return self.found.groups(self.linkage)

    @cached_property
    def _removed(self) -> Any:
        return self.found.removed(keep=self.keep, linkage=self.linkage)

    def summary(self) -> dict[str, Any]:
        """What was found, in numbers."""
        stays = len(self.found.kept(keep=self.keep, linkage=self.linkage))
        return {
            "rows": len(self.found.texts),
            "threshold": self.found.threshold,
            "pairs": len(self.found.pairs),
            "exact_copies": self.found.copies,
            "groups": len(self.groups),
            "kept": stays,
            "removed": len(self.found.texts) - stays,
        }

    def largest(self) -> list[Shown]:
        """The largest groups."""
        return [self._shown(self.groups[n]) for n in range(min(SHOWN_GROUPS, len(self.groups)))]

    def _shown(self, group: Integers) -> Shown:
        texts, others = self.found.texts, self.found.others
        own, behind = group[group < len(texts)][:SHOWN_ROWS], group[group >= len(texts)]
        first = int(group[0])
        return Shown(
            size=len(group),
            rows=(own + 1).tolist(),
            against_rows=(
                None if others is None else (behind - len(texts) + 1)[:SHOWN_ROWS].tolist()
            ),
            text=texts[first] if first < len(texts) else (others or [])[first - len(texts)],
            removed=list(self._removals(own)) if self.explain else None,
        )

    def _removals(self, positions: Integers) -> Iterator[Removal]:
        """Those of the positions that go, explained."""
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
        texts, others = self.found.texts, self.found.others
        partners = texts if others is None else others
        for row in removed.to_pylist():
            gone, stays = row["position"], row["kept"]
            why = None if row["exact"] else self.model.explain(texts[gone], partners[stays])
            yield Removal(gone + 1, stays + 1, row["score"], why)


def print_report(report: Report, out: Path | None, json: bool) -> None:
    """A summary: on stdout where that is all there is or JSON is wanted, else on stderr."""
    summary, largest = report.summary(), report.largest()
    if json:
        if out is not None:
            summary |= {"output": str(out), "removed_output": str(removed_path(out))}
        print_json(summary | {"largest_groups": [group.to_dict() for group in largest]})
        return
    show_anything()
    line = (
        f"{summary['rows']} rows: {summary['pairs']} pairs at {summary['threshold']:g} or above,"
        f" {summary['exact_copies']} exact copies, {summary['groups']} groups;"
        f" {summary['kept']} rows stay, {summary['removed']} go"
    )
    if out is not None:
        say(line)
        say(f"kept: {out}; removed, with the reason: {removed_path(out)}")
    else:
        show(line)
        if largest:
            output.print(_table(largest), soft_wrap=False)
    show_explanations([found for group in largest for found in report.titled(group.removed or [])])


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
        table.add_row(str(group.size), *listed, Text(visible_line(" ".join(text.split()))))
    return table

"""Reports on duplicates of rows: counts, the largest groups, explained removals, and a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow.arrays import Integers
from fuzzbow.dedupe.duplicates import DedupeOptions, Duplicates
from fuzzbow.dedupe.groups import Groups
from fuzzbow.explain import MOST_ON_PAGE, Explanation, Titled, write_page
from fuzzbow.measures.blockwise_join import at_least
from fuzzbow.notebook import plain_table, short_line
from fuzzbow.palette import themed
from fuzzbow.plurals import counted
from fuzzbow.text import visible_line

SHOWN_GROUPS = 10
SHOWN_ROWS = 5  # of a group
SHOWN_PREVIEW = 10
THRESHOLDS = (0.8, 0.85, 0.9, 0.925, 0.95, 0.975, 0.99, 1.0)
STYLE = (
    themed(".fuzzbow-thresholds")
    + """.fuzzbow-thresholds{margin:12px 0;max-width:820px;color:var(--ink);
 font:14px/1.7 var(--sans);font-variant-numeric:tabular-nums}
.fuzzbow-thresholds .row{display:grid;grid-template-columns:3.5em minmax(0,1fr) auto;gap:8px;
 align-items:center}
.fuzzbow-thresholds .row span:first-child{text-align:right}
.fuzzbow-thresholds .bar{width:calc(var(--part)*100%);height:1.2em;border-radius:3px;
 background:var(--accent)}
"""
)


def named_rows(ids: Any, rows: Integers) -> list[Any]:
    """Return the ids of rows, or their numbers from 1 if there are no ids: (n,) -> n."""
    names: list[Any] = (rows + 1).tolist() if ids is None else ids.take(rows).to_pylist()
    return names


@dataclass(frozen=True)
class Report:
    """Report on the duplicates of a file, by row ids or row numbers from 1."""

    found: Duplicates
    options: DedupeOptions
    ids: Any  # Arrow array, or None
    other_ids: Any  # of the other file, or of this one without it
    explain: Callable[[str, str], Explanation]

    @cached_property
    def choice(self) -> dict[str, str]:
        """Choice of the rows that are kept: `keep` and `linkage`."""
        return {"keep": self.options.keep, "linkage": self.options.linkage}

    @cached_property
    def removed(self) -> Any:
        """Arrow table of the rows that are duplicates: position, kept, score, exact."""
        return self.found.removed(**self.choice)

    @cached_property
    def groups(self) -> Groups:
        """All groups, the largest first."""
        return self.found.groups(**self.choice)

    def summary(self, malformed: int) -> dict[str, Any]:
        """Count rows, pairs, groups and removals."""
        found, rows, empty = self.found, len(self.found.texts), len(self.found.empty)
        removed = len(self.removed) + (empty if self.options.drop_empty else 0)
        below = ~at_least(self.removed["score"].to_numpy(), found.threshold)
        return {
            "rows": rows,
            "threshold": found.threshold,
            "pairs": len(found.pairs),
            "exact_copies": found.copies,
            "kept_apart": found.apart,
            "empty": empty,
            "malformed": malformed,
            "groups": len(self.groups),
            "kept": rows - removed,
            "removed": removed,
            "removed_below_threshold": int(below.sum()),
        }

    def line(self, facts: dict[str, Any]) -> str:
        """Write a summary as one line."""
        line = (
            f"{counted(facts['rows'], 'row')}, {counted(facts['pairs'], 'pair')} at"
            f" ≥ {facts['threshold']:g} ({facts['exact_copies']} exact),"
            f" {counted(facts['groups'], 'group')}:"
            f" kept {facts['kept']}, removed {facts['removed']}"
        )
        if facts["kept_apart"]:
            line += (
                f"; {counted(facts['kept_apart'], 'pair')} kept apart by a number, code or negation"
                " (--any-details ignores these)"
            )
        if facts["empty"]:
            done = "removed" if self.options.drop_empty else "kept"
            line += f"; {counted(facts['empty'], 'row')} without text {done}"
        if below := facts["removed_below_threshold"]:
            line += f"; {counted(below, 'removed row')} below the threshold with the kept one"
        return line

    def least_similar(self) -> list[dict[str, Any]]:
        """List rows to be removed that are least similar to the kept ones."""
        near = self.found.around(None, SHOWN_PREVIEW, **self.choice)
        columns = {
            "row": named_rows(self.ids, near["position"].to_numpy()),
            "duplicate_of": named_rows(self.other_ids, near["kept"].to_numpy()),
            "score": near["score"].to_pylist(),
            "text": near["text"].to_pylist(),
            "duplicate_text": near["kept_text"].to_pylist(),
        }
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def thresholds(self) -> list[dict[str, Any]]:
        """Count the removed rows at each threshold, from the given one upward."""
        at = np.unique([self.found.threshold, *THRESHOLDS])
        chosen = at[at >= self.found.threshold].tolist()
        dropped = len(self.found.empty) if self.options.drop_empty else 0
        removed = zip(chosen, self.found.removed_at(chosen, **self.choice), strict=True)
        return [{"threshold": step, "removed": rows + dropped} for step, rows in removed]

    def largest(self, *, explain: bool) -> tuple[list[dict[str, Any]], list[Titled]]:
        """Describe the largest groups by their first rows, and explain the removals of these."""
        shown, explanations = [], []
        size = len(self.found.texts)
        for group in islice(self.groups, SHOWN_GROUPS):
            own, others = group[group < size][:SHOWN_ROWS], group[group >= size][:SHOWN_ROWS]
            facts = {"size": len(group), "rows": named_rows(self.ids, own)}
            if self.found.others is not None:
                facts["against_rows"] = named_rows(self.other_ids, others - size)
            facts["text"] = self.found.collection.texts_at(group[:1])[0]
            if explain:
                chosen = np.isin(self.removed["position"].to_numpy(), own)
                facts["removed"], titled = self._explained(self.removed.filter(chosen))
                explanations += titled
            shown.append(facts)
        return shown, explanations

    def write_page(self, path: Path) -> str:
        """Write a page of the first removed rows, explained, and return a message."""
        near = self.removed.filter(np.logical_not(self.removed["exact"].to_numpy()))
        _, titled = self._explained(near.slice(0, MOST_ON_PAGE))
        picture = threshold_picture(self.thresholds(), len(self.found.texts))
        return write_page(path, titled, len(near), intro=picture)

    def _explained(self, removed: Any) -> tuple[list[dict[str, Any]], list[Titled]]:
        """Explain removals as plain data and with titles; exact copies need no explanation."""
        collection = self.found.collection
        position, kept = removed["position"].to_numpy(), removed["kept"].to_numpy()
        ending = "is kept" if self.found.others is None else "of the other file is similar"
        removals, titled = [], []
        for row, partner, score, exact, *texts in zip(
            named_rows(self.ids, position),
            named_rows(self.other_ids, kept),
            removed["score"].to_pylist(),
            removed["exact"].to_pylist(),
            collection.texts_at(position),
            collection.texts_at(kept + collection.shift),
            strict=True,
        ):
            facts = {"row": row, "duplicate_of": partner, "score": score, "explanation": None}
            if not exact:
                why = self.explain(*texts)
                facts["explanation"] = why.to_dict()
                titled.append((f"row {row} is removed, row {partner} {ending}", why))
            removals.append(facts)
        return removals, titled


def groups_table(groups: list[dict[str, Any]]) -> str:
    """Write the largest groups as a table of text."""
    if not groups:
        return ""
    across = "against_rows" in groups[0]
    header = ["size", "rows", *(["rows of the other"] if across else []), "first text"]
    rows = []
    for group in groups:
        columns = [group["rows"], *([group["against_rows"]] if across else [])]
        more = ", …" if sum(map(len, columns)) < group["size"] else ""
        cells = [visible_line(", ".join(map(str, names)) + more) for names in columns]
        rows.append([str(group["size"]), *cells, short_line(group["text"])])
    return plain_table(header, rows)


def preview_lines(least_similar: list[dict[str, Any]], thresholds: list[dict[str, Any]]) -> str:
    """Write the rows that would be removed, and how many at each threshold."""
    lines = []
    for row in least_similar:
        names = (visible_line(f"row {row[name]}") for name in ("row", "duplicate_of"))
        lines += ["", f"{row['score']:.4f}  {' would be removed for '.join(names)}"]
        lines += [f"        {short_line(row[name])}" for name in ("text", "duplicate_text")]
    steps = (f"at {step['threshold']:g}: {step['removed']} would be removed" for step in thresholds)
    return "\n".join([*lines, *([""] if lines else []), *steps])


def threshold_picture(counts: list[dict[str, Any]], rows: int) -> str:
    """Draw the number of removed rows by threshold as a self-contained HTML figure."""
    most = max((step["removed"] for step in counts), default=0) or 1
    bars = "".join(
        f'<div class="row"><span>{step["threshold"]:g}</span><span class="bar"'
        f' style="--part:{step["removed"] / most:.4f}"></span><span>{step["removed"]}</span></div>'
        for step in counts
    )
    said = "; ".join(f"{step['removed']} at {step['threshold']:g}" for step in counts)
    return (
        f'<figure class="fuzzbow-thresholds"><style>{STYLE}</style>'
        f"<figcaption>Rows that would be removed, of {rows}, by threshold</figcaption>"
        f'<div role="img" aria-label="Removed rows: {said}">{bars}</div></figure>'
    )

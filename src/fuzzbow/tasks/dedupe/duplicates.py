"""What was found: pairs, groups, what to keep, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from fuzzbow.arrays import Integers
from fuzzbow.errors import InputError, parse_choice
from fuzzbow.measures import Measure
from fuzzbow.tasks.dedupe.collection import Collection
from fuzzbow.tasks.dedupe.complete_linkage import complete_labels
from fuzzbow.tasks.dedupe.expansion import written_out
from fuzzbow.tasks.dedupe.groups import Groups, Linkage, connected
from fuzzbow.tasks.dedupe.pairs import Pairs
from fuzzbow.tasks.dedupe.reasons import EXACT, Reason, Reasoner, reason_table, reasoner, to_reasons
from fuzzbow.tasks.dedupe.removal import NOTHING, Keep, best_partners, check_across, representatives


@dataclass(frozen=True, repr=False)
class Duplicates:
    """The pairs of texts at or above a threshold; made by `Model.duplicates`.

    Positions are those of the given texts. In a join of two data sets the left of a pair
    is a text of the first, the right one of the other.
    """

    threshold: float
    pairs: Pairs
    collection: Collection
    measure: Measure

    def __repr__(self) -> str:
        against = "" if self.others is None else f" against {len(self.others)}"
        return (
            f"Duplicates({len(self.texts)} texts{against},"
            f" {len(self.pairs)} pairs at {self.threshold:g} or above)"
        )

    @property
    def texts(self) -> list[str]:
        """The texts."""
        return self.collection.texts

    @property
    def others(self) -> list[str] | None:
        """The texts of the other data set, if there is one."""
        return self.collection.others

    @property
    def copies(self) -> int:
        """How many texts repeat an earlier one of their data set, string for string."""
        return self.collection.places - len(self.collection.first)

    def rethreshold(self, threshold: float) -> Duplicates:
        """The same at a higher threshold, without comparing anything again."""
        higher = check_threshold(threshold)
        if higher < self.threshold:
            raise InputError(
                f"threshold can only be raised, from {self.threshold:g}; got {threshold:g}:"
                f" lower pairs were not looked for"
            )
        return replace(self, threshold=higher, pairs=self.pairs.at_least(higher))

    def groups(self, linkage: str | Linkage = "single") -> Groups:
        """Groups of two texts or more: connected by pairs, or with "complete" all pairs.

        In a join of two data sets the texts of the other one are numbered on behind
        those of the first; there only "single" has a meaning.
        """
        if parse_choice(Linkage, linkage, "linkage") is Linkage.SINGLE:
            return self._connected
        if self.others is not None:
            raise InputError(
                "linkage 'complete' needs the pairs inside a data set;"
                " a join of two has only those between them: use 'single'"
            )
        return self._complete

    @cached_property
    def _complete(self) -> Groups:
        first = self.collection.first
        labels = complete_labels(self._connected.labels, first, self.pairs.parts)
        return Groups(labels[first[self.collection.distinct]])

    @cached_property
    def _connected(self) -> Groups:
        found, shift = self.collection, self.collection.shift
        edges = ((part.left, part.right + shift) for part in self.pairs.parts())
        return Groups(connected(found.first[found.distinct], edges))

    def representatives(
        self, *, keep: str | Keep = "first", linkage: str | Linkage = "single"
    ) -> Integers:
        """One text of each group, in the order of the groups: (groups,)."""
        groups = self.groups(linkage)
        stands_for = self._stand_ins(groups, keep)
        return stands_for[groups.members.values[groups.members.offsets[:-1]]]

    def kept(self, *, keep: str | Keep = "first", linkage: str | Linkage = "single") -> Integers:
        """Positions of the texts that stay, ascending: one per group, and those in none.

        In a join of two data sets: the texts of the first that are in no pair.
        """
        return np.flatnonzero(self._kept_instead(keep, linkage) == NOTHING)

    def removed(self, *, keep: str | Keep = "first", linkage: str | Linkage = "single") -> Any:
        """Arrow table of the texts that go: `position`, `kept`, `score`, `exact`.

        `kept` is the text that stands for the group, or in a join of two data sets the
        best partner, a position in the other. With "single" linkage a chain of pairs may
        lead to it, and the score of the two be below the threshold.
        """
        import pyarrow as pa

        instead = self._kept_instead(keep, linkage)
        gone = np.flatnonzero(instead != NOTHING)
        rows, exact = self._rows(gone, instead[gone])
        scores = np.ones(len(gone))
        scores[~exact] = self._reasoner.scores(rows[0][~exact], rows[1][~exact])
        return pa.table({"position": gone, "kept": instead[gone], "score": scores, "exact": exact})

    def every_pair(self) -> Iterator[Any]:
        """All pairs with copies written out, as Arrow record batches like `pairs`.

        Copies can make them very many: n copies of a text are n² / 2 pairs.
        """
        for part in written_out(self.collection, self.pairs.parts()):
            yield part.to_arrow()

    def why(self, left: int, right: int) -> Reason:
        """The score of two texts, and the best match of each word of either."""
        return next(to_reasons(self.reasons([left], [right])))

    def reasons(self, lefts: Any, rights: Any) -> Any:
        """The same for many pairs, as an Arrow table: positions (n,), (n,).

        Columns: left, right, score, exact, left_words, right_words; the last two are
        lists of word, match and similarity.
        """
        left = _positions(lefts, len(self.texts), "lefts")
        right = _positions(
            rights, len(self.texts) if self.others is None else len(self.others), "rights"
        )
        if len(left) != len(right):
            raise InputError(
                f"lefts and rights must have equal length; got {len(left)} and {len(right)}"
            )
        return reason_table(self._reasoner, (left, right), *self._rows(left, right))

    def sentences(self, lefts: Integers, rights: Integers) -> Iterator[str]:
        """Reasons of pairs in a line each: (n,), (n,)."""
        (a, b), exact = self._rows(lefts, rights)
        near = self._reasoner.sentences(a[~exact], b[~exact])
        return (EXACT if same else next(near) for same in exact.tolist())

    @cached_property
    def _reasoner(self) -> Reasoner:
        return reasoner(self.measure, self.collection.batch)

    def _rows(self, left: Integers, right: Integers) -> tuple[tuple[Integers, Integers], Any]:
        """The distinct texts of pairs, and which pairs are one string twice."""
        found = self.collection
        a, b = found.distinct[left], found.distinct[right + found.shift]
        return (a, b), found.strings[a] == found.strings[b]

    def _stand_ins(self, groups: Groups, keep: str | Keep) -> Integers:
        """The text that stands for each text's group, itself if alone: (places,)."""
        choice = parse_choice(Keep, keep, "keep")
        return representatives(groups, choice, self.collection.lengths)

    def _kept_instead(self, keep: str | Keep, linkage: str | Linkage) -> Integers:
        """The text that is kept instead of each removed one; -1 for kept texts: (texts,)."""
        keep = parse_choice(Keep, keep, "keep")
        linkage = parse_choice(Linkage, linkage, "linkage")
        if self.others is None:
            stands_for = self._stand_ins(self.groups(linkage), keep)
            return np.where(stands_for == np.arange(len(stands_for)), NOTHING, stands_for)
        check_across(keep, linkage)
        return self._partners

    @cached_property
    def _partners(self) -> Integers:
        """In a join of two data sets, the best partner of each text; -1 for none: (texts,)."""
        partner, _ = best_partners(len(self.texts), self.pairs.parts())
        return partner[self.collection.first[self.collection.distinct[: len(self.texts)]]]


def check_threshold(threshold: object) -> float:
    """A number above 0 and at most 1."""
    usable = isinstance(threshold, (int, float, np.number)) and not isinstance(threshold, bool)
    if not usable or not 0 < threshold <= 1:  # type: ignore[operator]
        raise InputError(f"threshold must be a number above 0 and at most 1; got {threshold!r}")
    return float(threshold)  # type: ignore[arg-type]


def _positions(values: Any, size: int, name: str) -> Integers:
    """Positions of texts, or an error that says what came."""
    array = np.atleast_1d(np.asarray(values))
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(f"{name} must be whole numbers; got {array.dtype}")
    bad = array[(array < 0) | (array >= size)]
    if len(bad):
        raise InputError(f"{name} must be positions from 0 to {size - 1}; got {bad[0]}")
    return array.astype(np.int64)

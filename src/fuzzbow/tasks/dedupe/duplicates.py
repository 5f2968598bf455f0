"""What was found: pairs, groups, what to keep, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, Integers, blocks
from fuzzbow.errors import InputError, parse_choice
from fuzzbow.measures import Measure
from fuzzbow.plurals import counted
from fuzzbow.tasks.dedupe.collection import Collection
from fuzzbow.tasks.dedupe.complete_linkage import complete_labels
from fuzzbow.tasks.dedupe.expansion import written_out
from fuzzbow.tasks.dedupe.groups import Groups, Linkage, connected
from fuzzbow.tasks.dedupe.leaders import leaders
from fuzzbow.tasks.dedupe.pairs import PairArrays, Pairs
from fuzzbow.tasks.dedupe.preview import pairs_around
from fuzzbow.tasks.dedupe.reasons import EXACT, Reason, reason_table, to_reasons
from fuzzbow.tasks.dedupe.removal import (
    NOTHING,
    Keep,
    best_partners,
    check_across,
    preference,
    representatives,
)
from fuzzbow.tasks.notebook import SHOWN_ROWS, html_table, short_line

AT_ONCE = 1_000_000  # pairs whose texts are fetched together, where they are not in memory


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
    apart: int = 0  # pairs that were similar enough, but differ in a code, number or negation

    def __repr__(self) -> str:
        against = "" if self.others is None else f" against {len(self.others)}"
        return (
            f"Duplicates({counted(len(self.texts), 'text')}{against},"
            f" {counted(len(self.pairs), 'pair')} at {self.threshold:g} or above)"
        )

    def _repr_html_(self) -> str:
        """A table of the best pairs for notebooks."""
        best = self.pairs.best(SHOWN_ROWS)
        places = np.concatenate([best.left, best.right + self.collection.shift])
        texts = [short_line(text) for text in self.collection.texts_at(places)]
        rows = [
            [f"{score:.4f}", str(left), texts[n], str(right), texts[len(best) + n]]
            for n, (score, left, right) in enumerate(
                zip(best.score.tolist(), best.left.tolist(), best.right.tolist(), strict=True)
            )
        ]
        header = ["score", "left", "text", "right", "text"]
        return html_table(f"{self!r}, the best {len(best)}", header, rows)

    @property
    def texts(self) -> Sequence[str]:
        """The texts."""
        return self.collection.texts

    @property
    def others(self) -> Sequence[str] | None:
        """The texts of the other data set, if there is one."""
        return self.collection.others

    @property
    def empty(self) -> Integers:
        """Positions of the texts that are missing or blank, which are duplicates of nothing."""
        return np.flatnonzero(self.collection.blank[: len(self.texts)])

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

    def groups(self, linkage: str | Linkage = "leader", *, keep: str | Keep = "first") -> Groups:
        """Groups of two texts or more.

        With "leader" a group is a text that stays and those that go for it, each of which is
        a pair with it. In the order of `keep` (first to last, or longest to shortest) a text
        stays unless it is a pair with one that stays already; it then goes for the one of
        these with the best score. With "single" a group is connected by pairs, so that a
        chain of them may join texts that are nothing like each other, and with "complete"
        every two texts of a group are a pair.

        In a join of two data sets the texts of the other one are numbered on behind those of
        the first; "leader" has each text with its best partner there, "complete" no meaning.
        """
        choice = parse_choice(Linkage, linkage, "linkage")
        if choice is Linkage.LEADER:
            return self._led(parse_choice(Keep, keep, "keep"))
        if choice is Linkage.SINGLE:
            return self._connected
        if self.others is not None:
            raise InputError(
                "linkage 'complete' needs the pairs inside a data set;"
                " a join of two has only those between them: use 'leader' or 'single'"
            )
        return self._complete

    def _led(self, keep: Keep) -> Groups:
        """Every text with its leader, or in a join of two data sets with its best partner."""
        found = self.collection
        instead = self._kept_instead(keep, Linkage.LEADER)
        gone = np.flatnonzero(instead != NOTHING)
        edges = [(gone, instead[gone] + found.shift)]
        if self.others is None:
            return Groups(connected(np.arange(found.places), edges))
        return Groups(connected(found.first[found.distinct], edges))

    def _leaders(self, keep: Keep) -> Integers:
        """The text that each goes for, itself if it stays: (texts,)."""
        return self._first_leaders if keep is Keep.FIRST else self._longest_leaders

    @cached_property
    def _first_leaders(self) -> Integers:
        return self._leaders_by(Keep.FIRST)

    @cached_property
    def _longest_leaders(self) -> Integers:
        return self._leaders_by(Keep.LONGEST)

    def _leaders_by(self, keep: Keep) -> Integers:
        found = self.collection

        def near() -> Iterator[PairArrays]:
            return (part.where(~part.exact) for part in self.pairs.parts())

        led_by = leaders(preference(keep, found.lengths), near)
        return led_by[found.first[found.distinct]]  # a copy goes where its first goes

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
        self, *, keep: str | Keep = "first", linkage: str | Linkage = "leader"
    ) -> Integers:
        """One text of each group, in the order of the groups: (groups,)."""
        choice = parse_choice(Keep, keep, "keep")
        groups = self.groups(linkage, keep=choice)
        members = groups.members.values[groups.members.offsets[:-1]]
        return self._stand_ins(parse_choice(Linkage, linkage, "linkage"), choice)[members]

    def kept(
        self,
        *,
        keep: str | Keep = "first",
        linkage: str | Linkage = "leader",
        drop_empty: bool = False,
    ) -> Integers:
        """Positions of the texts that stay, ascending: one per group, and those in none.

        In a join of two data sets: the texts of the first that are in no pair. Missing and blank
        texts stay unless `drop_empty` is True.
        """
        stays = self._kept_instead(keep, linkage) == NOTHING
        if drop_empty:
            stays[self.empty] = False
        return np.flatnonzero(stays)

    def removed(self, *, keep: str | Keep = "first", linkage: str | Linkage = "leader") -> Any:
        """Arrow table of the texts that go: `position`, `kept`, `score`, `exact`.

        `kept` is the text that stands for the group, or in a join of two data sets the
        best partner, a position in the other. No score is below the threshold, except with
        "single" linkage, where a chain of pairs may lead to the text that stays.
        """
        import pyarrow as pa

        instead = self._kept_instead(keep, linkage)
        gone = np.flatnonzero(instead != NOTHING)
        rows, exact = self._rows(gone, instead[gone])
        scores = np.ones(len(gone))
        scores[~exact] = self._scores(rows[0][~exact], rows[1][~exact])
        return pa.table({"position": gone, "kept": instead[gone], "score": scores, "exact": exact})

    def around(
        self, threshold: float | None = None, count: int = 10, *, keep: str | Keep = "first"
    ) -> Any:
        """Arrow table of the pairs nearest to a threshold, the least similar first.

        Columns: `position`, `kept`, `score`, `goes`, `text`, `kept_text`. Up to `count` texts
        that would go at that threshold, those least like the text that stays for them, and,
        where lower pairs were looked for, up to `count` pairs just below it that would both
        stay. To choose a threshold, read where the pairs stop saying the same.
        """
        return pairs_around(self, threshold, count, keep=keep)

    def removed_at(self, thresholds: Iterable[float], *, keep: str | Keep = "first") -> list[int]:
        """How many texts would go at each of some thresholds, none below that of the pairs."""
        return [
            len(self.texts) - len(self.rethreshold(threshold).kept(keep=keep))
            for threshold in thresholds
        ]

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
        lists of word, match, similarity and weight.
        """
        left = _positions(lefts, len(self.texts), "lefts")
        right = _positions(
            rights, len(self.texts) if self.others is None else len(self.others), "rights"
        )
        if len(left) != len(right):
            raise InputError(
                f"lefts and rights must have equal length; got {len(left)} and {len(right)}"
            )
        rows, exact = self._rows(left, right)
        words, *called = self.collection.reasoner(self.measure, *rows)
        return reason_table(words, (left, right), (called[0], called[1]), exact)

    def sentences(self, lefts: Integers, rights: Integers) -> Iterator[str]:
        """Reasons of pairs in a line each: (n,), (n,)."""
        (a, b), exact = self._rows(lefts, rights)
        near = self._sentences(a[~exact], b[~exact])
        return (EXACT if same else next(near) for same in exact.tolist())

    def _sentences(self, left: Integers, right: Integers) -> Iterator[str]:
        """Those of distinct texts."""
        for part in blocks(len(left), AT_ONCE):
            words, a, b = self.collection.reasoner(self.measure, left[part], right[part])
            yield from words.sentences(a, b)

    def _scores(self, left: Integers, right: Integers) -> Floats:
        """Those of distinct texts: (n,), (n,) -> (n,)."""
        scores = np.zeros(len(left))
        for part in blocks(len(left), AT_ONCE):
            words, a, b = self.collection.reasoner(self.measure, left[part], right[part])
            scores[part] = words.scores(a, b)
        return scores

    def _rows(self, left: Integers, right: Integers) -> tuple[tuple[Integers, Integers], Any]:
        """The distinct texts of pairs, and which pairs are one string twice."""
        found = self.collection
        a, b = found.distinct[left], found.distinct[right + found.shift]
        return (a, b), found.strings[a] == found.strings[b]

    def _stand_ins(self, linkage: Linkage, keep: Keep) -> Integers:
        """The text that stands for each text's group, itself if alone: (places,)."""
        if linkage is Linkage.LEADER and self.others is None:
            return self._leaders(keep)
        return representatives(self.groups(linkage, keep=keep), keep, self.collection.lengths)

    def _kept_instead(self, keep: str | Keep, linkage: str | Linkage) -> Integers:
        """The text that is kept instead of each removed one; -1 for kept texts: (texts,)."""
        keep = parse_choice(Keep, keep, "keep")
        linkage = parse_choice(Linkage, linkage, "linkage")
        if self.others is None:
            stands_for = self._stand_ins(linkage, keep)
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

"""Near-duplicates among texts: pairs, groups, kept and removed texts, and reasons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, get_args

import numpy as np

from fuzzbow.arrays import Booleans, Integers, blocks
from fuzzbow.dedupe import groups as grouping
from fuzzbow.dedupe.collection import Collection, collect
from fuzzbow.dedupe.details import Details
from fuzzbow.dedupe.groups import NOTHING, Groups, Keep, Linkage
from fuzzbow.dedupe.pairs import PairArrays, Pairs, best_pairs, store_pairs
from fuzzbow.dedupe.reasons import EXACT, Reason, Reasoner, WordMatch
from fuzzbow.defaults import ALL_DETAILS, DEFAULT_THRESHOLD
from fuzzbow.encoding import check_texts, warn_of_language
from fuzzbow.engine import WHOLE, JoinOptions, Share, limited_threads
from fuzzbow.errors import InputError, check_choice, check_count
from fuzzbow.measures import Ability, Measure, TextMeasure
from fuzzbow.measures.blockwise_join import at_least
from fuzzbow.notebook import SHOWN_ROWS, html_table, short_line
from fuzzbow.plurals import counted
from fuzzbow.progress import Progress, no_progress

FETCHED_PAIRS = 1_000_000  # pairs whose texts are read together, where they are in files


@dataclass(frozen=True)
class DedupeOptions:
    """Options for removing near-duplicates.

    Attributes
    ----------
    threshold : float
        Minimum score of a duplicate pair (0 < s ≤ 1).
    linkage : str
        "leader": a removed row is a pair with the kept row; "single": chains of pairs;
        "complete": every two rows of a group are a pair.
    keep : str
        Row of a group that is kept: the "first" or the "longest".
    details : str or list of str
        Details in which duplicates must agree: "numbers", "codes", "negation"; a list, or a
        string with commas between them.
    ignore_details : str, optional
        Regular expression of text without details.
    drop_empty : bool
        Remove rows whose text is missing or blank.
    """

    threshold: float = DEFAULT_THRESHOLD
    linkage: str = "leader"
    keep: str = "first"
    details: str | Iterable[str] = ",".join(ALL_DETAILS)
    ignore_details: str | None = None
    drop_empty: bool = False

    def checked(self) -> DedupeOptions:
        """Return the options, details as a tuple, or raise InputError if one cannot be used.

        >>> DedupeOptions(details="codes,numbers").checked().details
        ('codes', 'numbers')
        """
        details, ignore = self.details, self.ignore_details
        if isinstance(details, bool) or not isinstance(details, Iterable):
            names = ", ".join(ALL_DETAILS)
            raise InputError(f"details must be some of {names}; got {details!r:.40}")
        kinds = details.split(",") if isinstance(details, str) else details
        try:
            re.compile(ignore or "")
        except (re.error, TypeError) as error:
            raise InputError(
                f"ignore_details must be a regular expression; got {ignore!r:.80}: {error}"
            ) from error
        check_kept(self.keep, self.linkage)
        known = {check_choice(kind, ALL_DETAILS, "details") for kind in kinds}
        threshold = check_threshold(self.threshold)
        return replace(self, threshold=threshold, details=tuple(sorted(known)))


@dataclass(frozen=True, repr=False)
class Duplicates:
    """Near-duplicates among texts: pairs at or above a threshold, and groups of them.

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
        """Draw a table of the best pairs for notebooks."""
        best = self.pairs.best(SHOWN_ROWS)
        sides = (best.left, best.right + self.collection.shift)
        left, right = (map(short_line, self.collection.texts_at(side)) for side in sides)
        scores = (f"{score:.4f}" for score in best.score)
        columns = (scores, map(str, best.left), left, map(str, best.right), right)
        header = ["score", "left", "text", "right", "text"]
        return html_table(f"{self!r}, the best {len(best)}", header, zip(*columns, strict=True))

    @property
    def texts(self) -> Sequence[str]:
        """Texts of the first data set."""
        return self.collection.texts

    @property
    def others(self) -> Sequence[str] | None:
        """Texts of the second data set, if there is one."""
        return self.collection.others

    @property
    def empty(self) -> Integers:
        """Positions of the texts that are missing or blank, which are duplicates of nothing."""
        return np.flatnonzero(self.collection.blank[: len(self.texts)])

    @property
    def copies(self) -> int:
        """Number of texts that repeat an earlier one of their data set, string for string."""
        return self.collection.size - len(self.collection.first)

    def rethreshold(self, threshold: float) -> Duplicates:
        """Return the duplicates at a higher threshold, without comparing texts again."""
        higher = check_threshold(threshold)
        if higher < self.threshold:
            raise InputError(
                f"threshold can only be raised, from {self.threshold:g}; got {threshold:g}:"
                f" lower pairs were not searched for"
            )
        return replace(self, threshold=higher, pairs=self.pairs.at_least(higher))

    def groups(self, linkage: str = "leader", *, keep: str = "first") -> Groups:
        """Return the groups of two texts or more.

        In a join of two data sets the texts of the other one are numbered after those of
        the first; "leader" has each text with its best partner there, "complete" no meaning.

        Parameters
        ----------
        linkage
            With "leader" a group is a kept text and the texts removed for it, each of which is a
            pair with it. In the order of `keep` (first to last, or longest to shortest) a text is
            kept unless it is a pair with a kept one; it is then removed for the one of these with
            the best score. With "single" a group is connected by pairs, so that a chain of them may
            join texts that have nothing in common, and with "complete" every two texts of a group
            are a pair.
        keep
            Text of a group that is kept: "first" or "longest".
        """
        check_kept(keep, linkage)
        if linkage == "single":
            return self._connected
        if linkage == "complete":
            if self.others is not None:
                raise InputError(
                    "linkage 'complete' needs the pairs inside a data set;"
                    " a join of two has only those between them: use 'leader' or 'single'"
                )
            return self._complete
        found = self.collection
        instead = self._kept_instead(keep, linkage)
        removed = np.flatnonzero(instead != NOTHING)
        start = np.arange(found.size) if self.others is None else found.first[found.distinct]
        return Groups(grouping.connected(start, [(removed, instead[removed] + found.shift)]))

    def representatives(self, *, keep: str = "first", linkage: str = "leader") -> Integers:
        """Return one text of each group, in the order of the groups, by options of `groups`."""
        members = self.groups(linkage, keep=keep).members
        heads = members.values[members.offsets[:-1]]
        return self._stand_ins(linkage, keep)[heads]

    def kept(
        self, *, keep: str = "first", linkage: str = "leader", drop_empty: bool = False
    ) -> Integers:
        """Return positions of the kept texts, ascending: one per group, and those in none.

        In a join of two data sets: the texts of the first that are in no pair.

        Parameters
        ----------
        keep, linkage
            Options of `groups`.
        drop_empty
            Whether to remove missing and blank texts.
        """
        kept = self._kept_instead(keep, linkage) == NOTHING
        if drop_empty:
            kept[self.empty] = False
        return np.flatnonzero(kept)

    def removed(self, *, keep: str = "first", linkage: str = "leader") -> Any:
        """Return an Arrow table of the removed texts: `position`, `kept`, `score`, `exact`.

        `kept` is the text that stands for the group, or in a join of two data sets the
        best partner, a position in the other. No score is below the threshold, except with
        "single" linkage, where a chain of pairs may lead to the kept text. Options are those of
        `groups`.
        """
        import pyarrow as pa

        instead = self._kept_instead(keep, linkage)
        removed = np.flatnonzero(instead != NOTHING)
        (left, right), exact = self._rows(removed, instead[removed])
        near = self._reasoners(left[~exact], right[~exact])
        scores = np.ones(len(removed))
        scores[~exact] = np.concatenate([[], *(words.scores(a, b) for words, a, b in near)])
        columns = {"position": removed, "kept": instead[removed], "score": scores, "exact": exact}
        return pa.table(columns)

    def around(
        self,
        threshold: float | None = None,
        count: int = 10,
        *,
        keep: str = "first",
        linkage: str = "leader",
    ) -> Any:
        """Return an Arrow table of the pairs nearest to a threshold, the least similar first.

        Columns: `position`, `kept`, `score`, `removed`, `text`, `kept_text`. Up to `count` texts
        that would be removed at that threshold, those least similar to the kept text, and,
        where lower pairs were searched for, up to `count` pairs just below it that would both
        be kept. To choose a threshold, look for the first pair whose texts differ in meaning.

        Parameters
        ----------
        threshold
            Threshold to look at; that of the pairs unless given.
        count
            Number of pairs on either side of the threshold.
        keep, linkage
            Options of `groups`.
        """
        import pyarrow as pa

        check_count(count, "count")
        at = self if threshold is None else self.rethreshold(threshold)
        removed = at.removed(keep=keep, linkage=linkage)
        near = removed.filter(np.logical_not(removed["exact"].to_numpy()))
        near = near.take(np.argsort(near["score"].to_numpy(), kind="stable")[:count])
        parts = self.pairs.parts()
        low = (part.where(~at_least(part.score, at.threshold)) for part in parts)
        below = best_pairs(low, count)
        below = below.where(np.arange(len(below))[::-1])
        # the second text of a pair might be removed, or in a join of two data sets the first
        sides = (below.right, below.left) if self.others is None else (below.left, below.right)
        columns = zip(("position", "kept", "score"), (*sides, below.score), strict=True)
        table = {name: np.concatenate([side, near[name].to_numpy()]) for name, side in columns}
        table["removed"] = np.arange(len(table["score"])) >= len(below)
        kept = table["kept"] + self.collection.shift
        for name, positions in (("text", table["position"]), ("kept_text", kept)):
            table[name] = pa.array(self.collection.texts_at(positions), pa.string())
        return pa.table(table)

    def removed_at(
        self, thresholds: Iterable[float], *, keep: str = "first", linkage: str = "leader"
    ) -> list[int]:
        """Count the removed texts at each threshold, which must be at least that of the pairs."""
        at = map(self.rethreshold, thresholds)
        return [len(self.texts) - len(found.kept(keep=keep, linkage=linkage)) for found in at]

    def every_pair(self) -> Iterator[Any]:
        """Yield all pairs, including those of copies, as Arrow record batches like `pairs`.

        There may be very many: n copies of a text are n² / 2 pairs.
        """
        for part in self.collection.every_pair(self.pairs.parts()):
            yield part.to_arrow()

    def why(self, left: int, right: int) -> Reason:
        """Return the score of two texts by position, and the best match of each word of either.

        In a join of two data sets `right` is a text of the other.
        """
        (row,) = self.reasons([left], [right]).to_pylist()
        for side in ("left_words", "right_words"):
            row[side] = tuple(WordMatch(**found) for found in row[side])
        return Reason(**row)

    def reasons(self, lefts: Any, rights: Any) -> Any:
        """Return the reasons of many pairs as an Arrow table: positions (n,), (n,).

        Columns: left, right, score, exact, left_words, right_words; the last two are
        lists of word, match, similarity and weight.
        """
        others = self.texts if self.others is None else self.others
        left = _positions(lefts, len(self.texts), "lefts")
        right = _positions(rights, len(others), "rights")
        if len(left) != len(right):
            raise InputError(
                f"lefts and rights must have equal length; got {len(left)} and {len(right)}"
            )
        rows, exact = self._rows(left, right)
        words, a, b = self._reasoner(*rows)
        return words.table((left, right), (a, b), exact)

    def sentences(self, lefts: Integers, rights: Integers) -> Iterator[str]:
        """Yield the reasons of pairs, one line each: (n,), (n,)."""
        (a, b), exact = self._rows(lefts, rights)
        parts = self._reasoners(a[~exact], b[~exact])
        near = (line for words, *rows in parts for line in words.sentences(*rows))
        return (EXACT if same else next(near) for same in exact.tolist())

    @cached_property
    def _connected(self) -> Groups:
        found, shift = self.collection, self.collection.shift
        edges = ((part.left, part.right + shift) for part in self.pairs.parts())
        return Groups(grouping.connected(found.first[found.distinct], edges))

    @cached_property
    def _complete(self) -> Groups:
        first = self.collection.first
        labels = grouping.complete_labels(self._connected.labels, first, self.pairs.parts)
        return Groups(labels[first[self.collection.distinct]])

    @cached_property
    def _partners(self) -> Integers:
        """Best partner of each text in a join of two data sets; -1 for none: (texts,)."""
        found, size = self.collection, len(self.texts)
        best = grouping.best_partners(size, self.pairs.parts())
        return best[found.first[found.distinct[:size]]]

    @cached_property
    def _leaders(self) -> dict[str, Integers]:
        """Cache by `keep`: the text that each text is removed for, itself if kept, (texts,)."""
        return {}

    def _ranks(self, keep: str) -> Integers:
        """Rank texts, 0 for the one that is kept before all others, the first of equals."""
        if keep == "first":
            return np.arange(self.collection.size)
        return np.argsort(np.argsort(-self.collection.lengths, kind="stable"))

    def _stand_ins(self, linkage: str, keep: str) -> Integers:
        """Return the kept text of each text's group, itself if alone: (positions,)."""
        found, ranks = self.collection, self._ranks(keep)
        if linkage != "leader" or self.others is not None:
            labels = self.groups(linkage, keep=keep).labels
            order = np.lexsort((ranks, labels))
            heads = np.flatnonzero(np.diff(labels[order], prepend=-1))
            chosen = labels.copy()
            chosen[labels[order][heads]] = order[heads]
            return chosen[labels]
        if keep not in self._leaders:
            leaders = grouping.leaders(
                ranks, lambda: (part.where(~part.exact) for part in self.pairs.parts())
            )
            self._leaders[keep] = leaders[found.first[found.distinct]]  # copies as their first
        return self._leaders[keep]

    def _kept_instead(self, keep: str, linkage: str) -> Integers:
        """Return the kept text for each removed one; -1 for kept texts: (texts,)."""
        check_kept(keep, linkage)
        if self.others is None:
            stands_for = self._stand_ins(linkage, keep)
            return np.where(stands_for == np.arange(len(stands_for)), NOTHING, stands_for)
        check_across(keep, linkage)
        return self._partners

    @cached_property
    def _whole(self) -> Reasoner | None:
        """Reasoner over all texts if they are in memory, else None."""
        batch = self.collection.batch
        return None if batch is None else Reasoner.of(self.measure, batch)

    def _reasoner(self, left: Integers, right: Integers) -> tuple[Reasoner, Integers, Integers]:
        """Return a reasoner for pairs of distinct texts, and their rows in it: (n,), (n,)."""
        if self._whole is not None:
            return self._whole, left, right
        batch, a, b = self.collection.encoded(left, right)
        return Reasoner.of(self.measure, batch), a, b

    def _reasoners(
        self, left: Integers, right: Integers
    ) -> Iterator[tuple[Reasoner, Integers, Integers]]:
        for part in blocks(len(left), FETCHED_PAIRS):
            yield self._reasoner(left[part], right[part])

    def _rows(self, left: Integers, right: Integers) -> tuple[tuple[Integers, Integers], Booleans]:
        """Return the distinct texts of pairs, and mark pairs of equal strings."""
        found = self.collection
        a, b = found.distinct[left], found.distinct[right + found.shift]
        return (a, b), np.asarray(found.strings[a] == found.strings[b])


def find_duplicates(
    model: TextMeasure,
    texts: Iterable[str],
    options: DedupeOptions,
    *,
    others: Iterable[str] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    path: str | PathLike[str] | None = None,
    share: Share = WHOLE,
) -> Duplicates:
    """Find near-duplicates as `Model.duplicates` does, or a `share` of the inexact pairs."""
    options, encoder = options.checked(), model.encoder
    model.measure.require(Ability.JOIN)
    given = check_texts(texts, "texts")
    against = None if others is None else check_texts(others, "others")
    with limited_threads(threads):
        collection, batch = collect(encoder, given, against)
        first, strings = collection.first, collection.strings
        warn_of_language(encoder, batch)
        measure = model.measure.fitted(batch, collection.distinct)
        details = Details(
            batch,
            tuple(options.details),
            options.ignore_details,
            lambda: collection.texts_at(first),
            encoder.words,
        )
        filled = ~collection.blank[first]
        join = JoinOptions(options.threshold, collection.boundary, share, progress or no_progress)

        def found() -> Iterator[PairArrays]:
            """Yield exact pairs, then pairs of distinct texts, by position."""
            copies = collection.exact_pairs()
            if len(copies):
                yield copies
            for part in measure.join(batch, join):
                a, b = part.left, part.right
                near = (strings[a] != strings[b]) & filled[a] & filled[b]
                near[near] = details.agree(a[near], b[near])
                right = first[b[near]] - collection.shift
                yield PairArrays.of(first[a[near]], right, part.scores[near], exact=False)

        pairs = store_pairs(found(), options.threshold, None if path is None else Path(path))
    return Duplicates(options.threshold, pairs, collection, measure, details.apart)


def check_threshold(threshold: object) -> float:
    """Return a number above 0 and at most 1, or raise an InputError."""
    usable = isinstance(threshold, (int, float, np.number)) and not isinstance(threshold, bool)
    if not usable or not 0 < threshold <= 1:  # type: ignore[operator]
        raise InputError(f"threshold must be a number above 0 and at most 1; got {threshold!r}")
    return float(threshold)  # type: ignore[arg-type]


def check_kept(keep: str, linkage: str) -> None:
    """Raise InputError unless both are known."""
    check_choice(keep, get_args(Keep), "keep")
    check_choice(linkage, get_args(Linkage), "linkage")


def check_across(keep: str, linkage: str) -> None:
    """Raise InputError for options that need groups within one data set."""
    if keep != "first" or linkage == "complete":
        raise InputError(
            f"a join of two data sets has no groups to choose from: keep must be 'first' and"
            f" linkage 'leader' or 'single'; got {keep!r} and {linkage!r}"
        )


def _positions(values: Any, size: int, name: str) -> Integers:
    """Return positions of texts, or raise an InputError that names a bad one."""
    array = np.atleast_1d(np.asarray(values))
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(f"{name} must be whole numbers; got {array.dtype}")
    bad = array[(array < 0) | (array >= size)]
    if len(bad):
        raise InputError(f"{name} must be positions from 0 to {size - 1}; got {bad[0]}")
    return array.astype(np.int64)

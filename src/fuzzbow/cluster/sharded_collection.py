"""The texts of data sets in shards by place, for what `Duplicates` asks of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from fuzzbow.arrays import Integers, read_only
from fuzzbow.cluster.data import RowTexts
from fuzzbow.cluster.run import Counts
from fuzzbow.cluster.setting import RunContext
from fuzzbow.cluster.strings import StringsTask, digest_strings, equal_strings, find_strings
from fuzzbow.encoding import Encoder
from fuzzbow.file_digest import DigestedFile
from fuzzbow.measures import Measure
from fuzzbow.tasks.dedupe.collection import Collection
from fuzzbow.tasks.dedupe.reasons import Reasoner, reasoner


@dataclass(frozen=True)
class ShardedCollection(Collection):
    """One whose texts are in files; some bytes for each of them are in memory."""

    characters: Integers  # (places,)
    encoder: Encoder
    counts: Counts  # of the tasks of the run

    @property
    def lengths(self) -> Integers:
        """Characters of each text: (places,)."""
        return self.characters

    def texts_at(self, places: Integers) -> list[str]:
        """The texts of places, every shard of which is read once: (n,) -> n texts."""
        used, which = np.unique(places, return_inverse=True)
        found = self._fetched(used)
        return [found[place] for place in which.tolist()]

    def reasoner(
        self, measure: Measure, left: Integers, right: Integers
    ) -> tuple[Reasoner, Integers, Integers]:
        """That of these texts, which are fetched."""
        used, place = np.unique(np.concatenate([left, right]), return_inverse=True)
        batch, which = self.encoder.encode(self._fetched(self.first[used]))
        # a row for each text, equal ones of two data sets too, so that their order stays
        batch = replace(batch, rows=batch.rows.take(which))
        return reasoner(measure, batch), place[: len(left)], place[len(left) :]

    def _fetched(self, places: Integers) -> list[str]:
        """The texts of places, which are ascending."""
        cut = int(np.searchsorted(places, len(self.texts)))
        found: list[str] = []
        for texts, rows in ((self.texts, places[:cut]), (self.others, places[cut:] - self.shift)):
            if isinstance(texts, RowTexts) and len(rows):
                found += texts.take(rows)
        return found


def sharded_collection(setting: RunContext) -> tuple[ShardedCollection, list[DigestedFile]]:
    """The collection of the data sets, and the file of first rows of each."""
    run, sides = setting.run, setting.sides
    tasks = [
        [
            StringsTask(part, run.path(f"strings-{number}", f"{part.shard.name}.npy"))
            for part in side.parts
        ]
        for number, side in enumerate(sides)
    ]
    parts = iter(
        run.do(setting.executor, digest_strings, [task for side in tasks for task in side])
    )
    outs = [[next(parts).file for _ in side] for side in tasks]
    strings = [find_strings(files, len(side)) for files, side in zip(outs, sides, strict=True)]
    firsts = [
        run.write("first", f"{number}.npy", partial(_save, found.first))
        for number, found in enumerate(strings)
    ]
    shift = len(sides[0])
    whole = [strings[0].first, *(found.first + shift for found in strings[1:])]
    first_place = np.concatenate(whole)
    is_first = first_place == np.arange(len(first_place))
    first = np.flatnonzero(is_first)
    distinct = (np.cumsum(is_first) - 1)[first_place]
    if len(sides) == 1:
        names: Integers = np.arange(len(first))
    else:
        names = equal_strings(outs[0], outs[1], (shift, len(sides[1])))[first]
    collection = ShardedCollection(
        sides[0],
        sides[1] if len(sides) > 1 else None,
        read_only(distinct),
        read_only(first),
        read_only(names),
        read_only(np.concatenate([found.blank for found in strings])),
        np.concatenate([found.lengths for found in strings]),
        setting.model.encoder,
        run.counts,
    )
    return collection, firsts


def _save(array: Integers, path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, array, allow_pickle=False)

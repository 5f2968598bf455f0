"""Near-duplicates of a data set in shards: tiles of two shards, each an exact join.

Every two shards are a tile, and every shard with itself. If the executor can run more tasks at
the same time than there are tiles, a tile is divided into shares, which compare the same texts and
find different pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from os import PathLike
from pathlib import Path

import numpy as np

from fuzzbow.arrays import Integers
from fuzzbow.atomic import replacing
from fuzzbow.cluster.data import Files, ShardTexts, find_files
from fuzzbow.cluster.executors import THIS_PROCESS, Executor
from fuzzbow.cluster.parts import Counted, Part
from fuzzbow.cluster.run import Run
from fuzzbow.cluster.setting import RunContext, open_setting
from fuzzbow.cluster.sharded_collection import ShardedCollection, sharded_collection
from fuzzbow.cluster.statistics import FittedModel, fit_to_shards
from fuzzbow.engine import Share
from fuzzbow.file_digest import DigestedFile
from fuzzbow.measures import Ability
from fuzzbow.model import Model
from fuzzbow.progress import ProgressOption, open_progress
from fuzzbow.tasks.dedupe import (
    ALL_DETAILS,
    DEFAULT_THRESHOLD,
    DetailRules,
    Duplicates,
    Pairs,
    find_duplicates,
    parse_details,
)
from fuzzbow.tasks.dedupe.duplicate_join import exact_pairs
from fuzzbow.tasks.dedupe.duplicates import check_threshold
from fuzzbow.tasks.dedupe.pairs import PairArrays, write_pairs
from fuzzbow.tasks.formats import AS_IT_IS, Reading


@dataclass(frozen=True)
class Side:
    """A shard of a tile, and the file that says which rows are the first with their string."""

    texts: ShardTexts
    first: DigestedFile

    def read(self) -> tuple[Integers, list[str]]:
        """The rows that are no copies of earlier ones, and their texts."""
        shard = self.texts.shard
        rows = np.arange(shard.start, shard.start + len(shard))
        with self.first.reading() as path:
            first = np.load(path, mmap_mode="r", allow_pickle=False)[rows]
        texts = self.texts.read()
        kept = np.flatnonzero(first == rows)
        return rows[kept], [texts[place] for place in kept.tolist()]


@dataclass(frozen=True)
class Tile:
    """A shard with itself, or with another one, or a share of that."""

    model: FittedModel
    left: Side
    right: Side | None
    threshold: float
    details: DetailRules
    share: Share
    out: str


def join_tile(tile: Tile) -> Counted:
    """Write the pairs of a tile that are no copies, by rows of the data set."""
    model = tile.model.load()
    rows, texts = tile.left.read()
    other_rows, others = (rows, None) if tile.right is None else tile.right.read()
    found = find_duplicates(
        model.measure,
        model.encoder,
        texts,
        threshold=tile.threshold,
        others=others,
        details=tile.details,
        share=tile.share,
    )

    def near() -> Iterator[PairArrays]:
        for part in found.pairs.parts():
            chosen = part.where(~part.exact)  # equal strings of two data sets are known
            yield PairArrays(
                rows[chosen.left], other_rows[chosen.right], chosen.score, chosen.exact
            )

    with replacing(Path(tile.out)) as beside:
        write_pairs(beside, near())
    return {"apart": found.apart}


def dedupe(
    files: Files,
    folder: str | PathLike[str],
    *,
    text: str | list[str] | None = None,
    model: Model | None = None,
    threshold: float = DEFAULT_THRESHOLD,
    others: Files | None = None,
    others_text: str | list[str] | None = None,
    details: Iterable[str] = ALL_DETAILS,
    ignore_details: str | None = None,
    shards: int | None = None,
    executor: Executor = THIS_PROCESS,
    reading: Reading = AS_IT_IS,
    overwrite: bool = False,
    progress: ProgressOption = None,
) -> Duplicates:
    """Find in shards of tables the duplicates that `Model.duplicates` finds in all texts.

    `files` are tables or a folder of such, with their texts in the column `text`; `others` those
    of another data set. The pairs and the state of an interrupted run are kept in `folder`, which
    the result reads. `shards` is the number of shards, one per million rows unless given; a task
    holds two of them in memory. `executor` is `ThisProcess` or `RayExecutor`. `progress` is True
    for a bar, or a function of tiles done and all tiles.
    `overwrite` removes another run from `folder`, which is refused otherwise.
    """
    bound, rules = check_threshold(threshold), parse_details(details, ignore_details)
    facts = {"threshold": bound, "details": rules.to_dict()}
    given = [(find_files(files, "files"), text)]
    if others is not None:
        given.append((find_files(others, "others"), others_text or text))
    with open_setting(
        "dedupe", Path(folder), model, executor, given, facts, shards, reading, overwrite=overwrite
    ) as setting:
        setting.model.measure.require(Ability.JOIN)
        collection, firsts = sharded_collection(setting)
        sides = [(part,) for side in setting.sides for part in side.parts]
        fitted = fit_to_shards(setting.run, setting.executor, setting.model, sides)
        tiles = _tiles(setting, fitted, firsts, bound, rules)
        with open_progress(progress, "comparing") as on_progress:
            parts = setting.run.do(setting.executor, join_tile, tiles, on_progress)
        pairs = _all_pairs(setting.run, collection, bound, parts)
        apart = sum(part.counted["apart"] for part in parts)
        return Duplicates(bound, pairs, collection, fitted.load().measure, apart)


def _tiles(
    setting: RunContext,
    model: FittedModel,
    firsts: list[DigestedFile],
    threshold: float,
    details: DetailRules,
) -> list[Tile]:
    """All tiles, those of two shards first, which take longer."""
    left = [Side(part, firsts[0]) for part in setting.sides[0].parts]
    if len(setting.sides) == 1:
        couples = [(a, None if a is b else b) for a, b in combinations_with_replacement(left, 2)]
    else:
        couples = list(product(left, [Side(part, firsts[1]) for part in setting.sides[1].parts]))
    couples.sort(key=lambda couple: couple[1] is None)
    shares = setting.shares(len(couples))
    tiles = []
    for a, b in couples:
        for number in range(shares):
            name = f"{a.texts.shard.name}-{(b or a).texts.shard.name}-{number:03d}.parquet"
            out = setting.run.path("pairs", name)
            tiles.append(Tile(model, a, b, threshold, details, (number, shares), out))
    return tiles


def _all_pairs(
    run: Run, collection: ShardedCollection, threshold: float, parts: list[Part]
) -> Pairs:
    """Return the pairs of the tiles, and copies, which are found without a comparison."""
    copies = run.write(
        "copies", "pairs.parquet", lambda beside: write_pairs(beside, [exact_pairs(collection)])
    )
    near = sorted((part.file for part in parts), key=lambda file: file.path)
    return Pairs(threshold, files=(*near, copies))

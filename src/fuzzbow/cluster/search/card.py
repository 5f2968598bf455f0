"""The folder of an index of shards: its card says which shards there are, each at which version.

A shard is an ordinary index in a folder of its own. Texts are in the shards in the order of
insertion: those of the first shard came before those of the second. The card is replaced as a
whole, so that a change of several shards is there at once or not at all; what a writer left in
the shards that died before it wrote the card is newer than the card says, and is taken back.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from fuzzbow.errors import InputError
from fuzzbow.measures import TextMeasure
from fuzzbow.tasks.index.integrity import read_sealed, write_sealed

CARD = "shards.json"
FORMAT = 1
STAGED = "staged"  # folder of rows that wait to become a shard
PREFIX = "shard-"  # of the folders of shards


@dataclass(frozen=True)
class Shard:
    """One shard at one version."""

    name: str  # of its folder
    version: int
    texts: int
    next_id: int  # the first id that was never given in it


@dataclass(frozen=True)
class Card:
    """Everything about an index of shards but the rows."""

    fingerprint: dict[str, Any]  # of the model
    model: dict[str, Any] | None  # how to load it again, where that can be said
    shard_texts: int  # texts that are added go to the last shard until it has so many
    shards: tuple[Shard, ...]

    @property
    def texts(self) -> int:
        """How many texts all shards hold."""
        return sum(shard.texts for shard in self.shards)

    @property
    def next_id(self) -> int:
        """The first id that was never given."""
        return max(shard.next_id for shard in self.shards)


def is_sharded(folder: Path) -> bool:
    """Whether a folder is an index of shards, by its card."""
    return (folder / CARD).is_file()


def read_shards(folder: Path) -> Card:
    """The card of an index of shards."""
    if not is_sharded(folder):
        raise InputError(f"'{folder}' must be the folder of an index of shards; it has no {CARD}")
    data = read_sealed(folder / CARD)
    if data.pop("format", None) != FORMAT:
        raise InputError(f"'{folder / CARD}': the format must be {FORMAT}")
    return Card(**data | {"shards": tuple(Shard(**shard) for shard in data["shards"])})


def write_shards(folder: Path, card: Card) -> None:
    """Replace the card, in one step."""
    write_sealed(folder / CARD, {"format": FORMAT, **asdict(card)})


def shard_name(number: int, *parts: str) -> str:
    """The name of a shard of a number, by what it is made of."""
    return f"{PREFIX}{number:05d}-{blake2b(repr(parts).encode(), digest_size=8).hexdigest()}"


def model_identity(model: TextMeasure) -> str:
    """All of a model that decides what is in a shard."""
    return json.dumps([model.identity(), model.recipe()], sort_keys=True)


def remove_strays(folder: Path, card: Card) -> None:
    """Remove shards that no card knows of, left by a writer that died; the lock is held."""
    known = {shard.name for shard in card.shards}
    for path in folder.glob(f"{PREFIX}*"):
        if path.name not in known:
            shutil.rmtree(path, ignore_errors=True)
    for path in folder.glob(f".{PREFIX}*.partial"):
        shutil.rmtree(path, ignore_errors=True)
    shutil.rmtree(folder / STAGED, ignore_errors=True)

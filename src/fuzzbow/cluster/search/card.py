"""The folder of an index of shards: its card says which shards there are, each at which version.

A shard is an ordinary index in a folder of its own. Texts are in the shards in the order of
insertion: those of the first shard came before those of the second. The card is replaced as a
whole, so that a change of several shards is there at once or not at all; what a writer left in
the shards that died before it wrote the card is newer than the card says, and is taken back.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from typing import Any

from fuzzbow.errors import InputError, LockedError
from fuzzbow.measures import TextMeasure
from fuzzbow.tasks.index.commit import conflict_error
from fuzzbow.tasks.index.place import Place, locks_last, remove_tree, replace_whole
from fuzzbow.tasks.index.sealed_file import read_sealed, sealed, unsealed, write_sealed

CARD = "shards.json"
FORMAT = 1
STAGED = "staged-"  # of folders of rows that wait to become shards
PREFIX = "shard-"  # of the folders of shards


@dataclass(frozen=True)
class Shard:
    """One shard at one version."""

    name: str  # of its folder
    version: int
    texts: int
    next_id: int  # the first id that was never given in it


@dataclass(frozen=True)
class IndexManifest:
    """Everything about an index of shards but the rows."""

    fingerprint: dict[str, Any]  # of the model
    model: dict[str, Any] | None  # how to load it again, where that can be said
    shard_texts: int  # texts that are added go to the last shard until it has so many
    shards: tuple[Shard, ...]
    takeovers: int = 0  # how often a writer removed what one left that may still have lived

    @property
    def texts(self) -> int:
        """How many texts all shards hold."""
        return sum(shard.texts for shard in self.shards)

    @property
    def next_id(self) -> int:
        """The first id that was never given."""
        return max(shard.next_id for shard in self.shards)


def is_sharded(folder: Place) -> bool:
    """Whether a folder is an index of shards, by its card."""
    return (folder / CARD).is_file()


def read_shards(folder: Place) -> IndexManifest:
    """The card of an index of shards."""
    if not is_sharded(folder):
        raise InputError(f"'{folder}' must be the folder of an index of shards; it has no {CARD}")
    return _card_of(folder, read_sealed(folder / CARD))


def _card_of(folder: Place, data: dict[str, Any]) -> IndexManifest:
    if data.pop("format", None) != FORMAT:
        raise InputError(f"'{folder / CARD}': the format must be {FORMAT}")
    return IndexManifest(**data | {"shards": tuple(Shard(**shard) for shard in data["shards"])})


def _data_of(card: IndexManifest) -> dict[str, Any]:
    data = {"format": FORMAT, **asdict(card)}
    if not card.takeovers:  # of which older versions know nothing
        del data["takeovers"]
    return data


def create_shards(folder: Place, card: IndexManifest) -> None:
    """Write the card of a new index."""
    try:
        write_sealed(folder / CARD, _data_of(card), new=True)
    except FileExistsError:
        raise LockedError(f"'{folder}' was built by another process meanwhile") from None


def replace_shards(folder: Place, before: IndexManifest, card: IndexManifest) -> None:
    """Replace a card, in one step; the caller has the lock."""

    def unchanged(content: bytes) -> bool:
        return _card_of(folder, unsealed(folder / CARD, content)) == before

    try:
        replace_whole(folder / CARD, sealed(_data_of(card)), unchanged)
    except FileExistsError:
        raise conflict_error(folder) from None


def shard_name(number: int, *parts: str) -> str:
    """The name of a shard of a number, by what it is made of."""
    return f"{PREFIX}{number:05d}-{blake2b(repr(parts).encode(), digest_size=8).hexdigest()}"


def model_identity(model: TextMeasure) -> str:
    """All of a model that decides what is in a shard."""
    return json.dumps([model.identity(), model.recipe()], sort_keys=True)


def remove_strays(folder: Place, card: IndexManifest) -> IndexManifest:
    """Remove what a writer left that died, and the card does not know of; the lock is held.

    Where that writer may still live the card is replaced first, so that it cannot do so any more.
    """
    known = {shard.name for shard in card.shards}
    patterns = (f"{PREFIX}*", f".{PREFIX}*.partial", f"{STAGED}*", "staged")  # as it was in 0.2
    found = [path for pattern in patterns for path in folder.glob(pattern)]
    strays = [path for path in found if path.name not in known]
    if strays and not locks_last(folder):
        before, card = card, replace(card, takeovers=card.takeovers + 1)
        replace_shards(folder, before, card)
    for path in strays:
        remove_tree(path)
    return card

"""Indexes of shards on the command line, and folders that may hold one or an index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzbow.cli import options
from fuzzbow.errors import InputError
from fuzzbow.model import Model, ModelSpec, open_index
from fuzzbow.progress import Progress
from fuzzbow.tasks.index import NewDocuments, Place, TextIndex, read_card, rebuild_index
from fuzzbow.tasks.index.folder import is_index

if TYPE_CHECKING:
    from fuzzbow.cluster.run import Counts

Shards = Annotated[
    int | None,
    typer.Option(
        "--shards",
        min=1,
        help="Number of shards, each an index of its own. An interrupted build resumes.",
    ),
]
ShardTexts = Annotated[
    int | None,
    typer.Option(
        "--shard-texts", min=1, help="Cut into shards of at most this number of texts. [1000000]"
    ),
]
BuildersOfRay = Annotated[
    str | None,
    typer.Option(
        "--ray", help="Build the shards on the Ray cluster at this address; local starts one."
    ),
]
HostsOfRay = Annotated[
    str | None,
    typer.Option(
        "--ray", help="Open the shards on the Ray cluster at this address; local starts one."
    ),
]
Replicas = Annotated[
    int, typer.Option("--replicas", min=1, help="Number of Ray actors that open each shard.")
]


@dataclass(frozen=True)
class Hosting:
    """Options of where the shards of an index are opened."""

    ray: str | None = None
    replicas: int = 1


@dataclass(frozen=True)
class ShardOptions:
    """Options of cutting an index into shards, and of building these."""

    shards: int | None
    shard_texts: int | None
    ray: str | None

    @property
    def wanted(self) -> bool:
        """Whether the index is cut into shards."""
        return self != ShardOptions(None, None, None)

    @property
    def needs_count(self) -> bool:
        """Whether the number of texts decides where to cut."""
        return self.shard_texts is None or self.shards is not None

    def write(
        self,
        model: Model,
        rows: Iterator[NewDocuments],
        total: int | None,
        target: Place,
        out: Place,
        progress: Progress,
        threads: int | None = None,
    ) -> Counts:
        """Build the index at a target that will be `out`; count old and new shards."""
        from fuzzbow.cluster import open_executor
        from fuzzbow.cluster.search import write_shards_of
        from fuzzbow.cluster.search.construction import SHARD_TEXTS

        with open_executor(self.ray, threads=threads) as executor:
            shards = self.shards or executor.count if self.needs_count else None
            return write_shards_of(
                model,
                rows,
                total,
                path=target,
                begun_for=out,
                shards=shards,
                shard_texts=self.shard_texts or SHARD_TEXTS,
                executor=executor,
                progress=progress,
            )


def is_any_index(folder: Place) -> bool:
    """Whether a folder is an index, or one of shards."""
    from fuzzbow.cluster.search import is_sharded

    return is_index(folder) or is_sharded(folder)


def stored_model(folder: Place, vectors: str | None) -> Model:
    """The model of an index or of one of shards, with its vectors from another place if given."""
    from fuzzbow.cluster.search import card_spec, is_sharded

    if is_sharded(folder):
        return options.spec_model(card_spec(folder), vectors)
    return options.index_model(folder, vectors)


def searching_model(folder: Place, model: Model) -> Model:
    """Load the model of an index; on the vectors of another model if these are the same."""
    from fuzzbow.cluster.search import is_sharded
    from fuzzbow.cluster.search.card import read_shards

    if is_sharded(folder):
        shards = read_shards(folder)
        fingerprint, stored = shards.fingerprint, shards.model
    else:
        card = read_card(folder)
        fingerprint, stored = card["fingerprint"], card["model"]
    if stored is None:  # made with a model without a name; opening compares the two
        return model
    spec = ModelSpec.from_dict(stored)
    if fingerprint.get("vectors") == model.vectors.fingerprint:
        return replace(spec, source=model.spec.source).load(model.vectors)
    return options.spec_model(spec, None)


def rebuilt(folder: Place, model: Model, target: Place, progress: Progress) -> None:
    """Build an index, or one of shards, again from its own texts in the new folder `target`."""
    from fuzzbow.cluster.search import is_sharded, rebuild_sharded_index

    rebuild = rebuild_sharded_index if is_sharded(folder) else rebuild_index
    rebuild(folder, model, target, progress=progress)


@contextmanager
def open_any(
    folder: Place, model: Model, hosting: Hosting, *, read_only: bool = False
) -> Iterator[TextIndex]:
    """Open the index of a folder; the shards of one of shards as `hosting` says."""
    from fuzzbow.cluster.search import is_sharded, open_sharded_index

    if is_sharded(folder):
        with open_sharded_index(
            folder,
            model,
            ray=hosting.ray,
            replicas=hosting.replicas,
            read_only=read_only,
        ) as index:
            yield index
        return
    if hosting != Hosting():
        raise InputError(
            f"--ray and --replicas need an index of shards; {folder} is one index:"
            " fuzzbow index FILE --shards N makes shards"
        )
    yield open_index(folder, model, read_only=read_only)


def opened(
    folder: Place,
    vectors: str | None = None,
    hosting: Hosting = Hosting(),  # a frozen value
    *,
    read_only: bool = False,
) -> AbstractContextManager[TextIndex]:
    """Open the index of a folder with the model that it was built with."""
    return open_any(folder, stored_model(folder, vectors), hosting, read_only=read_only)

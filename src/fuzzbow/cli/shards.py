"""Indexes of shards on the command line, and folders that may hold one or an index."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
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
        help="Cut the index into so many, each an index of its own, for --workers or a cluster.",
    ),
]
ShardTexts = Annotated[
    int | None,
    typer.Option(
        "--shard-texts", min=1, help="The same, with at most so many texts in each. [1000000]"
    ),
]
Builders = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        help="Processes that make the shards, as many of these unless told; else this one does.",
    ),
]
BuildersOfRay = Annotated[
    str | None,
    typer.Option("--ray", help="Make them on a Ray cluster, of this address; local starts one."),
]
HostCount = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="Open the shards of the index in so many processes."),
]
HostsOfRay = Annotated[
    str | None,
    typer.Option("--ray", help="Open them on a Ray cluster, of this address; local starts one."),
]
Replicas = Annotated[
    int, typer.Option("--replicas", min=1, help="In how many places each shard is open.")
]


@dataclass(frozen=True)
class Hosting:
    """Where the shards of an index are to be open."""

    workers: int | None = None
    ray: str | None = None
    replicas: int = 1


@dataclass(frozen=True)
class Cutting:
    """Into which shards an index is cut, and who makes them."""

    shards: int | None
    shard_texts: int | None
    workers: int | None
    ray: str | None

    @property
    def wanted(self) -> bool:
        """Whether there are to be shards."""
        return self != Cutting(None, None, None, None)

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
    ) -> Counts:
        """Build the index at a target that will be `out`; how many shards were there before."""
        from fuzzbow.cluster import open_workers
        from fuzzbow.cluster.search import write_shards_of
        from fuzzbow.cluster.search.construction import SHARD_TEXTS

        # as many shards as workers, unless told
        shards = self.shards or (self.workers or os.cpu_count()) if self.needs_count else None
        alone = self.workers is None and self.ray is None
        with nullcontext() if alone else open_workers(self.workers, ray=self.ray) as workers:
            return write_shards_of(
                model,
                rows,
                total,
                path=target,
                begun_for=out,
                shards=shards,
                shard_texts=self.shard_texts or SHARD_TEXTS,
                workers=workers,
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
    """The index of a folder; one of shards where the hosting says, until the end."""
    from fuzzbow.cluster.search import is_sharded, open_sharded_index

    if is_sharded(folder):
        with open_sharded_index(
            folder,
            model,
            workers=hosting.workers,
            ray=hosting.ray,
            replicas=hosting.replicas,
            read_only=read_only,
        ) as index:
            yield index
        return
    if hosting != Hosting():
        raise InputError(
            f"--workers, --ray and --replicas need an index of shards; {folder} is one index:"
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
    """The same with the model that the index was made with."""
    return open_any(folder, stored_model(folder, vectors), hosting, read_only=read_only)

"""What an index can do, whether it is one or consists of shards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from fuzzbow.measures import TextMeasure
from fuzzbow.progress import Progress
from fuzzbow.tasks.index.condition import Where
from fuzzbow.tasks.index.documents import NewDocuments
from fuzzbow.tasks.index.hits import Hits
from fuzzbow.tasks.index.place import Place
from fuzzbow.tasks.index.store import Version


class TextIndex(Protocol):
    """Texts ready for exact search; `Index` says what each method does."""

    model: TextMeasure
    read_only: bool

    def __len__(self) -> int: ...
    @property
    def path(self) -> Place | None: ...
    @property
    def metadata(self) -> dict[str, str]: ...
    @property
    def commits(self) -> int: ...
    def search(
        self,
        query: Sequence[str],
        k: int = 10,
        min_score: float = 0.0,
        where: Where | None = None,
        threads: int | None = None,
    ) -> list[Hits]: ...
    def add(
        self,
        texts: Iterable[str],
        ids: Iterable[int | str] | None = None,
        metadata: Any = None,
        *,
        threads: int | None = None,
    ) -> list[int | str]: ...
    def add_batches(
        self,
        batches: Iterable[NewDocuments],
        total: int | None = None,
        *,
        progress: Progress | None = None,
        threads: int | None = None,
    ) -> Any: ...
    def delete(self, ids: int | str | Iterable[int | str]) -> int: ...
    def compact(self, *, keep_versions: int | None = None) -> None: ...
    def restore(self, version: int) -> None: ...
    def fitted_model(self) -> TextMeasure: ...
    def versions(self) -> list[Version]: ...
    def info(self) -> dict[str, Any]: ...
    def parse_ids(self, ids: Iterable[str]) -> list[int | str]: ...

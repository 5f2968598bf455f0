"""What the routes ask: one model, perhaps an index, and the threads that work on them."""

from __future__ import annotations

from fuzzbow.model import Model
from fuzzbow.server.checks import CheckedWork
from fuzzbow.server.comparing import Comparing
from fuzzbow.server.errors import ApiError
from fuzzbow.server.offered import Models
from fuzzbow.server.searching import Searching
from fuzzbow.server.settings import Limits
from fuzzbow.server.work import Workers
from fuzzbow.tasks.index import Index

WARM_UP = [f"a cat and {number} dogs" for number in range(100)]


class Service:
    """Everything that a server works with."""

    def __init__(self, model: Model, index: Index | None, limits: Limits) -> None:
        self.models, self.limits, self.workers = Models(model), limits, Workers()
        work = CheckedWork(self.workers, limits, model.tokenizer)
        self.comparing = Comparing(self.models, work)
        self.index = None if index is None else Searching(index, work)

    @property
    def searching(self) -> Searching:
        """The index, or an error that says how to have one."""
        if self.index is None:
            raise ApiError(
                404, "there is no index; start the server with --index DIR", code="no_index"
            )
        return self.index

    def warm_up(self) -> None:
        """Do once what the first request would wait for."""
        for name in self.models.meanings:
            self.models.get(name).pairs(WARM_UP, WARM_UP[::-1])

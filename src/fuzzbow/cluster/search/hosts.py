"""Where shards are open: in this process, in processes of this machine, or in actors of Ray."""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from fuzzbow.cluster.search.shard_host import ModelSource, ShardHost
from fuzzbow.cluster.workers.processes import LostProcessError, WorkerProcess
from fuzzbow.errors import check_count
from fuzzbow.measures import TextMeasure
from fuzzbow.tasks.index.place import Place


class HostLostError(Exception):
    """A host ended before it answered: it was killed, or its machine is gone."""


class Host(ABC):
    """A `ShardHost`, wherever it is; threads may share one."""

    @abstractmethod
    def call(self, method: str, *arguments: Any) -> Any:
        """The answer of a method; what it raises is raised here."""

    @abstractmethod
    def end(self) -> None:
        """Give it up, however it is."""


class Hosts(ABC):
    """A kind of hosts, and how many of them there may be."""

    most: int | None = None  # None: as many as shards and replicas need

    @abstractmethod
    def start(self) -> Host:
        """A new host; HostLostError where it ends before it is ready."""

    def close(self) -> None:  # noqa: B027  # most run on nothing that has to be left
        """Leave what the hosts ran on."""


@dataclass(frozen=True)
class HeldModel:
    """A model that is loaded already, for shards in the same process."""

    model: TextMeasure

    def load(self) -> TextMeasure:
        """The model."""
        return self.model


class LocalHosts(Hosts):
    """All shards in this process."""

    most = 1

    def __init__(self, folder: Place, model: TextMeasure) -> None:
        self._folder, self._model = folder, HeldModel(model)

    def start(self) -> Host:
        """A host of this process."""
        return _LocalHost(ShardHost(self._folder, self._model))


class _LocalHost(Host):
    def __init__(self, host: ShardHost) -> None:
        self._host = host

    def call(self, method: str, *arguments: Any) -> Any:
        return getattr(self._host, method)(*arguments)

    def end(self) -> None:
        """Nothing: its memory goes with it."""


class ProcessHosts(Hosts):
    """So many processes of this machine, which share its cores and the shards among them."""

    def __init__(self, folder: Place, model: ModelSource, count: int) -> None:
        self._folder, self._model, self.most = folder, model, check_count(count, "workers")

    def start(self) -> Host:
        """A new process."""
        threads = max((os.cpu_count() or 1) // (self.most or 1), 1)
        return _ProcessHost(self._folder, self._model, threads)


class _ProcessHost(Host):
    def __init__(self, folder: Place, model: ModelSource, threads: int) -> None:
        self._process, self._turn = WorkerProcess(), threading.RLock()
        self._ended = False
        self._ask(_begin, folder, model, threads)

    def call(self, method: str, *arguments: Any) -> Any:
        return self._ask(_answer, method, *arguments)

    def _ask(self, function: Any, *arguments: Any) -> Any:
        with self._turn:
            if self._ended:  # by a thread that saw it lost
                raise HostLostError(f"process {self._process.pid} ended")
            try:
                self._process.send(function, *arguments)
                return self._process.receive()
            except LostProcessError as error:
                raise HostLostError(f"process {self._process.pid} ended") from error
            except (KeyboardInterrupt, SystemExit):  # the next call would get this one's answer
                self.end()
                raise

    def end(self) -> None:
        with self._turn:
            if not self._ended:
                self._ended = True
                self._process.end()


_here: list[ShardHost] = []  # that of a process which is a host


def _begin(folder: Place, model: ModelSource, threads: int) -> None:
    _here[:] = [ShardHost(folder, model, threads)]


def _answer(method: str, *arguments: Any) -> Any:
    return getattr(_here[0], method)(*arguments)


class RayHosts(Hosts):
    """Actors of a Ray cluster, one for each replica of a shard, spread over its machines."""

    def __init__(
        self, folder: Place, model: ModelSource, address: str, cores: int | None = None
    ) -> None:
        from fuzzbow.cluster.workers.ray import RayWorkers

        self._session = RayWorkers(address, count=cores)
        self._arguments = (folder, model)
        self._actor = self._session.ray.remote(ShardHost).options(scheduling_strategy="SPREAD")

    def start(self) -> Host:
        """A new actor, wherever Ray has room for it."""
        return _RayHost(self._session.ray, self._actor.remote(*self._arguments))

    def close(self) -> None:
        """Leave the cluster, which ends where it was started here."""
        self._session.close()


class _RayHost(Host):
    def __init__(self, ray: Any, actor: Any) -> None:
        self._ray, self._actor = ray, actor

    def call(self, method: str, *arguments: Any) -> Any:
        errors = self._ray.exceptions
        try:
            return self._ray.get(getattr(self._actor, method).remote(*arguments))
        except errors.RayTaskError as error:
            if isinstance(error.cause, Exception):
                raise error.cause from error
            raise
        except (errors.RayActorError, errors.NodeDiedError, errors.ObjectLostError) as error:
            raise HostLostError(str(error).strip().partition("\n")[0]) from error

    def end(self) -> None:
        self._ray.kill(self._actor)

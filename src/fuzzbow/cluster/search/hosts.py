"""Hosts of shards: this process, or Ray actors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from fuzzbow.cluster.search.shard_host import ModelSource, ShardHost
from fuzzbow.measures import TextMeasure
from fuzzbow.tasks.index.place import Place


class HostLostError(Exception):
    """A host died during a call: it was killed, or its machine is lost."""


class Host(ABC):
    """A `ShardHost` in this process or elsewhere; threads may share one."""

    @abstractmethod
    def call(self, method: str, *arguments: Any) -> Any:
        """Call a method, return its result, and raise its errors."""

    @abstractmethod
    def end(self) -> None:
        """Stop the host, whatever its state."""


class Hosts(ABC):
    """A kind of hosts."""

    together: bool = False  # whether one host has all shards open; else each has one

    @abstractmethod
    def start(self) -> Host:
        """Start a host; raise HostLostError if it dies during that."""

    def close(self) -> None:  # noqa: B027  # only some kinds hold resources
        """Release what the hosts ran on."""


@dataclass(frozen=True)
class HeldModel:
    """A loaded model, for shards in the same process."""

    model: TextMeasure

    def load(self) -> TextMeasure:
        """Return the model."""
        return self.model


class LocalHosts(Hosts):
    """All shards in this process."""

    together = True

    def __init__(self, folder: Place, model: TextMeasure) -> None:
        self._folder, self._model = folder, HeldModel(model)

    def start(self) -> Host:
        """Make a host of this process."""
        return _LocalHost(ShardHost(self._folder, self._model))


class _LocalHost(Host):
    def __init__(self, host: ShardHost) -> None:
        self._host = host

    def call(self, method: str, *arguments: Any) -> Any:
        return getattr(self._host, method)(*arguments)

    def end(self) -> None:
        """Do nothing: its memory is freed with it."""


class RayHosts(Hosts):
    """Ray actors, one for each replica of a shard, spread over the machines of the cluster."""

    def __init__(self, folder: Place, model: ModelSource, address: str) -> None:
        from fuzzbow.cluster.executors.ray import RayExecutor

        self._session = RayExecutor(address)
        self._arguments = (folder, model)
        self._actor = self._session.ray.remote(ShardHost).options(scheduling_strategy="SPREAD")

    def start(self) -> Host:
        """Start an actor on a machine of Ray's choice."""
        return _RayHost(self._session.ray, self._actor.remote(*self._arguments))

    def close(self) -> None:
        """Disconnect from the cluster, and stop it if it was started here."""
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

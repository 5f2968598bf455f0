"""The assignment of shards to hosts, and the replacement of lost hosts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeVar

from fuzzbow.cluster.search.card import IndexManifest, Shard
from fuzzbow.cluster.search.hosts import Host, HostLostError, Hosts
from fuzzbow.errors import InputError
from fuzzbow.measures.document_frequencies import DocumentFrequencies
from fuzzbow.tasks.index.place import Place

ATTEMPTS = 4  # hosts that a call is given to, one after the other, as each is lost

Result = TypeVar("Result")


class ShardLostError(InputError):
    """Several hosts in a row were lost with a shard."""


@dataclass(frozen=True, eq=False)
class View:
    """The shards at the versions of one card, and what all their texts together say of words."""

    card: IndexManifest
    collection: DocumentFrequencies | None = None


@dataclass(frozen=True)
class Group:
    """Shards that a host has open together."""

    number: int
    shards: tuple[Shard, ...]


class Slot:
    """A place for one host at a time; a lost one is replaced when it is next needed."""

    def __init__(self, hosts: Hosts) -> None:
        self._hosts, self._lock = hosts, threading.Lock()
        self._host: Host | None = None
        self._open: dict[int, tuple[Shard, ...]] = {}  # group -> its shards
        self._changed: set[int] = set()  # groups that were changed since
        self._weighed: dict[int, DocumentFrequencies] = {}  # group -> by which collection

    def call(self, view: View, group: Group, method: str, *arguments: Any) -> Any:
        """Call a method of the host, which has the group open as the view says."""
        with self._lock:
            host = self._ready(view, group)
        return self._watched(host, lambda: host.call(method, group.number, *arguments))

    def change(self, view: View, group: Group, shard: Shard, method: str, *arguments: Any) -> Shard:
        """Change a shard of a group as the view has it; as it is then.

        Other shards of the group may be ahead of the view, by other parts of the same change.
        """
        with self._lock:
            if shard not in self._open.get(group.number, ()):
                self._ready(view, group)
            host, number = self._running(), group.number
            held = self._open.pop(number)  # until it is known how the change went
            names = (number, shard.name, shard.version)
            changed: Shard = self._watched(host, lambda: host.call(method, *names, *arguments))
            self._open[number] = tuple(changed if other == shard else other for other in held)
            self._changed.add(number)
            return changed

    def _running(self) -> Host:
        if self._host is None:
            self._host = self._hosts.start()
        return self._host

    def _ready(self, view: View, group: Group) -> Host:
        host, number = self._running(), group.number

        def make_ready() -> None:
            if self._open.get(number) != group.shards or number in self._changed:
                versions = {shard.name: shard.version for shard in group.shards}
                if host.call("open", number, versions):
                    self._weighed.pop(number, None)
                self._open[number] = group.shards
                self._changed.discard(number)
            if view.collection is not None and self._weighed.get(number) is not view.collection:
                host.call("weigh_by", number, view.collection)
                self._weighed[number] = view.collection

        self._watched(host, make_ready)
        return host

    def _watched(self, host: Host, work: Callable[[], Result]) -> Result:
        """Do some work; where the host is lost in it, forget the host."""
        try:
            return work()
        except HostLostError:
            if self._host is host:
                self._host, self._open, self._weighed = None, {}, {}
                host.end()
            raise

    def end(self) -> None:
        """End the host, if there is one."""
        if self._host is not None:
            self._host.end()
            self._host = None


class Placement:
    """Groups of shards, each open on `replicas` hosts, and calls to one of these.

    In this process all shards are one group; on Ray each shard is a group.
    """

    def __init__(self, folder: Place, hosts: Hosts, replicas: int) -> None:
        if hosts.together and replicas > 1:
            raise InputError(f"replicas must be 1 without Ray; got {replicas}")
        self._folder, self._hosts, self._replicas = folder, hosts, replicas
        self._slots: list[Slot] = []
        self._turns = count()
        self._pool: ThreadPoolExecutor | None = None

    def _groups(self, view: View) -> list[Group]:
        shards = view.card.shards
        if self._hosts.together:
            return [Group(0, shards)]
        return [Group(number, (shard,)) for number, shard in enumerate(shards)]

    def _group_of(self, view: View, number: int) -> Group:
        """Return the group of a shard."""
        return self._groups(view)[0 if self._hosts.together else number]

    def _home(self, group: int) -> list[Slot]:
        """Return the slots of the group of a number."""
        first = group * self._replicas
        while len(self._slots) < first + self._replicas:
            self._slots.append(Slot(self._hosts))
        return self._slots[first : first + self._replicas]

    def call(self, view: View, number: int, method: str, *arguments: Any) -> Any:
        """The answer for a shard of one of its hosts; where one is lost, that of another."""
        group, name = self._group_of(view, number), view.card.shards[number].name
        return self._call(next(self._turns), view, group, method, name, *arguments)

    def _call(self, turn: int, view: View, group: Group, method: str, *arguments: Any) -> Any:
        home = self._home(group.number)
        return self._answer(
            group,
            lambda n: home[(turn + n) % len(home)].call(view, group, method, *arguments),
        )

    def change(self, view: View, number: int, method: str, *arguments: Any) -> Shard:
        """Change a shard on the first of its hosts; the others open it anew when asked next.

        A host that is lost may have made the change: the next one takes it back, and makes it.
        """
        group, shard = self._group_of(view, number), view.card.shards[number]
        slot = self._home(group.number)[0]
        return self._answer(group, lambda n: slot.change(view, group, shard, method, *arguments))

    def _answer(self, group: Group, attempt: Callable[[int], Result]) -> Result:
        for n in range(ATTEMPTS):
            try:
                return attempt(n)
            except HostLostError as error:
                lost = error
        names = ", ".join(shard.name for shard in group.shards)
        raise ShardLostError(
            f"{names} of '{self._folder}' cannot be asked: {ATTEMPTS} hosts in a row were"
            f" lost with it, most likely for lack of memory; the last: {lost}"
        ) from lost

    def call_all(self, view: View, method: str, *arguments: Any) -> list[Any]:
        """The answers of all groups in their order, asked together."""
        turn = next(self._turns)  # one for all, which spreads them over the hosts
        groups = self._groups(view)
        return self.map(
            lambda number: self._call(turn, view, groups[number], method, *arguments),
            range(len(groups)),
        )

    def call_each(self, view: View, method: str, *arguments: Any) -> list[Any]:
        """The answers for all shards in their order, asked together."""
        return self.map(
            lambda number: self.call(view, number, method, *arguments),
            range(len(view.card.shards)),
        )

    def map(self, work: Callable[[int], Result], numbers: Iterable[int]) -> list[Result]:
        """Work for shards, at the same time where these are on several hosts."""
        wanted: Sequence[int] = list(numbers)
        if self._hosts.together or len(wanted) <= 1:
            return [work(number) for number in wanted]
        if self._pool is None:
            self._pool = ThreadPoolExecutor(64, "fuzzbow-shards")
        self._home(max(wanted))  # made here, since threads would make one twice
        return list(self._pool.map(work, wanted))

    def close(self) -> None:
        """End all hosts."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
        for slot in self._slots:
            slot.end()
        self._hosts.close()

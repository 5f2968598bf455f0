"""Which host has which shard open, and what happens when a host is lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from fuzzbow.cluster.search.card import Card, Shard
from fuzzbow.cluster.search.hosts import Host, HostLostError, Hosts
from fuzzbow.errors import InputError
from fuzzbow.measures.document_frequencies import DocumentFrequencies

ATTEMPTS = 4  # hosts that a call is given to, one after the other, as each is lost

Result = TypeVar("Result")


class ShardLostError(InputError):
    """No host lives long enough to answer for a shard."""


@dataclass(frozen=True, eq=False)
class View:
    """The shards at the versions of one card, and what all their texts together say of words."""

    card: Card
    collection: DocumentFrequencies | None = None


class Slot:
    """A place for one host at a time; a lost one is replaced when it is next needed."""

    def __init__(self, hosts: Hosts) -> None:
        self._hosts, self._lock = hosts, threading.Lock()
        self._host: Host | None = None
        self._open: dict[str, int] = {}  # shard -> version
        self._weighed: dict[str, DocumentFrequencies] = {}  # shard -> by which collection

    def call(self, view: View, shard: Shard, method: str, *arguments: Any) -> Any:
        """Call a method of the host, which has the shard open as the view says."""
        with self._lock:
            host = self._ready(view, shard)
        return self._watched(host, lambda: host.call(method, shard.name, *arguments))

    def change(self, view: View, shard: Shard, method: str, *arguments: Any) -> Shard:
        """Change a shard as the view has it; as it is then."""
        with self._lock:
            host = self._ready(view, shard)
            # until it is known how the change went, nothing is known of the shard here
            self._open.pop(shard.name), self._weighed.pop(shard.name, None)
            call = lambda: host.call(method, shard.name, shard.version, *arguments)  # noqa: E731
            changed: Shard = self._watched(host, call)
            self._open[shard.name] = changed.version
            return changed

    def _ready(self, view: View, shard: Shard) -> Host:
        if self._host is None:
            self._host = self._hosts.start()
        host, name = self._host, shard.name

        def make_ready() -> None:
            if self._open.get(name) != shard.version:
                self._weighed.pop(name, None)
                host.call("open", name, shard.version)
                self._open[name] = shard.version
            if view.collection is not None and self._weighed.get(name) is not view.collection:
                host.call("weigh_by", name, view.collection)
                self._weighed[name] = view.collection

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
    """Every shard on so many hosts, and calls that go to one of them."""

    def __init__(self, folder: Path, hosts: Hosts, replicas: int) -> None:
        if hosts.most is not None and replicas > hosts.most:
            raise InputError(
                f"replicas must be at most the number of processes, {hosts.most}; got {replicas}"
            )
        self._folder, self._hosts, self._replicas = folder, hosts, replicas
        self._slots: list[Slot] = [Slot(hosts) for _ in range(hosts.most or 0)]
        self._turns = count()
        self._pool: ThreadPoolExecutor | None = None

    def _home(self, number: int) -> list[Slot]:
        """The slots of the shard of a number."""
        if self._hosts.most is not None:
            return [self._slots[(number + r) % len(self._slots)] for r in range(self._replicas)]
        first = number * self._replicas
        while len(self._slots) < first + self._replicas:
            self._slots.append(Slot(self._hosts))
        return self._slots[first : first + self._replicas]

    def call(self, view: View, number: int, method: str, *arguments: Any) -> Any:
        """The answer of one of the shard's hosts; where one is lost, that of another."""
        return self._call(next(self._turns), view, number, method, *arguments)

    def _call(self, turn: int, view: View, number: int, method: str, *arguments: Any) -> Any:
        home = self._home(number)
        return self._answer(
            number,
            lambda n: home[(turn + n) % len(home)].call(
                view, _of(view, number), method, *arguments
            ),
        )

    def change(self, view: View, number: int, method: str, *arguments: Any) -> Shard:
        """Change a shard on the first of its hosts; the others open it anew when asked next.

        A host that is lost may have made the change: the next one takes it back, and makes it.
        """
        slot = self._home(number)[0]
        return self._answer(
            number, lambda n: slot.change(view, _of(view, number), method, *arguments)
        )

    def _answer(self, number: int, attempt: Callable[[int], Result]) -> Result:
        for n in range(ATTEMPTS):
            try:
                return attempt(n)
            except HostLostError as error:
                lost = error
        raise ShardLostError(
            f"shard {number} of '{self._folder}' cannot be asked: {ATTEMPTS} hosts in a row were"
            f" lost with it, most likely for lack of memory; the last: {lost}"
        ) from lost

    def call_all(self, view: View, method: str, *arguments: Any) -> list[Any]:
        """The answers of all shards in their order, asked together."""
        turn = next(self._turns)  # one for all, which spreads them over the hosts
        return self.map(
            lambda number: self._call(turn, view, number, method, *arguments),
            range(len(view.card.shards)),
        )

    def map(self, work: Callable[[int], Result], numbers: Iterable[int]) -> list[Result]:
        """Work for shards, at the same time where these are on several hosts."""
        wanted: Sequence[int] = list(numbers)
        if self._hosts.most == 1 or len(wanted) <= 1:
            return [work(number) for number in wanted]
        if self._pool is None:
            self._pool = ThreadPoolExecutor(64, "fuzzbow-shards")
        for number in wanted:
            self._home(number)  # made here, since threads would make one twice
        return list(self._pool.map(work, wanted))

    def close(self) -> None:
        """End all hosts."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
        for slot in self._slots:
            slot.end()
        self._hosts.close()


def _of(view: View, number: int) -> Shard:
    return view.card.shards[number]

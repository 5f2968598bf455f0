"""Many clients in one thread; each asks again on its own connection when it is answered.

They parse no more of an answer than its status, its length and its body, so that the server gets
what it can of the cores that both share.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

HEAD_END = b"\r\n\r\n"
LENGTH = b"\r\ncontent-length: "


@dataclass
class Question:
    """A body, and what says whether an answer is right."""

    body: dict[str, Any]
    right: Callable[[Any], bool]
    _seen: bytes | None = None  # an answer that was right: most others are the same bytes

    def is_right(self, answer: bytes) -> bool:
        """Whether the library says the same."""
        if answer != self._seen:
            if not self.right(json.loads(answer)):
                return False
            self._seen = answer
        return True


@dataclass
class Tally:
    """What the clients of one run saw."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    checked: int = 0
    wrong: int = 0
    broken: int = 0


class Client(asyncio.Protocol):
    """One keep-alive connection; a client asks one request after the other until a time."""

    def __init__(
        self,
        asked: Sequence[tuple[bytes, Question]],
        first: int,
        step: int,
        until: float,
        tally: Tally,
    ) -> None:
        self._asked, self._place, self._step = asked, first, step
        self._until, self._tally = until, tally
        self._received, self._needed = b"", 0
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask the first question."""
        self._transport: Any = transport
        self._ask()

    def connection_lost(self, error: Exception | None) -> None:
        """Note who was left without an answer."""
        self._tally.broken += not self._transport.is_closing() or error is not None
        self.ended.set_result(None)

    def data_received(self, data: bytes) -> None:
        """Wait for the whole answer, look at it, and ask again."""
        self._received += data
        if len(self._received) < self._needed:
            return
        head, end, body = self._received.partition(HEAD_END)
        if not end:
            return
        length = int(head.lower().partition(LENGTH)[2].partition(b"\r\n")[0])
        if len(body) < length:
            self._needed = len(head) + len(end) + length
            return
        self._note(int(head[9:12]), body)
        self._received, self._needed = b"", 0
        self._place += self._step
        if time.monotonic() < self._until:
            self._ask()
        else:
            self._transport.close()

    def _ask(self) -> None:
        request, self._question = self._asked[self._place % len(self._asked)]
        self._start = time.perf_counter()
        self._transport.write(request)

    def _note(self, status: int, body: bytes) -> None:
        tally = self._tally
        tally.seconds.append(time.perf_counter() - self._start)
        tally.statuses[status] += 1
        if status == 200:
            tally.checked += 1
            tally.wrong += not self._question.is_right(body)


def posted(path: str, body: dict[str, Any]) -> bytes:
    """A POST request."""
    content = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


async def load(
    port: int, path: str, questions: Sequence[Question], clients: int, until: float
) -> Tally:
    """Let clients ask until a time, each question once if they suffice; every answer is checked."""
    tally = Tally()
    asked = [(posted(path, question.body), question) for question in questions]
    loop = asyncio.get_running_loop()

    async def client(number: int) -> None:
        _, made = await loop.create_connection(
            lambda: Client(asked, number, clients, until, tally), "127.0.0.1", port
        )
        await made.ended

    await asyncio.gather(*(client(number) for number in range(clients)))
    return tally


async def pulse(port: int, until: float) -> list[float]:
    """Seconds that /healthz took, asked ten times a second."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    seconds = []
    while time.monotonic() < until:
        start = time.perf_counter()
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        head = await reader.readuntil(HEAD_END)
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(f"/healthz answered {head!r:.40}")
        await reader.readuntil(b"}")
        seconds.append(time.perf_counter() - start)
        await asyncio.sleep(0.1)
    writer.close()
    return seconds

"""Many clients in one thread; each asks again on its own connection when it is answered."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Question = tuple[dict[str, Any], Callable[[Any], bool]]  # a body, and whether an answer is right


@dataclass
class Tally:
    """What the clients of one run saw."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    checked: int = 0
    wrong: int = 0
    broken: int = 0


class Connection:
    """One keep-alive connection to a server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def ask(self, request: bytes) -> tuple[int, bytes]:
        """Status and body of the answer to one request."""
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length")
        )
        return int(head[9:12]), await self._reader.readexactly(length)

    def close(self) -> None:
        """End it."""
        self._writer.close()


async def connect(port: int) -> Connection:
    """A new connection."""
    return Connection(*await asyncio.open_connection("127.0.0.1", port))


def posted(path: str, body: dict[str, Any]) -> bytes:
    """A POST request."""
    content = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


async def load(
    port: int, path: str, questions: Sequence[Question], clients: int, until: float, every: int
) -> Tally:
    """Let clients ask until a time; every so many answers are checked."""
    tally = Tally()
    requests = [(posted(path, body), right) for body, right in questions]

    async def client(number: int) -> None:
        connection, place = await connect(port), number * 7919
        try:
            while time.monotonic() < until:
                request, right = requests[place % len(requests)]
                start = time.perf_counter()
                status, body = await connection.ask(request)
                tally.seconds.append(time.perf_counter() - start)
                tally.statuses[status] += 1
                if status == 200 and place % every == 0:
                    tally.checked += 1
                    tally.wrong += not right(json.loads(body))
                place += 1
        except (OSError, asyncio.IncompleteReadError):
            tally.broken += 1
        finally:
            connection.close()

    await asyncio.gather(*(client(number) for number in range(clients)))
    return tally


async def pulse(port: int, until: float) -> list[float]:
    """Seconds that /healthz took, asked ten times a second."""
    connection, seconds = await connect(port), []
    while time.monotonic() < until:
        start = time.perf_counter()
        status, _ = await connection.ask(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        if status != 200:
            raise RuntimeError(f"/healthz answered {status}")
        seconds.append(time.perf_counter() - start)
        await asyncio.sleep(0.1)
    connection.close()
    return seconds

"""A server under arbitrary bytes (no 5xx, crash or hang) and killed while an index changes."""

from __future__ import annotations

import asyncio
import random
import re
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

import fuzzbow
from fuzzbow.server import create_app
from tests.hostile.raw_requests import EXAMPLES, raw_request
from tests.hostile.scale import steps
from tests.unit.server.conftest import Running, servers

REQUESTS = steps(400, 10_000)
TOGETHER = 200  # connections
LEAVING = 1.5  # seconds without an answer, after which a client leaves
PATIENCE = ("--body-seconds", 1, "--idle-seconds", 1)
MEMORY = 300 * 1024  # KiB that the server may grow by
STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) [A-Z]")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("index") / "hostile"
    years = {"year": [2019, 2021]}
    fuzzbow.load("default").index(["a cat", "a dog"], ids=["a", "b"], metadata=years, path=folder)
    with servers() as start:
        yield start("--no-access-log", "--index", folder, *PATIENCE)


async def statuses_of(port: int, request: bytes, chance: random.Random) -> list[int]:
    """Send a request, whole or in two pieces, and return the statuses of the answers to it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answer = b""
    try:
        cut = chance.randrange(len(request) + 1) if chance.random() < 0.3 else len(request)
        for piece in (request[:cut], request[cut:]):
            writer.write(piece)
            await writer.drain()
        while part := await asyncio.wait_for(reader.read(65_536), LEAVING):
            answer += part
    except (ConnectionError, asyncio.TimeoutError):
        pass  # it may hang up on a bad request, and waits for the rest of half a head
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
    return [int(status) for status in STATUS.findall(answer)]


async def send_all(port: int, numbers: range) -> dict[int, list[int]]:
    """Return statuses by number of request."""
    room, found = asyncio.Semaphore(TOGETHER), {}

    async def send(number: int) -> None:
        async with room:
            work = statuses_of(port, raw_request(number), random.Random(number))
            found[number] = await asyncio.wait_for(work, 60)

    await asyncio.gather(*(send(number) for number in numbers))
    return found


def memory(server: Running) -> int:
    """KiB in use."""
    status = Path(f"/proc/{server.process.pid}/status")
    if not status.exists():  # another system than Linux
        return 0
    return int(re.findall(r"VmRSS:\s+(\d+)", status.read_text())[0])


def test_no_request_harms_the_server(server, record_property):
    log: list[str] = []
    listener = threading.Thread(target=lambda: log.extend(server.process.stderr))
    listener.start()
    warm_up = REQUESTS // 10
    found = asyncio.run(send_all(server.port, range(warm_up)))
    before = memory(server)
    found |= asyncio.run(send_all(server.port, range(warm_up, REQUESTS)))
    grown = memory(server) - before
    healthy = httpx.get(server.url + "/healthz").json() == {"status": "ok"}
    server.process.terminate()
    listener.join(60)
    record_property("requests", len(found))
    record_property("grown KiB", grown)
    print(
        f"{len(found)} requests, {sum(map(len, found.values()))} answers, {grown} KiB more",
        file=sys.stderr,
    )
    assert {number: seen for number, seen in found.items() if max(seen, default=0) >= 500} == {}
    assert [line for line in log if '"trace"' in line] == []
    assert healthy
    assert grown < MEMORY
    assert server.process.wait(60) == 0


def test_the_requests_are_of_all_kinds():
    """Else the test above could pass because all are refused at the door."""
    sent = [raw_request(number) for number in range(400)]
    for path in EXAMPLES:
        assert any(path.encode() in request for request in sent)


def test_every_body_of_the_description_is_tried():
    described = create_app(fuzzbow.load("default")).openapi
    bodies = {
        path: item["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        for path, methods in described["paths"].items()
        for item in methods.values()
        if "requestBody" in item
    }
    assert bodies.keys() == EXAMPLES.keys()
    for path, body in bodies.items():
        schema = described["components"]["schemas"][body.rpartition("/")[2]]
        assert schema["properties"].keys() == EXAMPLES[path].keys()


KILLS = steps(3, 150)
CLIENTS = 4
TEXTS = 3  # of one request, which are there together or not at all


class Writer:
    """A client that adds numbered texts until the server is gone, and tries again after."""

    def __init__(self, number: int) -> None:
        self.number, self.acknowledged = number, []
        self.refused: list[str] = []

    def write(self, url: str, answered: threading.Event) -> None:
        """Add texts, some at a time; the last may have been stored without an answer."""
        with suppress(httpx.TransportError), httpx.Client(timeout=60) as client:
            while True:
                name = f"{self.number}-{len(self.acknowledged)}"
                body = {"documents": [document(name, part) for part in range(TEXTS)]}
                answer = client.post(f"{url}/v1/documents", json=body)
                if answer.status_code == 503:  # it is about to end
                    return
                # 409: it was stored before the kill, and only the answer was lost
                if answer.status_code not in (201, 409):
                    self.refused.append(answer.text)
                    return
                self.acknowledged.append(name)
                answered.set()


def document(name: str, part: int) -> dict[str, str]:
    """A text that says where it belongs."""
    return {"id": f"{name}-{part}", "text": f"part {part} of what writer {name} wrote"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_every_acknowledged_text_survives_once_and_whole(tmp_path, record_property):
    folder, chance = tmp_path / "index", random.Random(5)
    fuzzbow.load("default").index(["a first text"], ids=["first"], path=folder)
    writers = [Writer(number) for number in range(CLIENTS)]
    for number in range(KILLS):
        answered = threading.Event()
        with servers() as start:
            server = start("--no-access-log", "--index", folder)
            threads = [
                threading.Thread(target=writer.write, args=(server.url, answered))
                for writer in writers
            ]
            for thread in threads:
                thread.start()
            seen = answered.wait(60)
            time.sleep(chance.uniform(0.0, 0.5))
            server.end(signal.SIGTERM if number % 3 == 2 else signal.SIGKILL)
            for thread in threads:
                thread.join()
        assert seen
    record_property("kills", KILLS)
    names = [name for writer in writers for name in writer.acknowledged]
    print(f"{KILLS} kills, {len(names)} requests acknowledged", file=sys.stderr)
    assert [text for writer in writers for text in writer.refused] == []
    assert len(names) >= KILLS
    check_index(folder, names)


def check_index(folder, names: list[str]) -> None:
    """Check for all acknowledged texts and, besides, at most one whole request of each writer."""
    texts = {"first": "a first text"}
    for name in [
        *names,
        *(f"{n}-{sum(x.startswith(f'{n}-') for x in names)}" for n in range(CLIENTS)),
    ]:
        texts |= {item["id"]: item["text"] for item in (document(name, n) for n in range(TEXTS))}
    index = fuzzbow.open_index(folder)
    ids = index.ids
    assert len(ids) == len(set(ids))
    assert {"first", *(f"{name}-{part}" for name in names for part in range(TEXTS))} <= set(ids)
    assert len(ids) % TEXTS == 1  # no request is stored by half
    found = index.search(document("0-0", 0)["text"], k=len(ids))
    assert len(found) == len(ids)
    assert {hit.id: hit.text for hit in found} == {name: texts[name] for name in ids}

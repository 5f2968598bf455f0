"""A server under arbitrary bytes (no 5xx, crash or hang) and killed while an index changes."""

from __future__ import annotations

import asyncio
import json
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
from tests.hostile.raw_requests import EXAMPLES, raw_request
from tests.hostile.scale import steps
from tests.unit.server.conftest import Running, servers

REQUESTS = steps(400, 10_000)
TOGETHER = 40  # connections
LEAVING = 3  # seconds without an answer, after which a client leaves
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
    from fuzzbow.server import create_app

    paths = create_app(fuzzbow.load("default")).openapi["paths"]
    with_body = {
        path
        for path, methods in paths.items()
        for item in methods.values()
        if "requestBody" in item
    }
    assert with_body == EXAMPLES.keys()
    schemas = create_app(fuzzbow.load("default")).openapi["components"]["schemas"]
    for path, example in EXAMPLES.items():
        body = paths[path]["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        assert schemas[body.rpartition("/")[2]]["properties"].keys() == example.keys()
        json.dumps(example)


KILLS = steps(3, 150)
CLIENTS = 4
TEXTS = 3  # of one request, which are there together or not at all


class Writer:
    """A client that adds numbered texts until the server is gone, and tries again after."""

    def __init__(self, number: int) -> None:
        self.number, self.next = number, 0
        self.acknowledged: list[str] = []
        self.refused: list[str] = []

    def write(self, url: str, answered: threading.Event) -> None:
        """Add texts, some at a time; the last may have been stored unseen."""
        try:
            with httpx.Client() as client:
                while True:
                    name = f"{self.number}-{self.next}"
                    body = {"documents": [document(name, part) for part in range(TEXTS)]}
                    answer = client.post(f"{url}/v1/documents", json=body, timeout=60)
                    if answer.status_code == 503:  # it is about to end
                        return
                    # 409: it was stored before the kill, and only the answer was lost
                    if answer.status_code not in (201, 409):
                        self.refused.append(answer.text)
                        return
                    self.acknowledged.append(name)
                    self.next += 1
                    answered.set()
        except httpx.TransportError:
            return


def document(name: str, part: int) -> dict[str, str]:
    """A text that says where it belongs."""
    return {"id": f"{name}-{part}", "text": f"part {part} of what writer {name} wrote"}


def write_until_ended(
    server: Running, writers: list[Writer], after: float, how: signal.Signals
) -> None:
    """Let all write, and some time after the first answer end the server."""
    answered = threading.Event()
    threads = [
        threading.Thread(target=writer.write, args=(server.url, answered)) for writer in writers
    ]
    for thread in threads:
        thread.start()
    seen = answered.wait(60)
    time.sleep(after)
    server.process.send_signal(how)
    server.process.communicate(timeout=60)
    for thread in threads:
        thread.join()
    assert seen


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_every_acknowledged_text_survives_once_and_whole(tmp_path, record_property):
    folder, chance = tmp_path / "index", random.Random(5)
    fuzzbow.load("default").index(["a first text"], ids=["first"], path=folder)
    writers = [Writer(number) for number in range(CLIENTS)]
    for number in range(KILLS):
        how = signal.SIGTERM if number % 3 == 2 else signal.SIGKILL
        with servers() as start:
            server = start("--no-access-log", "--index", folder)
            write_until_ended(server, writers, chance.uniform(0.0, 0.5), how)
    record_property("kills", KILLS)
    acknowledged = [name for writer in writers for name in writer.acknowledged]
    print(f"{KILLS} kills, {len(acknowledged)} requests acknowledged", file=sys.stderr)
    assert [text for writer in writers for text in writer.refused] == []
    assert len(acknowledged) >= KILLS
    check_index(folder, acknowledged)


def check_index(folder, acknowledged: list[str]) -> None:
    """All that was acknowledged, and beside it at most what each writer was waiting for."""
    index = fuzzbow.open_index(folder)
    ids = index.ids
    parts = {f"{name}-{part}" for name in acknowledged for part in range(TEXTS)}
    assert len(ids) == len(set(ids))
    assert parts <= set(ids)
    unseen = set(ids) - parts - {"first"}
    assert len(unseen) <= CLIENTS * TEXTS
    assert len(unseen) % TEXTS == 0  # no request is there by half
    found = index.search(document("0-0", 0)["text"], k=len(ids))
    texts = {hit.id: hit.text for hit in found}
    assert len(found) == len(texts) == len(ids)
    assert texts == {name: text_of(name) for name in ids}


def text_of(name: str) -> str:
    """What the text of an id must be."""
    whole, _, part = name.rpartition("-")
    return document(whole, int(part))["text"] if whole else "a first text"

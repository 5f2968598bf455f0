"""Whatever bytes arrive: no 5xx, no crash, no hang, and memory within bounds."""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
import threading
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
PATIENCE = ("--head-seconds", 1, "--body-seconds", 1, "--idle-seconds", 1, "--write-seconds", 5)
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
    """Send it, whole or in two pieces, and what is answered until the connection ends."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answer = b""
    try:
        cut = chance.randrange(len(request) + 1) if chance.random() < 0.3 else len(request)
        for piece in (request[:cut], request[cut:]):
            writer.write(piece)
            await writer.drain()
        while part := await reader.read(65_536):
            answer += part
    except ConnectionError:
        pass  # it may hang up on what it has refused
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
    return [int(status) for status in STATUS.findall(answer)]


async def send_all(port: int, numbers: range) -> dict[int, list[int]]:
    """Statuses by number of request; a connection that stays open for a minute is a failure."""
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

    paths = create_app(fuzzbow.load("default")).openapi()["paths"]
    with_body = {
        path
        for path, methods in paths.items()
        for item in methods.values()
        if "requestBody" in item
    }
    assert with_body == EXAMPLES.keys()
    schemas = create_app(fuzzbow.load("default")).openapi()["components"]["schemas"]
    for path, example in EXAMPLES.items():
        body = paths[path]["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        assert schemas[body.rpartition("/")[2]]["properties"].keys() == example.keys()
        json.dumps(example)

"""A server that is ended while it writes keeps every text that it acknowledged, once and whole."""

from __future__ import annotations

import random
import signal
import sys
import threading
import time

import httpx
import pytest

import fuzzbow
from tests.hostile.scale import steps
from tests.unit.server.conftest import Running, servers

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

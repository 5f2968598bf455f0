"""A server that is killed keeps every text that it acknowledged, once."""

from __future__ import annotations

import os
import random
import threading
import time

import httpx

import fuzzbow
from tests.unit.server.conftest import Running

KILLS = int(os.environ.get("FUZZBOW_KILLS", "3"))
CLIENTS = 4


class Writer:
    """A client that adds numbered texts until the server is gone, and tries again after."""

    def __init__(self, number: int) -> None:
        self.number, self.next = number, 0
        self.acknowledged: list[str] = []
        self.refused: list[str] = []

    def write(self, url: str, answered: threading.Event) -> None:
        """Add texts, one after the other; the last may have been stored unseen."""
        try:
            with httpx.Client() as client:
                while True:
                    name = f"{self.number}-{self.next}"
                    document = {"id": name, "text": f"the text of writer {name}"}
                    body = {"documents": [document]}
                    answer = client.post(f"{url}/v1/documents", json=body, timeout=60)
                    # 409: it was stored before the kill, and only the answer was lost
                    if answer.status_code not in (201, 409):
                        self.refused.append(answer.text)
                        return
                    self.acknowledged.append(name)
                    self.next += 1
                    answered.set()
        except httpx.TransportError:
            return


def write_until_killed(server: Running, writers: list[Writer], after: float) -> None:
    """Let all write, and some time after the first answer kill the server without warning."""
    answered = threading.Event()
    threads = [
        threading.Thread(target=writer.write, args=(server.url, answered)) for writer in writers
    ]
    for thread in threads:
        thread.start()
    assert answered.wait(60)
    time.sleep(after)
    server.kill()
    for thread in threads:
        thread.join()


def test_every_acknowledged_text_survives_kill_9_once(model, running, tmp_path):
    folder, moment = tmp_path / "index", random.Random(5)
    model.index(["a first text"], ids=["first"], path=folder)
    writers = [Writer(number) for number in range(CLIENTS)]
    for _ in range(KILLS):
        server = running("--no-access-log", "--index", folder)
        write_until_killed(server, writers, moment.uniform(0.1, 0.7))
    assert [text for writer in writers for text in writer.refused] == []
    acknowledged = [name for writer in writers for name in writer.acknowledged]
    index = fuzzbow.open_index(folder)
    ids = index.ids
    assert len(acknowledged) >= KILLS
    assert len(ids) == len(set(ids))
    assert set(acknowledged) <= set(ids)
    # at most the one that each writer was waiting for is there unacknowledged
    assert len(ids) - 1 - len(acknowledged) <= CLIENTS
    queries = [f"the text of writer {name}" for name in acknowledged]
    for name, hits in zip(acknowledged, index.search(queries, k=len(ids)), strict=True):
        assert [hit.id for hit in hits].count(name) == 1

"""A server that is killed keeps every text that it acknowledged, once."""

from __future__ import annotations

import os
import random
import signal
import threading

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

    def write(self, url: str) -> None:
        """Add texts, one after the other; the last may have been stored unseen."""
        try:
            with httpx.Client() as client:
                while True:
                    name = f"{self.number}-{self.next}"
                    document = {"id": name, "text": f"the text of writer {name}"}
                    body = {"documents": [document]}
                    answer = client.post(f"{url}/v1/documents", json=body, timeout=60)
                    # 409: it was stored before the kill, and only the answer was lost
                    assert answer.status_code in (201, 409), answer.text
                    self.acknowledged.append(name)
                    self.next += 1
        except httpx.TransportError:
            return


def write_until_killed(server: Running, writers: list[Writer], after: float) -> None:
    """Let all write, and kill the server without warning."""
    threads = [threading.Thread(target=writer.write, args=(server.url,)) for writer in writers]
    for thread in threads:
        thread.start()
    threading.Event().wait(after)
    server.end(signal.SIGKILL)
    for thread in threads:
        thread.join()


def test_every_acknowledged_text_survives_kill_9_once(model, running, tmp_path):
    folder, moment = tmp_path / "index", random.Random(5)
    model.index(["a first text"], ids=["first"], path=folder)
    writers = [Writer(number) for number in range(CLIENTS)]
    for _ in range(KILLS):
        server = running("--no-access-log", "--index", folder)
        write_until_killed(server, writers, moment.uniform(0.2, 1.0))
    acknowledged = [name for writer in writers for name in writer.acknowledged]
    index = fuzzbow.open_index(folder)
    ids = index.ids
    assert len(acknowledged) > KILLS
    assert len(ids) == len(set(ids))
    assert set(acknowledged) <= set(ids)
    # at most the one that each writer was waiting for is there unacknowledged
    assert len(ids) - 1 - len(acknowledged) <= CLIENTS
    queries = [f"the text of writer {name}" for name in acknowledged]
    for name, hits in zip(acknowledged, index.search(queries, k=len(ids)), strict=True):
        assert [hit.id for hit in hits].count(name) == 1

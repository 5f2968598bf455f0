"""An S3 server on this machine, which honours conditions of writes."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

BUCKET = "texts"


@contextmanager
def object_store() -> Iterator[dict[str, str]]:
    """Run it with an empty bucket; gives the variables that lead there."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        _, port = server.get_host_and_port()
        address = f"http://127.0.0.1:{port}"
        httpx.put(f"{address}/{BUCKET}").raise_for_status()
        yield {
            "AWS_ENDPOINT_URL": address,
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "a-key",
            "AWS_SECRET_ACCESS_KEY": "a-secret-of-the-tests",
            "AWS_REGION": "us-east-1",
        }
    finally:
        server.stop()

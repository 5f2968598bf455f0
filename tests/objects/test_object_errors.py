"""What is wrong with an address, a store or its objects is said at once, and names it."""

from __future__ import annotations

import socket
import sys
import threading
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

import fuzzbow
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.index import location_of
from fuzzbow.index.location import redacting_errors
from fuzzbow.index.object_path import Bucket
from fuzzbow.index.versions import manifest


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("ftp://bucket/name", "begins with one of s3://, gs://, az://; got ftp://"),
        ("https://user:secret@host/name", "got https://"),
        ("s3://bucket", "a name of its own"),
        ("s3://bucket/", "a name of its own"),
        ("s3:///name", "must be s3://bucket/name"),
        ("s3://key:secret@bucket/name", "must be s3://bucket/name"),
        ("s3://bucket/a/../b", "must be s3://bucket/name"),
        ("s3://bucket/a//b", "must be s3://bucket/name"),
        (Path("s3://bucket/name"), "give an address as text"),
    ],
)
def test_what_is_no_address_is_refused(address, message, model):
    with pytest.raises(InputError, match=message) as raised:
        fuzzbow.open_index(address, model)
    assert "secret" not in str(raised.value)


def test_a_path_stays_a_path_and_slashes_at_the_end_make_no_difference():
    for path in ("index", "a:b/c", "C:\\index", "x:/y"):
        assert location_of(path) == Path(path)
    assert str(location_of("S3://bucket/a/b//")) == "s3://bucket/a/b"


def test_options_are_for_addresses(model, tmp_path):
    with pytest.raises(InputError, match="storage_options are for addresses"):
        model.index(["x"], path=tmp_path / "index", storage_options={})
    with pytest.raises(InputError, match="need a path"):
        model.index(["x"], storage_options={})
    with pytest.raises(InputError, match="texts as names and values"):
        model.index(["x"], path="s3://bucket/name", storage_options={"timeout": 5})


def test_what_is_not_there_is_said(model, address, options):
    with pytest.raises(InputError, match="there is none"):
        fuzzbow.open_index(address, model, storage_options=options)
    with pytest.raises(InputError, match="there is no bucket 's3://nowhere'"):
        fuzzbow.open_index("s3://nowhere/index", model, storage_options=options)
    with pytest.raises(InputError, match="there is no bucket 's3://nowhere'"):
        model.index([], path="s3://nowhere/index", storage_options=options)


def quick_error(kind, options, model, match):
    """What opening says, soon."""
    start = time.monotonic()
    with pytest.raises(kind, match=match) as raised:
        fuzzbow.open_index("s3://texts/index", model, storage_options=options)
    assert time.monotonic() - start < 20
    assert "a-secret" not in str(raised.value)


def test_a_connection_that_cannot_work_is_an_error_soon(model, options, monkeypatch):
    quick_error(InputError, options | {"aws_colour": "red"}, model, "aws_colour")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    with socket.socket() as taken:  # nobody listens there
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        given = options | {"aws_endpoint_url": address}
        quick_error(ConnectionError, given, model, "'s3://texts/index.* cannot be reached")
        given = {name: text for name, text in options.items() if "access" not in name}
        given |= {"aws_metadata_endpoint": address}  # where machines in a cloud ask
        quick_error(InputError, given, model, "needs credentials")


def test_secrets_and_signatures_are_left_out_of_messages():
    bucket = Bucket("az", "texts", {"azure_storage_sas_key": "s3cr3t", "azure_account": "me"})
    said = bucket.reason("GET http://h/x?sig=abc of s3cr3t, me\n\nDebug source:\nx")
    assert said == "GET http://h/x of …, me"
    assert "s3cr3t" not in repr(bucket)


def test_the_extra_is_named_where_it_is_missing(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "obstore", None)
    monkeypatch.setitem(sys.modules, "obstore.store", None)
    with pytest.raises(MissingExtraError, match=r"fuzzbow\[objects\]"):
        fuzzbow.open_index("s3://bucket/name", model)


def test_a_removed_or_damaged_object_is_named(index, reopen):
    data = next((index.path / "rows.lance" / "data").glob("*"))
    content = data.read_bytes()
    data.unlink()
    with pytest.raises(InputError, match=rf"cannot be read.*{data.name}"):
        reopen()
    data.write(content)
    assert reopen().ids == index.ids
    path = index.path / manifest(1)
    path.write(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=rf"{path.name}' is damaged"):
        reopen()


def test_what_lance_says_of_a_store_is_passed_on_without_secrets():
    options = {"azure_storage_sas_key": "sv=1&sig=abcdef"}
    place = location_of("az://container/name", options)
    with pytest.raises(ConnectionError) as raised, redacting_errors(place):
        raise OSError("PUT http://host/name?sv=1&sig=abcdef failed with sv=1&sig=abcdef: 403")
    assert "403" in str(raised.value)
    assert "sig=" not in str(raised.value)
    assert raised.value.__cause__ is None
    with pytest.raises(FileNotFoundError), redacting_errors(place):
        raise FileNotFoundError("which a caller expects")


TOKEN = "FwoGZXIvYXdzE/session/token+of==the tests"
ECHO = f"""<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>InvalidToken</Code><Message>The provided token is malformed</Message>
<Token-0>{TOKEN}</Token-0><AWSAccessKeyId>a-key</AWSAccessKeyId>
<CanonicalRequest>GET
x-amz-security-token:{TOKEN}
</CanonicalRequest></Error>"""


class Forwarding(BaseHTTPRequestHandler):
    """Passes requests on, until it refuses them with an answer."""

    protocol_version = "HTTP/1.1"

    def forward(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.server.refusal is not None:
            headers, (status, content) = {}, self.server.refusal
        else:
            headers = {name: text for name, text in self.headers.items() if name != "Host"}
            answer = httpx.request(
                self.command, self.server.store + self.path, content=body, headers=headers
            )
            status, headers, content = answer.status_code, answer.headers, answer.content
        self.send_response(status)
        for name, text in headers.items():
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                self.send_header(name, text)
        size = headers.get("content-length", 0) if self.command == "HEAD" else len(content)
        self.send_header("Content-Length", str(size))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = forward  # noqa: N815

    def log_message(self, *arguments) -> None:
        pass


@pytest.fixture
def forwarding(variables):
    """A server before the store that begins to refuse when told."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Forwarding) as server:
        server.daemon_threads, server.refusal = True, None
        server.store = variables["AWS_ENDPOINT_URL"]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_credentials_that_are_refused_are_an_error(forwarding, model, options):
    forwarding.refusal = 403, b"<Error><Code>InvalidAccessKeyId</Code></Error>"
    given = options | {"aws_endpoint_url": f"http://127.0.0.1:{forwarding.server_port}"}
    quick_error(InputError, given, model, "access to 's3://texts/index.* was refused")


@pytest.mark.parametrize("by", ["environment", "options"])
def test_a_token_that_the_server_repeats_is_not_told(
    by, forwarding, model, address, options, monkeypatch
):
    given = options | {"aws_endpoint_url": f"http://127.0.0.1:{forwarding.server_port}"}
    if by == "environment":
        monkeypatch.setenv("AWS_SESSION_TOKEN", TOKEN)
    else:
        given["aws_session_token"] = TOKEN
    index = model.index(["a cat", "a dog"], path=address, storage_options=given)
    hits = index.search("a cat", k=1)
    forwarding.refusal = 400, ECHO.encode()
    calls = {
        "open": lambda: fuzzbow.open_index(address, model, storage_options=given),
        "build": lambda: model.index(["x"], path=f"{address}-2", storage_options=given),
        "read": lambda: hits[0].text,
        "add": lambda: index.add(["another"]),
        "where": lambda: index.search("a cat", where="id = 1"),
        "delete": lambda: index.delete([0]),
        "compact": index.compact,
        "versions": index.versions,
        "restore": lambda: index.restore(1),
        "info": index.info,
    }
    for name, call in calls.items():
        with pytest.raises((InputError, OSError)) as raised:
            call()
        whole = "".join(traceback.format_exception(raised.value))
        assert "session/token" not in whole, (name, whole)
        assert "a-secret-of-the-tests" not in whole, (name, whole)


@pytest.mark.parametrize(
    "message",
    [
        f"request failed: x-amz-security-token: {TOKEN}",
        f"url http://host/a?X-Amz-Security-Token={TOKEN}",
        'body {"access_token": "FwoGZXIvYXdzE", "refresh-token":"session/token"}',
        "header Authorization: Bearer FwoGZXIvYXdzE",
        ECHO,
    ],
)
def test_secrets_that_are_not_known_are_left_out_of_a_message(message, monkeypatch):
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)
    reason = Bucket("s3", "texts").reason(message)
    assert "FwoGZXIvYXdzE" not in reason
    assert "session/token" not in reason.replace("of==the tests", "")


@pytest.mark.parametrize(
    ("scheme", "variable"),
    [
        ("s3", "AWS_SESSION_TOKEN"),
        ("s3", "AWS_SECRET_ACCESS_KEY"),
        ("s3", "AWS_CONTAINER_AUTHORIZATION_TOKEN"),
        ("gs", "GOOGLE_SERVICE_ACCOUNT_KEY"),
        ("az", "AZURE_STORAGE_ACCOUNT_KEY"),
        ("az", "AZURE_STORAGE_SAS_TOKEN"),
        ("az", "AZURE_CLIENT_SECRET"),
    ],
)
def test_secrets_of_the_environment_are_left_out_of_a_message(scheme, variable, monkeypatch):
    monkeypatch.setenv(variable, "one? of\ntwo&three")
    reason = Bucket(scheme, "texts").reason(
        'this: one? of\ntwo&three, so: one%3F%20of%0Atwo%26three, or "one? of\\ntwo&three".'
    )
    assert reason == 'this: …, so: …, or "…".'


def test_a_path_of_credentials_is_told(monkeypatch):
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere/file.json")
    message = "cannot open /nowhere/file.json"
    assert Bucket("gs", "texts").reason(message) == message

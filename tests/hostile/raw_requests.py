"""Requests that no honest client sends, as bytes; the same number gives the same request."""

from __future__ import annotations

import json
import random
from typing import Any

EXAMPLES: dict[str, dict[str, Any]] = {
    "/v1/similarity": {"a": "a cat", "b": "a dog", "measure": None},
    "/v1/explain": {"a": "a cat", "b": "a dog", "measure": "dynamax-jaccard"},
    "/v1/pairs": {"lefts": ["a", "b"], "rights": ["c", "d"], "measure": "set-jaccard"},
    "/v1/search": {
        "query": "a cat", "k": 2, "min_score": 0.5, "where": "year > 2020", "explain": True,
    },
    "/v1/search/batch": {
        "queries": ["a cat", "a dog"], "k": 2, "min_score": 0.1, "where": None, "explain": True,
    },
    "/v1/explain.html": {"a": "a cat", "b": "a dog", "measure": None},
    "/v1/documents": {"documents": [{"id": "x", "text": "y", "metadata": {"year": 1}}]},
}  # fmt: skip
METHODS = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "CONNECT", "BREW"]
METHODS += ["PRI", "get", "G\x00T", "", "POST POST", "M-SEARCH", "PROPFIND", "A" * 70_000]
PATHS = [
    "/", "//", "/..", "/%2e%2e/%2e%2e/etc/passwd", "/static/../app.py", "/static/%2e%2e%2fapp.py",
    "/static/..%5capp.py", "/static/%00", "/static/app.js%00.html", "/static//etc/passwd", "/%",
    "/%zz", "/%ff%fe", "/%c0%ae%c0%ae/", "/v1", "/v1/", "/v1/documents/", "/v1/documents/%00",
    "/v1/documents/%ed%a0%80", "/v1/documents/" + "9" * 40, "/v1/documents/-9223372036854775808",
    "/v1/documents/a/../../x", "/v1/info?" + "x" * 5_000, "/v1/info#x", "/healthz/", "/metrics/x",
    "http://localhost/v1/info", "http://evil.example/v1/info", "localhost:80", "*", "", "\\",
    "/\x00", "/\xff", "/ /", "/docs;x", "/V1/INFO", "/report", "/openapi.json/", "/" + "x" * 60_000,
]  # fmt: skip
HEADERS = [
    "Host: localhost", "Host: evil.example", "Host:", "host:localhost", "Host : localhost",
    " Host: localhost", "Content-Length: 0", "Content-Length: -1", "Content-Length: 1e3",
    "Content-Length: 99999999999999999999", "Content-Length: 0x10", "Content-Length: +5",
    "Content-Length: 5, 5", "Content-Length: 3", "Transfer-Encoding: chunked",
    "Transfer-Encoding: identity", "Transfer-Encoding: chunked, chunked",
    "Transfer-Encoding : chunked", "Transfer-Encoding: xchunked", "Transfer-Encoding:\tchunked",
    "Expect: 100-continue", "Expect: nothing", "Upgrade: websocket", "Upgrade: h2c",
    "Connection: Upgrade", "Connection: close", "Connection: keep-alive, close", "Connection:",
    "Content-Type: application/json", "Content-Type: application/json; charset=utf-16",
    "Content-Type: text/plain", "Content-Type: multipart/form-data", "Content-Encoding: gzip",
    "Authorization: Bearer", "Authorization: \xff", "X-API-Key: \x00", "Cookie: " + "x" * 9_000,
    "Range: bytes=0-", "If-None-Match: *", "X: " + "y" * 80_000, ": empty", "No colon", "\x00: x",
    "Origin: null", "X-Forwarded-Host: evil.example", "Sec-WebSocket-Key: x", "Trailer: X",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63), 2**64, 10**400, 0.5, -0.0, 1e308, 5e-324,
    "", "x", "\x00", "\ud800", "\udfff x", "🙂" * 50, "a\u0301" * 20, "0" * 400, "'", "' OR 1=1 --",
    "year > ", "((((", "id = 'a'", [], {}, [[]], [None], ["x"], ["\x00"], [1], {"": ""}, {"x": 1},
    {"text": ""}, [{}], [{"text": 1}], [{"text": "", "id": ""}], [{"text": "", "id": 2**63}],
    [{"text": "x", "id": "\u202e"}], [{"text": "x", "metadata": {"year": 1.5}}],
    [{"text": "x", "metadata": {"\x00": [1]}}], [{"text": "x", "metadata": {"year": 10**30}}],
    "word " * 3_000, ["w"] * 200, "dynamax-jaccard", "dynmax", "x" * 3_000,
]  # fmt: skip
LITERALS = [
    "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "01", "+1", "1.", ".5", "0x1", "'x'",
    "undefined", '"\\u12"', '"\\x"', '"\t"', '"\\ud800\\udc00\\ud800"', "[" * 3_000, "{" * 500,
    "[" * 900 + "]" * 900, '{"a":' * 900 + "1" + "}" * 900, "9" * 5_000, '"' + "x" * 9_000,
]  # fmt: skip
FRAMINGS = [
    ("Content-Length: 5", "Content-Length: 6"),
    ("Content-Length: 5", "Content-Length: 5"),
    ("Content-Length: 5", "Transfer-Encoding: chunked"),
    ("Transfer-Encoding: chunked", "Content-Length: 0"),
    ("Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
    ("Transfer-Encoding: chunked", "Connection: Transfer-Encoding"),
    ("Transfer-Encoding: \x0bchunked",),
    ("Content-Length: 0", "X: y\n\nGET / HTTP/1.1"),
    ("Content-Length:\r\n 5",),
    ("Host: evil.example", "Content-Length: 5"),
]
INFO = b"GET /v1/info HTTP/1.1\r\nHost: localhost\r\n\r\n"


def raw_request(number: int) -> bytes:
    """One request, or several, or a part of one."""
    return KINDS[number % len(KINDS)](random.Random(number))


def _post(path: str, body: bytes, *more: str) -> bytes:
    headers = ["Host: localhost", "Content-Type: application/json", f"Content-Length: {len(body)}"]
    head = "\r\n".join([f"POST {path} HTTP/1.1", *headers, *more])
    return head.encode("latin-1") + b"\r\n\r\n" + body


def _wrong_field(chance: random.Random) -> bytes:
    """A value of the wrong kind, somewhere in an otherwise good body."""
    path = chance.choice(list(EXAMPLES))
    body = json.loads(json.dumps(EXAMPLES[path]))
    place = body
    while isinstance(inner := chance.choice(list(place.values())), (list, dict)) and inner:
        if isinstance(inner, list) and isinstance(inner[0], dict):
            inner = inner[0]
        if not isinstance(inner, dict) or chance.random() < 0.3:
            break
        place = inner
    name = chance.choice([*place, *place, "unknown", "\x00", "\ud800"])
    place[name] = chance.choice(VALUES)
    if chance.random() < 0.1:
        del place[chance.choice(list(place))]
    text = json.dumps(body, ensure_ascii=chance.random() < 0.7)
    encoding = chance.choice(["utf-8"] * 5 + ["utf-16", "utf-32", "utf-7"])
    return _post(path, text.encode(encoding, "surrogatepass"))


def _wrong_json(chance: random.Random) -> bytes:
    """A body that is not JSON, or only just."""
    path = chance.choice(list(EXAMPLES))
    text = json.dumps(EXAMPLES[path])
    way, cut = chance.randrange(5), chance.randrange(len(text))
    if way == 0:
        values = ['"a cat"', "2", "0.5", '"x"', "null", '["a", "b"]']
        text = text.replace(chance.choice(values), chance.choice(LITERALS))
    elif way == 1:
        others = ["", "null", "[]", '"x"', "1", "\ufeff" + text, text + text]
        text = chance.choice([*LITERALS, *others])
    elif way == 2:
        odd = chance.choice(["", "\x00", "}", "]", '"', ",", "\\", "/*x*/"])
        text = text[:cut] + odd + text[cut + 1 :]
    body = text.encode("utf-8")
    if way >= 3:
        body = body[:cut] + bytes([chance.randrange(256)]) + body[cut + 1 :]
    return _post(path, body)


def _odd_head(chance: random.Random) -> bytes:
    method = chance.choice(METHODS[:8] if chance.random() < 0.6 else METHODS)
    versions = ["HTTP/1.1"] * 6 + ["HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "HTTP/9", "x", ""]
    first = f"{method} {chance.choice(PATHS)} {chance.choice(versions)}"
    headers = chance.sample(HEADERS, chance.randrange(6))
    if chance.random() < 0.7:
        headers.insert(0, "Host: localhost")
    end = chance.choice(["\r\n"] * 8 + ["\n", "\r", "\r\n "])
    text = end.join([first, *headers]) + end * 2
    return text.encode("latin-1") + chance.choice([b"", b"", b"{}", b"\x00" * 50])


def _bad_chunks(chance: random.Random) -> bytes:
    body = json.dumps(EXAMPLES["/v1/similarity"]).encode()
    size, more = b"%x" % len(body), b"X: y\r\n"
    odd = [b"-1", b"0x5", b"zz", b"", b"f" * 17, size + b";" + b"x" * 5_000]
    last, ends = b"0\r\n", [b"\r\n"] * 4 + [b"\n", b"", b"\r"]
    tails = [last + b"\r\n"] * 3 + [last + more + b"\r\n", b"", b"00\r\n", last + more * 9_000]
    chunks = chance.choice([size] * 3 + odd) + chance.choice(ends) + body + chance.choice(ends)
    return _without_length("Transfer-Encoding: chunked") + chunks + chance.choice(tails)


def _without_length(*headers: str) -> bytes:
    lines = ["POST /v1/similarity HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
    return "\r\n".join([*lines, *headers]).encode("latin-1") + b"\r\n\r\n"


def _smuggled(chance: random.Random) -> bytes:
    """Two ideas of where the body ends, and a second request inside."""
    head = _without_length(*chance.choice(FRAMINGS))
    return head + chance.choice([b"0\r\n\r\n", b"12345", b""]) + INFO


def _pipelined(chance: random.Random) -> bytes:
    good = [_post("/v1/similarity", b'{"a": "x", "b": "y"}'), INFO]
    whole = [_wrong_field(chance), _odd_head(chance), *good]
    return b"".join(chance.choice(whole) for _ in range(chance.choice([2, 3, 5, 150])))


def _half(chance: random.Random) -> bytes:
    whole = chance.choice([_wrong_field, _odd_head, _bad_chunks])(chance)
    return whole[: chance.randrange(len(whole))]


def _noise(chance: random.Random) -> bytes:
    """Bytes, or a good request with some bytes changed."""
    if chance.random() < 0.2:
        return chance.randbytes(chance.choice([1, 10, 1_000, 100_000]))
    request = bytearray(_post("/v1/search", json.dumps(EXAMPLES["/v1/search"]).encode()))
    for _ in range(chance.choice([1, 2, 5, 20])):
        request[chance.randrange(len(request))] = chance.randrange(256)
    return bytes(request)


KINDS = (
    _wrong_field, _wrong_json, _odd_head, _bad_chunks, _smuggled, _pipelined, _half, _noise,
)  # fmt: skip

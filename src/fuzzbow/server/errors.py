"""Every error as JSON: {"error": {"code", "message", "field"}}."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.responses import Response

from fuzzbow.errors import InputError, nearest
from fuzzbow.index import Location

CODES = {
    400: "bad_request", 401: "wrong_key", 404: "not_found", 405: "method_not_allowed",
    408: "body_too_slow", 409: "conflict", 413: "body_too_large", 415: "not_json",
    421: "wrong_host", 422: "invalid_input", 429: "too_busy", 500: "internal_error",
    503: "unavailable",
}  # fmt: skip


class Problem(msgspec.Struct, omit_defaults=True):
    """Error of a request: a code for programs, a message for people, and the field."""

    code: str
    message: str
    field: str | None = None


class ApiError(Exception):
    """Error of a request that cannot be served, with its HTTP status."""

    def __init__(
        self, status: int, message: str, *, code: str = "", field: str | None = None, **headers: str
    ) -> None:
        super().__init__(message)
        self.status, self.field = status, field
        self.code = code or CODES.get(status, "error")
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    @property
    def response(self) -> Response:
        """Response that reports the error."""
        problem = Problem(self.code, str(self), self.field)
        return json_response({"error": problem}, self.status, self.headers)


def json_response(
    content: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Make a JSON response; bytes are sent as they are."""
    body = content if isinstance(content, bytes) else json_bytes(content)
    return Response(body, status, headers, media_type="application/json")


def json_bytes(content: Any) -> bytes:
    """Write JSON; values of unsupported types become strings."""
    return msgspec.json.encode(content, enc_hook=str)


def api_error(error: Exception, method: str, folder: Location | None) -> ApiError:
    """Convert an error to an answer without the path of the index."""
    if isinstance(error, ApiError):
        return error
    if isinstance(error, InputError):
        return ApiError(422, without_paths(str(error), folder))
    if isinstance(error, HTTPException):
        message = {
            404: "there is nothing at this path; /docs lists all paths",
            405: f"this path does not take {method:.20}; /docs lists its methods",
        }.get(error.status_code, error.detail)
        return ApiError(error.status_code, message, **(error.headers or {}))
    return ApiError(500, "the server failed; its log has the cause")


# absolute paths of two names or more; before them may be a quote or a bracket but no name
ADDRESS = re.compile(r"\b[a-z][a-z0-9]*://[^\s'\",;()]+")
ABSOLUTE = re.compile(r"(?<![\w.:/])(?:/[^/\s'\",;:()]+){2,}/?|\b[A-Za-z]:\\\\?[^\s'\",;:()]+")


def without_paths(message: str, folder: Location | None) -> str:
    """Remove the names of the server's files from a message.

    >>> from pathlib import Path
    >>> without_paths("'docs/ix/data/7.lance' is damaged: see /srv/x/log", Path("docs/ix"))
    'the index is damaged: see a file of the server'
    """
    if folder is not None:
        own = "|".join(re.escape(str(path)) for path in (folder.absolute(), folder))
        message = re.sub(rf"'(?:{own})(?:[/\\][^']*)?'", "the index", message)
    return ABSOLUTE.sub("a file of the server", ADDRESS.sub("an address", message))


# types by the names that users of JSON know
TYPES = {"str": "a string", "int": "a whole number", "float": "a number", "array": "a list"}
TYPES |= {"object": "an object", "bool": "true or false", "null": "null"}
EXPECTED = re.compile(r"Expected `([^`]+)`(?:, got `(\w+)`| ?(.*))")
NAMED = re.compile(r"Object (?:missing required|contains unknown) field `(.*)`", re.DOTALL)


def decoding_error(error: Exception, kind: Any, nested: Any = None) -> ApiError:
    """Convert an error of msgspec to an answer that does not repeat the input.

    Unknown names are compared with the fields of `kind`, or of `nested` below the top.
    """
    if not isinstance(error, msgspec.ValidationError):
        reason = str(error) if isinstance(error, msgspec.DecodeError) else "it must be UTF-8"
        return ApiError(400, f"the body must be JSON; {reason:.200}", code="invalid_json")
    text, _, path = str(error).rpartition(" - at `$")
    message, path = (text, path) if text else (path, "")
    field = path.rstrip("`").replace("[...]", "").replace("[", ".").replace("]", "").strip(".")
    if found := NAMED.fullmatch(message):
        name = found[1]
        if message.startswith("Object missing"):
            field = f"{field}.{name}".strip(".")
            message = "is needed and is missing"
        else:
            known = (nested if field and nested else kind).__struct_fields__
            hint = nearest(name[:80], known)
            message = f"must hold {', '.join(known)} only; got {name!r:.40}{hint}"
    elif found := EXPECTED.fullmatch(message):
        needed, came, bound = found.groups()
        needed = " or ".join(TYPES.get(part, part) for part in needed.split(" | "))
        came = TYPES.get(came, came) if came != "int" else "a number"
        message = f"must be {needed}" + (f"; got {came}" if came else f" {bound}")
    field = field or "body"
    return ApiError(422, f"{field}: {message}", field=field)

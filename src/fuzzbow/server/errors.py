"""Every error as JSON: {"error": {"code", "message", "field"}}."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from fuzzbow.errors import InputError
from fuzzbow.tasks.index import Place

CODES = {
    400: "bad_request",
    401: "wrong_key",
    404: "not_found",
    405: "method_not_allowed",
    408: "body_too_slow",
    409: "conflict",
    413: "body_too_large",
    415: "not_json",
    421: "wrong_host",
    422: "invalid_input",
    429: "too_busy",
    431: "head_too_large",
    500: "internal_error",
    503: "unavailable",
}


class Problem(BaseModel):
    """Error of a request: a code for programs, a message for people, and the field."""

    code: str
    message: str
    field: str | None = None


class ErrorBody(BaseModel):
    """The body of every answer that is not a success."""

    error: Problem


class ApiError(Exception):
    """A request that cannot be served, with the status that says why."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        field: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.field, self.headers = status, field, headers
        self.code = code or CODES.get(status, "error")


class SafeJson(JSONResponse):
    """A JSON answer that may hold any text, lone surrogates too."""

    def render(self, content: Any) -> bytes:
        """The body."""
        return json_bytes(content)


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def json_bytes(content: Any) -> bytes:
    """JSON in UTF-8, and in plain ASCII where a lone surrogate has no UTF-8."""
    try:
        return _ENCODER.encode(content).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


def json_answer(body: bytes) -> Response:
    """An answer from JSON that was made on another thread."""
    return Response(body, media_type="application/json")


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The error answers of an operation, for its OpenAPI description."""
    always = (400, 401, 408, 413, 415, 421, 422, 429)
    return {
        status: {"model": ErrorBody, "description": CODES[status].replace("_", " ").capitalize()}
        for status in sorted({*always, *statuses})
    }


def error_response(error: ApiError) -> SafeJson:
    """The answer that an error becomes."""
    problem = {"code": error.code, "message": str(error)}
    if error.field is not None:
        problem["field"] = error.field
    return SafeJson({"error": problem}, error.status, headers=error.headers)


def install_error_handlers(app: FastAPI, folder: Place | None) -> None:
    """Answer every exception of the routes by JSON, without the path of the index."""

    async def known(request: Request, error: Exception) -> SafeJson:
        assert isinstance(error, (ApiError, InputError))  # what it is registered for
        return error_response(api_error(error, folder))

    async def invalid(request: Request, error: Exception) -> SafeJson:
        assert isinstance(error, RequestValidationError)
        return error_response(validation_error(error.errors()[0]))

    async def http(request: Request, error: Exception) -> SafeJson:
        assert isinstance(error, HTTPException)
        message = {
            404: "there is nothing at this path; /docs lists what there is",
            405: f"this path does not take {request.method:.20}; /docs says what it takes",
        }.get(error.status_code, error.detail)
        return error_response(ApiError(error.status_code, message, headers=error.headers))

    app.add_exception_handler(ApiError, known)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(InputError, known)
    app.add_exception_handler(HTTPException, http)


async def internal_error(request: Request, error: Exception) -> SafeJson:
    """The answer to a request that met an exception which nobody expected."""
    return error_response(ApiError(500, "the server failed; its log says why"))


def api_error(error: ApiError | InputError, folder: Place | None) -> ApiError:
    """Convert an error to an answer without the path of the index."""
    if isinstance(error, ApiError):
        return error
    return ApiError(422, without_paths(str(error), folder))


# absolute paths of two names or more; before them may be a quote or a bracket but no name
ADDRESS = re.compile(r"\b[a-z][a-z0-9]*://[^\s'\",;()]+")
ABSOLUTE = re.compile(r"(?<![\w.:/])(?:/[^/\s'\",;:()]+){2,}/?|\b[A-Za-z]:\\\\?[^\s'\",;:()]+")


def without_paths(message: str, folder: Place | None) -> str:
    """The message without the names of the server's files.

    >>> from pathlib import Path
    >>> without_paths("'docs/ix/data/7.lance' is damaged: see /srv/x/log", Path("docs/ix"))
    'the index is damaged: see a file of the server'
    """
    if folder is not None:
        own = "|".join(re.escape(str(path)) for path in (folder.absolute(), folder))
        message = re.sub(rf"'(?:{own})(?:[/\\][^']*)?'", "the index", message)
    return ABSOLUTE.sub("a file of the server", ADDRESS.sub("an address", message))


# the types of JSON by the names that its users know
NEEDED = {
    "string_type": "a string",
    "int_type": "a whole number",
    "float_type": "a number",
    "list_type": "a list",
    "dict_type": "an object",
    "model_attributes_type": "an object",
    "model_type": "an object",
}
CAME = {str: "a string", bool: "true or false", int: "a number", float: "a number"}
CAME |= {list: "a list", dict: "an object", type(None): "null"}


def validation_error(problem: Mapping[str, Any]) -> ApiError:
    """The error for one finding of pydantic; it does not repeat the input."""
    kind, place = problem["type"], problem["loc"]
    if kind == "json_invalid":
        reason = f"{problem['ctx']['error']} at character {place[-1]}"
        return ApiError(400, f"the body must be JSON; {reason}", code="invalid_json")
    field = ".".join(str(part) for part in place if part != "body") or "body"
    message = str(problem["msg"]).removeprefix("Value error, ")
    if kind == "string_unicode":
        message = "must be text; it holds half of a surrogate pair"
    elif kind == "missing":
        message = "is needed and is missing"
    elif kind in NEEDED:
        came = CAME.get(type(problem["input"]), "something else")
        message = f"must be {NEEDED[kind]}; got {came}"
    else:
        message = message.replace("Input should be", "must be")
    return ApiError(422, f"{field}: {message}", field=field)

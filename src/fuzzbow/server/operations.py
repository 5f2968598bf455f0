"""Operations that take a body: FastAPI describes them, and they are called without it.

FastAPI's way from a body to its function costs many times what a short request takes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

from fastapi import APIRouter, Response
from fastapi.routing import APIRoute
from pydantic import ValidationError

from fuzzbow.server.errors import ApiError, validation_error
from fuzzbow.server.schemas import Body
from fuzzbow.server.service import Service

# an answer that takes microseconds and no wait, or None
AtOnce = Callable[[Any, Service], Response | None]


class Operation:
    """A function of a body and the service, with the route that FastAPI describes it by."""

    def __init__(self, route: APIRoute, service: Service, at_once: AtOnce | None = None) -> None:
        self.route, self._service, self._at_once = route, service, at_once
        self._call = route.endpoint
        self._validate = get_type_hints(route.endpoint)["body"].__pydantic_validator__

    def read(self, body: bytes) -> Body:
        """The request that a body holds, or the error that FastAPI would answer by."""
        if not body:
            raise validation_error({"type": "missing", "loc": (), "msg": ""})
        try:
            data = json.loads(body)
        except json.JSONDecodeError as error:
            place = {"type": "json_invalid", "loc": (error.pos,), "ctx": {"error": error.msg}}
            raise validation_error(place) from error
        except (ValueError, RecursionError) as error:  # no text, or too deep, or too long a number
            raise ApiError(400, "There was an error parsing the body") from error
        try:
            request: Body = self._validate.validate_python(data)
        except ValidationError as error:
            raise validation_error(error.errors(include_url=False)[0]) from error
        return request

    def answer_at_once(self, request: Body) -> Response | None:
        """The answer, if it takes microseconds and no wait."""
        return None if self._at_once is None else self._at_once(request, self._service)

    async def answer(self, request: Body) -> Response:
        """The answer."""
        answer: Response = await self._call(request, self._service)
        return answer


def operations_of(
    router: APIRouter, service: Service, at_once: Mapping[str, AtOnce]
) -> dict[str, Operation]:
    """The operations of the routes that are posted to, by path."""
    return {
        route.path: Operation(route, service, at_once.get(route.path))
        for route in router.routes
        if isinstance(route, APIRoute) and "POST" in (route.methods or ())
    }

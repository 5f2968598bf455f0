"""Operations of the API, each a function of the service and a request, and their description."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, get_type_hints

import msgspec
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4 as METRICS_TYPE
from starlette.responses import Response

from fuzzbow import __version__
from fuzzbow.explain import Explanation
from fuzzbow.measures import Ability
from fuzzbow.server import comparisons, schemas, searches
from fuzzbow.server.errors import CODES, Problem, json_response
from fuzzbow.server.service import Service
from fuzzbow.server.settings import Limits

REFERENCE = "#/components/schemas/{name}"
BOUNDS = {"string": "maxLength", "array": "maxItems", "integer": "maximum"}
ERRORS = (400, 401, 408, 413, 415, 421, 422, 429)  # of every operation
COMPUTED = {  # sent besides the fields of a dataclass
    "Side": {"share": {"type": "number"}},
    "Hit": {"explanation": {"$ref": REFERENCE.format(name="Explanation")}},
}
OPTIONAL = ("explanation", "field")  # fields that an answer may lack
ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}


def info(service: Service, request: None) -> Response:
    """Describe measures, vectors, the index and the limits of this server."""
    index, model = service.index, service.model
    measures = [
        schemas.MeasureInfo(name, text, Ability.EXPLAIN in service.model_of(name).measure.abilities)
        for name, text in service.meanings.items()
    ]
    found = schemas.InfoAnswer(
        version=__version__,
        vectors=model.vectors.name,
        measure=model.measure.name,
        measures=measures,
        index_measure=None if index is None else index.model.measure.name,
        documents=service.documents,
        writable=index is not None and not index.read_only,
        report=service.settings.report is not None,
        limits=service.limits,
    )
    return json_response(found)


def health(service: Service, request: None) -> Response:
    """Report that the server runs, even under load."""
    return json_response({"status": "ok"})


def metrics(service: Service, request: None) -> Response:
    """Write counters in the text format of Prometheus."""
    return Response(service.metrics.render(), media_type=METRICS_TYPE)


@dataclass(frozen=True)
class Operation:
    """An operation: its route, its function, and the types of request and answer.

    The request is the JSON body of a POST or the query of a GET; the `id` in the path where its
    type is str; None where that is None.
    """

    method: str
    path: str
    call: Callable[[Service, Any], Response | Awaitable[Response]]
    answer: Any  # the type of the JSON, the types of its fields, or a media type
    errors: tuple[int, ...] = ()  # besides those of every operation
    status: int = 200

    @property
    def request(self) -> Any:
        """Return the type of the request."""
        return get_type_hints(self.call)["request"]


SCORE = {"similarity": float, "measure": str}
SCORES = {"scores": list[float], "measure": str}
RESULTS = {"results": list[schemas.SearchAnswer]}
ADDED, DELETED = {"ids": list[str | int]}, {"deleted": str | int}
OPERATIONS = tuple(
    Operation(*row)
    for row in (
        ("POST", "/v1/similarity", comparisons.similarity, SCORE),
        ("POST", "/v1/pairs", comparisons.pairs, SCORES),
        ("POST", "/v1/explain", comparisons.explanation, Explanation),
        ("POST", "/v1/explain.html", comparisons.fragment, "text/html"),
        ("GET", "/v1/explain.html", comparisons.frame, "text/html"),
        ("POST", "/v1/search", searches.search, schemas.SearchAnswer, (404,)),
        ("POST", "/v1/search/batch", searches.search_batch, RESULTS, (404,)),
        ("POST", "/v1/documents", searches.add, ADDED, (404, 409, 503), 201),
        ("DELETE", "/v1/documents/{id:path}", searches.delete, DELETED, (404, 503)),
        ("GET", "/v1/info", info, schemas.InfoAnswer),
        ("GET", "/healthz", health, {"status": str}),
        ("GET", "/metrics", metrics, "text/plain"),
    )
)


def describe(operations: Sequence[Operation], limits: Limits) -> Any:
    """Describe operations by a document of OpenAPI 3.1."""
    kinds: list[Any] = [Problem, *(item.request for item in operations)]
    for answer in (item.answer for item in operations if not isinstance(item.answer, str)):
        kinds += answer.values() if isinstance(answer, dict) else [answer]
    _, components = msgspec.json.schema_components(kinds, ref_template=REFERENCE)
    for name, schema in components.items():
        schema["description"] = inspect.cleandoc(schema.get("description", ""))
        schema.get("properties", {}).update(COMPUTED.get(name, {}))
        if "properties" in schema and "additionalProperties" not in schema:  # an answer
            schema["required"] = [part for part in schema["properties"] if part not in OPTIONAL]
    paths: dict[str, Any] = {}
    for item in operations:
        path = paths.setdefault(item.path.replace(":path}", "}"), {})
        path[item.method.lower()] = _describe_one(item, components)
    title = "Compare texts as fuzzy sets of word vectors: exact scores, with reasons."
    document = {
        "openapi": "3.1.0",
        "info": {"title": "fuzzbow", "description": title, "version": __version__},
        "paths": paths,
        "components": {"schemas": components},
    }
    return _with_limits(document, limits)


def _describe_one(item: Operation, components: dict[str, Any]) -> dict[str, Any]:
    """Describe one operation."""
    responses = {item.status: {"description": "Success", "content": _content(item.answer)}}
    for status in sorted({*ERRORS, *item.errors}):
        name = CODES[status].replace("_", " ").capitalize()
        responses[status] = {"description": name, "content": _content({"error": Problem})}
    found: dict[str, Any] = {
        "description": inspect.getdoc(item.call),
        "operationId": f"{item.call.__name__}_{item.method.lower()}",
        "responses": {str(status): response for status, response in responses.items()},
    }
    if item.method == "POST":
        found["requestBody"] = {"required": True, "content": _content(item.request)}
    elif item.request is str:
        found["parameters"] = [ID]
    elif hasattr(item.request, "__struct_fields__"):
        known = components[item.request.__name__]
        found["parameters"] = [
            {"name": name, "in": "query", "required": name in known["required"], "schema": schema}
            for name, schema in known["properties"].items()
        ]
    return found


def _content(kind: Any) -> dict[str, Any]:
    """Describe a body: JSON of a type, or text of a media type."""
    if isinstance(kind, str):
        return {kind: {"schema": {"type": "string"}}}
    return {"application/json": {"schema": _schema(kind)}}


def _schema(kind: Any) -> Any:
    """Describe a type, or an object by the types of its fields."""
    if isinstance(kind, dict):
        fields = {name: _schema(part) for name, part in kind.items()}
        return {"type": "object", "properties": fields, "required": list(kind)}
    return msgspec.json.schema_components([kind], ref_template=REFERENCE)[0][0]


def _with_limits(schema: Any, limits: Limits) -> Any:
    """Replace the marks of limited fields in a description by these limits."""
    if isinstance(schema, list):
        return [_with_limits(part, limits) for part in schema]
    if not isinstance(schema, dict):
        return schema
    stated = {name: _with_limits(part, limits) for name, part in schema.items()}
    if schemas.LIMITED in stated:
        stated[BOUNDS[stated["type"]]] = getattr(limits, stated.pop(schemas.LIMITED))
    return stated

"""The shapes of requests and answers.

Answers that are dataclasses of the library are described by these dataclasses.
"""

from __future__ import annotations

import inspect
import math
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    FailFast,
    Field,
    PlainValidator,
    WithJsonSchema,
    create_model,
    model_validator,
)

from fuzzbow.errors import nearest
from fuzzbow.server.settings import Limits
from fuzzbow.tasks.explain.result import Explanation, Side
from fuzzbow.tasks.index import Hit
from fuzzbow.tasks.index.ids import LARGEST_ID

INT64 = 2**63
LONGEST_ID = 512  # characters
LIMITED = "x-fuzzbow-limit"
BOUNDS = {"string": "maxLength", "array": "maxItems", "integer": "maximum"}
SCALARS = [{"type": kind} for kind in ("string", "integer", "number", "boolean", "null")]


def _check_metadata(data: dict[str, Any]) -> dict[str, Any]:
    """Names and single values, such as a column of a table can hold."""
    for name, value in data.items():
        _check_encodable(name)
        if not (value is None or isinstance(value, (str, int, float))):
            raise ValueError(
                f"metadata must be text, numbers, true, false or null; {name!r:.40} is a"
                f" {type(value).__name__}"
            )
        if isinstance(value, int) and not -INT64 <= value < INT64:
            raise ValueError(f"metadata must be numbers of 64 bits; {name!r:.40} is larger")
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"metadata must be finite numbers; {name!r:.40} is not")
        if isinstance(value, str):
            _check_encodable(value)
    return data


def _check_encodable(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("must be text; it holds half of a surrogate pair") from error
    return text


def _check_identifier(value: Any) -> int | str | None:
    if value is None:
        return None
    if isinstance(value, str):
        if not 1 <= len(value) <= LONGEST_ID:
            raise ValueError(f"must have 1 to {LONGEST_ID} characters; got {len(value)}")
        if not value.isprintable():  # and no surrogate either
            raise ValueError("must be printable; it holds a control character or a surrogate")
        return value
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > LARGEST_ID:
        raise ValueError("must be a string or a whole number of at most 18 digits")
    return value


def limited(name: str) -> Any:
    """Mark a field whose bound in the OpenAPI description is a limit of the server."""
    if name not in {item.name for item in fields(Limits)}:
        raise ValueError(f"there is no limit {name!r}")
    return Field(json_schema_extra={LIMITED: name})


def stated_limits(schema: Any, limits: Limits) -> Any:
    """Replace the marks of `limited` in an OpenAPI description by these limits."""
    if isinstance(schema, list):
        return [stated_limits(part, limits) for part in schema]
    if not isinstance(schema, dict):
        return schema
    stated = {name: stated_limits(part, limits) for name, part in schema.items()}
    if LIMITED in stated:
        stated[BOUNDS[stated["type"]]] = getattr(limits, stated.pop(LIMITED))
    return stated


Text = Annotated[str, AfterValidator(_check_encodable), limited("characters")]
TextList = Annotated[list[Text], FailFast(), limited("texts")]
Identifier = Annotated[
    int | str | None,
    PlainValidator(_check_identifier),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "minLength": 1, "maxLength": LONGEST_ID},
                {"type": "integer", "minimum": -LARGEST_ID, "maximum": LARGEST_ID},
                {"type": "null"},
            ]
        }
    ),
]
MeasureName = Annotated[
    str | None, Field(default=None, description="See /v1/info; the server's own unless given.")
]
Metadata = Annotated[
    dict[str, Any],
    AfterValidator(_check_metadata),
    WithJsonSchema({"type": "object", "additionalProperties": {"anyOf": SCALARS}}),
]


class Body(BaseModel):
    """A request: types are taken strictly, and a name that it does not know is an error."""

    model_config = ConfigDict(strict=True, json_schema_extra={"additionalProperties": False})

    @model_validator(mode="before")
    @classmethod
    def _check_names(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        for name in data:
            if name not in cls.model_fields:
                hint = nearest(name[:80], cls.model_fields)
                known = ", ".join(cls.model_fields)
                raise ValueError(f"must hold {known} only; got {name!r:.40}{hint}")
        return data


class SimilarityRequest(Body):
    """Two texts."""

    a: Text = Field(examples=["He has a cat"])
    b: Text = Field(examples=["She had one dog"])
    measure: MeasureName


class PairsRequest(Body):
    """Texts row by row, as many on the left as on the right."""

    lefts: TextList = Field(examples=[["a cat", "a plane"]])
    rights: TextList = Field(examples=[["a dog", "a dog"]])
    measure: MeasureName


class SearchOptions(Body):
    """Options of a search."""

    k: Annotated[int, limited("hits")] = Field(
        default=10, ge=1, description="The most hits to give."
    )
    min_score: float = Field(default=0.0, ge=0.0, le=1.0)
    where: Annotated[str, AfterValidator(_check_encodable), Field(max_length=2_000)] | None = Field(
        default=None, description='A condition on metadata: "year > 2020".'
    )
    explain: bool = Field(default=False, description="Give the shares of the words of each hit.")


class SearchRequest(SearchOptions):
    """A query over the index."""

    query: Text = Field(examples=["a cat on a mat"])


class BatchSearchRequest(SearchOptions):
    """Queries over the index that differ in their text only."""

    queries: Annotated[list[Text], FailFast(), limited("queries")] = Field(
        examples=[["a cat on a mat", "a plane"]]
    )


class NewDocument(Body):
    """A text to store; without an id it gets one."""

    text: Text
    id: Identifier = None
    metadata: Metadata | None = None


class DocumentsRequest(Body):
    """Texts to store."""

    documents: Annotated[list[NewDocument], FailFast(), limited("texts")] = Field(
        min_length=1, examples=[[{"id": "42", "text": "He has a cat", "metadata": {"year": 2021}}]]
    )


class SimilarityAnswer(BaseModel):
    """Similarity of two texts."""

    similarity: float
    measure: str


class PairsAnswer(BaseModel):
    """One score for each row."""

    scores: list[float]
    measure: str


# properties that are sent beside the fields
COMPUTED: dict[type, dict[str, Any]] = {Side: {"share": float}}


@cache
def answer_model(source: type) -> type[BaseModel]:
    """The JSON that a dataclass becomes, with all its fields: `Word` -> `WordAnswer`."""
    hints = get_type_hints(source)
    types = {item.name: _type_in_json(hints[item.name]) for item in fields(source)}
    described: dict[str, Any] = {
        name: (kind, ...) for name, kind in (types | COMPUTED.get(source, {})).items()
    }
    return create_model(f"{source.__name__}Answer", __doc__=inspect.getdoc(source), **described)


def _type_in_json(hint: Any) -> Any:
    """Dataclasses become models, and tuples lists."""
    if is_dataclass(hint) and isinstance(hint, type):
        return answer_model(hint)
    if get_origin(hint) is tuple:
        return list[_type_in_json(get_args(hint)[0])]  # type: ignore[misc]
    return hint


ExplanationAnswer = answer_model(Explanation)
HitAnswer = answer_model(Hit)
LimitsAnswer = answer_model(Limits)


class FoundHit(HitAnswer):  # type: ignore[misc, valid-type]
    """A hit, and where it is asked for, why it is one: the query is the left text."""

    explanation: ExplanationAnswer | None = None  # type: ignore[valid-type]


class SearchAnswer(BaseModel):
    """Hits of a query, best first."""

    hits: list[FoundHit]


class BatchSearchAnswer(BaseModel):
    """Hits of each query, in the order of the queries."""

    results: list[SearchAnswer]


class AddedAnswer(BaseModel):
    """The ids of the stored texts, in their order; they are on the disk."""

    ids: list[str | int]


class DeletedAnswer(BaseModel):
    """The id of the text that was removed."""

    deleted: str | int


class MeasureInfo(BaseModel):
    """A measure in one line."""

    name: str
    meaning: str
    explains: bool


class InfoAnswer(BaseModel):
    """Measures, vectors, index and limits of the server."""

    version: str
    vectors: str
    measure: str
    measures: list[MeasureInfo]
    index_measure: str | None
    documents: int | None
    writable: bool
    report: bool
    limits: LimitsAnswer  # type: ignore[valid-type]


class HealthAnswer(BaseModel):
    """The server runs."""

    status: str

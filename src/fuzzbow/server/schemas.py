"""The shapes of requests and answers."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    FailFast,
    Field,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)

from fuzzbow.errors import nearest
from fuzzbow.tasks.index.columns import LARGEST_ID

INT64 = 2**63
LONGEST_ID = 512  # characters
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


Text = Annotated[str, AfterValidator(_check_encodable)]
TextList = Annotated[list[Text], FailFast()]
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


class SearchRequest(Body):
    """A query over the index."""

    query: Text = Field(examples=["a cat on a mat"])
    k: int = Field(default=10, ge=1, description="The most hits to give.")
    min_score: float = Field(default=0.0, ge=0.0, le=1.0)
    where: Text | None = Field(
        default=None, max_length=2_000, description='A condition on metadata: "year > 2020".'
    )


class NewDocument(Body):
    """A text to store; without an id it gets one."""

    text: Text
    id: Identifier = None
    metadata: Metadata | None = None


class DocumentsRequest(Body):
    """Texts to store."""

    documents: Annotated[list[NewDocument], FailFast()] = Field(
        min_length=1, examples=[[{"id": "42", "text": "He has a cat", "metadata": {"year": 2021}}]]
    )


class SimilarityAnswer(BaseModel):
    """How similar two texts are."""

    similarity: float
    measure: str


class PairsAnswer(BaseModel):
    """One score for each row."""

    scores: list[float]
    measure: str


class WordAnswer(BaseModel):
    """A word of a text and its exact part of the score."""

    word: str
    start: int
    end: int
    status: str
    note: str
    weight: float | None
    membership_left: float | None
    membership_right: float | None
    match: int | None
    match_word: str | None
    similarity: float | None
    intersection: float
    union: float
    share: float
    dimensions: int | None


class SideAnswer(BaseModel):
    """One of the two texts."""

    text: str
    share: float
    words: list[WordAnswer]


class DimensionAnswer(BaseModel):
    """An element of a fixed universe and the words that own it."""

    index: int
    name: str
    nearest: list[str]
    weight: float
    membership_left: float
    membership_right: float
    owner_left: int | None
    owner_right: int | None
    owner_left_word: str | None
    owner_right_word: str | None
    intersection: float
    union: float
    share: float


class ExplainAnswer(BaseModel):
    """The score as a sum of shares of words."""

    measure: str
    vectors: str
    formula: str
    score: float
    intersection: float
    union: float
    left_size: float
    right_size: float
    denominator: float
    left: SideAnswer
    right: SideAnswer
    dimensions: list[DimensionAnswer]
    dimension_count: int


class HitAnswer(BaseModel):
    """One text that was found."""

    id: str | int
    score: float
    text: str
    rank: int
    metadata: dict[str, Any] | None = None


class SearchAnswer(BaseModel):
    """What was found, best first."""

    hits: list[HitAnswer]


class AddedAnswer(BaseModel):
    """The ids of the stored texts, in their order; they are on the disk."""

    ids: list[str | int]


class DeletedAnswer(BaseModel):
    """The id of the text that is no more."""

    deleted: str | int


class MeasureInfo(BaseModel):
    """A measure in one line."""

    name: str
    meaning: str
    explains: bool


class InfoAnswer(BaseModel):
    """What this server offers."""

    version: str
    vectors: str
    measure: str
    measures: list[MeasureInfo]
    documents: int | None
    writable: bool
    report: bool
    limits: dict[str, int]


class HealthAnswer(BaseModel):
    """The server is there."""

    status: str

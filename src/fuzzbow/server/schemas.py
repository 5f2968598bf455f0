"""Types of requests, and of answers that need more than a row of `operations.py`."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any

from msgspec import Meta, Struct

from fuzzbow.index import Hit
from fuzzbow.index.ids import LARGEST_ID
from fuzzbow.server.settings import Limits

INT64 = 2**63
LIMITED = "x-fuzzbow-limit"


def _limited(name: str) -> Any:
    """Mark a field whose bound in the OpenAPI description is a limit of the server."""
    if name not in {item.name for item in fields(Limits)}:
        raise ValueError(f"there is no limit {name!r}")
    return Meta(extra_json_schema={LIMITED: name})


Text = Annotated[str, _limited("characters")]
Texts = Annotated[list[Text], _limited("texts")]
Number = Annotated[int, Meta(ge=-LARGEST_ID, le=LARGEST_ID)]
Name = Annotated[str, Meta(min_length=1, max_length=512)]
Cell = str | Annotated[int, Meta(ge=-INT64, le=INT64 - 1)] | float | bool | None
MeasureName = Annotated[
    str | None, Meta(description="See /v1/info; the server's own unless given.")
]


class Request(Struct, forbid_unknown_fields=True, frozen=True):
    """Base of requests: types are checked strictly, and unknown names are errors."""


class SimilarityRequest(Request, frozen=True):
    """Two texts."""

    a: Annotated[Text, Meta(examples=["He has a cat"])]
    b: Annotated[Text, Meta(examples=["She had one dog"])]
    measure: MeasureName = None


class PairsRequest(Request, frozen=True):
    """Texts row by row, as many on the left as on the right."""

    lefts: Annotated[Texts, Meta(examples=[["a cat", "a plane"]])]
    rights: Annotated[Texts, Meta(examples=[["a dog", "a dog"]])]
    measure: MeasureName = None


class SearchOptions(Request, frozen=True, kw_only=True):
    """Options of a search."""

    k: Annotated[int, Meta(ge=1, description="Maximum number of hits."), _limited("hits")] = 10
    min_score: Annotated[float, Meta(ge=0.0, le=1.0)] = 0.0
    where: Annotated[
        Annotated[str, Meta(max_length=2_000)] | None,
        Meta(description='A condition on metadata: "year > 2020".'),
    ] = None
    explain: Annotated[bool, Meta(description="Explain the score of each hit.")] = False


class SearchRequest(SearchOptions, frozen=True, kw_only=True):
    """A query over the index."""

    query: Annotated[Text, Meta(examples=["a cat on a mat"])]


class BatchSearchRequest(SearchOptions, frozen=True, kw_only=True):
    """Queries over the index that differ in their text only."""

    queries: Annotated[
        list[Text], _limited("queries"), Meta(examples=[["a cat on a mat", "a plane"]])
    ]


class NewDocument(Request, frozen=True):
    """Text to store, numbered if it has no id."""

    text: Text
    id: Name | Number | None = None
    metadata: dict[str, Cell] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.id, str) and not self.id.isprintable():
            raise ValueError("id must be printable; it holds a control character")


EXAMPLE = {"id": "42", "text": "He has a cat", "metadata": {"year": 2021}}


class DocumentsRequest(Request, frozen=True):
    """Request to store texts."""

    documents: Annotated[
        list[NewDocument], Meta(min_length=1, examples=[[EXAMPLE]]), _limited("texts")
    ]


class SearchAnswer(Struct):
    """Hits of a query, best first; explained on request, with the query on the left."""

    hits: list[Hit]


class MeasureInfo(Struct):
    """Name and description of a measure."""

    name: str
    meaning: str
    explains: bool


class InfoAnswer(Struct):
    """Measures, vectors, index and limits of the server."""

    version: str
    vectors: str
    measure: str
    measures: list[MeasureInfo]
    index_measure: str | None
    documents: int | None
    writable: bool
    report: bool
    limits: Limits

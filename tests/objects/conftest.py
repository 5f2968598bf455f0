"""An object store, and indexes in it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest

import fuzzbow
from tests.objects.server import BUCKET, object_store

TEXTS = ["he has a cat", "she had a dog", "a plane flew", "zyx", "", "he has a cat"]
METADATA = {"year": [2019, 2020, 2021, None, 2023, 2024]}
QUERIES = ["a cat", "the dog flew", "", "zyxw"]


@pytest.fixture(scope="session")
def variables() -> Iterator[dict[str, str]]:
    """What leads to a server that runs as long as the tests do."""
    pytest.importorskip("lance", reason="needs the extra index")
    pytest.importorskip("obstore", reason="needs the extra objects")
    pytest.importorskip("moto", reason="needs moto[server]")
    with object_store() as found:
        yield found


@pytest.fixture(scope="session")
def options(variables: dict[str, str]) -> dict[str, str]:
    """The same as options."""
    return {name.lower(): value for name, value in variables.items()}


@pytest.fixture
def environment(variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment leads to the server."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def address() -> str:
    """A new place for an index."""
    return f"s3://{BUCKET}/{secrets.token_hex(6)}/index"


@pytest.fixture
def model(pets) -> fuzzbow.Model:
    """DynaMax on nine words."""
    return fuzzbow.load(pets, measure="dynamax-jaccard")


@pytest.fixture
def index(model, address, options) -> fuzzbow.index.Index:
    """Six texts in the store."""
    return model.index(TEXTS, metadata=METADATA, path=address, storage_options=options)


@pytest.fixture
def reopen(model, address, options):
    """Opens the index anew."""
    return lambda **more: fuzzbow.open_index(address, model, storage_options=options, **more)


def found(index, queries=QUERIES, **limits):
    """All that searches give."""
    return [hits.as_record() for hits in index.search(queries, 15, **limits)]

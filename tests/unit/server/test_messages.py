"""What goes wrong with an index is said without telling where it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import fuzzbow
from fuzzbow.server.errors import without_paths
from tests.unit.server.conftest import client_of


def test_rows_that_cannot_be_read_are_said_without_their_path(model, tmp_path):
    folder = tmp_path / "index"
    model.index(["a cat"], path=folder)
    with client_of(model, fuzzbow.open_index(folder)) as client:
        for path in (folder / "rows.lance" / "data").iterdir():
            path.unlink()
        answer = client.post("/v1/search", json={"query": "a cat"})
    assert answer.status_code == 422
    assert "the index" in answer.json()["error"]["message"]
    assert str(tmp_path) not in answer.text


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("file", ["", "/index.json", "/data/a b.lance"])
def test_the_folder_of_the_index_is_not_named(tmp_path, monkeypatch, relative, file):
    monkeypatch.chdir(tmp_path)
    folder = Path("my-index") if relative else tmp_path / "my-index"
    for named in (folder, folder.absolute()):
        message = without_paths(f"'{named}{file}' is damaged", folder)
        assert message == "the index is damaged"


@pytest.mark.parametrize(
    "path", ["/srv/data/index/7.lance", "/home/x/.cargo/x-1.0/src/io.rs", "C:\\data\\index"]
)
def test_no_other_file_is_named_either(path):
    assert without_paths(f"cannot read {path}: gone", None) == (
        "cannot read a file of the server: gone"
    )


@pytest.mark.parametrize(
    "message",
    ["k must be at most 3; got 1/2", "year / 2 > 1", "text LIKE 'a/b/c'", "/docs says it"],
)
def test_what_is_no_path_stays(message):
    assert without_paths(message, Path(os.sep, "srv", "index")) == message

"""Files are indexed and added by one library call, whatever the format."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fuzzbow
from fuzzbow.errors import BadRowError, FuzzbowWarning, InputError
from fuzzbow.io.tables import Reading
from fuzzbow.pipeline import add_file, index_file

ROWS = {
    "key": ["a", "b", "c", "d"],
    "title": ["a cat", "", "a dog", "planes"],
    "year": [1, 2, 3, 4],
}


@pytest.fixture(scope="module")
def model():
    return fuzzbow.load(limit=2000)


@pytest.fixture(params=["csv", "jsonl", "parquet"])
def file(request, tmp_path):
    """The same rows in each format."""
    from fuzzbow.io.tables import table_writer

    path, table = tmp_path / f"rows.{request.param}", pa.table(ROWS)
    with table_writer(path, table.schema) as write:
        write(table)
    return path


@pytest.mark.parametrize("shards", [None, 2])
def test_a_file_is_the_index_of_its_columns(file, model, tmp_path, shards):
    told = []
    found = index_file(
        file, tmp_path / "index", text="title", ids="key", model=model, shards=shards,
        progress=lambda done, total: told.append(done),
    )  # fmt: skip
    wanted = model.index(ROWS["title"], ROWS["key"], {"year": ROWS["year"]})
    assert (found.texts, found.without_text, found.shards, found.notes) == (4, 1, shards, [])
    assert found.index.ids == wanted.ids
    assert found.index.metadata == {"year": "int64"}
    assert (
        found.index.search("a kitten", k=4).to_dicts() == wanted.search("a kitten", k=4).to_dicts()
    )
    assert found.summary()["without_text"] == 1
    assert told[-1] == 4
    more = tmp_path / "more.csv"
    more.write_text("key,title,year,other\ne,a new cat,5,x\n")
    added = add_file(found.index, more, text="title", ids="key")
    assert (added.texts, found.index["e"]["metadata"]) == (1, {"year": 5})
    with pytest.raises(InputError, match="already exists"):
        index_file(file, tmp_path / "index", text="title", model=model)
    again = index_file(file, tmp_path / "index", text=["title", "key=2"], metadata=[], model=model,
                       overwrite=True)  # fmt: skip
    assert again.index.get(3) == {"id": 3, "text": "planes\nd\nd", "metadata": {}}


def test_types_of_columns_are_those_of_the_first_batch(model, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("text,n,f,code,day\na,1,0.5,x7,2020-01-31\nb,,1e3,y,2021-01-31\nc,x,,z,\n")
    with pytest.warns(FuzzbowWarning, match="column 'n' is kept as text, since row 3 holds 'x'"):
        found = index_file(path, tmp_path / "index", metadata=["n", "f", "code", "day:date"],
                           model=model)  # fmt: skip
    kinds = {"n": "string", "f": "double", "code": "string", "day": "date32[day]"}
    assert found.index.metadata == kinds
    assert [found.index[n]["metadata"]["f"] for n in range(3)] == [0.5, 1000.0, None]


def test_malformed_rows_are_skipped_if_asked(model, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("text,n\na cat,1\na dog\nplanes,2\n")
    with pytest.raises(BadRowError):
        index_file(path, tmp_path / "index", model=model)
    found = index_file(path, tmp_path / "index", text="text", model=model,
                       reading=Reading(skip_bad=True))  # fmt: skip
    assert found.texts == 2
    assert "1 malformed row skipped" in found.notes[0]


def test_types_of_parquet_are_kept(model, tmp_path):
    path = tmp_path / "rows.parquet"
    table = {
        "text": pa.array(["a cat", None]).dictionary_encode(),
        "small": pa.array([1, None], pa.int32()),
        "tags": pa.array([["x"], []]),
        "lang": pa.array(["en", "de"]).dictionary_encode(),
    }
    pq.write_table(pa.table(table), path)
    found = index_file(path, tmp_path / "index", text="text", model=model)
    assert found.index.metadata == {
        "small": "int32",
        "tags": "list<element: string>",
        "lang": "string",
    }
    assert found.index.search("a cat", where="small = 1 AND lang = 'en'").ids == [0]

"""A row without text is a duplicate of nothing and matches nothing, whatever brings it in."""

from __future__ import annotations

import importlib
import json
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import fuzzbow
from fuzzbow.errors import FuzzbowWarning
from fuzzbow.integrations.common import rows_to_keep
from fuzzbow.io.tables import read_table, table_writer
from tests.command import invoked
from tests.pipeline.tasks import dedupe, join

ROWS: list[tuple[str, str | None]] = [
    ("Billing", None),
    ("Refund", None),
    ("Login", ""),
    ("Address change", ""),
    ("Space", "   "),
    ("Other space", "\u00a0\u3000 "),
    ("Mark", "\ufeff"),
    ("Other mark", "\ufeff\u200b"),
    ("Joiner", "\u200d\u2060"),
    ("Soft hyphen", "\u00ad"),
    ("Cat", "He has a cat"),
    ("Cats", "He has a cat"),
    ("Symbols", "!!!"),
    ("Symbols again", "!!!"),
]
BLANK = 10
STAY = [*range(BLANK), 10, 12]
FORMATS = ["csv", "tsv", "jsonl", "parquet"]


@pytest.fixture(scope="module")
def model() -> fuzzbow.Model:
    return fuzzbow.load()


def written(path: Path) -> Path:
    records = [{"number": n, "kind": kind, "text": text} for n, (kind, text) in enumerate(ROWS)]
    table = pa.Table.from_pylist(records)
    with table_writer(path, table.schema) as write:
        write(table)
    return path


def numbers(path: Path) -> list[int]:
    return [int(number) for number in column(path, "number")]


def column(path: Path, name: str) -> list[Any]:
    return read_table(path).read_all()[name].to_pylist()


def run(*arguments: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(invoked(*arguments, "--json").stdout)
    return found


@pytest.mark.parametrize("shards", [0, 3])
@pytest.mark.parametrize("name", FORMATS)
def test_dedupe_of_a_file_keeps_its_rows_without_text(name: str, shards: int, tmp_path: Path):
    if shards and name not in ("csv", "parquet"):
        pytest.skip("formats are converted in the same way")
    file, out = written(tmp_path / f"in.{name}"), tmp_path / f"kept.{name}"
    shared = ["--shards", shards] if shards else []
    arguments = ["dedupe", file, "--text", "text", "-o", out, *shared]
    found = run(*arguments)
    assert (found["empty"], found["exact_copies"], found["removed"]) == (BLANK, 2, 2)
    assert numbers(out) == STAY
    found = run(*arguments, "--drop-empty", "--overwrite")
    assert (found["empty"], found["removed"], found["kept"]) == (BLANK, BLANK + 2, 2)
    assert numbers(out) == [10, 12]
    reasons = column(tmp_path / f"kept.removed.{name}", "duplicate_reason")
    assert reasons == ["no text"] * BLANK + ["exact duplicate"] * 2


@pytest.mark.parametrize("name", FORMATS)
def test_join_of_files_matches_no_row_without_text(name: str, tmp_path: Path):
    file, out = written(tmp_path / f"in.{name}"), tmp_path / f"out.{name}"
    found = run("join", file, file, "--on", "text", "--how", "left", "-s", 0.01, "-o", out)
    assert (found["rows"], found["matched"]) == (len(ROWS), len(ROWS) - BLANK)
    assert found["without_text"] == 2 * BLANK
    assert [kind or None for kind in column(out, "kind_right")] == [
        *[None] * BLANK, "Cat", "Cat", "Symbols", "Symbols",
    ]  # fmt: skip


def columns() -> dict[str, Any]:
    import pandas as pd
    import polars as pl

    texts = [text for _, text in ROWS]
    return {
        "list": texts,
        "pandas": pd.Series(texts),
        "pandas with strings": pd.Series(texts, dtype="string"),
        "polars": pl.Series(texts),
        "arrow": pa.array(texts),
        "arrow in chunks": pa.chunked_array([texts[:3], texts[3:]]),
    }


@pytest.mark.filterwarnings("ignore:.*missing")
@pytest.mark.parametrize("kind", columns())
def test_columns_of_every_library_keep_their_missing_texts(model: fuzzbow.Model, kind: str):
    texts = columns()[kind]
    found = model.duplicates(texts)
    assert found.kept().tolist() == STAY
    assert found.kept(drop_empty=True).tolist() == [10, 12]
    assert rows_to_keep(model, texts, threshold=0.9).tolist() == STAY
    across = model.duplicates(texts, others=columns()["arrow"])
    assert across.kept().tolist() == list(range(BLANK))
    for one_to_one in (False, True):
        rows = model.join(texts, texts, threshold=0.01, one_to_one=one_to_one)
        assert [row["left"] for row in rows] == list(range(BLANK, len(ROWS)))
        assert all(row["right"] >= BLANK for row in rows)


@pytest.mark.parametrize("library", ["pandas", "polars", "duckdb"])
def test_frames_keep_their_rows_without_text(library: str):
    pytest.importorskip(library)
    data = {"number": list(range(len(ROWS))), "text": [text for _, text in ROWS]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FuzzbowWarning)
        if library == "duckdb":
            import duckdb

            from fuzzbow.integrations.duckdb import register

            con = duckdb.connect()
            con.register("rows", pa.table(data))
            verbs = register(con)("rows")
            kept = con.sql("SELECT number FROM fuzzbow_dedupe('rows', 'text')").fetchall()
            assert [row[0] for row in kept] == STAY
            pairs = con.sql(
                "SELECT number, number_1 FROM fuzzbow_join('rows', 'text', 'rows', 'text',"
                " threshold := 0.01)"
            ).fetchall()
            assert pairs == [(10, 10), (11, 10), (12, 12), (13, 12)]
        else:
            importlib.import_module(f"fuzzbow.integrations.{library}")
            verbs = importlib.import_module(library).DataFrame(data).fuzzbow
        for options, expected in (({}, STAY), ({"drop_empty": True}, [10, 12])):
            found = verbs.dedupe("text", **options)
            numbers = found.fetchall() if library == "duckdb" else found["number"].to_list()
            assert [row[0] if library == "duckdb" else row for row in numbers] == expected


def test_shards_are_one_data_set(tmp_path: Path, model: fuzzbow.Model):
    file = written(tmp_path / "in.parquet")
    found = dedupe(file, tmp_path / "run", text="text", shards=4)
    assert found.empty.tolist() == list(range(BLANK))
    assert found.kept().tolist() == STAY
    assert found.kept(drop_empty=True).tolist() == [10, 12]
    across = dedupe(file, tmp_path / "across", text="text", others=file, shards=3)
    assert across.kept().tolist() == list(range(BLANK))
    options = {"left_on": "text", "right_on": "text", "threshold": 0.01, "shards": 3}
    matched = join(file, file, tmp_path / "join", **options)
    pairs = [pair for part in matched for pair in zip(part.left, part.right, strict=True)]
    assert pairs == [*((row, -1) for row in range(BLANK)), (10, 10), (11, 10), (12, 12), (13, 12)]

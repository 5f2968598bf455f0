from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fuzzbow import InputError
from fuzzbow.tasks.files import read_table, table_writer

ROWS = [
    {"id": "007", "text": 'he said "no", twice', "note": ""},
    {"id": "8", "text": "über 東京", "note": "1.50"},
    {"id": "9", "text": " spaces ", "note": "x"},
]
NAMES = [
    "t.csv",
    "t.tsv",
    "t.jsonl",
    "t.ndjson",
    "t.parquet",
    "t.csv.gz",
    "t.jsonl.bz2",
    "t.tsv.xz",
]


def read_all(path: Path, batch_rows: int = 2):
    table = read_table(path, batch_rows=batch_rows)
    batches = list(table.batches)
    assert all(0 < len(batch) <= batch_rows for batch in batches)
    return table.columns, [record for batch in batches for record in batch]


def write_all(path: Path, source: Path, rows, **added):
    table = read_table(source, batch_rows=2)
    with table_writer(path, table, added) as write:
        write(rows)


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source.jsonl"
    path.write_text('{"id": "1", "text": "a", "note": ""}\n', encoding="utf-8")
    return path


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_is_read_back(tmp_path, source, name):
    path = tmp_path / name
    write_all(path, source, ROWS)
    assert read_all(path) == (["id", "text", "note"], ROWS)


def test_csv_values_stay_the_strings_that_they_are(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('a,b\n007,"x\ny"\n1.50,\n', encoding="utf-8")
    assert read_all(path)[1] == [{"a": "007", "b": "x\ny"}, {"a": "1.50", "b": ""}]


def test_a_byte_order_mark_is_not_part_of_the_first_column(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xef\xbb\xbfa,b\r\n1,2\r\n")
    assert read_all(path) == (["a", "b"], [{"a": "1", "b": "2"}])


def test_a_quote_in_tsv_is_a_character(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text('a\tb\n"open\tclose"\n', encoding="utf-8")
    assert read_all(path)[1] == [{"a": '"open', "b": 'close"'}]


def test_a_megabyte_in_one_field_is_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"a,b\n{'x' * 1_000_000},y\n", encoding="utf-8")
    assert len(read_all(path)[1][0]["a"]) == 1_000_000


def test_parquet_types_survive(tmp_path):
    path, out = tmp_path / "t.parquet", tmp_path / "out.parquet"
    pq.write_table(pa.table({"n": pa.array([1, None], pa.int16()), "t": ["a", "b"]}), path)
    table = read_table(path, batch_rows=10)
    with table_writer(out, table, {"score": "double"}) as write:
        for batch in table.batches:
            write([record | {"score": 0.5} for record in batch])
    written = pq.read_table(out)
    assert written.schema.field("n").type == pa.int16()
    assert written.column("score").to_pylist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", "row of column names; got an empty file"),
        ("t.csv", b"a,a\n1,2\n", "column names must differ"),
        ("t.csv", b"a,b\n1,2\n1,2,3\n", "line 3: must have 2 fields; got 3"),
        ("t.csv", b'a,b\n1,"2\n', "line 2"),
        ("t.csv", b"a,b\n1,\xff\n", "must be UTF-8"),
        ("t.jsonl", b"", "at least one JSON object"),
        ("t.jsonl", b'{"a": 1}\n{"a": \n', "line 2: must be JSON"),
        ("t.jsonl", b"[1]\n", "line 1: must be a JSON object"),
        ("t.parquet", b"nonsense", "not a readable Parquet file"),
        ("t.csv.gz", b"a,b\n", "broken compression"),
        ("t.doc", b"a", "must end in one of .csv, .tsv"),
        ("t", b"a", "must end in one of"),
    ],
)
def test_files_that_cannot_be_read_are_refused(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_all(path)


def test_a_directory_is_not_a_file(tmp_path):
    (tmp_path / "t.csv").mkdir()
    with pytest.raises(InputError, match="must be a file; got a directory"):
        read_table(tmp_path / "t.csv", batch_rows=1)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none.csv' must be a file; got nothing there"):
        read_table(tmp_path / "none.csv", batch_rows=1)


def test_an_output_folder_must_exist(tmp_path, source):
    with pytest.raises(InputError, match="existing folder"):
        write_all(tmp_path / "no" / "out.csv", source, ROWS)


def test_an_output_must_not_be_a_directory(tmp_path, source):
    (tmp_path / "out.csv").mkdir()
    with pytest.raises(InputError, match="is a directory"):
        write_all(tmp_path / "out.csv", source, ROWS)


def test_tsv_refuses_what_it_cannot_hold(tmp_path, source):
    with pytest.raises(InputError, match="which TSV cannot"):
        write_all(tmp_path / "out.tsv", source, [{"id": "1", "text": "a\tb", "note": ""}])


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.jsonl.gz"])
@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError])
def test_an_interrupted_write_leaves_what_was_there(tmp_path, source, name, stop):
    path = tmp_path / name
    path.write_bytes(b"before")
    table = read_table(source, batch_rows=2)
    with pytest.raises(stop), table_writer(path, table, {}) as write:
        write(ROWS)
        raise stop
    assert path.read_bytes() == b"before"
    assert sorted(item.name for item in tmp_path.iterdir()) == [name, "source.jsonl"]


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_bad_input_half_way_keeps_the_rows_before_it(tmp_path, source, name):
    path = tmp_path / name
    path.write_bytes(b"before")
    table = read_table(source, batch_rows=2)
    with (
        pytest.raises(InputError, match="rows before it are in"),
        table_writer(path, table, {}) as write,
    ):
        write(ROWS)
        raise InputError("line 5 is broken")
    assert path.read_bytes() == b"before"
    assert read_all(tmp_path / f"partial-{name}")[1] == ROWS


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_bad_input_before_any_row_was_written_leaves_nothing(tmp_path, source, name):
    table = read_table(source, batch_rows=2)
    with pytest.raises(InputError) as caught, table_writer(tmp_path / name, table, {}):
        raise InputError("line 2 is broken")
    assert str(caught.value) == "line 2 is broken"
    assert list(tmp_path.iterdir()) == [source]


def test_a_later_row_of_another_type_is_refused_by_parquet(tmp_path, source):
    table = read_table(source, batch_rows=2)
    with (
        pytest.raises(InputError, match="does not fit the types"),
        table_writer(tmp_path / "out.parquet", table, {}) as write,
    ):
        write(ROWS)
        write([{"id": ["a", "list"], "text": "", "note": ""}])


def test_columns_that_only_halves_of_characters_tell_apart_are_refused(tmp_path):
    source = tmp_path / "source.jsonl"
    source.write_text('{"\\ud800": "a", "\\ud801": "b"}\n')
    for name in ("t.csv", "t.parquet"):
        with pytest.raises(InputError, match="column names must differ as text"):
            write_all(tmp_path / name, source, [])

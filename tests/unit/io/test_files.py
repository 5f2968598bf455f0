from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fuzzbow import InputError
from fuzzbow.io.outputs import check_paths
from fuzzbow.io.tables import read_table, table_writer, with_columns

ROWS = [
    {"id": "007", "text": 'he said "no", twice', "note": ""},
    {"id": "8", "text": "über 東京", "note": "1.50"},
    {"id": "9", "text": " spaces ", "note": "x"},
]
NAMES = ["t.csv", "t.tsv", "t.jsonl", "t.ndjson", "t.parquet", "t.csv.gz", "t.jsonl.bz2"]
NAMES += ["t.tsv.xz"]


def read_all(path: Path, batch_rows: int = 2):
    table = read_table(path, batch_rows=batch_rows)
    batches = list(table.batches)
    assert all(0 < len(batch) <= batch_rows for batch in batches)
    return table.columns, [record for batch in batches for record in batch.to_pylist()]


def write_all(path: Path, source: Path, rows):
    table = read_table(source)
    with table_writer(path, table.schema) as write:
        write(pa.Table.from_pylist(rows, schema=None if rows else table.schema))


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


@pytest.mark.parametrize(
    ("name", "content", "rows"),
    [
        ("t.csv", b'a,b\n007,"x\ny"\n1.50,\n', [("007", "x\ny"), ("1.50", "")]),
        ("t.csv", b"\xef\xbb\xbfa,b\r\n1,2\r\n", [("1", "2")]),
        ("t.tsv", b'a\tb\n"open\tclose"\n', [('"open', 'close"')]),
    ],
    ids=["strings", "byte order mark", "quotes in TSV"],
)
def test_values_stay_the_strings_that_they_are(tmp_path, name, content, rows):
    path = tmp_path / name
    path.write_bytes(content)
    assert read_all(path) == (["a", "b"], [{"a": a, "b": b} for a, b in rows])


def test_a_megabyte_in_one_field_is_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"a,b\n{'x' * 1_000_000},y\n", encoding="utf-8")
    assert len(read_all(path)[1][0]["a"]) == 1_000_000


def test_parquet_types_survive(tmp_path):
    path, out = tmp_path / "t.parquet", tmp_path / "out.parquet"
    pq.write_table(pa.table({"n": pa.array([1, None], pa.int16()), "t": ["a", "b"]}), path)
    table = read_table(path)
    with table_writer(out, table.schema.append(pa.field("score", pa.float64()))) as write:
        for batch in table.batches:
            write(with_columns(batch, {"score": pa.array([0.5] * len(batch))}))
    written = pq.read_table(out)
    assert written.schema.field("n").type == pa.int16()
    assert written.column("score").to_pylist() == [0.5, 0.5]


UNREADABLE = {
    "t.csv": [
        (b"", "row of column names; got an empty file"),
        (b"a,a\n1,2\n", "column names must differ"),
        (b"a,b\n1,2\n1,2,3\n", "line 3: must have 2 fields; got 3"),
        (b'a,b\n1,"2\n', "line 2"),
        (b"a,b\n1,\xff\n", "must be UTF-8"),
    ],
    "t.jsonl": [
        (b"", "at least one JSON object"),
        (b'{"a": 1}\n{"a": \n', "line 2: must be JSON"),
        (b"[1]\n", "line 1: must be a JSON object"),
    ],
    "t.parquet": [(b"nonsense", "not a readable Parquet file")],
    "t.csv.gz": [(b"a,b\n", "broken compression")],
    "t.doc": [(b"a", "must end in one of .csv, .tsv")],
    "t": [(b"a", "must end in one of")],
}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [(name, *case) for name, cases in UNREADABLE.items() for case in cases],
)
def test_files_that_cannot_be_read_are_refused(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_all(path)


def test_folders_and_missing_files_are_named(tmp_path, source):
    (tmp_path / "folder.csv").mkdir()
    for name, what in {"folder.csv": "a directory", "none.csv": "nothing there"}.items():
        with pytest.raises(InputError, match=rf"{name}' must be a file; got {what}"):
            read_table(tmp_path / name)
    for name, message in {"no/out.csv": "existing folder", "folder.csv": "is a directory"}.items():
        with pytest.raises(InputError, match=message):
            write_all(tmp_path / name, source, ROWS)


def test_tsv_refuses_what_it_cannot_hold(tmp_path, source):
    with pytest.raises(InputError, match="which TSV cannot"):
        write_all(tmp_path / "out.tsv", source, [{"id": "1", "text": "a\tb", "note": ""}])


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.jsonl.gz"])
@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError, InputError])
def test_an_interrupted_write_keeps_the_old_file_and_rows_before_bad_input(
    tmp_path, source, name, stop
):
    path, kept = tmp_path / name, tmp_path / f"partial-{name}"
    path.write_bytes(b"before")
    table = read_table(source)
    with pytest.raises(stop) as caught, table_writer(path, table.schema) as write:
        write(pa.Table.from_pylist(ROWS))
        raise stop("line 5 is broken")
    assert path.read_bytes() == b"before"
    assert sorted(item.name for item in tmp_path.iterdir()) == sorted(
        [name, "source.jsonl", *([kept.name] if stop is InputError else [])]
    )
    if stop is InputError:
        assert "rows before it are in" in str(caught.value)
        assert read_all(kept)[1] == ROWS


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_bad_input_before_any_row_was_written_leaves_nothing(tmp_path, source, name):
    table = read_table(source)
    bad = pytest.raises(InputError, match=r"^line 2 is broken$")
    with bad, table_writer(tmp_path / name, table.schema):
        raise InputError("line 2 is broken")
    assert list(tmp_path.iterdir()) == [source]


def test_a_later_row_of_another_type_is_refused_by_parquet(tmp_path, source):
    table = read_table(source)
    with (
        pytest.raises(InputError, match="does not fit the types"),
        table_writer(tmp_path / "out.parquet", table.schema) as write,
    ):
        write(pa.Table.from_pylist(ROWS))
        write(pa.Table.from_pylist([{"id": ["a", "list"], "text": "", "note": ""}]))


def test_columns_that_only_halves_of_characters_tell_apart_are_refused(tmp_path):
    source = tmp_path / "source.jsonl"
    source.write_text('{"\\ud800": "a", "\\ud801": "b"}\n')
    with pytest.raises(InputError, match="column names must differ as text"):
        read_table(source)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("text\n")
    return path


def linked(path, how):
    """Another name of a file."""
    other = path.with_name(f"{how}.csv")
    if how == "hard":
        other.hardlink_to(path)
    elif how == "symbolic":
        other.symlink_to(path.name)
    elif how == "dotted":
        return path.parent / ".." / path.parent.name / path.name
    elif how == "folder":
        (path.parent / "linked").symlink_to(".")
        return path.parent / "linked" / path.name
    return path if how == "same" else other


@pytest.mark.parametrize("how", ["same", "hard", "symbolic", "dotted", "folder"])
def test_an_output_must_not_be_another_file(file, how):
    other = linked(file, how)
    with pytest.raises(InputError, match=r"^--html and FILE must be different files"):
        check_paths(inputs={"FILE": file}, outputs={"--html": other})
    with pytest.raises(InputError, match=r"^-o and --html must be different files"):
        check_paths(inputs={}, outputs={"-o": file, "--html": other})


def test_two_outputs_that_are_not_there_yet_must_differ(tmp_path):
    (tmp_path / "link").symlink_to("new")
    with pytest.raises(InputError, match="must be different files"):
        check_paths(inputs={}, outputs={"-o": tmp_path / "new", "--html": tmp_path / "link"})


def test_different_files_devices_and_options_not_given_pass(file, tmp_path):
    check_paths(
        inputs={"FILE": file, "--counts": None, "--vectors": "default"},
        outputs={"-o": tmp_path / "a", "--html": tmp_path / "b", "--pairs": None},
    )
    check_paths(inputs={"FILE": "/dev/null"}, outputs={"-o": "/dev/null", "--html": "/dev/null"})


def test_a_file_of_an_input_folder_must_not_be_replaced(file, tmp_path):
    with pytest.raises(InputError, match="must be different files"):
        check_paths(inputs={"--vectors": tmp_path}, outputs={"TARGET": file})
    check_paths(inputs={"--vectors": tmp_path}, outputs={"TARGET": tmp_path / "new"})


def test_nothing_is_written_into_a_closed_folder(tmp_path):
    inside = tmp_path / "index" / "data"
    inside.mkdir(parents=True)
    with pytest.raises(InputError, match="--html must not be inside the index"):
        check_paths(
            inputs={},
            outputs={"--html": inside / "new.html"},
            folders={"the index": tmp_path / "index"},
        )

"""Tables in other delimiters and encodings, bad rows, Excel, and the types of columns."""

from __future__ import annotations

import csv
import gzip
import io
import random
from datetime import date, datetime

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fuzzbow.io.text
from fuzzbow.errors import InputError
from fuzzbow.io.tables import (
    AS_IT_IS,
    Reading,
    format_of,
    read_table,
    recognised_format,
    spooled,
    table_writer,
)


def read(path, **reading):
    table = read_table(path, Reading(**reading), batch_rows=2)
    return table, [record for batch in table.batches for record in batch.to_pylist()]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("id;text\n1;a, b\n", {"id": "1", "text": "a, b"}),
        ("id\ttext\n1\ta, b\n", {"id": "1", "text": "a, b"}),
        ("id|text\n1|a; b\n", {"id": "1", "text": "a; b"}),
        ('"a;b","c"\n1,2\n', {"a;b": "1", "c": "2"}),
        ("text\na;b\n", {"text": "a;b"}),
        ('"name, first";year\n"x;y";2\n', {"name, first": "x;y", "year": "2"}),
    ],
)
def test_the_delimiter_is_seen_from_the_header(tmp_path, content, expected):
    path = tmp_path / "t.csv"
    path.write_text(content)
    assert read(path)[1] == [expected]


def test_a_delimiter_and_a_format_may_be_given(tmp_path):
    path = tmp_path / "t"
    path.write_text("a:b\n1:2\n")
    assert read(path, format="csv", delimiter=":")[1] == [{"a": "1", "b": "2"}]
    with pytest.raises(InputError, match=r"one of csv, tsv, jsonl, txt, parquet, xlsx; got"):
        read(path, format="json")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": "::"}, "delimiter must be one character"),
        *(
            ({"encoding": name}, "encoding must be one that")
            for name in ("klingon", "rot13", "hex")
        ),
    ],
)
def test_options_that_no_reader_can_use_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        Reading(**options)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-8"])
@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.csv.gz"])
def test_encodings_are_seen_from_the_first_bytes(tmp_path, encoding, name):
    content = '{"text": "Zoë saw it"}\n' if "json" in name else "text\nZoë saw it\n"
    raw = content.encode(encoding)
    path = tmp_path / name
    path.write_bytes(gzip.compress(raw) if name.endswith("gz") else raw)
    assert read(path)[1] == [{"text": "Zoë saw it"}]


def test_latin_1_names_the_line_and_can_be_given(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"text\n" + b"plain\n" * 30_000 + "Zoë\nlast\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"t\.csv, line 30002: must be UTF-8; byte 0xeb.*latin-1"):
        read(path)
    assert read(path, encoding="latin-1")[1][-2:] == [{"text": "Zoë"}, {"text": "last"}]
    with pytest.raises(InputError, match=r"t\.csv: must be UTF-16; .* does not start with BOM"):
        read(path, encoding="utf-16")


BAD = [
    ("t.csv", 'a,b\n1,2\n3\n"x\ny",5,6\n7,8\n', "line 3: must have 2 fields; got 1", 2),
    ("t.csv", 'a,b\n1,2\n3,"x"y\n7,8\n', "line 3:", 1),
    ("t.csv", 'a,b\n1,2\n7,8\n9,"never closed\n10,11\n', "line 4: a quote is opened here", 1),
    ("t.jsonl", '{"a": 1}\n{"a":\n[1]\n{"a": 2}\n', "line 2: must be JSON", 2),
]


@pytest.mark.parametrize(("name", "content", "message", "count"), BAD)
def test_bad_rows_are_named_by_line_or_passed_over(tmp_path, name, content, message, count):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read(path)
    table, records = read(path, skip_bad=True)
    assert len(records) == 2
    assert table.bad.count == count
    assert message in table.bad.first


@pytest.fixture
def workbook(tmp_path):
    book = openpyxl.Workbook()
    for row in (
        ("id", "text", "when", None), (1, "a cat", datetime(2024, 1, 2), None),
        (2.5, None, date(2024, 1, 3)), (None, None, None), (3.0, "a dog", datetime(2024, 1, 4, 5)),
    ):  # fmt: skip
        book.active.append(row)
    path = tmp_path / "t.xlsx"
    book.save(path)
    return path


def test_excel_is_read_as_it_would_be_exported(workbook):
    table, records = read(workbook)
    assert table.columns == ["id", "text", "when"]
    assert records == [
        {"id": "1", "text": "a cat", "when": "2024-01-02"},
        {"id": "2.5", "text": None, "when": "2024-01-03"},
        {"id": "3", "text": "a dog", "when": "2024-01-04T05:00:00"},
    ]


def test_excel_that_cannot_be_read_or_written(workbook, tmp_path):
    bad = tmp_path / "bad.xlsx"
    for content in (b"no zip", workbook.read_bytes()[:800]):
        bad.write_bytes(content)
        with pytest.raises(InputError, match="not a readable Excel file"):
            read(bad)
    with pytest.raises(InputError, match=r"must end in one of \.csv"):
        format_of(bad, writing=True)
    book = openpyxl.Workbook()
    book.save(bad)
    with pytest.raises(InputError, match="must begin with a row of column names"):
        read(bad)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.jsonl"])
def test_totals_are_told_while_a_file_is_read(tmp_path, name):
    path = tmp_path / name
    rows = 20_000
    line = '{"text": "größer als 12345678"}\n' if "json" in name else "größer als 12345678\n"
    content = ("" if "json" in name else "text\n") + line * rows
    raw = content.encode()
    path.write_bytes(gzip.compress(raw) if name.endswith("gz") else raw)
    table = read_table(path, batch_rows=1000)
    done, totals = 0, []
    for records in table.batches:
        done += len(records)
        totals.append(table.total(done))
    assert totals[-1] == rows
    if not name.endswith("gz"):
        assert all(abs(total - rows) <= rows * 0.01 for total in totals)


def test_plain_text_is_a_text_per_line(tmp_path):
    path = tmp_path / "t.txt"
    path.write_bytes(b'a cat, or two\r\n\n"quoted\nlast')
    table, records = read(path)
    assert table.columns == ["text"]
    assert [record["text"] for record in records] == ["a cat, or two", "", '"quoted', "last"]
    with pytest.raises(InputError, match="must end in one of"):
        format_of(path, writing=True)


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ('[{"text": "a"}, {"text": "b,]"}]', ["a", "b,]"]),
        (
            '\n[\n {"text": "q\\"],["},\n\n {"text": "b", "more": [1, {"x": "]"}]}\n]\n',
            ['q"],[', "b"],
        ),
        ('["a", "b]"]', ["a", "b]"]),
        ('{"text": "a"}\n{"text": "b"}\n', ["a", "b"]),
    ],
)
def test_json_is_lines_or_an_array(tmp_path, content, texts):
    path = tmp_path / "t.json"
    path.write_text(content)
    assert [record["text"] for record in read(path)[1]] == texts


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "at least one JSON object"),
        ('[{"a": 1},]', "line 1: must be JSON"),
        ('[{"a": 1}', "the array does not end"),
        ('[{"a": 1}] x', "must end with the array"),
        ('[{"a": 1}]\n[', "line 2: must end with the array"),
        ("[1]", "must be a JSON object; got '1'"),
        ('[{"a": ' + "[[" * 60 + "]]" * 60 + "}]", "at most 100 levels deep"),
    ],
)
def test_an_array_that_is_broken_is_an_error(tmp_path, content, message):
    path = tmp_path / "t.json"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read(path)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("text\na cat\n", "csv"),
        ("id;text\n1;a\n2;b\n", "csv"),
        ("id,text\n1,a\n", "csv"),
        ("id\ttext\n1\ta\n", "tsv"),
        ('{"text": "a"}\n', "jsonl"),
        (' \n["a"]', "jsonl"),
        ("He has a cat.\nA dog\n", "txt"),
        ("Hello, world\nYes\n", "txt"),
    ],
)
def test_the_format_is_recognised(tmp_path, content, name):
    path = tmp_path / "stdin"
    for data in (content.encode(), gzip.compress(content.encode("utf-16"))):
        path.write_bytes(data)
        assert recognised_format(path, AS_IT_IS) == name


def test_workbooks_and_parquet_are_recognised(workbook, tmp_path):
    nameless = workbook.rename(tmp_path / "stdin")
    assert recognised_format(nameless, AS_IT_IS) == "xlsx"
    assert read(nameless, format="xlsx")[1]
    pq.write_table(pa.table({"text": ["a"]}), nameless)
    assert recognised_format(nameless, AS_IT_IS) == "parquet"


PIECES = ["a", 'b"', " x ", '""', '"', ",", "\n", "\r\n", "\r", '"a"', '"a,b"', '"a ""q"" b"', "é"]


def strictly(text, *, skip_bad):
    """Read CSV by Python's strict parser: rows of two fields."""
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    next(rows)
    found = []
    while True:
        try:
            row = next(rows, None)
        except csv.Error:
            row = [""]
        if row is None:
            return found
        if len(row) == 2:
            found.append(row)
        elif row and not skip_bad:
            return None


@pytest.mark.parametrize("size", [7, 64, 1 << 23])
def test_csv_is_what_a_strict_parser_reads_wherever_blocks_end(tmp_path, monkeypatch, size):
    monkeypatch.setattr(fuzzbow.io.text, "BLOCK_BYTES", size)
    random_ = random.Random(size)
    path = tmp_path / "t.csv"
    for _ in range(300):
        if random_.random() < 0.5:
            stream = io.StringIO()
            fields = ["".join(random_.choices(PIECES, k=2)) for _ in range(10)]
            csv.writer(stream).writerows([["h", "i"], *zip(fields[::2], fields[1::2], strict=True)])
            text = stream.getvalue()
        else:
            text = "h,i\n" + "".join(random_.choices(PIECES, k=random_.randrange(20)))
        path.write_bytes(text.encode())
        for skip_bad in (False, True):
            try:
                batches = list(read_table(path, Reading(skip_bad=skip_bad)).batches)
                found = [[row["h"], row["i"]] for part in batches for row in part.to_pylist()]
            except InputError:
                found = None
            assert found == strictly(text, skip_bad=skip_bad), text


MIXED = (
    '{"a": 1, "t": "x"}\n{"a": 2.5, "t": null}\n{"a": [1, {"z": 2}], "t": "y", "more": "é\\""}\n'
)


def converted(folder, content, name):
    """Write a table of JSON lines in another format."""
    source = folder / "t.jsonl"
    source.write_text(content)
    table = read_table(source)
    with table_writer(folder / name, table.schema) as write:
        for batch in table.batches:
            write(batch)
    return folder / name


def test_json_values_of_several_types_are_kept(tmp_path):
    assert converted(tmp_path, MIXED, "out.jsonl").read_text().splitlines() == [
        '{"a": 1, "t": "x", "more": null}',
        '{"a": 2.5, "t": null, "more": null}',
        '{"a": [1, {"z": 2}], "t": "y", "more": "é\\""}',
    ]


@pytest.mark.parametrize("batch_rows", [1, 2, 9])
def test_a_spooled_table_can_be_read_again(tmp_path, batch_rows):
    source = tmp_path / "t.jsonl"
    source.write_text(MIXED)
    with spooled(read_table(source, batch_rows=batch_rows)) as table:
        for _ in range(2):
            assert table["a"].to_pylist() == ["1", "2.5", '[1, {"z": 2}]']
            assert table["more"].to_pylist() == [None, None, 'é"']


def test_parquet_from_json_has_types(tmp_path):
    rows = '{"n": 1, "list": [1], "mixed": 1}\n{"n": null, "list": null, "mixed": 0.5}\n'
    assert pq.read_table(converted(tmp_path, rows, "out.parquet")).to_pylist() == [
        {"n": 1, "list": [1], "mixed": 1.0},
        {"n": None, "list": None, "mixed": 0.5},
    ]

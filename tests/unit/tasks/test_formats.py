"""Table formats: a toy one, registered by one line, works wherever tables are read or written."""

from __future__ import annotations

import gzip

import pytest

import fuzzbow
from fuzzbow.errors import InputError
from fuzzbow.tasks import TextColumns, format_of, read_table, score_table, table_writer
from fuzzbow.tasks.formats import FORMATS, TextFormat, stored_names


def read_bars(lines):
    rows = (line.rstrip("\n").split("|") for line in lines)
    columns = next(rows)
    return columns, (dict(zip(columns, row, strict=True)) for row in rows)


def write_bars(stream, columns, delimiter):
    stream.write("|".join(stored_names(columns)) + "\n")

    def write(records):
        for record in records:
            stream.write("|".join(str(record.get(column)) for column in columns) + "\n")

    return write


@pytest.fixture
def psv(monkeypatch):
    toy = TextFormat("psv", (".psv",), read_bars, write_bars, one_line=True)
    monkeypatch.setattr("fuzzbow.tasks.formats.FORMATS", [*FORMATS, toy])
    return toy


def test_a_registered_format_is_scored_and_written(psv, tmp_path):
    source, target = tmp_path / "pairs.psv", tmp_path / "scored.psv"
    source.write_text("a|b\na cat sat|a cat sat\na dog|zzz qqq\n")
    table = read_table(source, batch_rows=1)
    a, b = (TextColumns(name, table.columns, str(source)) for name in "ab")
    with table_writer(target, table, {"score": "double"}) as write:
        report = score_table(fuzzbow.load(), table, write, left=a, right=b)
    assert report.rows == 2
    lines = target.read_text().splitlines()
    assert lines[0] == "a|b|score"
    assert lines[1] == "a cat sat|a cat sat|1.0"
    assert format_of(target) is psv


def test_a_registered_text_format_may_be_compressed(psv, tmp_path):
    path = tmp_path / "texts.psv.gz"
    path.write_bytes(gzip.compress(b"text\nhello\n"))
    table = read_table(path, batch_rows=9)
    assert table.columns == ["text"]
    assert list(table.batches) == [[{"text": "hello"}]]


def test_a_registered_format_converts_to_another_one(psv, tmp_path):
    path = tmp_path / "texts.psv"
    path.write_text("text\nhello\n")
    table = read_table(path, batch_rows=9)
    with table_writer(tmp_path / "texts.csv", table, {}) as write:
        for records in table.batches:
            write(records)
    assert (tmp_path / "texts.csv").read_text() == "text\nhello\n"


def test_a_format_that_is_not_registered_is_refused_with_all_that_are(tmp_path):
    with pytest.raises(
        InputError,
        match=r"one of \.csv, \.tsv, \.jsonl, \.ndjson, \.json, \.txt, \.parquet, \.xlsx ",
    ):
        format_of(tmp_path / "texts.psv")


def test_suffixes_belong_to_one_format_each():
    suffixes = [suffix for known in FORMATS for suffix in known.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert all(suffix == suffix.lower() and suffix[0] == "." for suffix in suffixes)

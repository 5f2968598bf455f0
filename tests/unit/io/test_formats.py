"""Table formats: a toy one, registered by one line, works wherever tables are read or written."""

from __future__ import annotations

import gzip
from contextlib import contextmanager

import pyarrow as pa
import pytest

from fuzzbow.errors import InputError
from fuzzbow.io import FORMATS
from fuzzbow.io.tables import Table, TableFormat, format_of, known_formats
from fuzzbow.io.text import TextFile
from fuzzbow.pipeline import score_file


def read(path, options, batch_rows):
    columns, *rows = (line.rstrip("\n").split("|") for line in TextFile(path).lines())
    batch = pa.RecordBatch.from_pylist([dict(zip(columns, row, strict=True)) for row in rows])
    return Table(batch.schema, iter([batch]))


@contextmanager
def write(sink, schema, delimiter):
    sink.write(("|".join(schema.names) + "\n").encode())

    def write_batch(batch):
        for row in batch.to_pylist():
            sink.write(("|".join(map(str, row.values())) + "\n").encode())

    yield write_batch


@pytest.fixture
def psv(monkeypatch):
    toy = TableFormat("psv", (".psv",), read, write, one_line=True)
    monkeypatch.setitem(FORMATS, "psv", toy)
    return toy


def test_a_registered_format_is_read_scored_compressed_and_written(psv, tmp_path):
    source, target = tmp_path / "pairs.psv.gz", tmp_path / "scored.psv"
    source.write_bytes(gzip.compress(b"a|b\na cat sat|a cat sat\na dog|zzz qqq\n"))
    assert score_file(source, target, left="a", right="b").rows == 2
    assert target.read_text().splitlines()[:2] == ["a|b|score", "a cat sat|a cat sat|1.0"]
    assert format_of(target) is psv


def test_a_format_that_is_not_registered_is_refused_with_all_that_are(tmp_path):
    with pytest.raises(
        InputError,
        match=r"one of \.csv, \.tsv, \.jsonl, \.ndjson, \.json, \.txt, \.parquet, \.xlsx ",
    ):
        format_of(tmp_path / "texts.psv")


def test_suffixes_belong_to_one_format_each_and_names_are_those_of_the_registry():
    formats = known_formats()
    suffixes = [suffix for known in formats for suffix in known.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert all(suffix == suffix.lower() and suffix[0] == "." for suffix in suffixes)
    assert [known.name for known in formats] == list(FORMATS)

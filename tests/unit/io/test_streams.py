"""The one decompressor, its limits, and the readers above it."""

from __future__ import annotations

import gzip
import json
import os
import struct

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fuzzbow import InputError
from fuzzbow.io.streams import open_stream, read_text
from fuzzbow.io.tables import read_table
from fuzzbow.research.sts.datasets import load_tasks
from fuzzbow.vectors import open_vectors
from fuzzbow.vectors.formats.container import Tensor, write_container
from fuzzbow.vectors.weights import read_counts
from tests.hostile.input_files import compressed, fasttext_model

TEXT = "".join(f"word{n},{n * n}\n" for n in range(2000)).encode()
KINDS = [".gz", ".bz2", ".xz", ".zip"]


def rows_of(path):
    return [row for batch in read_table(path).batches for row in batch.to_pylist()]


@pytest.fixture
def limited(monkeypatch):
    """Limits that a small file exceeds."""
    monkeypatch.setattr("fuzzbow.io.streams.LONGEST_LINE", 1000)
    monkeypatch.setattr("fuzzbow.io.text.LONGEST_LINE", 1000)
    monkeypatch.setattr("fuzzbow.io.csv.LONGEST_LINE", 1000)
    monkeypatch.setattr("fuzzbow.io.text.BLOCK_BYTES", 500)
    monkeypatch.setattr("fuzzbow.io.streams.LARGEST_TEXT", 5000)
    monkeypatch.setattr("fuzzbow.io.streams.ALWAYS_UNPACKED", 10_000)
    monkeypatch.setattr("fuzzbow.io.streams.MOST_GROWTH", 10)


@pytest.mark.parametrize("kind", ["", *KINDS])
def test_content_decides_how_a_file_is_unpacked(tmp_path, kind):
    path = tmp_path / "any.name"
    path.write_bytes(compressed(kind, TEXT))
    with open_stream(path) as stream:
        assert (stream.read_all(), stream.compression) == (TEXT, kind)


def test_a_text_that_begins_like_bzip2_is_a_text(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("BZh9,text\n1,a\n")
    assert rows_of(path) == [{"BZh9": "1", "text": "a"}]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_damaged_compression_names_the_file(tmp_path, kind, damage):
    data = compressed(kind, TEXT)
    half = len(data) // 2
    path = tmp_path / f"x.txt{kind}"
    path.write_bytes(
        data[:half] if damage == "cut" else data[:half] + b"\0" * 64 + data[half + 64 :]
    )
    with pytest.raises(InputError, match=rf"x\.txt{kind}.*truncated or damaged"), \
            open_stream(path) as stream:  # fmt: skip
        stream.read_all()


@pytest.mark.parametrize("kind", [".gz", ".xz"])
def test_damaged_tables_say_after_which_line(tmp_path, monkeypatch, kind):
    monkeypatch.setattr("fuzzbow.io.streams.HEAD", 1000)
    monkeypatch.setattr("fuzzbow.io.text.BLOCK_BYTES", 1000)
    path = tmp_path / f"t.csv{kind}"
    text = b"a,b\n" + b"".join(os.urandom(20).hex().encode() + b",1\n" for _ in range(15_000))
    data = compressed(kind, text)
    path.write_bytes(data[: len(data) - 100])
    with pytest.raises(InputError, match=r"t\.csv.*, after line \d+: truncated or damaged"):
        rows_of(path)


def test_a_small_file_that_unpacks_to_much_is_refused(tmp_path, limited):
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"\0" * 100_000))
    with pytest.raises(InputError, match=r"bomb\.gz: unpacks to more than"), \
            open_stream(path) as stream:  # fmt: skip
        stream.read_all()
    path.write_bytes(gzip.compress(os.urandom(20_000)))  # a large one may
    with open_stream(path) as stream:
        assert len(stream.read_all()) == 20_000


@pytest.mark.parametrize(
    ("name", "content", "read"),
    [
        ("t.csv", b"a,b\n1,2\n" + b"x" * 2000, rows_of),
        ("t.jsonl", b'{"a": 1}\n{"a": "' + b"x" * 2000, rows_of),
        ("counts.txt", b"a 1\nb 2\n" + b"x" * 2000, read_counts),
    ],
)
def test_a_line_without_end_is_refused_by_its_number(tmp_path, limited, name, content, read):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"{name}, line \d: must have at most 1000 characters"):
        read(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [('a,b\n1,"open\n' + "and so on\n" * 1000, ".*quote left open"), ('"a\n' * 1000, "")],
)
def test_a_quote_or_header_without_end_is_refused(tmp_path, limited, text, message):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=rf"t\.csv, line \d+{message}"):
        rows_of(path)


def test_long_rows_come_in_smaller_batches(tmp_path, monkeypatch):
    monkeypatch.setattr("fuzzbow.io.tables.BATCH_BYTES", 100)
    monkeypatch.setattr("fuzzbow.io.text.BLOCK_BYTES", 100)
    text = "x" * 60
    for name, line in {"t.csv": text, "t.txt": text, "t.jsonl": f'{{"a": "{text}"}}'}.items():
        path = tmp_path / name
        path.write_text(("a\n" if name == "t.csv" else "") + f"{line}\n" * 10)
        assert max(len(batch) for batch in read_table(path).batches) == 2


def test_a_text_that_is_too_large_is_refused(tmp_path, limited):
    path = tmp_path / "tokenizer.json"
    path.write_text("x" * 6000)
    with pytest.raises(InputError, match=r"tokenizer\.json: must have at most 5000 bytes"):
        read_text(path)


@pytest.mark.parametrize("read", [open_vectors, read_counts, read_text])
def test_a_pipe_is_no_input(tmp_path, read):
    path = tmp_path / "pipe.txt"
    os.mkfifo(path)
    with pytest.raises(InputError, match=r"pipe\.txt"):
        read(path)


@pytest.mark.parametrize("depth", [100, 101, 600, 100_000])
def test_json_of_a_hundred_levels_is_read_and_deeper_is_refused_by_its_line(tmp_path, depth):
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1}\n{"a": ' + "[" * (depth - 1) + "]" * (depth - 1) + "}\n")
    if depth == 100:
        assert len(rows_of(path)) == 2
        return
    with pytest.raises(InputError, match=r"line 2: must be JSON .*at most 100 levels deep"):
        rows_of(path)


def test_parquet_values_that_python_cannot_hold(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"text": pa.array([b"\xff\xfe"], pa.binary()).view(pa.string())}), path)
    with pytest.raises(InputError, match=r"t\.parquet: broken Parquet file"):
        rows_of(path)
    late = pa.array([2**62], pa.timestamp("us"))
    pq.write_table(pa.table({"text": late}), path)
    (batch,) = read_table(path).batches
    assert batch["text"].equals(late)


def safetensors(path, header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


@pytest.mark.parametrize(
    "header",
    [
        b'{"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 1e999]}}',
        b'{"a": {"dtype": "F32", "shape": [1e999], "data_offsets": [0, 4]}}',
        {"a": {"dtype": "F32", "shape": [0, 2**63], "data_offsets": [0, 0]}},
        {"a": {"dtype": "F32", "shape": [1] * 100, "data_offsets": [0, 4]}},
        {"a": {"dtype": "F32", "shape": [1.5], "data_offsets": [0, 6]}},
        {"__metadata__": {"format": 7}},
        b'{"a": ' + b"[" * 100_000,
    ],
)
def test_absurd_safetensors_headers_name_the_file(tmp_path, header):
    path = safetensors(tmp_path / "m.safetensors", header, b"\0" * 8)
    with pytest.raises(InputError, match=r"m\.safetensors: damaged safetensors header"):
        open_vectors(path)


@pytest.mark.parametrize("kind", ["", ".gz"])
@pytest.mark.parametrize(
    "header", [b"999999999999999 300\n", b"3 999999999999\n", b"9999999 60000\n", b"9" * 9999]
)
@pytest.mark.parametrize("body", [b" 3\na 1 2\n", b"a \0\0\0\0"])
def test_absurd_first_lines_name_the_file(tmp_path, kind, header, body):
    path = tmp_path / f"v.txt{kind}"
    path.write_bytes(compressed(kind, header + body))
    with pytest.raises(InputError, match=r"v\.txt"):
        open_vectors(path)


# places in the model of tests/hostile/input_files.py
DIMENSION, BUCKETS, LONGEST, WORDS, PRUNED = 8, 40, 48, 68, 84


@pytest.mark.parametrize(
    ("place", "code", "value"),
    [
        (DIMENSION, "<i", 2**31 - 1),
        (BUCKETS, "<i", -5),
        (LONGEST, "<i", 2**31 - 1),
        (WORDS, "<i", 2**31 - 1),
        (WORDS, "<i", 3),
        (PRUNED, "<q", 2**62),
    ],
)
def test_absurd_fasttext_headers_name_the_file(tmp_path, place, code, value):
    data = bytearray(fasttext_model())
    struct.pack_into(code, data, place, value)
    path = tmp_path / "model.bin"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"model\.bin"):
        open_vectors(path)


def test_a_tokenizer_with_ids_of_another_kind_names_the_file(tmp_path):
    matrix = np.ones((2, 2), dtype=np.float32)
    write_container(tmp_path / "model.safetensors", [Tensor.of("embeddings", matrix)], dict)
    content = {"model": {"vocab": {"a": 0}}, "added_tokens": [{"content": "b", "id": "1"}]}
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"tokenizer\.json: no vocabulary"):
        open_vectors(tmp_path)


@pytest.mark.parametrize("value", ["1e13", "-3.4e38", "nan"])
def test_values_beyond_any_vector_name_the_line(tmp_path, value):
    path = tmp_path / "v.txt"
    path.write_text(f"a 1 2\nb 3 {value}\n")
    with pytest.raises(InputError, match=r"v\.txt, line 2: the vector of 'b' must be finite"):
        open_vectors(path)


def test_sts_data_that_are_not_utf8_name_the_file(tmp_path):
    (tmp_path / "sts-test.csv").write_bytes(b"g\tf\t2012\t1\t1.5\t\xff\tb\n")
    with pytest.raises(InputError, match=r"sts-test\.csv: must be UTF-8"):
        load_tasks(tmp_path, ["STSB"])

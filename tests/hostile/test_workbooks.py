"""Workbooks of Excel that are small on disk and large in memory, encrypted or oddly compressed."""

from __future__ import annotations

import struct
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fuzzbow import InputError
from fuzzbow.io import excel
from fuzzbow.io.tables import read_table

openpyxl = pytest.importorskip("openpyxl", reason="needs openpyxl")
SHEET, STRINGS, STYLES = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml"
SPACE = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
HEADER = b'<row r="1"><c r="A1" t="inlineStr"><is><t>text</t></is></c></row>'
BEGIN, END = b"<worksheet " + SPACE + b"><sheetData>" + HEADER, b"</sheetData></worksheet>"
MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Path:
    """A workbook with two rows."""
    path = tmp_path_factory.mktemp("plain") / "t.xlsx"
    book = openpyxl.Workbook()
    for row in (["text"], ["a cat"], ["a dog"]):
        book.active.append(row)
    book.save(path)
    return path


def remade(plain: Path, path: Path, name: str, content: Iterator[bytes], **options: int) -> Path:
    """Copy a workbook with one part replaced."""
    method = options.get("compression", zipfile.ZIP_DEFLATED)
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w", method) as new:
        for part in old.namelist():
            if part != name:
                new.writestr(part, old.read(part))
        with new.open(name, "w", force_zip64=True) as stream:
            for piece in content:
                stream.write(piece)
    return path


def read(path: Path) -> list[dict[str, str]]:
    return read_table(path).read_all().to_pylist()


def repeated(begin: bytes, unit: bytes, count: int, end: bytes) -> Iterator[bytes]:
    """The unit many times, in pieces of about a megabyte."""
    per_piece = max(1, MEGABYTE // len(unit))
    yield begin
    for done in range(0, count, per_piece):
        yield unit * min(per_piece, count - done)
    yield end


CELL = b'<row r="2"><c r="A2" t="inlineStr"><is><t>'
CELL_END = b"</t></is></c></row>"
TEXTS = b"<sst " + SPACE + b">"
ATTACKS = {
    "a cell of 1.5 GB": (SHEET, BEGIN + CELL, b"x", 1_500 * MEGABYTE, CELL_END + END, "unpacks to"),
    "a cell of 100 MB": (SHEET, BEGIN + CELL, b"x", 100 * MEGABYTE, CELL_END + END, "a row must"),
    "a shared text of 100 MB": (
        STRINGS, TEXTS + b"<si><t>", b"x", 100 * MEGABYTE, b"</t></si></sst>", "a text must",
    ),
    "a text of many runs": (
        STRINGS, TEXTS + b"<si>", b"<r/>", 25 * MEGABYTE, b"</si></sst>", "a text must",
    ),
    "many empty texts": (
        STRINGS, TEXTS, b"<si/>", 15 * MEGABYTE, b"</sst>", "the texts of a workbook must fit",
    ),
    "a row of many cells": (
        SHEET, BEGIN + b'<row r="2">', b"<c/>", 25 * MEGABYTE, b"</row>" + END, "a row must",
    ),
    "a row again and again": (
        SHEET, BEGIN, b'<row r="1"/>', 3 * MEGABYTE, END, "at most 1048576 rows",
    ),
    "an attribute without end": (
        SHEET, BEGIN + b'<row r="2" x="', b"x", 100 * MEGABYTE, b'"/>' + END, "a tag must",
    ),
    "many styles": (
        STYLES, b"<styleSheet " + SPACE + b">", b"<x/>", 10 * MEGABYTE, b"</styleSheet>",
        "must have at most 16777216 bytes",
    ),
    "row 999999999": (
        SHEET, BEGIN + b'<row r="999999999"><c r="A999999999"><v>1</v></c></row>', b"", 0, END,
        "at most 1048576 rows",
    ),
}  # fmt: skip

READ = """
import resource, sys
from pathlib import Path
from fuzzbow import InputError
from fuzzbow.io.tables import read_table
import openpyxl
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    table = read_table(Path(sys.argv[1]))
    count = sum(map(len, table.batches))
except InputError as error:
    print(error)
else:
    print("rows", count)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="measures memory as Linux does")
@pytest.mark.parametrize("attack", ATTACKS)
def test_memory_is_bounded_and_the_error_is_clear(plain, tmp_path, attack):
    name, begin, unit, count, end, message = ATTACKS[attack]
    path = remade(plain, tmp_path / "t.xlsx", name, repeated(begin, unit or b" ", count, end))
    assert path.stat().st_size < 4 * MEGABYTE
    done = subprocess.run(
        [sys.executable, "-c", READ, path], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    told, grown = done.stdout.splitlines()
    assert str(path) in told
    assert message in told
    assert int(grown) < 600  # MiB


def test_a_wrong_dimension_neither_adds_nor_loses_rows(plain, tmp_path):
    with zipfile.ZipFile(plain) as book:
        sheet = book.read(SHEET)
    for wrong in (b"A1:A1", b"A1:XFD999999999", b"C5:D9"):
        changed = sheet.replace(b'<dimension ref="A1:A3"', b'<dimension ref="' + wrong + b'"')
        assert changed != sheet
        path = remade(plain, tmp_path / "t.xlsx", SHEET, iter([changed]))
        assert read(path) == [{"text": "a cat"}, {"text": "a dog"}]


def test_many_columns_come_in_small_batches(plain, tmp_path, monkeypatch):
    monkeypatch.setattr("fuzzbow.io.excel.BATCH_BYTES", 100)
    assert [len(part) for part in read_table(plain, batch_rows=1_000).batches] == [2]
    monkeypatch.setattr("fuzzbow.io.excel.BATCH_BYTES", 10)
    assert [len(part) for part in read_table(plain, batch_rows=1_000).batches] == [1, 1]


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_another_compression_is_refused(plain, tmp_path, compression):
    path = remade(plain, tmp_path / "t.xlsx", SHEET, iter([BEGIN, END]), compression=compression)
    with pytest.raises(InputError, match=f"must be deflate, method 8; got method {compression}"):
        read(path)


def patched(plain: Path, path: Path, offset: int, value: int) -> Path:
    """Copy a workbook with a number of the directory, of every part, replaced."""
    data = bytearray(plain.read_bytes())
    start = data.find(b"PK\x01\x02")
    while start >= 0:
        struct.pack_into("<H", data, start + offset, value)
        start = data.find(b"PK\x01\x02", start + 4)
    path.write_bytes(data)
    return path


def test_an_unknown_compression_is_refused(plain, tmp_path):
    with pytest.raises(InputError, match="got method 99"):
        read(patched(plain, tmp_path / "t.xlsx", 10, 99))


def test_an_encrypted_part_is_refused(plain, tmp_path):
    with pytest.raises(InputError, match="it is encrypted"):
        read(patched(plain, tmp_path / "t.xlsx", 8, 1))


def test_a_workbook_with_a_password_is_refused(tmp_path):
    path = tmp_path / "t.xlsx"
    path.write_bytes(excel.OLE + bytes(5_000))
    with pytest.raises(InputError, match=r"encrypted, or older .* without a password"):
        read(path)


def test_a_large_sheet_within_the_limits_is_read(plain, tmp_path, monkeypatch):
    with zipfile.ZipFile(plain) as book:
        sheet = book.read(SHEET).replace(b"</sheetData>", b" " * 50_000 + b"</sheetData>")
    path = remade(plain, tmp_path / "t.xlsx", SHEET, iter([sheet]))
    monkeypatch.setattr(excel, "LARGE_PART", 50_000)
    assert read(path) == [{"text": "a cat"}, {"text": "a dog"}]

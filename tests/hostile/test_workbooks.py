"""Workbooks of Excel that are small on disk and large in memory, encrypted or oddly compressed."""

from __future__ import annotations

import json
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
from tests.hostile.scale import steps

openpyxl = pytest.importorskip("openpyxl", reason="needs openpyxl")
SHEET, STRINGS, STYLES = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml"
SPACE = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
HEADER = b'<row r="1"><c r="A1" t="inlineStr"><is><t>text</t></is></c></row>'
BEGIN, END = b"<worksheet " + SPACE + b"><sheetData>" + HEADER, b"</sheetData></worksheet>"
MEGABYTE = 1 << 20
FEWER = steps(4, 1)  # shared texts, each of which then counts for more


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
    "a cell of 1.5 GB": (  # of which a sample is there, and the directory names the rest
        SHEET, BEGIN + CELL, b"x", steps(1, 1_500) * MEGABYTE, CELL_END + END, "unpacks to",
    ),
    "a cell of 100 MB": (SHEET, BEGIN + CELL, b"x", 100 * MEGABYTE, CELL_END + END, "a row must"),
    "a shared text of 100 MB": (
        STRINGS, TEXTS + b"<si><t>", b"x", 100 * MEGABYTE, b"</t></si></sst>", "a text must",
    ),
    "a text of many runs": (
        STRINGS, TEXTS + b"<si>", b"<r/>", 5 * MEGABYTE, b"</si></sst>", "a text must",
    ),
    "many empty texts": (
        STRINGS, TEXTS, b"<si/>", 15 * MEGABYTE // FEWER, b"</sst>",
        "the texts of a workbook must fit",
    ),
    "a row of many cells": (
        SHEET, BEGIN + b'<row r="2">', b"<c/>", 5 * MEGABYTE, b"</row>" + END, "a row must",
    ),
    "a row again and again": (
        SHEET, BEGIN, b'<row r="1"/>', 3 * MEGABYTE, END, "at most 1048576 rows",
    ),
    "an attribute without end": (
        SHEET, BEGIN + b'<row r="2" x="', b"x", 20 * MEGABYTE, b'"/>' + END, "a tag must",
    ),
    "many styles": (
        STYLES, b"<styleSheet " + SPACE + b">", b"<x/>", 5 * MEGABYTE, b"</styleSheet>",
        "must have at most 16777216 bytes",
    ),
    "row 999999999": (
        SHEET, BEGIN + b'<row r="999999999"><c r="A999999999"><v>1</v></c></row>', b"", 0, END,
        "at most 1048576 rows",
    ),
}  # fmt: skip

READ = """
import json, resource, sys
from pathlib import Path
from fuzzbow import InputError
from fuzzbow.io import excel
from fuzzbow.io.tables import read_table
import openpyxl
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
excel.STRING_BYTES *= int(sys.argv[1])
for path in sys.argv[2:]:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        found = sum(map(len, read_table(Path(path)).batches))
    except InputError as error:
        found = str(error)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(json.dumps([path, found, grown // 1024]), flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="measures memory as Linux does")
def test_memory_is_bounded_and_the_error_is_clear(plain, tmp_path):
    paths = {}
    for number, (attack, (name, begin, unit, count, end, _)) in enumerate(ATTACKS.items()):
        parts = repeated(begin, unit or b" ", count, end)
        path = paths[attack] = remade(plain, tmp_path / f"{number}.xlsx", name, parts)
        if attack == "a cell of 1.5 GB":
            path.write_bytes(patched(path, SHEET, 24, "<I", 1_500 * MEGABYTE))
        assert path.stat().st_size < 4 * MEGABYTE
    command = [sys.executable, "-c", READ, str(FEWER), *paths.values()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (found[-1:], done.stderr[-2_000:])
    for (attack, path), (_, error, grown) in zip(paths.items(), found, strict=True):
        assert str(path) in str(error), attack
        assert ATTACKS[attack][-1] in error
        assert grown < 600, attack  # MiB


def test_a_wrong_dimension_neither_adds_nor_loses_rows(plain, tmp_path):
    with zipfile.ZipFile(plain) as book:
        sheet = book.read(SHEET)
    for wrong in (b"A1:A1", b"A1:XFD999999999", b"C5:D9"):
        changed = sheet.replace(b'<dimension ref="A1:A3"', b'<dimension ref="' + wrong + b'"')
        assert changed != sheet
        path = remade(plain, tmp_path / "t.xlsx", SHEET, iter([changed]))
        assert read(path) == [{"text": "a cat"}, {"text": "a dog"}]


def test_many_columns_come_in_small_batches(plain, tmp_path, monkeypatch):
    monkeypatch.setattr("fuzzbow.io.tables.BATCH_BYTES", 100)
    assert [len(part) for part in read_table(plain, batch_rows=1_000).batches] == [2]
    monkeypatch.setattr("fuzzbow.io.tables.BATCH_BYTES", 10)
    assert [len(part) for part in read_table(plain, batch_rows=1_000).batches] == [1, 1]


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_another_compression_is_refused(plain, tmp_path, compression):
    path = remade(plain, tmp_path / "t.xlsx", SHEET, iter([BEGIN, END]), compression=compression)
    with pytest.raises(InputError, match=f"must be deflate, method 8; got method {compression}"):
        read(path)


def patched(path: Path, name: str, offset: int, kind: str, value: int) -> bytes:
    """Content of a workbook with a number in the directory's record of a part replaced."""
    data = bytearray(path.read_bytes())
    start = data.rfind(name.encode()) - 46
    assert data[start : start + 4] == b"PK\x01\x02"
    struct.pack_into(kind, data, start + offset, value)
    return bytes(data)


@pytest.mark.parametrize(
    ("offset", "value", "message"), [(10, 99, "got method 99"), (8, 1, "it is encrypted")]
)
def test_an_unknown_compression_or_an_encrypted_part_is_refused(
    plain, tmp_path, offset, value, message
):
    path = tmp_path / "t.xlsx"
    path.write_bytes(patched(plain, SHEET, offset, "<H", value))
    with pytest.raises(InputError, match=message):
        read(path)


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

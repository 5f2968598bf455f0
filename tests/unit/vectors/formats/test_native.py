"""The native file: what is written comes back, and damage is named."""

from __future__ import annotations

import gzip
import json
import mmap
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fuzzbow.arrays import runs_of
from fuzzbow.errors import InputError
from fuzzbow.vectors import WordVectors, convert, open_vectors, save_vectors
from fuzzbow.vectors.vocabulary import StoredVocabulary, pack, word_hashes
from fuzzbow.vectors.weights import fit_whitening, word_probabilities

from ..samples import WORDS

TYPES = ("float32", "float16", "int8", "int4")
SMALL_TYPES = ("int8", "int4")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.safetensors"


@pytest.fixture
def saved(vectors: WordVectors, tmp_path: Path) -> Path:
    path = tmp_path / "small.safetensors"
    save_vectors(vectors, path)
    return path


def test_words_vectors_counts_name_and_fingerprint_come_back(saved, vectors, matrix):
    opened = open_vectors(saved)
    assert list(opened.words) == WORDS
    assert (list(opened.words[1:3]), opened.words[-1]) == (["cat", "sat"], "日本")
    np.testing.assert_array_equal(opened.matrix, matrix)
    assert opened.counts.tolist() == [50, 40, 30, 20, 10]
    assert (opened.name, opened.fingerprint) == ("small", vectors.fingerprint)
    assert list(open_vectors(saved, limit=2).words) == ["the", "cat"]


@pytest.mark.parametrize("dtype", TYPES)
def test_stored_fingerprint_is_that_of_the_content(vectors, path, dtype):
    save_vectors(vectors, path, dtype=dtype)
    opened = open_vectors(path)
    assert replace(opened, stored_fingerprint=None).fingerprint == opened.fingerprint


def test_look_up_finds_stored_words_only(saved):
    words = ["日本", "dog", "the", "", "\ud800", "naïve"]
    vectors = open_vectors(saved)
    assert vectors.ids(words).tolist() == [4, -1, 0, -1, -1, 3]
    assert [vectors.position(word) for word in words] == [4, -1, 0, -1, -1, 3]


def test_equal_hashes_are_told_apart_by_their_bytes():
    data, offsets = pack(["one", "two", "three"])
    same = np.full(3, word_hashes([b"two"])[0])
    order = np.array([0, 2, 1], dtype=np.uint32)
    vocabulary = StoredVocabulary(data, offsets, same, order, "test")
    assert [vocabulary.position(word) for word in ("two", "one")] == [1, -1]


@pytest.mark.parametrize(
    ("dtype", "tolerance"), [("float16", 1e-3), ("int8", 1 / 127), ("int4", 1 / 7)]
)
def test_narrow_types_come_back_nearly(vectors, path, dtype, tolerance):
    save_vectors(vectors, path, dtype=dtype)
    opened, largest = open_vectors(path), float(np.abs(vectors.matrix).max())
    np.testing.assert_allclose(opened.matrix, vectors.matrix, atol=tolerance * largest)
    np.testing.assert_array_equal(opened.rows([3, 1]), opened.matrix[[3, 1]])


@pytest.mark.parametrize("dtype", SMALL_TYPES)
def test_small_integers_saved_again_are_unchanged_and_zeros_survive(matrix, tmp_path, dtype):
    first, second = tmp_path / "1.safetensors", tmp_path / "2.safetensors"
    matrix[2] = 0.0
    save_vectors(WordVectors.from_words(WORDS, matrix), first, dtype=dtype)
    save_vectors(open_vectors(first), second, dtype=dtype)
    assert first.read_bytes() == second.read_bytes()
    assert not open_vectors(second).matrix[2].any()


@pytest.mark.parametrize("dimension", [1, 4, 5])
def test_int4_rows_keep_their_dimension_and_length(path, dimension):
    rows = np.random.default_rng(1).standard_normal((20, dimension))
    save_vectors(WordVectors.from_words([f"w{n}" for n in range(20)], rows), path, dtype="int4")
    found = open_vectors(path).matrix
    assert found.shape == rows.shape
    lengths = (np.linalg.norm(part, axis=1) for part in (found, rows))
    np.testing.assert_allclose(*lengths, rtol=1e-6)


def test_int4_takes_half_a_byte_a_number(path):
    words = [f"w{n}" for n in range(50)]
    vectors = WordVectors.from_words(words, np.ones((50, 2000)), preweighted=True)
    sizes = []
    for dtype in SMALL_TYPES:
        save_vectors(vectors, path, dtype=dtype)
        sizes.append(path.stat().st_size)
    assert sizes[0] - sizes[1] == pytest.approx(50 * 1000, abs=200)


@pytest.mark.parametrize("dimension", ["", "0", "x", "-4", "9", "9" * 40])
def test_int4_with_a_wrong_dimension_is_refused(path, dimension):
    save_vectors(WordVectors.from_words(["a"], [[1.0, 2.0, 3.0, 4.0]]), path, dtype="int4")
    edit(path, lambda header: header["__metadata__"].update(dimension=dimension))
    with pytest.raises(InputError, match=r"dimension must be|must be uint8 of shape"):
        open_vectors(path)


def test_every_array_is_aligned(saved):
    header, length = header_of(saved.read_bytes())
    del header["__metadata__"]
    begins = [item["data_offsets"][0] for name, item in header.items() if name[:7] != "padding"]
    assert {(begin + 8 + length) % 64 for begin in begins} == {0}


def test_the_safetensors_library_reads_it(saved, matrix):
    library = pytest.importorskip("safetensors.numpy")
    np.testing.assert_array_equal(library.load_file(saved)["vectors"], matrix)


def test_opening_maps_the_file_and_reads_no_array(saved):
    found = open_vectors(saved).matrix
    while isinstance(found, np.ndarray):
        found = found.base
    assert isinstance(getattr(found, "obj", found), mmap.mmap)


def test_a_compressed_native_file_is_read(saved, matrix):
    compressed = saved.with_suffix(".safetensors.gz")
    compressed.write_bytes(gzip.compress(saved.read_bytes()))
    np.testing.assert_array_equal(open_vectors(compressed).matrix, matrix)


def test_a_failed_save_leaves_the_old_file_and_no_other(saved, vectors):
    before = saved.read_bytes()

    def stop(done: int, total: int):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save_vectors(vectors, saved, progress=stop)
    assert (saved.read_bytes() == before, list(saved.parent.iterdir())) == (True, [saved])


def test_saving_over_the_file_that_is_open_keeps_its_content(saved):
    opened = open_vectors(saved)
    save_vectors(opened, saved)
    assert list(open_vectors(saved).words) == list(opened.words)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("none/x.safetensors", {}, "existing folder"),
        ("x.bin", {}, r"end in \.safetensors"),
        ("x.safetensors", {"dtype": "int2"}, "float32, float16, int8, int4; got 'int2'"),
        ("x.safetensors", {"dtype": "float16"}, "too large for float16"),
    ],
)
def test_what_cannot_be_saved_is_refused(tmp_path, name, options, message):
    with pytest.raises(InputError, match=message):
        save_vectors(WordVectors.from_words(["a"], [[1e9]]), tmp_path / name, **options)


def test_convert_keeps_the_report_of_its_source_and_reports_progress_to_the_end(path, tmp_path):
    source = tmp_path / "x.txt"
    source.write_text("a 1 2\nb 1\na 3 4\n")
    steps: list[tuple[int, int]] = []
    converted = convert(source, path, skip_bad=True, progress=lambda *step: steps.append(step))
    assert (converted.report.duplicates, converted.report.skipped) == (1, 1)
    assert steps[-1] == (1, 1)


def header_of(data: bytes) -> tuple[dict, int]:
    (length,) = struct.unpack_from("<Q", data)
    return json.loads(data[8 : 8 + length]), length


def edit(saved: Path, change: Callable[[dict], object]):
    """Rewrite the header of a file without moving its arrays."""
    data = saved.read_bytes()
    header, length = header_of(data)
    change(header)
    text = json.dumps(header, separators=(",", ":")).encode()
    assert len(text) <= length
    saved.write_bytes(data[:8] + text.ljust(length) + data[8 + length :])


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: data[:-300], r"small\.safetensors: truncated or damaged"),
        (lambda data: struct.pack("<Q", 10**15) + data[8:], "header says 1000000000000000 bytes"),
        (lambda data: struct.pack("<Q", 4) + b"{{{{" + b"\0" * 100, "damaged safetensors header"),
        (lambda data: b"abc", "truncated"),
    ],
    ids=["cut", "long header", "no JSON", "short"],
)
def test_a_damaged_file_is_refused(saved, damage, message):
    saved.write_bytes(damage(saved.read_bytes()))
    with pytest.raises(InputError, match=message):
        open_vectors(saved)


@pytest.mark.parametrize(
    ("name", "changed", "message"),
    [
        ("vectors", {"dtype": "I32"}, "float32, float16 or int8"),
        ("vectors", {"dtype": "Q9"}, "must be one of F64"),
        ("vectors", {"shape": [5, 3]}, "needs 60 bytes, has 80"),
        ("vectors", {"data_offsets": [0, 10**9]}, "is at bytes"),
        ("word_hashes", {"dtype": "I32"}, "'word_hashes' must be uint32"),
        ("word_order", {"dtype": "I32"}, "'word_order' must be uint32"),
        ("counts", {"shape": [1, 5]}, "'counts' must be int64"),
        ("__metadata__", {"format": "fuzzbow-vectors/9"}, "format must be fuzzbow-vectors/1"),
        ("word_hashes", None, "must hold 'word_hashes'"),
    ],
)
def test_a_wrong_or_missing_array_is_named(saved, name, changed, message):
    edit(saved, lambda header: header[name].update(changed) if changed else header.pop(name))
    with pytest.raises(InputError, match=message):
        open_vectors(saved)


@pytest.mark.parametrize("dtype", TYPES)
def test_whitening_is_stored_for_the_vectors_as_they_are_read_back(path, dtype, monkeypatch):
    rows = np.random.default_rng(5).standard_normal((300, 4))
    save_vectors(WordVectors.from_words([f"w{n}" for n in range(300)], rows), path, dtype=dtype)
    opened = open_vectors(path)
    expected, stored = (
        fit_whitening(runs_of(opened.matrix), word_probabilities(opened)),
        opened.stored_whitening,
    )
    np.testing.assert_allclose(stored.mean, expected.mean, atol=1e-12)
    np.testing.assert_allclose(stored.matrix, expected.matrix, atol=1e-9)
    assert stored.mean_length == pytest.approx(expected.mean_length)
    assert open_vectors(path, limit=2).stored_whitening is None
    monkeypatch.setattr("fuzzbow.vectors.formats.native.WHITENING_VERSION", 2)
    assert open_vectors(path).stored_whitening is None

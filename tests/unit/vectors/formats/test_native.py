"""The native file: what is written comes back, and damage is named."""

from __future__ import annotations

import gzip
import json
import struct
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fuzzbow.arrays import runs_of
from fuzzbow.errors import InputError
from fuzzbow.vectors import WordVectors, convert, open_vectors, save_vectors
from fuzzbow.vectors.vocabulary import StoredVocabulary, StoredWords, pack, word_hashes
from fuzzbow.vectors.weights import fit_whitening, word_probabilities

from ..samples import WORDS


@pytest.fixture
def saved(vectors: WordVectors, tmp_path: Path) -> Path:
    path = tmp_path / "small.safetensors"
    save_vectors(vectors, path)
    return path


def test_words_come_back(saved: Path) -> None:
    assert list(open_vectors(saved).words) == WORDS


def test_words_can_be_sliced_and_counted_from_the_end(saved: Path) -> None:
    words = open_vectors(saved).words
    assert (list(words[1:3]), words[-1]) == (["cat", "sat"], "日本")


def test_matrix_comes_back_exactly(saved: Path, matrix: np.ndarray) -> None:
    np.testing.assert_array_equal(open_vectors(saved).matrix, matrix)


def test_counts_come_back(saved: Path) -> None:
    counts = open_vectors(saved).counts
    assert counts is not None
    assert counts.tolist() == [50, 40, 30, 20, 10]


def test_name_comes_back(saved: Path) -> None:
    assert open_vectors(saved).name == "small"


def test_fingerprint_comes_back(saved: Path, vectors: WordVectors) -> None:
    assert open_vectors(saved).fingerprint == vectors.fingerprint


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int4"])
def test_stored_fingerprint_is_that_of_the_content(
    vectors: WordVectors, tmp_path: Path, dtype: str
) -> None:
    path = tmp_path / "x.safetensors"
    save_vectors(vectors, path, dtype=dtype)
    opened = open_vectors(path)
    assert replace(opened, stored_fingerprint=None).fingerprint == opened.fingerprint


def test_look_up_finds_stored_words_only(saved: Path) -> None:
    found = open_vectors(saved).ids(["日本", "dog", "the", "", "\ud800", "naïve"])
    assert found.tolist() == [4, -1, 0, -1, -1, 3]


def test_equal_hashes_are_told_apart_by_their_bytes() -> None:
    words = ["one", "two", "three"]
    data, offsets = pack(words)
    same = np.full(3, word_hashes([b"two"])[0])
    order = np.array([0, 2, 1], dtype=np.uint32)
    vocabulary = StoredVocabulary(StoredWords(data, offsets, "test"), same, order)
    assert vocabulary.find(["two", "one"]).tolist() == [1, -1]


@pytest.mark.parametrize(
    ("dtype", "tolerance"), [("float16", 1e-3), ("int8", 1 / 127), ("int4", 1 / 7)]
)
def test_narrow_types_come_back_nearly(
    vectors: WordVectors, tmp_path: Path, dtype: str, tolerance: float
) -> None:
    path = tmp_path / "x.safetensors"
    save_vectors(vectors, path, dtype=dtype)
    largest = float(np.abs(vectors.matrix).max())
    np.testing.assert_allclose(open_vectors(path).matrix, vectors.matrix, atol=tolerance * largest)


@pytest.mark.parametrize("dtype", ["int8", "int4"])
def test_rows_equal_the_dequantised_matrix(
    vectors: WordVectors, tmp_path: Path, dtype: str
) -> None:
    path = tmp_path / "x.safetensors"
    save_vectors(vectors, path, dtype=dtype)
    opened = open_vectors(path)
    np.testing.assert_array_equal(opened.rows([3, 1]), opened.matrix[[3, 1]])


@pytest.mark.parametrize("dtype", ["int8", "int4"])
def test_small_integers_saved_again_are_unchanged(
    vectors: WordVectors, tmp_path: Path, dtype: str
) -> None:
    first, second = tmp_path / "1.safetensors", tmp_path / "2.safetensors"
    save_vectors(vectors, first, dtype=dtype)
    save_vectors(open_vectors(first), second, dtype=dtype)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("dtype", ["int8", "int4"])
def test_a_row_of_zeros_survives(tmp_path: Path, dtype: str) -> None:
    path = tmp_path / "x.safetensors"
    save_vectors(WordVectors.from_words(["a"], [[0.0, 0.0]]), path, dtype=dtype)
    assert open_vectors(path).matrix.tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize("dimension", [1, 4, 5])
def test_int4_rows_keep_their_dimension_and_length(tmp_path: Path, dimension: int) -> None:
    path = tmp_path / "x.safetensors"
    rows = np.random.default_rng(1).standard_normal((20, dimension))
    save_vectors(WordVectors.from_words([f"w{n}" for n in range(20)], rows), path, dtype="int4")
    found = open_vectors(path).matrix
    assert found.shape == rows.shape
    np.testing.assert_allclose(
        np.linalg.norm(found, axis=1), np.linalg.norm(rows, axis=1), rtol=1e-6
    )


def test_int4_takes_half_a_byte_a_number(tmp_path: Path) -> None:
    vectors = WordVectors.from_words([f"w{n}" for n in range(50)], np.ones((50, 2000)))
    sizes = []
    for dtype in ("int8", "int4"):
        save_vectors(replace(vectors, ready=True), tmp_path / "x.safetensors", dtype=dtype)
        sizes.append((tmp_path / "x.safetensors").stat().st_size)
    assert sizes[0] - sizes[1] == pytest.approx(50 * 1000, abs=200)


@pytest.mark.parametrize("dimension", ["", "0", "x", "-4", "9", "9" * 40])
def test_int4_with_a_wrong_dimension_is_refused(tmp_path: Path, dimension: str) -> None:
    path = tmp_path / "x.safetensors"
    save_vectors(WordVectors.from_words(["a"], [[1.0, 2.0, 3.0, 4.0]]), path, dtype="int4")
    edited(path, lambda header: header["__metadata__"].update(dimension=dimension))
    with pytest.raises(InputError, match=r"dimension must be|must be uint8 of shape"):
        open_vectors(path)


def test_values_too_large_for_float16_are_refused(tmp_path: Path) -> None:
    vectors = WordVectors.from_words(["a"], [[1e9]])
    with pytest.raises(InputError, match="too large for float16"):
        save_vectors(vectors, tmp_path / "x.safetensors", dtype="float16")


def test_every_array_is_aligned(saved: Path) -> None:
    data = saved.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    del header["__metadata__"]
    begins = [
        item["data_offsets"][0] + 8 + length
        for name, item in header.items()
        if not name.startswith("padding")
    ]
    assert {begin % 64 for begin in begins} == {0}


def test_the_safetensors_library_reads_it(saved: Path, matrix: np.ndarray) -> None:
    library = pytest.importorskip("safetensors.numpy")
    np.testing.assert_array_equal(library.load_file(saved)["vectors"], matrix)


def test_opening_takes_milliseconds_whatever_the_size(tmp_path: Path) -> None:
    path = tmp_path / "large.safetensors"
    words = [f"word{number}" for number in range(100_000)]
    save_vectors(WordVectors.from_words(words, np.ones((100_000, 32))), path)
    seconds = []
    for _ in range(5):
        begin = time.perf_counter()
        open_vectors(path)
        seconds.append(time.perf_counter() - begin)
    assert min(seconds) < 0.05


def test_a_compressed_native_file_is_read(saved: Path, matrix: np.ndarray) -> None:
    packed = saved.with_suffix(".safetensors.gz")
    packed.write_bytes(gzip.compress(saved.read_bytes()))
    np.testing.assert_array_equal(open_vectors(packed).matrix, matrix)


def test_limit_gives_the_first_words(saved: Path) -> None:
    assert list(open_vectors(saved, limit=2).words) == ["the", "cat"]


def test_a_failed_save_leaves_the_old_file_and_nothing_beside_it(
    saved: Path, vectors: WordVectors
) -> None:
    before = saved.read_bytes()

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save_vectors(vectors, saved, progress=stop)
    assert (saved.read_bytes() == before, list(saved.parent.iterdir())) == (True, [saved])


def test_saving_over_the_file_that_is_open_keeps_its_content(saved: Path) -> None:
    opened = open_vectors(saved)
    save_vectors(opened, saved)
    assert list(open_vectors(saved).words) == list(opened.words)


def test_saving_into_a_missing_folder_is_an_input_error(
    vectors: WordVectors, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="existing folder"):
        save_vectors(vectors, tmp_path / "none" / "x.safetensors")


def test_saving_under_another_ending_is_refused(vectors: WordVectors, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"end in \.safetensors"):
        save_vectors(vectors, tmp_path / "x.bin")


def test_saving_as_an_unknown_type_names_the_known_ones(
    vectors: WordVectors, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="float32, float16, int8, int4; got 'int2'"):
        save_vectors(vectors, tmp_path / "x.safetensors", dtype="int2")


def test_convert_keeps_the_report_of_its_source(tmp_path: Path) -> None:
    source = tmp_path / "x.txt"
    source.write_text("a 1 2\nb 1\na 3 4\n")
    converted = convert(source, tmp_path / "x.safetensors", skip_bad=True)
    assert (converted.report.duplicates, converted.report.skipped) == (1, 1)


def test_convert_tells_its_progress_to_the_end(saved: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    convert(saved, tmp_path / "y.safetensors", progress=lambda *step: told.append(step))
    assert told[-1] == (5, 5)


def edited(saved: Path, change: Callable[[dict[str, dict[str, object]]], None]) -> None:
    """Rewrite the header of a file without moving its arrays."""
    data = saved.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    change(header)
    text = json.dumps(header, separators=(",", ":")).encode()
    assert len(text) <= length
    saved.write_bytes(data[:8] + text.ljust(length) + data[8 + length :])


def test_a_truncated_file_is_refused(saved: Path) -> None:
    saved.write_bytes(saved.read_bytes()[:-300])
    with pytest.raises(InputError, match=r"small\.safetensors: truncated or damaged"):
        open_vectors(saved)


def test_a_header_longer_than_the_file_is_refused(saved: Path) -> None:
    saved.write_bytes(struct.pack("<Q", 10**15) + saved.read_bytes()[8:])
    with pytest.raises(InputError, match="its header says 1000000000000000 bytes"):
        open_vectors(saved)


def test_a_header_that_is_not_json_is_refused(saved: Path) -> None:
    saved.write_bytes(struct.pack("<Q", 4) + b"{{{{" + b"\0" * 100)
    with pytest.raises(InputError, match="damaged safetensors header"):
        open_vectors(saved)


def test_a_file_of_three_bytes_is_refused(saved: Path) -> None:
    saved.write_bytes(b"abc")
    with pytest.raises(InputError, match="truncated"):
        open_vectors(saved)


@pytest.mark.parametrize(
    ("name", "field", "value", "message"),
    [
        ("vectors", "dtype", "I32", "float32, float16 or int8"),
        ("vectors", "dtype", "Q9", "must be one of F64"),
        ("vectors", "shape", [5, 3], "needs 60 bytes, has 80"),
        ("vectors", "data_offsets", [0, 10**9], "lies at bytes"),
        ("word_hashes", "dtype", "I32", "'word_hashes' must be uint32"),
        ("word_order", "dtype", "I32", "'word_order' must be uint32"),
        ("counts", "shape", [1, 5], "'counts' must be int64"),
    ],
)
def test_a_wrong_array_is_named(
    saved: Path, name: str, field: str, value: object, message: str
) -> None:
    edited(saved, lambda header: header[name].update({field: value}))
    with pytest.raises(InputError, match=message):
        open_vectors(saved)


def test_a_missing_array_is_named(saved: Path) -> None:
    edited(saved, lambda header: header.pop("word_hashes") and None)
    with pytest.raises(InputError, match="must hold 'word_hashes'"):
        open_vectors(saved)


def test_a_later_version_is_refused(saved: Path) -> None:
    edited(saved, lambda header: header["__metadata__"].update(format="fuzzbow-vectors/9"))
    with pytest.raises(InputError, match="format must be fuzzbow-vectors/1"):
        open_vectors(saved)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int4"])
def test_whitening_is_stored_for_the_vectors_as_they_are_read_back(tmp_path, dtype):
    vectors = WordVectors.from_words(
        [f"w{n}" for n in range(300)], np.random.default_rng(5).standard_normal((300, 4))
    )
    save_vectors(vectors, tmp_path / "v.safetensors", dtype=dtype)
    opened = open_vectors(tmp_path / "v.safetensors")
    expected = fit_whitening(runs_of(opened.matrix), word_probabilities(opened))
    stored = opened.stored_whitening
    np.testing.assert_allclose(stored.mean, expected.mean, atol=1e-12)
    np.testing.assert_allclose(stored.matrix, expected.matrix, atol=1e-9)
    assert stored.mean_length == pytest.approx(expected.mean_length)


def test_the_first_words_of_a_file_do_not_keep_the_whitening_of_all(tmp_path):
    vectors = WordVectors.from_words(["a", "b", "c"], np.eye(3))
    save_vectors(vectors, tmp_path / "v.safetensors")
    assert open_vectors(tmp_path / "v.safetensors", limit=2).stored_whitening is None


def test_a_whitening_of_another_version_is_fitted_anew(tmp_path, monkeypatch):
    vectors = WordVectors.from_words(["a", "b", "c"], np.eye(3))
    save_vectors(vectors, tmp_path / "v.safetensors")
    assert open_vectors(tmp_path / "v.safetensors").stored_whitening is not None
    monkeypatch.setattr("fuzzbow.vectors.formats.native.WHITENING_VERSION", 2)
    assert open_vectors(tmp_path / "v.safetensors").stored_whitening is None

"""fastText .bin: against gensim, and damage."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fuzzbow.errors import InputError
from fuzzbow.vectors import open_vectors, save_vectors

from ..samples import Write

UNKNOWN = ["kittens", "naïveté", "日本語", "x", "unheard-of"]


@pytest.fixture(scope="module")
def model() -> Any:
    gensim = pytest.importorskip("gensim.models")
    texts = [["the", "cat", "sat", "naïve", "日本"], ["the", "cat", "purred"], ["a", "dog"]] * 5
    return gensim.FastText(
        texts,
        vector_size=12,
        min_count=1,
        epochs=2,
        min_n=2,
        max_n=5,
        bucket=300,
        seed=1,
        workers=1,
    )


@pytest.fixture(scope="module")
def model_file(model: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from gensim.models.fasttext import save_facebook_model

    path = tmp_path_factory.mktemp("fasttext") / "model.bin"
    save_facebook_model(model, str(path))
    return path


def expected(model: Any, words: list[str]) -> np.ndarray:
    return np.stack([model.wv[word] for word in words])


def test_fasttext_words_have_gensims_vectors(model: Any, model_file: Path) -> None:
    vectors = open_vectors(model_file)
    np.testing.assert_allclose(vectors.matrix, expected(model, list(vectors.words)), atol=1e-5)


def test_fasttext_unknown_words_have_gensims_vectors(model: Any, model_file: Path) -> None:
    made, known = open_vectors(model_file).infer(UNKNOWN)
    assert known.all()
    np.testing.assert_allclose(made, expected(model, UNKNOWN), atol=1e-5)


def test_fasttext_counts_are_read(model: Any, model_file: Path) -> None:
    vectors = open_vectors(model_file)
    assert vectors.counts is not None
    assert vectors.counts[vectors.ids(["the", "dog"])].tolist() == [10, 5]


def test_fasttext_rows_equal_the_matrix(model_file: Path) -> None:
    vectors = open_vectors(model_file)
    np.testing.assert_allclose(vectors.rows([3, 0]), vectors.matrix[[3, 0]], atol=1e-7)


def test_fasttext_infers_an_enormous_word(model_file: Path) -> None:
    made, known = open_vectors(model_file).infer(["ab" * 100_000])
    assert (known.all(), np.isfinite(made).all()) == (True, True)


def test_fasttext_makes_the_empty_word_of_its_brackets(model_file: Path) -> None:
    made, known = open_vectors(model_file).infer([""])
    assert (made.shape, known.tolist()) == ((1, 12), [True])  # "<>" is an n-gram of two characters


def test_compressed_fasttext_is_read(model_file: Path, write: Write) -> None:
    path = write("model.bin.gz", gzip.compress(model_file.read_bytes()))
    np.testing.assert_array_equal(open_vectors(path).matrix, open_vectors(model_file).matrix)


def test_fasttext_stops_at_the_limit(model_file: Path) -> None:
    whole, first = open_vectors(model_file), open_vectors(model_file, limit=3)
    np.testing.assert_allclose(first.matrix, whole.matrix[:3], atol=1e-7)


def test_converted_fasttext_keeps_its_vectors(model_file: Path, tmp_path: Path) -> None:
    source = open_vectors(model_file)
    save_vectors(source, tmp_path / "f.safetensors")
    np.testing.assert_array_equal(open_vectors(tmp_path / "f.safetensors").matrix, source.matrix)


@pytest.mark.parametrize(
    ("dtype", "tolerance"), [("float32", 1e-6), ("float16", 1e-3), ("int8", 2e-2)]
)
def test_converted_fasttext_still_infers(
    model_file: Path, tmp_path: Path, dtype: str, tolerance: float
) -> None:
    source = open_vectors(model_file)
    save_vectors(source, tmp_path / "f.safetensors", dtype=dtype)
    made, known = open_vectors(tmp_path / "f.safetensors").infer(UNKNOWN)
    assert known.all()
    np.testing.assert_allclose(made, source.infer(UNKNOWN)[0], atol=tolerance)


@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.9])
def test_truncated_fasttext_is_named(model_file: Path, write: Write, share: float) -> None:
    data = model_file.read_bytes()
    input_end = len(data) - 12 * 4 * 8 - 17  # the output matrix behind it is not needed
    path = write("cut.bin", data[: int(share * input_end)])
    with pytest.raises(InputError, match=r"cut\.bin: truncated"):
        open_vectors(path)


def test_fasttext_of_another_version_is_refused(model_file: Path, write: Write) -> None:
    data = bytearray(model_file.read_bytes())
    data[4:8] = struct.pack("<i", 11)
    with pytest.raises(InputError, match="version must be 12; got 11"):
        open_vectors(write("old.bin", bytes(data)))


def test_quantised_fasttext_is_refused(model_file: Path, write: Write) -> None:
    data = bytearray(model_file.read_bytes())
    rows = 300 + len(open_vectors(model_file))
    flag = bytes(data).find(struct.pack("<?2q", False, rows, 12))
    data[flag] = 1
    with pytest.raises(InputError, match="quantised"):
        open_vectors(write("model.ftz", bytes(data)))


def test_nan_in_fasttext_names_the_word(model_file: Path, write: Write) -> None:
    data = bytearray(model_file.read_bytes())
    rows = 300 + len(open_vectors(model_file))
    start = bytes(data).find(struct.pack("<?2q", False, rows, 12)) + 17
    data[start : start + 4] = struct.pack("<f", float("nan"))
    vectors = open_vectors(write("nan.bin", bytes(data)))
    with pytest.raises(InputError, match=f"{vectors.words[0]!r} must be finite"):
        vectors.rows([0])

"""safetensors files of others, with their words beside them, and folders."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from fuzzbow.errors import InputError
from fuzzbow.vectors import open_vectors
from fuzzbow.vectors.formats.container import Tensor, write_container

from ..samples import WORDS

TOKENIZER = {
    "added_tokens": [],
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {}},
}


def save(path: Path, metadata: dict[str, str] | None = None, **arrays: np.ndarray) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    tensors = [Tensor.of(name, array) for name, array in arrays.items()]
    write_container(path, tensors, lambda: metadata or {})
    return path


@pytest.fixture
def words_beside(tmp_path: Path) -> Path:
    (tmp_path / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    return tmp_path / "m.safetensors"


def test_words_in_the_metadata_are_used(tmp_path: Path, matrix: np.ndarray) -> None:
    path = save(tmp_path / "m.safetensors", {"words": json.dumps(WORDS)}, any=matrix)
    np.testing.assert_array_equal(open_vectors(path)["日本"], matrix[4])


def test_words_in_vocab_txt_are_used(words_beside: Path, matrix: np.ndarray) -> None:
    assert list(open_vectors(save(words_beside, embeddings=matrix)).words) == WORDS


def test_words_in_a_text_file_of_the_same_name_are_used(tmp_path: Path, matrix: np.ndarray) -> None:
    (tmp_path / "m.txt").write_text("\r\n".join(WORDS), encoding="utf-8")
    path = save(tmp_path / "m.safetensors", embeddings=matrix)
    assert list(open_vectors(path).words) == WORDS


def test_words_in_tokenizer_json_are_in_id_order(tmp_path: Path, matrix: np.ndarray) -> None:
    vocabulary = {word: place for place, word in reversed(list(enumerate(WORDS)))}
    content = {**TOKENIZER, "model": {**TOKENIZER["model"], "vocab": vocabulary}}
    (tmp_path / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    path = save(tmp_path / "model.safetensors", embeddings=matrix)
    assert list(open_vectors(path).words) == WORDS


def test_marks_of_a_new_word_are_taken_off(tmp_path: Path) -> None:
    pieces = [["\u2581cat", -1.0], ["s", -2.0]]
    content = {"model": {"type": "Unigram", "unk_id": 0, "vocab": pieces}}
    (tmp_path / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    path = save(tmp_path / "model.safetensors", embeddings=np.eye(2, dtype=np.float32))
    assert list(open_vectors(path).words) == ["cat", "##s"]


def test_bfloat16_is_widened(words_beside: Path, matrix: np.ndarray) -> None:
    data = (matrix.view(np.uint32) >> 16).astype("<u2").tobytes()
    item = {"dtype": "BF16", "shape": list(matrix.shape), "data_offsets": [0, len(data)]}
    header = json.dumps({"embeddings": item}).encode()
    words_beside.write_bytes(struct.pack("<Q", len(header)) + header + data)
    np.testing.assert_allclose(open_vectors(words_beside).matrix, matrix, rtol=1e-2)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_other_floats_are_made_float32(words_beside: Path, matrix: np.ndarray, dtype: str) -> None:
    path = save(words_beside, embeddings=matrix.astype(dtype))
    np.testing.assert_allclose(open_vectors(path).matrix, matrix, rtol=1e-3)


def test_shared_and_weighted_rows_of_model2vec_are_spread(words_beside: Path) -> None:
    path = save(
        words_beside,
        embeddings=np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32),
        mapping=np.array([0, 1, 0, 1, 0]),
        weights=np.array([1.0, 1.0, 2.0, 1.0, 0.5]),
    )
    assert open_vectors(path).matrix[[2, 3, 4]].tolist() == [[2.0, 4.0], [3.0, 4.0], [0.5, 1.0]]


def test_a_folder_with_a_model_is_opened(tmp_path: Path, matrix: np.ndarray) -> None:
    save(tmp_path / "folder" / "model.safetensors", {"words": json.dumps(WORDS)}, any=matrix)
    assert list(open_vectors(tmp_path / "folder").words) == WORDS


def test_a_folder_gives_its_model_its_name(tmp_path: Path, matrix: np.ndarray) -> None:
    save(tmp_path / "potion" / "model.safetensors", {"words": json.dumps(WORDS)}, any=matrix)
    assert open_vectors(tmp_path / "potion").name == "potion"


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a directory; give a file of word vectors"):
        open_vectors(tmp_path)


def test_a_file_without_words_says_where_they_may_be(tmp_path: Path, matrix: np.ndarray) -> None:
    with pytest.raises(InputError, match=r"no words; .*vocab\.txt"):
        open_vectors(save(tmp_path / "m.safetensors", embeddings=matrix))


def test_fewer_words_than_rows_are_refused(words_beside: Path, matrix: np.ndarray) -> None:
    with pytest.raises(InputError, match="must agree; got 5 and 4"):
        open_vectors(save(words_beside, embeddings=matrix[:4]))


def test_several_tables_are_listed(words_beside: Path, matrix: np.ndarray) -> None:
    with pytest.raises(InputError, match="must hold one 2-D array of vectors; holds left, right"):
        open_vectors(save(words_beside, left=matrix, right=matrix))


def test_whole_numbers_are_no_vectors(words_beside: Path) -> None:
    with pytest.raises(InputError, match="must be real numbers; got int64"):
        open_vectors(save(words_beside, embeddings=np.ones((5, 2), dtype=np.int64)))


def test_nan_names_the_word(words_beside: Path, matrix: np.ndarray) -> None:
    matrix[2, 0] = np.nan
    with pytest.raises(InputError, match="'sat' must be finite"):
        open_vectors(save(words_beside, embeddings=matrix))


def test_a_tokenizer_without_vocabulary_is_refused(tmp_path: Path, matrix: np.ndarray) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match=r"tokenizer\.json: no vocabulary"):
        open_vectors(save(tmp_path / "model.safetensors", embeddings=matrix))

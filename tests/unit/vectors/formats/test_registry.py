"""The registry of formats, and files of tensors and of fastText."""

from __future__ import annotations

import gzip
import json
import struct
from pathlib import Path

import numpy as np
import pytest

import fuzzbow
from fuzzbow.errors import InputError
from fuzzbow.vectors import open_vectors, save_vectors
from fuzzbow.vectors.formats import FORMATS, VectorFile
from fuzzbow.vectors.formats.container import Tensor, write_container
from fuzzbow.vectors.word_vectors import WordVectors

from ..samples import WORDS, Write

MARK = b"TOY\0"
CONTENT = MARK + json.dumps({"cat": [1.0, 0.0], "dog": [0.6, 0.8]}).encode()


def recognises(file: VectorFile) -> bool:
    return file.head.startswith(MARK)


def read(file: VectorFile) -> WordVectors:
    listed = json.loads(bytes(file.content())[len(MARK) :])
    return WordVectors.from_words(list(listed), list(listed.values()), name=file.name)


def test_a_model_is_loaded_from_a_file_of_a_new_format(write: Write, monkeypatch):
    formats = {"toy": ((".toy",), __name__), **FORMATS}
    monkeypatch.setattr("fuzzbow.vectors.formats.FORMATS", formats)
    model = fuzzbow.load(write("pets.toy", CONTENT), measure="avg-cosine")
    assert model.similarity("cat", "dog") == pytest.approx(0.6)
    assert model.vectors.name == "pets"
    np.testing.assert_array_equal(open_vectors(write("pets.txt", b"cat 1 0\n"))["cat"], [1, 0])


def test_a_file_that_no_format_recognises_lists_those_that_are_known(write: Write):
    with pytest.raises(InputError, match=r"known are fastText \.bin, safetensors, .*, text$"):
        open_vectors(write("pets.toy", CONTENT))


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


def test_marks_of_a_new_word_are_taken_off(tmp_path: Path):
    pieces = [["\u2581cat", -1.0], ["s", -2.0]]
    content = {"model": {"type": "Unigram", "unk_id": 0, "vocab": pieces}}
    (tmp_path / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    path = save(tmp_path / "model.safetensors", embeddings=np.eye(2, dtype=np.float32))
    assert list(open_vectors(path).words) == ["cat", "##s"]


def test_bfloat16_is_widened(words_beside, matrix: np.ndarray):
    data = (matrix.view(np.uint32) >> 16).astype("<u2").tobytes()
    item = {"dtype": "BF16", "shape": list(matrix.shape), "data_offsets": [0, len(data)]}
    header = json.dumps({"embeddings": item}).encode()
    words_beside.write_bytes(struct.pack("<Q", len(header)) + header + data)
    np.testing.assert_allclose(open_vectors(words_beside).matrix, matrix, rtol=1e-2)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_other_floats_are_made_float32(words_beside, matrix, dtype: str):
    path = save(words_beside, embeddings=matrix.astype(dtype))
    np.testing.assert_allclose(open_vectors(path).matrix, matrix, rtol=1e-3)


def test_shared_and_weighted_rows_of_model2vec_are_spread(words_beside: Path):
    path = save(
        words_beside,
        embeddings=np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32),
        mapping=np.array([0, 1, 0, 1, 0]),
        weights=np.array([1.0, 1.0, 2.0, 1.0, 0.5]),
    )
    assert open_vectors(path).matrix[[2, 3, 4]].tolist() == [[2.0, 4.0], [3.0, 4.0], [0.5, 1.0]]


IDS = {word: number for number, word in reversed(list(enumerate(WORDS)))}
BESIDE = {
    "vocab.txt": "\n".join(WORDS) + "\n",
    "model.txt": "\r\n".join(WORDS),
    "tokenizer.json": json.dumps({**TOKENIZER, "model": {**TOKENIZER["model"], "vocab": IDS}}),
}


@pytest.mark.parametrize("name", BESIDE)
def test_words_in_a_file_of_the_folder_are_used(tmp_path, matrix, name):
    (tmp_path / name).write_text(BESIDE[name], encoding="utf-8")
    path = save(tmp_path / "model.safetensors", embeddings=matrix)
    assert list(open_vectors(path).words) == WORDS


@pytest.mark.parametrize("name", ["", "model.safetensors"])
def test_words_in_the_metadata_are_used_of_a_file_and_of_a_folder(tmp_path, matrix, name):
    folder = tmp_path / "potion"
    save(folder / "model.safetensors", {"words": json.dumps(WORDS)}, any=matrix)
    vectors = open_vectors(folder / name)
    np.testing.assert_array_equal(vectors["日本"], matrix[4])
    assert vectors.name == ("model" if name else "potion")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"embeddings": np.ones((4, 4))}, "must agree; got 5 and 4"),
        ({"left": np.ones((5, 4)), "right": np.ones((5, 4))}, "holds left, right"),
        ({"embeddings": np.ones((5, 2), dtype=np.int64)}, "must be real numbers; got int64"),
        ({"embeddings": np.full((5, 2), np.nan)}, "'the' must be finite"),
    ],
)
def test_arrays_that_are_no_table_of_the_words_are_refused(words_beside, arrays, message):
    with pytest.raises(InputError, match=message):
        open_vectors(save(words_beside, **arrays))


def test_missing_words_and_models_say_where_they_may_be(tmp_path, matrix):
    with pytest.raises(InputError, match="a directory; give a file of word vectors"):
        open_vectors(tmp_path)
    path = save(tmp_path / "model.safetensors", embeddings=matrix)
    with pytest.raises(InputError, match=r"no words; .*vocab\.txt"):
        open_vectors(path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match=r"tokenizer\.json: no vocabulary"):
        open_vectors(path)


UNKNOWN = ["kittens", "naïveté", "日本語", "x", "unheard-of"]


@pytest.fixture(scope="module")
def model():
    gensim = pytest.importorskip("gensim.models")
    texts = [["the", "cat", "sat", "naïve", "日本"], ["the", "cat", "purred"], ["a", "dog"]] * 5
    options = {"min_n": 2, "max_n": 5, "bucket": 300, "seed": 1, "workers": 1}
    return gensim.FastText(texts, vector_size=12, min_count=1, epochs=2, **options)


@pytest.fixture(scope="module")
def model_file(model, tmp_path_factory):
    from gensim.models.fasttext import save_facebook_model

    path = tmp_path_factory.mktemp("fasttext") / "model.bin"
    save_facebook_model(model, str(path))
    return path


def expected(model, words):
    return np.stack([model.wv[word] for word in words])


def test_words_and_unknown_words_have_the_vectors_of_gensim(model, model_file):
    vectors = open_vectors(model_file)
    np.testing.assert_allclose(vectors.matrix, expected(model, list(vectors.words)), atol=1e-5)
    np.testing.assert_allclose(vectors.rows([3, 0]), vectors.matrix[[3, 0]], atol=1e-7)
    made, known = vectors.infer(UNKNOWN)
    assert known.all()
    np.testing.assert_allclose(made, expected(model, UNKNOWN), atol=1e-5)
    assert vectors.counts[vectors.ids(["the", "dog"])].tolist() == [10, 5]
    first = open_vectors(model_file, limit=3)
    np.testing.assert_allclose(first.matrix, vectors.matrix[:3], atol=1e-7)


@pytest.mark.parametrize("word", ["ab" * 100_000, ""])  # "<>" is an n-gram of two characters
def test_fasttext_infers_an_enormous_and_an_empty_word(model_file, word):
    made, known = open_vectors(model_file).infer([word])
    assert (made.shape, known.tolist(), np.isfinite(made).all()) == ((1, 12), [True], True)


def test_compressed_fasttext_is_read(model_file, write):
    path = write("model.bin.gz", gzip.compress(model_file.read_bytes()))
    np.testing.assert_array_equal(open_vectors(path).matrix, open_vectors(model_file).matrix)


@pytest.mark.parametrize(
    ("dtype", "tolerance"), [("float32", 1e-6), ("float16", 1e-3), ("int8", 2e-2)]
)
def test_converted_fasttext_keeps_its_vectors_and_still_infers(
    model_file, tmp_path, dtype, tolerance
):
    source = open_vectors(model_file)
    save_vectors(source, tmp_path / "f.safetensors", dtype=dtype)
    saved = open_vectors(tmp_path / "f.safetensors")
    np.testing.assert_allclose(saved.matrix, source.matrix, atol=tolerance, rtol=0)
    made, known = saved.infer(UNKNOWN)
    assert known.all()
    np.testing.assert_allclose(made, source.infer(UNKNOWN)[0], atol=tolerance)


@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.9])
def test_truncated_fasttext_is_named(model_file, write, share):
    data = model_file.read_bytes()
    input_end = len(data) - 12 * 4 * 8 - 17  # the output matrix behind it is not needed
    path = write("cut.bin", data[: int(share * input_end)])
    with pytest.raises(InputError, match=r"cut\.bin: truncated"):
        open_vectors(path)


def test_another_version_a_quantised_model_and_nan_are_refused(model_file, write):
    data = model_file.read_bytes()
    with pytest.raises(InputError, match="version must be 12; got 11"):
        open_vectors(write("old.bin", data[:4] + struct.pack("<i", 11) + data[8:]))
    rows = 300 + len(open_vectors(model_file))
    flag = data.find(struct.pack("<?2q", False, rows, 12))
    with pytest.raises(InputError, match="quantised"):
        open_vectors(write("model.ftz", data[:flag] + b"\1" + data[flag + 1 :]))
    nan = struct.pack("<f", float("nan"))
    vectors = open_vectors(write("nan.bin", data[: flag + 17] + nan + data[flag + 21 :]))
    with pytest.raises(InputError, match=f"{vectors.words[0]!r} must be finite"):
        vectors.rows([0])
